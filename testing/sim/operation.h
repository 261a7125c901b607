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
// File: operation.h
// -----------------------------------------------------------------------------
//
// The kinds of operations that streams carry, as tests name them.

#ifndef CONVEYOR_TESTING_SIM_OPERATION_H_
#define CONVEYOR_TESTING_SIM_OPERATION_H_

#include <cstdint>

namespace conveyor {
namespace sim {

enum class Operation : uint8_t {
  kCopy,  // cudaMemcpyAsync and its kin; one for each piece of a batch.
  kSet,   // cudaMemsetAsync.
  kKernel,
  kHostFunction,
  kEventRecord,
  kEventWait,  // cudaStreamWaitEvent.
  kFree,       // cudaFreeAsync.
  kPrefetch,   // cudaMemPrefetchAsync.
  kGraph,      // Where a launched graph begins and where it ends.
};

}  // namespace sim
}  // namespace conveyor

#endif  // CONVEYOR_TESTING_SIM_OPERATION_H_
