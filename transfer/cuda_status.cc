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

#include "transfer/cuda_status.h"

#include <optional>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "third_party/cuda/host_threads.h"

namespace conveyor {
namespace {

constexpr absl::string_view kCudaErrorUrl = "conveyor/cuda_error";

absl::StatusCode CodeOf(cudaError_t error) {
  switch (error) {
    case cudaErrorMemoryAllocation:
      return absl::StatusCode::kResourceExhausted;
    case cudaErrorInvalidValue:
    case cudaErrorInvalidDevice:
    case cudaErrorInvalidResourceHandle:
    case cudaErrorInvalidPitchValue:
    case cudaErrorInvalidMemcpyDirection:
    case cudaErrorInvalidDevicePointer:
    case cudaErrorInvalidHostPointer:
    case cudaErrorInvalidConfiguration:
    case cudaErrorHostMemoryNotRegistered:
      return absl::StatusCode::kInvalidArgument;
    case cudaErrorHostMemoryAlreadyRegistered:
    case cudaErrorPeerAccessAlreadyEnabled:
      return absl::StatusCode::kAlreadyExists;
    case cudaErrorNoDevice:
      return absl::StatusCode::kNotFound;
    case cudaErrorNotSupported:
      return absl::StatusCode::kUnimplemented;
    case cudaErrorNotReady:
      return absl::StatusCode::kUnavailable;
    case cudaErrorInsufficientDriver:
    case cudaErrorInitializationError:
    case cudaErrorSystemNotReady:
    case cudaErrorSystemDriverMismatch:
    case cudaErrorCompatNotSupportedOnDevice:
    case cudaErrorDevicesUnavailable:
    case cudaErrorPeerAccessUnsupported:
    case cudaErrorPeerAccessNotEnabled:
    case cudaErrorTooManyPeers:
    case cudaErrorNotPermitted:
    case cudaErrorStreamCaptureUnsupported:
    case cudaErrorStreamCaptureInvalidated:
    case cudaErrorStreamCaptureMerge:
    case cudaErrorStreamCaptureUnmatched:
    case cudaErrorStreamCaptureUnjoined:
    case cudaErrorStreamCaptureIsolation:
    case cudaErrorStreamCaptureImplicit:
    case cudaErrorCapturedEvent:
    case cudaErrorStreamCaptureWrongThread:
      return absl::StatusCode::kFailedPrecondition;
    default:
      return absl::StatusCode::kInternal;
  }
}

// What a person can do about an error whose own text does not say.
absl::string_view Remedy(cudaError_t error) {
  switch (error) {
    case cudaErrorSystemNotReady:
      return " On a host whose GPUs hang on NVSwitches this means that "
             "nvidia-fabricmanager is not running.";
    case cudaErrorInsufficientDriver:
      return " The driver is older than the CUDA runtime this program was "
             "built with, or is not there at all.";
    default:
      return "";
  }
}

}  // namespace

absl::Status ToStatus(cudaError_t error, absl::string_view call,
                      cudaError_t last_error_before) {
  if (error == cudaSuccess) return absl::OkStatus();
  std::string message =
      absl::StrCat(call, ": ", cudaGetErrorName(error), " (",
                   cudaGetErrorString(error), ")", Remedy(error));
  if (last_error_before != cudaSuccess) {
    absl::StrAppend(&message, "; before this call the thread's last error was ",
                    cudaGetErrorName(last_error_before));
  }
  absl::Status status(CodeOf(error), message);
  status.SetPayload(kCudaErrorUrl,
                    absl::Cord(absl::StrCat(static_cast<int>(error))));
  return status;
}

std::optional<cudaError_t> CudaErrorOf(const absl::Status& status) {
  const auto payload = status.GetPayload(kCudaErrorUrl);
  int error = 0;
  if (!payload || !absl::SimpleAtoi(std::string(*payload), &error)) {
    return std::nullopt;
  }
  return static_cast<cudaError_t>(error);
}

cudaError_t CallKeepingLastError(absl::FunctionRef<cudaError_t()> call) {
  cudaError_t result = cudaSuccess;
  if (cudaPeekAtLastError() == cudaSuccess) {
    result = call();
    // Reading the last error resets it to cudaSuccess, which it was.
    if (result != cudaSuccess) cudaGetLastError();
    return result;
  }
  HostThread([&] {
    // Another thread's capture must not be invalidated by a call of ours.
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    result = cudaThreadExchangeStreamCaptureMode(&mode);
    if (result == cudaSuccess) result = call();
  }).Join();
  return result;
}

}  // namespace conveyor
