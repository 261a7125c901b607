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
// File: progress.h
// -----------------------------------------------------------------------------
//
// The threads behind the host's back: one runs host functions, one sees to it
// that nothing is put off for ever.

#ifndef CONVEYOR_TESTING_SIM_PROGRESS_H_
#define CONVEYOR_TESTING_SIM_PROGRESS_H_

#include <cstdint>

#include "testing/sim/machine.h"
#include "testing/sim/queue.h"

namespace conveyor {
namespace sim {

// Gives `op`, whose turn it is, to the one thread that runs host functions, if
// that thread does not have it already. Under the machine's lock.
void DispatchHostFunction(Machine& machine, Op& op);

// Ticks of the ticker so far: an operation's age in ticks does not grow while
// the whole process has no processor.
uint32_t CurrentTick();

// Keeps the ticker going while there is pending work. Under the machine's lock.
void WakeTicker(Machine& machine);

}  // namespace sim
}  // namespace conveyor

#endif  // CONVEYOR_TESTING_SIM_PROGRESS_H_
