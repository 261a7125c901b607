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

#include "transfer/internal/release.h"

#include <cuda_runtime_api.h>

#include "absl/log/log.h"
#include "absl/strings/string_view.h"
#include "transfer/cuda_status.h"

namespace conveyor {
namespace internal {

void LogIfFailed(cudaError_t error, absl::string_view call) {
  if (error == cudaSuccess || error == cudaErrorCudartUnloading) return;
  LOG(ERROR) << ToStatus(error, call) << " (in a destructor)";
}

}  // namespace internal
}  // namespace conveyor
