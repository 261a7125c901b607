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

#include <cuda_runtime_api.h>

#include <mutex>

#include "testing/sim/machine.h"

using conveyor::sim::Machine;
using conveyor::sim::TheMachine;
using conveyor::sim::ThisThread;

namespace {

cudaError_t DeviceError() {
  Machine& machine = TheMachine();
  const auto& thread = ThisThread();
  if (thread.in_effect) return cudaSuccess;
  std::lock_guard<std::mutex> lock(machine.mutex);
  return machine.devices[static_cast<size_t>(thread.device)].error;
}

}  // namespace

cudaError_t cudaPeekAtLastError() {
  if (const cudaError_t error = DeviceError()) return error;
  return ThisThread().last_error;
}

cudaError_t cudaGetLastError() {
  const cudaError_t error = cudaPeekAtLastError();
  ThisThread().last_error = cudaSuccess;
  return error;
}
