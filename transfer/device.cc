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

#include "transfer/device.h"

#include <cuda_runtime_api.h>

#include <string>

#include "absl/status/status.h"
#include "absl/status/status_macros.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "transfer/cuda_status.h"
#include "transfer/internal/release.h"

namespace conveyor {

absl::StatusOr<int> DeviceCount() {
  int count = 0;
  const cudaError_t error =
      CallKeepingLastError([&] { return cudaGetDeviceCount(&count); });
  if (error == cudaErrorNoDevice) return 0;
  ABSL_RETURN_IF_ERROR(ToStatus(error, "cudaGetDeviceCount()"));
  return count;
}

absl::StatusOr<DeviceId> CurrentDevice() {
  int ordinal = 0;
  ABSL_RETURN_IF_ERROR(CallCuda([&] { return cudaGetDevice(&ordinal); },
                                [] { return std::string("cudaGetDevice()"); }));
  return DeviceId(ordinal);
}

absl::Status CheckDevice(DeviceId device) {
  ABSL_ASSIGN_OR_RETURN(const int count, DeviceCount());
  if (device.ordinal() < 0 || device.ordinal() >= count) {
    return absl::InvalidArgumentError(
        absl::StrCat(device, " does not exist: this process sees ", count,
                     count == 1 ? " device" : " devices",
                     count > 0 ? ", counted from 0" : ""));
  }
  return absl::OkStatus();
}

absl::StatusOr<ScopedDevice> ScopedDevice::Bind(DeviceId device) {
  ABSL_ASSIGN_OR_RETURN(const DeviceId current, CurrentDevice());
  if (current == device) return ScopedDevice(kNone);
  // Asked first, so that a wrong ordinal does not disturb the last error.
  ABSL_RETURN_IF_ERROR(CheckDevice(device));
  ABSL_RETURN_IF_ERROR(CallCuda(
      [&] { return cudaSetDevice(device.ordinal()); },
      [&] { return absl::StrCat("cudaSetDevice(", device.ordinal(), ")"); }));
  return ScopedDevice(current.ordinal());
}

ScopedDevice::~ScopedDevice() {
  if (previous_ == kNone) return;
  internal::LogIfFailed(cudaSetDevice(previous_), "cudaSetDevice");
}

}  // namespace conveyor
