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

#include "testing/sim/faults.h"

#include <cuda_runtime_api.h>

#include <cstddef>

namespace conveyor {
namespace sim {

cudaError_t Faults::Take(const char* call) {
  cudaError_t error = cudaSuccess;
  for (size_t i = 0; i < faults_.size();) {
    Fault& fault = faults_[i];
    if (fault.call == call && --fault.calls_left == 0) {
      error = fault.error;
      faults_.erase(faults_.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      ++i;
    }
  }
  return error;
}

Faults& TheFaults() {
  static auto* const faults = new Faults;
  return *faults;
}

}  // namespace sim
}  // namespace conveyor
