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
//
// -----------------------------------------------------------------------------
// File: host_threads.h
// -----------------------------------------------------------------------------
//
// Threads, locks, waits and copies of the host, for code that feeds GPUs with
// several threads. Abseil and memcpy, but on the simulated machine: there one
// thread runs at a time, in an order that the seed decides, on virtual clocks
// that are handed from one thread to the other, so that a run can be repeated
// and timed, and a state in which nobody can go on is reported with all waits.
//
// Code that waits otherwise (a spin without HostYield, a std::mutex between
// threads) works, too, but the simulated machine then runs threads freely, and
// repeats nothing.

#ifndef CONVEYOR_THIRD_PARTY_CUDA_HOST_THREADS_H_
#define CONVEYOR_THIRD_PARTY_CUDA_HOST_THREADS_H_

#include <cuda_runtime_api.h>
#include <sched.h>
#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

#include "absl/base/thread_annotations.h"

// The thread sanitizer understands what it knows: there the simulated machine
// runs threads freely, and they wait as in production.
#ifdef CONVEYOR_SIMULATED_CUDART
#include "testing/sim/host_threads.h"
#ifndef __SANITIZE_THREAD__
#define CONVEYOR_SIMULATED_HOST_THREADS
#endif
#endif
#ifndef CONVEYOR_SIMULATED_HOST_THREADS
#include <algorithm>
#include <cstring>
#include <thread>

#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "third_party/cuda/host_clock.h"
#endif

namespace conveyor {

// As absl::Mutex.
class ABSL_LOCKABLE HostMutex {
 public:
  HostMutex() = default;

  void Lock() ABSL_EXCLUSIVE_LOCK_FUNCTION() { mutex_.lock(); }
  void Unlock() ABSL_UNLOCK_FUNCTION() { mutex_.unlock(); }

 private:
  friend class HostCondVar;

#ifdef CONVEYOR_SIMULATED_HOST_THREADS
  sim::HostMutex mutex_;
#else
  absl::Mutex mutex_;
#endif
};

// As absl::MutexLock.
class ABSL_SCOPED_LOCKABLE HostMutexLock {
 public:
  explicit HostMutexLock(HostMutex* mutex) ABSL_EXCLUSIVE_LOCK_FUNCTION(mutex)
      : mutex_(mutex) {
    mutex_->Lock();
  }
  ~HostMutexLock() ABSL_UNLOCK_FUNCTION() { mutex_->Unlock(); }

  HostMutexLock(const HostMutexLock&) = delete;
  HostMutexLock& operator=(const HostMutexLock&) = delete;

 private:
  HostMutex* const mutex_;
};

// As absl::CondVar: a wait may return with nobody having notified.
class HostCondVar {
 public:
  HostCondVar() = default;

  // Releases `mutex`, waits, and takes it again.
  void Wait(HostMutex* mutex) { cond_var_.Wait(&mutex->mutex_); }

  // The same, until HostNowNs() is deadline_ns at the latest. Returns false if
  // it waited so long.
  bool WaitUntil(HostMutex* mutex, int64_t deadline_ns) {
#ifdef CONVEYOR_SIMULATED_HOST_THREADS
    return cond_var_.WaitUntil(&mutex->mutex_, deadline_ns);
#else
    const bool timed_out = cond_var_.WaitWithTimeout(
        &mutex->mutex_, absl::Nanoseconds(deadline_ns - HostNowNs()));
#ifdef CONVEYOR_SIMULATED_CUDART
    if (timed_out) sim::HostAdvanceTo(deadline_ns);
#endif
    return !timed_out;
#endif
  }

  void NotifyOne() {
#ifdef CONVEYOR_SIMULATED_HOST_THREADS
    cond_var_.NotifyOne();
#else
    cond_var_.Signal();
#endif
  }

  void NotifyAll() {
#ifdef CONVEYOR_SIMULATED_HOST_THREADS
    cond_var_.NotifyAll();
#else
    cond_var_.SignalAll();
#endif
  }

 private:
#ifdef CONVEYOR_SIMULATED_HOST_THREADS
  sim::HostCondVar cond_var_;
#else
  absl::CondVar cond_var_;
#endif
};

// A thread that is joined at the latest when this is destroyed or assigned to.
// Movable;
// moved-from, as default-constructed, there is nothing to join.
class HostThread {
 public:
  HostThread() = default;
  // Starts it.
  explicit HostThread(std::function<void()> body) : thread_(std::move(body)) {}
  HostThread(HostThread&&) = default;
  HostThread& operator=(HostThread&& other) noexcept {
    Join();
    thread_ = std::move(other.thread_);
    return *this;
  }
  ~HostThread() { Join(); }

  // Waits until it has ended. A second call does nothing.
  void Join() {
#ifdef CONVEYOR_SIMULATED_HOST_THREADS
    thread_.Join();
#else
    if (thread_.joinable()) thread_.join();
#endif
  }

 private:
#ifdef CONVEYOR_SIMULATED_HOST_THREADS
  sim::HostThread thread_;
#else
  std::thread thread_;
#endif
};

// How many processors this process may use, at least 1.
inline int HostCores() {
#ifdef CONVEYOR_SIMULATED_HOST_THREADS
  return sim::HostCores();
#else
  cpu_set_t cores;
  if (sched_getaffinity(0, sizeof(cores), &cores) == 0) {
    return CPU_COUNT(&cores);
  }
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
#endif
}

// Lets others go on: in a loop that polls what another thread or a GPU writes.
inline void HostYield() {
#ifdef CONVEYOR_SIMULATED_HOST_THREADS
  sim::HostYield();
#else
  std::this_thread::yield();
#endif
}

// Sleeps until HostNowNs() is time_ns.
inline void HostSleepUntil(int64_t time_ns) {
#ifdef CONVEYOR_SIMULATED_HOST_THREADS
  sim::HostSleepUntil(time_ns);
#else
  absl::SleepFor(absl::Nanoseconds(time_ns - HostNowNs()));
#ifdef CONVEYOR_SIMULATED_CUDART
  sim::HostAdvanceTo(time_ns);
#endif
#endif
}

// memcpy, which on the simulated machine takes the time that it takes so many
// threads at once.
inline void HostCopy(void* dst, const void* src, size_t num_bytes) {
#ifdef CONVEYOR_SIMULATED_HOST_THREADS
  sim::HostCopy(dst, src, num_bytes);
#else
  if (num_bytes > 0) std::memcpy(dst, src, num_bytes);
#endif
}

// Gives the pages of [address, address + num_bytes) memory, as writing to them
// does; what they hold stays. Nobody writes to them meanwhile.
inline void HostTouch(void* address, size_t num_bytes) {
#ifdef CONVEYOR_SIMULATED_HOST_THREADS
  sim::HostTouch(address, num_bytes);
#endif
  constexpr uintptr_t kPage = 4096;
  constexpr int kMadvisePopulateWrite = 23;  // Older headers lack it.
  const auto begin = reinterpret_cast<uintptr_t>(address) / kPage * kPage;
  const auto end = reinterpret_cast<uintptr_t>(address) + num_bytes;
  // One call finds them all; kernels before 5.14 cannot.
  if (num_bytes == 0 || madvise(reinterpret_cast<void*>(begin), end - begin,
                                kMadvisePopulateWrite) == 0) {
    return;
  }
  volatile char* const bytes = static_cast<char*>(address);
  for (size_t i = 0; i < num_bytes; i += kPage) bytes[i] = bytes[i];
  bytes[num_bytes - 1] = bytes[num_bytes - 1];
}

}  // namespace conveyor

#undef CONVEYOR_SIMULATED_HOST_THREADS

#endif  // CONVEYOR_THIRD_PARTY_CUDA_HOST_THREADS_H_
