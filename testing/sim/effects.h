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
// File: effects.h
// -----------------------------------------------------------------------------
//
// What operations do to memory.

#ifndef CONVEYOR_TESTING_SIM_EFFECTS_H_
#define CONVEYOR_TESTING_SIM_EFFECTS_H_

#include "testing/sim/machine.h"
#include "testing/sim/queue.h"

namespace conveyor {
namespace sim {

// Moves the bytes, or runs the kernel. Memory that has been freed meanwhile, or
// that a kernel's device has no access to, is an illegal address, and a broken
// link an error of its own: the device keeps them. Under the machine's lock.
void ApplyEffect(Machine& machine, Op& op);

// Moves the bytes of a copy now.
void CopyRows(const Work& work);

}  // namespace sim
}  // namespace conveyor

#endif  // CONVEYOR_TESTING_SIM_EFFECTS_H_
