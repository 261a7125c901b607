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

#include "testing/sim/thread.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <mutex>

#include "testing/sim/machine.h"

namespace conveyor {
namespace sim {
namespace {

thread_local Thread* t_thread = nullptr;

Thread* MakeThread() {
  Machine& machine = TheMachine();
  if (getpid() == gettid()) {
    // Lives as long as the process: objects of static duration may call.
    auto* const made = new Thread;
    std::lock_guard<std::mutex> lock(machine.mutex);
    made->clock = machine.latest_clock;
    if (machine.turns.scheduled) JoinTurns(machine, made);
    return made;
  }
  thread_local Thread made;
  std::lock_guard<std::mutex> lock(machine.mutex);
  RunFreely(machine, "a thread calls that was not started by the seam");
  made.clock = machine.latest_clock;
  return &made;
}

}  // namespace

Thread& ThisThread() {
  if (t_thread == nullptr) t_thread = MakeThread();
  return *t_thread;
}

void SetClock(Thread& thread, double time) {
  thread.set_to = std::max(thread.set_to, time);
  thread.clock = std::max(thread.clock, time);
}

void SetThisThread(Thread* thread) { t_thread = thread; }

void JoinTurns(Machine& machine, Thread* thread) {
  Turns& turns = machine.turns;
  thread->number = turns.next_number++;
  if (!thread->in_host_function) ++turns.host_threads;
  if (turns.threads.empty()) turns.holder = thread;
  turns.threads.push_back(thread);
}

void RunFreely(Machine& machine, const char* why) {
  if (!machine.turns.scheduled) return;
  machine.turns.scheduled = false;
  if (std::getenv("CONVEYOR_SIM_QUIET") == nullptr) {
    std::fprintf(stderr,
                 "[conveyor] host threads run freely from here on, and the "
                 "order of effects is not the seed's: %s\n",
                 why);
  }
  for (Thread* const thread : machine.turns.threads) thread->turn.notify_one();
  machine.changed.notify_all();
}

}  // namespace sim
}  // namespace conveyor
