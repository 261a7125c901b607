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

#include "benchmarks/peer.h"

#include <cuda_runtime_api.h>

#include "absl/status/status.h"
#include "absl/status/status_macros.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "transfer/cuda_status.h"
#include "transfer/device.h"

namespace conveyor {
namespace bench {
namespace {

absl::StatusOr<bool> CanAccess(DeviceId device, DeviceId peer) {
  int can = 0;
  ABSL_RETURN_IF_ERROR(CallCuda(
      [&] {
        return cudaDeviceCanAccessPeer(&can, device.ordinal(), peer.ordinal());
      },
      [&] {
        return absl::StrCat("cudaDeviceCanAccessPeer(", device, ", ", peer,
                            ")");
      }));
  return can != 0;
}

absl::Status EnableAccess(DeviceId device, DeviceId peer) {
  ABSL_ASSIGN_OR_RETURN(const ScopedDevice scope, ScopedDevice::Bind(device));
  const cudaError_t error = cudaDeviceEnablePeerAccess(peer.ordinal(), 0);
  if (error == cudaErrorPeerAccessAlreadyEnabled) {
    cudaGetLastError();
    return absl::OkStatus();
  }
  return ToStatus(error, absl::StrCat("cudaDeviceEnablePeerAccess of ", peer,
                                      " for ", device));
}

}  // namespace

absl::StatusOr<DeviceId> FindPeer(DeviceId device) {
  ABSL_ASSIGN_OR_RETURN(const int count, DeviceCount());
  for (int i = 0; i < count; ++i) {
    const DeviceId peer(i);
    if (peer == device) continue;
    ABSL_ASSIGN_OR_RETURN(const bool there, CanAccess(device, peer));
    ABSL_ASSIGN_OR_RETURN(const bool back, CanAccess(peer, device));
    if (there && back) return peer;
  }
  return absl::NotFoundError(
      count == 1
          ? "this machine has one GPU"
          : absl::StrCat("no other GPU can be reached directly from ", device));
}

absl::Status EnablePeerAccess(DeviceId one, DeviceId other) {
  ABSL_RETURN_IF_ERROR(EnableAccess(one, other));
  return EnableAccess(other, one);
}

}  // namespace bench
}  // namespace conveyor
