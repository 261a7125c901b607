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
// File: host_clock.h
// -----------------------------------------------------------------------------
//
// The clock of the host that drives the GPUs. On the simulated machine it is
// virtual, as everything is that is timed there.

#ifndef CONVEYOR_THIRD_PARTY_CUDA_HOST_CLOCK_H_
#define CONVEYOR_THIRD_PARTY_CUDA_HOST_CLOCK_H_

#include <cuda_runtime_api.h>

#include <chrono>
#include <cstdint>

#ifdef CONVEYOR_SIMULATED_CUDART
#include "testing/sim/launch.h"
#endif

namespace conveyor {

// Nanoseconds since an arbitrary point, monotonic within a thread. Thread-safe.
inline int64_t HostNowNs() {
#ifdef CONVEYOR_SIMULATED_CUDART
  return sim::HostNowNs();
#else
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
#endif
}

}  // namespace conveyor

#endif  // CONVEYOR_THIRD_PARTY_CUDA_HOST_CLOCK_H_
