// Copyright 2026 The Conveyor Authors.
//
// Licensed under the Apache License, Version 2.0 (the "License");
// you may not use this file except in compliance with the License.
// You may obtain a copy of the License at
//
//     https://www.apache.org/licenses/LICENSE-2.0
//
// Unless required by applicable law or agreed to in writing, software
// distributed under the License is distributed on an "AS IS" BASIS,
// WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
// See the License for the specific language governing permissions and
// limitations under the License.

// Work handed from thread to thread.

#include <cuda_runtime.h>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <future>
#include <mutex>
#include <thread>
#include <vector>

#include "testing/sim/corpus/bench.h"
#include "testing/sim/corpus/program.h"

namespace conveyor {
namespace sim {
namespace {

bool HandedOverWithoutAWait(Bench& m) {
  std::thread([&] { m.Set(m.d, 2, m.a); }).join();
  m.Copy(m.e, m.d, m.b);
  return m.Holds(m.e, 2);
}

// A lock orders the calls, not the work.
bool HandedOverUnderALock(Bench& m) {
  std::mutex mutex;
  bool enqueued = false;
  std::thread other([&] {
    const std::lock_guard<std::mutex> lock(mutex);
    m.Set(m.d, 2, m.a);
    enqueued = true;
  });
  for (bool done = false; !done;) {
    const std::lock_guard<std::mutex> lock(mutex);
    done = enqueued;
    if (done) m.Copy(m.e, m.d, m.b);
  }
  other.join();
  return m.Holds(m.e, 2);
}

// The other thread's event, recorded before its work.
bool HandedOverWithAnEarlyEvent(Bench& m) {
  std::thread([&] {
    m.Record(m.event, m.a);
    m.Set(m.d, 2, m.a);
  }).join();
  m.Wait(m.b, m.event);
  m.Copy(m.e, m.d, m.b);
  return m.Holds(m.e, 2);
}

// Each thread's cudaStreamPerThread is another stream.
bool PerThreadStreamsOfTwoThreads(Bench& m) {
  std::thread([&] {
    Bench::Check(cudaSetDevice(0));
    m.Set(m.d, 2, cudaStreamPerThread);
  }).join();
  m.Copy(m.e, m.d, cudaStreamPerThread);
  return m.Holds(m.e, 2);
}

bool SourceOverwrittenByAnotherThread(Bench& m) {
  HostFills(m.p, 2);
  m.Copy(m.d, m.p, m.a);
  std::thread([&] { HostFills(m.p, 3); }).join();
  return m.Holds(m.d, 2);
}

bool ResultReadByAnotherThread(Bench& m) {
  m.Fill(m.d, 2);
  m.Copy(m.p, m.d, m.a);
  bool right = false;
  std::thread([&] { right = HostSees(m.p, 2); }).join();
  m.SyncAll();
  return right;
}

// The flag says that the download is complete, and publishes nothing.
bool PublishedRelaxed(Bench& m) {
  m.Fill(m.d, 2);
  std::atomic<bool> done{false};
  bool right = false;
  std::thread reader([&] {
    while (!done.load(std::memory_order_relaxed)) {
    }
    right = HostSees(m.p, 2);
  });
  m.Copy(m.p, m.d, m.a);
  m.Sync(m.a);
  done.store(true, std::memory_order_relaxed);
  reader.join();
  return right;
}

bool HandedOverWithAnEvent(Bench& m) {
  std::thread([&] {
    m.Set(m.d, 2, m.a);
    m.Record(m.event, m.a);
  }).join();
  m.Wait(m.b, m.event);
  m.Copy(m.e, m.d, m.b);
  return m.Holds(m.e, 2);
}

bool HandedOverWithAWait(Bench& m) {
  std::thread([&] {
    m.Set(m.d, 2, m.a);
    m.Sync(m.a);
  }).join();
  m.Copy(m.e, m.d, m.b);
  return m.Holds(m.e, 2);
}

bool PublishedWithRelease(Bench& m) {
  m.Fill(m.d, 2);
  std::atomic<bool> done{false};
  bool right = false;
  std::thread reader([&] {
    while (!done.load(std::memory_order_acquire)) {
    }
    right = HostSees(m.p, 2);
    m.Copy(m.e, m.p, m.b);
    m.Sync(m.b);
  });
  m.Copy(m.p, m.d, m.a);
  m.Sync(m.a);
  done.store(true, std::memory_order_release);
  reader.join();
  return right && m.Holds(m.e, 2);
}

// A host function tells another thread.
bool HostFunctionWakesAThread(Bench& m) {
  m.Fill(m.d, 2);
  std::promise<void> done;
  std::thread consumer([&] {
    done.get_future().wait();
    m.Copy(m.e, m.p, m.b);
  });
  m.Copy(m.p, m.d, m.a);
  m.Call(m.a, [&] { done.set_value(); });
  consumer.join();
  return m.Holds(m.e, 2);
}

// Two threads take turns in one stream.
bool OneStreamUnderALock(Bench& m) {
  std::mutex mutex;
  const auto increment = [&] {
    for (int i = 0; i < 10; ++i) {
      const std::lock_guard<std::mutex> lock(mutex);
      m.Increment(m.d, m.a);
    }
  };
  std::thread one(increment);
  std::thread other(increment);
  one.join();
  other.join();
  return m.Holds(m.d, 20);
}

// Slots of pinned memory between a filler and a sender.
bool SlotsBetweenThreads(Bench& m) {
  constexpr size_t kChunk = kBytes / 8;
  std::mutex mutex;
  std::condition_variable changed;
  size_t filled = 0;
  size_t sent = 0;
  std::thread filler([&] {
    for (size_t i = 0; i < 8; ++i) {
      std::unique_lock<std::mutex> lock(mutex);
      changed.wait(lock, [&] { return i < sent + 2; });
      lock.unlock();
      HostFills(m.p + i % 2 * kChunk, 2, kChunk);
      lock.lock();
      filled = i + 1;
      changed.notify_all();
    }
  });
  for (size_t i = 0; i < 8; ++i) {
    {
      std::unique_lock<std::mutex> lock(mutex);
      changed.wait(lock, [&] { return filled > i; });
    }
    m.Copy(m.d + i * kChunk, m.p + i % 2 * kChunk, m.a, kChunk);
    m.Sync(m.a);
    const std::lock_guard<std::mutex> lock(mutex);
    sent = i + 1;
    changed.notify_all();
  }
  filler.join();
  return m.Holds(m.d, 2);
}

}  // namespace

std::vector<Program> ThreadPrograms() {
  const char* const set = "cudaMemsetAsync";
  const char* const copy = "cudaMemcpyAsync";
  return {
      {"handed_over_without_a_wait", HandedOverWithoutAWait, Verdict::kHazard,
       set, copy},
      {"handed_over_under_a_lock", HandedOverUnderALock, Verdict::kHazard, set,
       copy},
      {"handed_over_with_an_early_event", HandedOverWithAnEarlyEvent,
       Verdict::kHazard, set, copy},
      {"per_thread_streams_of_two_threads", PerThreadStreamsOfTwoThreads,
       Verdict::kHazard, set, copy},
      {"source_overwritten_by_another_thread", SourceOverwrittenByAnotherThread,
       Verdict::kHazard, copy, "the host writes"},
      {"result_read_by_another_thread", ResultReadByAnotherThread,
       Verdict::kData},
      {"published_relaxed", PublishedRelaxed, Verdict::kFibers},
      {"handed_over_with_an_event", HandedOverWithAnEvent, Verdict::kRight},
      {"handed_over_with_a_wait", HandedOverWithAWait, Verdict::kRight},
      {"published_with_release", PublishedWithRelease, Verdict::kRight},
      {"host_function_wakes_a_thread", HostFunctionWakesAThread,
       Verdict::kRight},
      {"one_stream_under_a_lock", OneStreamUnderALock, Verdict::kRight},
      {"slots_between_threads", SlotsBetweenThreads, Verdict::kRight},
  };
}

}  // namespace sim
}  // namespace conveyor
