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
// File: cuda_status.h
// -----------------------------------------------------------------------------
//
// From `cudaError_t` to `absl::Status`. Every CUDA call of Conveyor goes
// through CallCuda, so that a failure names the call, its arguments, CUDA's own
// name for the error, and what the thread's last error was before.
//
//   ABSL_RETURN_IF_ERROR(CallCuda(
//       [&] { return cudaMalloc(&pointer, num_bytes); },
//       [&] { return absl::StrCat("cudaMalloc(size=", num_bytes, ")"); }));

#ifndef CONVEYOR_TRANSFER_CUDA_STATUS_H_
#define CONVEYOR_TRANSFER_CUDA_STATUS_H_

#include <cuda_runtime_api.h>

#include <optional>
#include <string>

#include "absl/base/attributes.h"
#include "absl/base/optimization.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace conveyor {

// The status of a CUDA call that returned `error`, described by `call` (the
// function and its arguments).
//
// cudaSuccess gives OK. The code follows from the error: out of memory is
// kResourceExhausted, a bad value, handle or device kInvalidArgument, what the
// platform cannot do kUnimplemented, a forbidden state (stream capture, no
// driver, peer access) kFailedPrecondition, no device kNotFound, a poisoned
// context and the rest kInternal. `last_error_before` is the thread's last
// error before the call: when there was one the message says so, because the
// failure has replaced it.
//
// Does not touch the thread's last error. Thread-safe.
absl::Status ToStatus(cudaError_t error, absl::string_view call,
                      cudaError_t last_error_before = cudaSuccess);

// The CUDA error that a status of ours carries; none for OK and for statuses
// that do not come from a CUDA call. Thread-safe.
std::optional<cudaError_t> CudaErrorOf(const absl::Status& status);

namespace internal {

// Out of line, so that a call that succeeds pays nothing for its description.
template <typename Describe>
ABSL_ATTRIBUTE_NOINLINE ABSL_ATTRIBUTE_COLD absl::Status FailedCall(
    cudaError_t error, const Describe& describe, cudaError_t before) {
  return ToStatus(error, describe(), before);
}

}  // namespace internal

// Makes the CUDA call `call` and returns its status; `describe` (a callable
// that returns std::string) is called only if it failed.
//
// A successful call leaves the thread's last error as it was. A failing one
// replaces it, as CUDA does, and the status says what stood there. Inlined: a
// frame between the caller and the driver costs tens of nanoseconds.
template <typename Call, typename Describe>
ABSL_ATTRIBUTE_ALWAYS_INLINE inline absl::Status CallCuda(Call call,
                                                          Describe describe) {
  const cudaError_t before = cudaPeekAtLastError();
  const cudaError_t error = call();
  if (ABSL_PREDICT_TRUE(error == cudaSuccess)) return absl::OkStatus();
  return internal::FailedCall(error, describe, before);
}

// Makes a CUDA call that may fail in normal running (polling, enabling a peer
// twice) and returns what it returned. The thread's last error is left exactly
// as it was, whatever `call` does.
//
// When an error of the caller's is pending, `call` runs on a thread of ours,
// since nothing else would keep it: tens of microseconds, and `call` must name
// its device through a handle, not through the current device.
cudaError_t CallKeepingLastError(absl::FunctionRef<cudaError_t()> call);

}  // namespace conveyor

#endif  // CONVEYOR_TRANSFER_CUDA_STATUS_H_
