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
// File: launch.h
// -----------------------------------------------------------------------------
//
// What third_party/cuda calls when the machine is simulated: how ForEach hands
// it a kernel, and what time it is there.

#ifndef CONVEYOR_TESTING_SIM_LAUNCH_H_
#define CONVEYOR_TESTING_SIM_LAUNCH_H_

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <functional>

namespace conveyor {
struct MemoryRange;

namespace sim {

// Enqueues `body` on `stream` as one kernel, which reads and writes the given
// ranges of simulated memory. The ranges are copied.
cudaError_t LaunchKernel(cudaStream_t stream, std::function<void()> body,
                         const MemoryRange* reads, size_t read_count,
                         const MemoryRange* writes, size_t write_count);

// The calling thread's virtual clock, in nanoseconds.
int64_t HostNowNs();

}  // namespace sim
}  // namespace conveyor

#endif  // CONVEYOR_TESTING_SIM_LAUNCH_H_
