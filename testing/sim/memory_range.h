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
// File: memory_range.h
// -----------------------------------------------------------------------------
//
// What LaunchKernel takes.

#ifndef CONVEYOR_TESTING_SIM_MEMORY_RANGE_H_
#define CONVEYOR_TESTING_SIM_MEMORY_RANGE_H_

#include <cstddef>

namespace conveyor {

// As in third_party/cuda/launch.h, which this folder does not depend on.
struct MemoryRange {
  const void* address;
  size_t num_bytes;
};

}  // namespace conveyor

#endif  // CONVEYOR_TESTING_SIM_MEMORY_RANGE_H_
