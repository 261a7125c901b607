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
// The threads of a program as the simulated machine runs them, one at a time by
// the seed, and what they wait by, on virtual clocks. Programs use it through
// third_party/cuda/host_threads.h, which says what each thing is for.

#ifndef CONVEYOR_TESTING_SIM_HOST_THREADS_H_
#define CONVEYOR_TESTING_SIM_HOST_THREADS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

namespace conveyor {
namespace sim {

struct Machine;
struct Thread;

class HostMutex {
 public:
  HostMutex() = default;
  HostMutex(const HostMutex&) = delete;
  HostMutex& operator=(const HostMutex&) = delete;

  void lock();
  void unlock();

 private:
  friend class HostCondVar;

  // Under the machine's lock.
  void Release(Machine& machine);

  Thread* holder_ = nullptr;
  double released_at_ = 0;
  std::vector<Thread*> waiters_;
};

class HostCondVar {
 public:
  HostCondVar() = default;
  HostCondVar(const HostCondVar&) = delete;
  HostCondVar& operator=(const HostCondVar&) = delete;

  // Releases `mutex` while it waits. May return with no notification.
  void Wait(HostMutex* mutex);
  // The same. Returns false if the clock has come to deadline_ns first.
  bool WaitUntil(HostMutex* mutex, int64_t deadline_ns);
  void NotifyOne();
  void NotifyAll();

 private:
  bool WaitUntil(HostMutex* mutex, double deadline);

  std::vector<Thread*> waiters_;
};

class HostThread {
 public:
  HostThread() = default;
  explicit HostThread(std::function<void()> body);
  HostThread(HostThread&&) = default;
  // There is nothing to join in the one that is assigned to.
  HostThread& operator=(HostThread&&) = default;
  ~HostThread() { Join(); }

  void Join();

 private:
  struct State;

  static void Run(State* state);

  std::shared_ptr<State> state_;
};

int HostCores();
void HostYield();
void HostSleepUntil(int64_t time_ns);
// For waits that this does not know: the thread has slept until then.
void HostAdvanceTo(int64_t time_ns);
// What it takes alone: the caller touches them.
void HostTouch(const void* address, size_t num_bytes);
void HostCopy(void* dst, const void* src, size_t num_bytes);

}  // namespace sim
}  // namespace conveyor

#endif  // CONVEYOR_TESTING_SIM_HOST_THREADS_H_
