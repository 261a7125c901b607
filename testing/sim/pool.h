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
// File: pool.h
// -----------------------------------------------------------------------------
//
// Memory pools, and what is free of a device's memory.

#ifndef CONVEYOR_TESTING_SIM_POOL_H_
#define CONVEYOR_TESTING_SIM_POOL_H_

#include <cstddef>
#include <cstdint>
#include <set>

namespace conveyor {
namespace sim {

struct Pool {
  int device = 0;
  size_t max_bytes = 0;  // None if 0.
  // Attributes. What a pool reuses does not depend on them here.
  int follow_events = 1;
  int opportunistic = 1;
  int internal_dependencies = 1;
  uint64_t release_threshold = 0;
  // Bytes of the device that the pool keeps, and of them those in use.
  size_t reserved = 0;
  size_t reserved_high = 0;
  size_t used = 0;
  size_t used_high = 0;
  bool destroyed = false;  // But not all of its memory has been freed.
  std::set<int> peers;     // Other devices that may touch its memory.
};

}  // namespace sim
}  // namespace conveyor

#endif  // CONVEYOR_TESTING_SIM_POOL_H_
