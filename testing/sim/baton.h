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
// File: baton.h
// -----------------------------------------------------------------------------
//
// Which host thread runs. In scheduled mode one at a time does, of those that
// the runtime knows: the main thread, those of host_threads.h, and the one that
// runs host functions. The baton moves at calls and waits, to the thread whose
// virtual clock is behind, by the seed among those that are about as far: so
// order and times are the seed's, and virtual time never runs ahead of a thread
// that could still do something.
//
// In free mode they run as the operating system lets them. The first call of a
// thread that the runtime does not know begins it, or a thread that keeps
// others waiting and makes no call; there is no way back.

#ifndef CONVEYOR_TESTING_SIM_BATON_H_
#define CONVEYOR_TESTING_SIM_BATON_H_

#include <cstddef>
#include <mutex>
#include <vector>

#include "testing/sim/machine.h"
#include "testing/sim/queue.h"
#include "testing/sim/thread.h"

namespace conveyor {
namespace sim {

using Lock = std::unique_lock<std::mutex>;

// All under the machine's lock, which waiting lets go of.

// Takes `thread` from those that take turns, and gives the baton away.
void LeaveTurns(Machine& machine, Lock& lock, Thread* thread);

// Where another thread may go on before `self` does.
void MayPassBaton(Machine& machine, Lock& lock, Thread& self);

// Waits until it is the turn of `self`, a thread that begins.
void WaitForTurn(Machine& machine, Lock& lock, Thread& self);

// Gives the baton to whoever can go on, and waits for it to come back: until
// the state of `self` has become kCanRun again, or the turns have ended.
void PassBaton(Machine& machine, Lock& lock, Thread& self);

// Waits until all up to the point has its effect and its virtual time, and
// returns that time.
double WaitForPoint(Machine& machine, Lock& lock, Thread& self, Point point);

// Puts `self` among the waiters and waits to be woken. Returns false if the
// deadline, by its clock, came first.
bool Block(Machine& machine, Lock& lock, Thread& self,
           std::vector<Thread*>* waiters, double deadline, WaitReason reason);

// Lets a thread go on that Block has put among the waiters, and takes it from
// them. `at` is the clock of what wakes it.
void Wake(Machine& machine, std::vector<Thread*>* waiters, size_t which,
          double at);

// A choice among `count`, by the seed.
size_t Choose(Machine& machine, size_t count);

}  // namespace sim
}  // namespace conveyor

#endif  // CONVEYOR_TESTING_SIM_BATON_H_
