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
// File: traced.h
// -----------------------------------------------------------------------------
//
// What a trace tells a test. Times are virtual nanoseconds, by the clock of
// HostNowNs.

#ifndef CONVEYOR_TESTING_SIM_TRACED_H_
#define CONVEYOR_TESTING_SIM_TRACED_H_

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "testing/sim/operation.h"

namespace conveyor {
namespace sim {

// An operation of a stream that has completed.
struct TracedOperation {
  Operation kind;
  // "pageable upload", "pinned download", "peer 0 to 1", "kernel" and so on.
  std::string name;
  int device;
  uint64_t stream;  // As cudaStreamGetId says.
  bool legacy;      // Whether that is the legacy default stream.
  size_t bytes;     // Moved; of a kernel, by its declared ranges.
  int64_t queued_ns;
  int64_t start_ns;
  int64_t end_ns;
};

// A call of the runtime that has returned.
struct TracedCall {
  std::string name;
  int thread;  // 1 is the first that made a call since the trace began.
  // Whether it was given the legacy default stream, or none where it takes one.
  bool legacy;
  cudaError_t error;
  int64_t start_ns;
  int64_t end_ns;
};

}  // namespace sim
}  // namespace conveyor

#endif  // CONVEYOR_TESTING_SIM_TRACED_H_
