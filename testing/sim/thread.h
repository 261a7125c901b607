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
// File: thread.h
// -----------------------------------------------------------------------------
//
// What the runtime knows of host threads.

#ifndef CONVEYOR_TESTING_SIM_THREAD_H_
#define CONVEYOR_TESTING_SIM_THREAD_H_

#include <cuda_runtime_api.h>

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "testing/sim/queue.h"

namespace conveyor {
namespace sim {

struct Thread;

// Whether a thread could go on, if it got the baton (baton.h).
enum class ThreadState : uint8_t {
  kCanRun,
  kBlocked,  // Until another thread wakes it, or its deadline.
  kAtPoint,  // Until its point is reached, in effect and in virtual time.
  kNoWork,   // Has ended, or runs host functions and there are none.
};

// What a blocked thread waits for, for the report of a deadlock.
struct WaitReason {
  const char* what = "";
  const Thread* whose = nullptr;  // Completes `what`, if not null.
};

struct Thread {
  int device = 0;
  cudaError_t last_error = cudaSuccess;
  double clock = 0;   // Virtual nanoseconds.
  double set_to = 0;  // The latest that another thread has set it to.
  cudaStreamCaptureMode capture_mode = cudaStreamCaptureModeGlobal;
  std::vector<Stream*> default_streams;  // cudaStreamPerThread, by device.
  bool in_host_function = false;         // The one that runs them.
  bool in_effect = false;                // Running a kernel's body.

  // Of baton.h. Numbers are given in the order in which threads are made.
  int number = 0;
  ThreadState state = ThreadState::kCanRun;
  bool woken = false;        // Of kBlocked.
  double deadline = kNever;  // Of kBlocked.
  Point point;               // Of kAtPoint.
  double ready_at = 0;       // When what it waited for came about.
  WaitReason waits_for;      // Of kBlocked.
  std::condition_variable turn;
  int idle_yields = 0;  // In a row.
  // What its copies between host memory take, in virtual time.
  Stream* copies = nullptr;
};

// The threads that take turns, and whose turn it is.
struct Turns {
  // False once a thread has come that this runtime has not started.
  bool scheduled = true;
  Thread* holder = nullptr;
  std::vector<Thread*> threads;  // By number.
  size_t host_threads = 0;       // Of them, all but that of host functions.
  int next_number = 0;
  uint64_t choices = 0;
  // Calls and waits so far: it stands still while the holder makes none.
  uint64_t moves = 0;
  size_t pending_functions = 0;  // Host functions that have not returned.

  // Whether there is nobody to take turns with.
  bool alone() const { return host_threads == 1 && pending_functions == 0; }
};

// `thread` has been told by another that it is `time`.
void SetClock(Thread& thread, double time);

struct Machine;

// The calling thread's. One that is neither the main thread nor was told what
// it is ends the turns.
Thread& ThisThread();

// Tells the calling thread what it is.
void SetThisThread(Thread* thread);

// Makes `thread` one of those that take turns. Under the machine's lock, as the
// next.
void JoinTurns(Machine& machine, Thread* thread);

// Ends the turns, if they have not ended yet, and says why.
void RunFreely(Machine& machine, const char* why);

}  // namespace sim
}  // namespace conveyor

#endif  // CONVEYOR_TESTING_SIM_THREAD_H_
