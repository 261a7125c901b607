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
// File: device_memory.h
// -----------------------------------------------------------------------------
//
// Taking and giving back a device's memory, from a pool or not.

#ifndef CONVEYOR_TESTING_SIM_DEVICE_MEMORY_H_
#define CONVEYOR_TESTING_SIM_DEVICE_MEMORY_H_

#include <cstddef>
#include <memory>

#include "testing/sim/machine.h"
#include "testing/sim/pool.h"
#include "testing/sim/registry.h"

namespace conveyor {
namespace sim {

// All under the machine's lock. Null if there is no more memory.
Allocation* AllocateOnDevice(Machine& machine, MemoryKind kind, int device,
                             unsigned flags, size_t size);
Allocation* AllocateFromPool(Machine& machine,
                             const std::shared_ptr<Pool>& pool, size_t size);

// Frees what either has made. What was a pool's stays reserved for it.
void ReleaseOnDevice(Machine& machine, Allocation* allocation);

// Gives the device back what the pool has reserved beyond `keep` bytes and does
// not use.
void TrimPool(Machine& machine, Pool* pool, size_t keep);

// What synchronizing does: trims all pools to their release thresholds.
void TrimPools(Machine& machine);

// Whether the host has so many more bytes that can be page-locked.
bool CanPageLock(const Machine& machine, size_t size);
// How many are.
size_t PageLockedBytes(const Machine& machine);

}  // namespace sim
}  // namespace conveyor

#endif  // CONVEYOR_TESTING_SIM_DEVICE_MEMORY_H_
