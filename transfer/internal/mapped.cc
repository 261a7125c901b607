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

#include "transfer/internal/mapped.h"

#include <cuda_runtime_api.h>

#include <cstddef>

#include "absl/status/status.h"
#include "absl/status/status_macros.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "transfer/cuda_status.h"
#include "transfer/device.h"

namespace conveyor {
namespace internal {

absl::StatusOr<void*> MappedDevicePointer(void* host, size_t num_bytes,
                                          DeviceId device) {
  if (num_bytes == 0) return nullptr;
  ABSL_ASSIGN_OR_RETURN(ScopedDevice scope, ScopedDevice::Bind(device));
  int can_map = 0;
  ABSL_RETURN_IF_ERROR(CallCuda(
      [&] {
        return cudaDeviceGetAttribute(&can_map, cudaDevAttrCanMapHostMemory,
                                      device.ordinal());
      },
      [&] {
        return absl::StrCat("cudaDeviceGetAttribute(canMapHostMemory, ", device,
                            ")");
      }));
  if (can_map == 0) {
    return absl::FailedPreconditionError(absl::StrCat(
        device,
        " cannot map host memory: its attribute canMapHostMemory is 0"));
  }
  void* pointer = nullptr;
  ABSL_RETURN_IF_ERROR(
      CallCuda([&] { return cudaHostGetDevicePointer(&pointer, host, 0); },
               [&] {
                 return absl::StrCat("cudaHostGetDevicePointer of ", num_bytes,
                                     " bytes for ", device);
               }));
  return pointer;
}

}  // namespace internal
}  // namespace conveyor
