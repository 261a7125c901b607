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

#include "transfer/stream.h"

#include <cuda_runtime_api.h>

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/status_macros.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "third_party/cuda/versions.h"
#include "transfer/cuda_status.h"
#include "transfer/device.h"
#include "transfer/internal/capture.h"
#include "transfer/internal/release.h"

namespace conveyor {
namespace {

absl::StatusOr<cudaStream_t> CreateNative(DeviceId device,
                                          const int* priority) {
  ABSL_ASSIGN_OR_RETURN(ScopedDevice scope, ScopedDevice::Bind(device));
  cudaStream_t stream = nullptr;
  ABSL_RETURN_IF_ERROR(CallCuda(
      [&] {
        return priority == nullptr
                   ? cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking)
                   : cudaStreamCreateWithPriority(
                         &stream, cudaStreamNonBlocking, *priority);
      },
      [&] { return absl::StrCat("creating a stream on ", device); }));
  return stream;
}

}  // namespace

absl::StatusOr<StreamRef> StreamRef::FromNative(cudaStream_t stream,
                                                DeviceId device) {
  if (stream == nullptr || stream == cudaStreamLegacy ||
      stream == cudaStreamPerThread) {
    return absl::InvalidArgumentError(absl::StrCat(
        "stream is the ",
        stream == cudaStreamPerThread ? "per-thread" : "legacy",
        " default stream; it should be one made by Stream::Create or "
        "cudaStreamCreateWithFlags(cudaStreamNonBlocking)"));
  }
  ABSL_RETURN_IF_ERROR(CheckDevice(device));
  int actual = device.ordinal();
  const cudaError_t error = CallKeepingLastError(
      [&] { return cuda_versions::StreamDevice(stream, &actual); });
  if (error != cudaErrorNotSupported) {
    ABSL_RETURN_IF_ERROR(ToStatus(error, "cudaStreamGetDevice(stream)"));
  }
  if (actual != device.ordinal()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "device is ", device, ", but stream is on ", DeviceId(actual)));
  }
  return StreamRef(stream, device);
}

absl::Status StreamRef::Synchronize() const {
  ABSL_RETURN_IF_ERROR(
      internal::RefuseIfCapturing(stream_, "synchronizing a stream"));
  return CallCuda([&] { return cudaStreamSynchronize(stream_); },
                  [&] {
                    return absl::StrCat(
                        "cudaStreamSynchronize (", device_,
                        "; also reports what earlier work there failed of)");
                  });
}

absl::StatusOr<bool> StreamRef::Ready() const {
  ABSL_RETURN_IF_ERROR(
      internal::RefuseIfCapturing(stream_, "querying a stream"));
  const cudaError_t error =
      CallKeepingLastError([&] { return cudaStreamQuery(stream_); });
  if (error == cudaErrorNotReady) return false;
  ABSL_RETURN_IF_ERROR(ToStatus(error, "cudaStreamQuery"));
  return true;
}

absl::StatusOr<bool> StreamRef::IsCapturing() const {
  return internal::IsCapturing(stream_);
}

absl::StatusOr<Stream> Stream::Create(DeviceId device) {
  ABSL_ASSIGN_OR_RETURN(cudaStream_t stream, CreateNative(device, nullptr));
  return Stream(StreamRef(stream, device));
}

absl::StatusOr<Stream> Stream::Create(DeviceId device, int priority) {
  ABSL_ASSIGN_OR_RETURN(cudaStream_t stream, CreateNative(device, &priority));
  return Stream(StreamRef(stream, device));
}

Stream::Stream(Stream&& other) noexcept
    : ref_(other.release(), other.ref_.device()) {}

Stream& Stream::operator=(Stream&& other) noexcept {
  if (this != &other) {
    std::swap(ref_, other.ref_);
    Stream(std::move(other));  // Destroys what this one owned.
  }
  return *this;
}

Stream::~Stream() {
  if (ref_.native() == nullptr) return;
  internal::LogIfFailed(cudaStreamDestroy(ref_.native()), "cudaStreamDestroy");
}

}  // namespace conveyor
