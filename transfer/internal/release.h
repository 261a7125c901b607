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
// What destructors do with the status of a CUDA call: they cannot return it.

#ifndef CONVEYOR_TRANSFER_INTERNAL_RELEASE_H_
#define CONVEYOR_TRANSFER_INTERNAL_RELEASE_H_

#include <cuda_runtime_api.h>

#include "absl/strings/string_view.h"

namespace conveyor {
namespace internal {

// Logs a failure of `call`, made in a destructor. A runtime that is unloading
// (static objects destroyed after main) has released everything itself, and is
// no failure.
void LogIfFailed(cudaError_t error, absl::string_view call);

}  // namespace internal
}  // namespace conveyor

#endif  // CONVEYOR_TRANSFER_INTERNAL_RELEASE_H_
