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
// File: migrate.h
// -----------------------------------------------------------------------------
//
// What it takes to bring managed memory to where it is used.

#ifndef CONVEYOR_TESTING_SIM_MIGRATE_H_
#define CONVEYOR_TESTING_SIM_MIGRATE_H_

#include <cstddef>
#include <vector>

#include "testing/sim/managed.h"
#include "testing/sim/profile.h"
#include "testing/sim/queue.h"

namespace conveyor {
namespace sim {

// Adds one more transfer, together with others of the same path.
void AddTransfer(const Transfer& transfer, std::vector<Transfer>* transfers);

// Adds what it takes to bring the range to `place`, a device or
// cudaCpuDeviceId, and notes that it is there.
void Prefetch(const Profile& profile, ManagedPages* pages, size_t offset,
              size_t size, int place, std::vector<Transfer>* transfers);

// The same for a kernel of `device` that touches the range. Pages stay where
// they are if they prefer that place or are mapped for the device, and the
// device reaches them there; they come to the device otherwise, at the rate of
// a prefetch.
void Touch(const Profile& profile, ManagedPages* pages, size_t offset,
           size_t size, int device, bool read,
           std::vector<Transfer>* transfers);

}  // namespace sim
}  // namespace conveyor

#endif  // CONVEYOR_TESTING_SIM_MIGRATE_H_
