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
// File: faults.h
// -----------------------------------------------------------------------------
//
// Failures that a test has asked for.

#ifndef CONVEYOR_TESTING_SIM_FAULTS_H_
#define CONVEYOR_TESTING_SIM_FAULTS_H_

#include <cuda_runtime_api.h>

#include <string>
#include <vector>

namespace conveyor {
namespace sim {

// Guarded by the machine's lock.
class Faults {
 public:
  void Add(const std::string& call, cudaError_t error, int n) {
    faults_.push_back({call, error, n});
  }
  void Clear() { faults_.clear(); }

  // The failure that is due for this call of `call`, or cudaSuccess.
  cudaError_t Take(const char* call);

 private:
  struct Fault {
    std::string call;
    cudaError_t error;
    int calls_left;
  };
  std::vector<Fault> faults_;
};

Faults& TheFaults();

}  // namespace sim
}  // namespace conveyor

#endif  // CONVEYOR_TESTING_SIM_FAULTS_H_
