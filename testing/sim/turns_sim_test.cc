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

// Host threads that take turns: what is reported when nobody can go on, when
// the turns end, and virtual time where several threads work.

#include <cuda_runtime.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "testing/sim/sim.h"
#include "third_party/cuda/host_clock.h"
#include "third_party/cuda/host_threads.h"

namespace conveyor {
namespace {

#define ASSERT_CUDA(call) ASSERT_EQ(call, cudaSuccess)
#define EXPECT_CUDA(call) EXPECT_EQ(call, cudaSuccess)

// First, since other tests of this process end the turns.
TEST(TurnsDeathTest, ADeadlockIsReportedWithAllWaits) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_DEATH(
      {
        HostMutex first;
        HostMutex second;
        HostThread thread([&] {
          second.Lock();
          HostSleepUntil(HostNowNs() + 1000000);
          first.Lock();
        });
        first.Lock();
        HostSleepUntil(HostNowNs() + 1000000);
        second.Lock();
      },
      "DEADLOCK.*\n.*host thread 0 waits for the mutex of host thread 1\n.*"
      "host thread 1 waits for the mutex of host thread 0");
}

TEST(TurnsDeathTest, AWaitForWorkThatNeverEndsIsADeadlock) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_DEATH(
      {
        static HostMutex mutex;
        cudaStream_t stream;
        EXPECT_CUDA(cudaStreamCreate(&stream));
        EXPECT_CUDA(cudaLaunchHostFunc(
            stream, [](void*) { mutex.Lock(); }, nullptr));
        mutex.Lock();
        static_cast<void>(cudaStreamSynchronize(stream));
      },
      "DEADLOCK.*\n.*host thread 0 waits in a call for operation 1 of stream "
      ".* of device 0.*\n.*the thread of host functions waits for the mutex "
      "of host thread 0");
}

TEST(TurnsTest, AWaitForADeadlineTakesNoRealTime) {
  const auto before = std::chrono::steady_clock::now();
  const int64_t hour = int64_t{3600} * 1000000000;
  HostSleepUntil(HostNowNs() + 24 * hour);
  HostThread thread([hour] { HostSleepUntil(HostNowNs() + 24 * hour); });
  thread.Join();
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::hours(1));
}

TEST(TurnsTest, ClocksAreHandedOver) {
  HostMutex mutex;
  HostCondVar changed;
  bool done = false;
  const int64_t begin = HostNowNs();
  HostThread thread([&] {
    sim::ChargeHostNs(5000000);
    HostMutexLock lock(&mutex);
    done = true;
    changed.NotifyAll();
  });
  {
    HostMutexLock lock(&mutex);
    while (!done) changed.Wait(&mutex);
  }
  EXPECT_GE(HostNowNs() - begin, 5000000);
  EXPECT_LT(HostNowNs() - begin, 5500000);
}

// A thread that has come far does not hold back one that has not: the device's
// time waits for the slowest.
TEST(TurnsTest, WorkStartsWhenItsThreadHasEnqueuedIt) {
  const size_t size = 32 << 20;
  char* device = nullptr;
  char* pinned = nullptr;
  ASSERT_CUDA(cudaMalloc(&device, 2 * size));
  ASSERT_CUDA(cudaMallocHost(&pinned, 2 * size));
  const auto upload = [&](size_t offset, int64_t think_ns, int64_t* end) {
    cudaStream_t stream;
    EXPECT_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    sim::ChargeHostNs(think_ns);
    EXPECT_CUDA(cudaMemcpyAsync(device + offset, pinned + offset, size,
                                cudaMemcpyHostToDevice, stream));
    EXPECT_CUDA(cudaStreamSynchronize(stream));
    *end = HostNowNs();
    EXPECT_CUDA(cudaStreamDestroy(stream));
  };
  const int64_t begin = HostNowNs();
  int64_t soon = 0;
  int64_t late = 0;
  {
    // The late one waits 20 ms, and copies when the other has long ended.
    HostThread first([&] { upload(0, 20000000, &late); });
    HostThread second([&] { upload(size, 0, &soon); });
  }
  const double alone_ms = static_cast<double>(size) / 55.0 * 1e-6;
  EXPECT_NEAR(static_cast<double>(soon - begin) * 1e-6, alone_ms, 0.3);
  EXPECT_NEAR(static_cast<double>(late - begin) * 1e-6, 20 + alone_ms, 0.3);
  EXPECT_CUDA(cudaFreeHost(pinned));
  EXPECT_CUDA(cudaFree(device));
}

// Staging: threads copy chunks into a pinned ring, claimed as they come, and
// one submits them. Returns what it gets, in GB/s.
double StagingGbPerS(size_t workers) {
  constexpr size_t kChunk = 4 << 20;
  constexpr size_t kChunks = 64;
  constexpr size_t kSlots = 16;
  struct Slot {
    char* pinned;
    cudaEvent_t done;
    size_t ready = 0;  // Chunks filled so far.
    size_t taken = 0;
  };
  Slot slots[kSlots];
  for (Slot& slot : slots) {
    EXPECT_CUDA(cudaMallocHost(&slot.pinned, kChunk));
    EXPECT_CUDA(cudaEventCreateWithFlags(&slot.done, cudaEventDisableTiming));
  }
  std::vector<char> source(kChunk);
  char* device = nullptr;
  EXPECT_CUDA(cudaMalloc(&device, kChunk));
  cudaStream_t stream;
  EXPECT_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));

  HostMutex mutex;
  HostCondVar changed;
  size_t next = 0;
  std::vector<HostThread> threads;
  const int64_t begin = HostNowNs();
  for (size_t i = 0; i < workers; ++i) {
    threads.emplace_back([&] {
      while (true) {
        size_t chunk = 0;
        {
          HostMutexLock lock(&mutex);
          if (next == kChunks) return;
          chunk = next++;
          while (slots[chunk % kSlots].taken < chunk / kSlots) {
            changed.Wait(&mutex);
          }
        }
        Slot& slot = slots[chunk % kSlots];
        EXPECT_CUDA(cudaEventSynchronize(slot.done));
        HostCopy(slot.pinned, source.data(), kChunk);
        HostMutexLock lock(&mutex);
        ++slot.ready;
        changed.NotifyAll();
      }
    });
  }
  for (size_t chunk = 0; chunk < kChunks; ++chunk) {
    Slot& slot = slots[chunk % kSlots];
    {
      HostMutexLock lock(&mutex);
      while (slot.ready <= chunk / kSlots) changed.Wait(&mutex);
    }
    EXPECT_CUDA(cudaMemcpyAsync(device, slot.pinned, kChunk,
                                cudaMemcpyHostToDevice, stream));
    EXPECT_CUDA(cudaEventRecord(slot.done, stream));
    HostMutexLock lock(&mutex);
    ++slot.taken;
    changed.NotifyAll();
  }
  EXPECT_CUDA(cudaStreamSynchronize(stream));
  const auto ns = static_cast<double>(HostNowNs() - begin);
  threads.clear();
  EXPECT_CUDA(cudaStreamDestroy(stream));
  EXPECT_CUDA(cudaFree(device));
  for (Slot& slot : slots) {
    EXPECT_CUDA(cudaEventDestroy(slot.done));
    EXPECT_CUDA(cudaFreeHost(slot.pinned));
  }
  return static_cast<double>(kChunk * kChunks) / ns;
}

// Copying is what takes the time, at the rate of so many threads. They end
// their last chunks together, which then go over the link one after the other.
TEST(TurnsTest, StagingIsAsFastAsItsThreadsCopy) {
  struct {
    size_t workers;
    double copy_gb_per_s;
  } const cases[] = {{1, 8.8}, {2, 16}, {4, 22.5}, {8, 36}, {16, 48}};
  for (const auto& c : cases) {
    const double bytes = 64.0 * (4 << 20);
    const double ideal_ns = bytes / c.copy_gb_per_s +
                            static_cast<double>(c.workers * (4 << 20)) / 55.0;
    EXPECT_NEAR(StagingGbPerS(c.workers), bytes / ideal_ns,
                0.05 * bytes / ideal_ns)
        << c.workers << " workers";
  }
}

TEST(TurnsTest, TheFirstCopyToNewMemoryFindsItsPages) {
  constexpr size_t kBytes = size_t{16} << 20;
  void* const fresh = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(fresh, MAP_FAILED);
  const std::vector<char> source(kBytes);
  for (const double ns : {kBytes / 4.9 + kBytes / 8.8, kBytes / 8.8}) {
    const int64_t begin = HostNowNs();
    HostCopy(fresh, source.data(), kBytes);
    EXPECT_NEAR(static_cast<double>(HostNowNs() - begin), ns, 0.01 * ns);
  }
  munmap(fresh, kBytes);
}

// What follows ends the turns.

TEST(FreeTest, AThreadThatTheSeamDoesNotKnowWorks) {
  cudaStream_t stream;
  ASSERT_CUDA(cudaStreamCreate(&stream));
  std::thread([&] { EXPECT_CUDA(cudaStreamSynchronize(stream)); }).join();
  ASSERT_CUDA(cudaStreamDestroy(stream));
}

TEST(FreeTest, LocksAndWaitsGoOnWorking) {
  HostMutex mutex;
  HostCondVar changed;
  int stage = 0;
  const auto pass = [&](int from) {
    HostMutexLock lock(&mutex);
    while (stage != from) changed.Wait(&mutex);
    stage = from + 1;
    changed.NotifyAll();
  };
  std::thread unknown([&] { pass(1); });
  HostThread thread([&] { pass(0); });
  pass(2);
  unknown.join();
  EXPECT_EQ(stage, 3);
  HostMutexLock lock(&mutex);
  EXPECT_FALSE(changed.WaitUntil(&mutex, HostNowNs() + 1000000));
}

}  // namespace
}  // namespace conveyor
