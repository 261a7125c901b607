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
// File: numa_node.h
// -----------------------------------------------------------------------------
//
// The NUMA node of the host that a GPU is attached to.

#ifndef CONVEYOR_TRANSFER_INTERNAL_NUMA_NODE_H_
#define CONVEYOR_TRANSFER_INTERNAL_NUMA_NODE_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "transfer/device.h"

namespace conveyor {
namespace internal {

// From sysfs below `root` (which is "/" but in tests), or where that does not
// know, as in many virtual machines, from the CUDA runtime. nullopt if neither
// knows: never a guess. kInvalidArgument if there is no such device.
// Thread-safe.
absl::StatusOr<std::optional<int>> NumaNodeOf(DeviceId device,
                                              const std::string& root = "/");

}  // namespace internal
}  // namespace conveyor

#endif  // CONVEYOR_TRANSFER_INTERNAL_NUMA_NODE_H_
