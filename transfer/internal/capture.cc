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

#include "transfer/internal/capture.h"

#include <cuda_runtime_api.h>

#include <string>

#include "absl/status/status.h"
#include "absl/status/status_macros.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "transfer/cuda_status.h"

namespace conveyor {
namespace internal {

absl::StatusOr<bool> IsCapturing(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  ABSL_RETURN_IF_ERROR(
      CallCuda([&] { return cudaStreamIsCapturing(stream, &status); },
               [] { return std::string("cudaStreamIsCapturing(stream)"); }));
  return status != cudaStreamCaptureStatusNone;
}

absl::Status RefuseIfCapturing(cudaStream_t stream, absl::string_view what) {
  ABSL_ASSIGN_OR_RETURN(const bool capturing, IsCapturing(stream));
  if (!capturing) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      what,
      " cannot be captured: the stream is capturing a graph, and its capture "
      "is still valid"));
}

}  // namespace internal
}  // namespace conveyor
