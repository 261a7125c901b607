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
// File: scheduler.h
// -----------------------------------------------------------------------------
//
// When effects happen: at any point that CUDA allows, chosen by the seed.

#ifndef CONVEYOR_TESTING_SIM_SCHEDULER_H_
#define CONVEYOR_TESTING_SIM_SCHEDULER_H_

#include <cstdint>
#include <mutex>
#include <vector>

#include "testing/sim/machine.h"
#include "testing/sim/queue.h"

namespace conveyor {
namespace sim {

// All under the machine's lock.

// Puts `work` into `stream`, after the points and what the legacy default
// stream asks for. May run it, and what waited for it, at once. Returns its
// index.
uint64_t Enqueue(Machine& machine, Stream* stream, Work work,
                 std::vector<Point> after, double issued);

// Gives all up to the point their effect. False if a host function must run
// first: its thread has it then, and tells machine.changed.
bool Force(Machine& machine, Point point);

// Force, waiting for host functions. Releases `lock` meanwhile.
void ForceAndWait(Machine& machine, std::unique_lock<std::mutex>& lock,
                  Point point);

// Called when the head of `stream` has got its effect elsewhere.
void EffectDone(Machine& machine, Stream* stream);

}  // namespace sim
}  // namespace conveyor

#endif  // CONVEYOR_TESTING_SIM_SCHEDULER_H_
