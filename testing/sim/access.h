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
// File: access.h
// -----------------------------------------------------------------------------
//
// Which device may touch whose memory.

#ifndef CONVEYOR_TESTING_SIM_ACCESS_H_
#define CONVEYOR_TESTING_SIM_ACCESS_H_

#include "testing/sim/machine.h"
#include "testing/sim/registry.h"

namespace conveyor {
namespace sim {

// Whether the hardware lets `device` reach the memory of `peer`, another one.
bool CanAccessPeer(const Machine& machine, int device, int peer);

// Whether a kernel of `device` may touch `allocation` now: memory of another
// device only where that has been enabled, and a pool's where the pool allows
// it. Under the machine's lock.
bool MayAccess(const Machine& machine, int device,
               const Allocation& allocation);

}  // namespace sim
}  // namespace conveyor

#endif  // CONVEYOR_TESTING_SIM_ACCESS_H_
