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
// Stream capture: calls that would invalidate a capture are refused before they
// reach CUDA.

#ifndef CONVEYOR_TRANSFER_INTERNAL_CAPTURE_H_
#define CONVEYOR_TRANSFER_INTERNAL_CAPTURE_H_

#include <cuda_runtime_api.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace conveyor {
namespace internal {

// Whether `stream` is capturing; an invalidated capture counts until it is
// ended.
absl::StatusOr<bool> IsCapturing(cudaStream_t stream);

// kFailedPrecondition that says `what` cannot be captured if `stream` is
// capturing.
absl::Status RefuseIfCapturing(cudaStream_t stream, absl::string_view what);

}  // namespace internal
}  // namespace conveyor

#endif  // CONVEYOR_TRANSFER_INTERNAL_CAPTURE_H_
