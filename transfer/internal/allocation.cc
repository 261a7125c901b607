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

#include "transfer/internal/allocation.h"

#include <cuda_runtime_api.h>

#include <cstddef>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/status_macros.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "transfer/cuda_status.h"
#include "transfer/device.h"
#include "transfer/internal/release.h"

namespace conveyor {
namespace internal {
namespace {

// What the current device has left, for the message of a failed allocation.
std::string FreeMemory() {
  size_t free_bytes = 0;
  size_t total_bytes = 0;
  const cudaError_t error = CallKeepingLastError(
      [&] { return cudaMemGetInfo(&free_bytes, &total_bytes); });
  if (error != cudaSuccess) return "";
  return absl::StrCat(", of which ", free_bytes, " of ", total_bytes,
                      " bytes were free");
}

}  // namespace

absl::StatusOr<Allocation> Allocation::Device(size_t num_bytes,
                                              DeviceId device) {
  ABSL_ASSIGN_OR_RETURN(ScopedDevice scope, ScopedDevice::Bind(device));
  void* address = nullptr;
  if (num_bytes > 0) {
    ABSL_RETURN_IF_ERROR(
        CallCuda([&] { return cudaMalloc(&address, num_bytes); },
                 [&] {
                   return absl::StrCat("cudaMalloc of ", num_bytes,
                                       " bytes of device memory on ", device,
                                       FreeMemory());
                 }));
  }
  return Allocation(address, &cudaFree);
}

absl::StatusOr<Allocation> Allocation::Pinned(size_t num_bytes) {
  void* address = nullptr;
  if (num_bytes > 0) {
    ABSL_RETURN_IF_ERROR(CallCuda(
        [&] {
          return cudaHostAlloc(&address, num_bytes,
                               cudaHostAllocPortable | cudaHostAllocMapped);
        },
        [&] {
          return absl::StrCat("cudaHostAlloc of ", num_bytes,
                              " bytes of host pinned memory");
        }));
  }
  return Allocation(address, &cudaFreeHost);
}

absl::StatusOr<Allocation> Allocation::Managed(size_t num_bytes,
                                               DeviceId device) {
  ABSL_ASSIGN_OR_RETURN(ScopedDevice scope, ScopedDevice::Bind(device));
  int supported = 0;
  ABSL_RETURN_IF_ERROR(CallCuda(
      [&] {
        return cudaDeviceGetAttribute(&supported, cudaDevAttrManagedMemory,
                                      device.ordinal());
      },
      [&] {
        return absl::StrCat("cudaDeviceGetAttribute(managedMemory, ", device,
                            ")");
      }));
  if (supported == 0) {
    return absl::FailedPreconditionError(absl::StrCat(
        device, " has no managed memory: its attribute managedMemory is 0"));
  }
  void* address = nullptr;
  if (num_bytes > 0) {
    ABSL_RETURN_IF_ERROR(CallCuda(
        [&] {
          return cudaMallocManaged(&address, num_bytes, cudaMemAttachGlobal);
        },
        [&] {
          return absl::StrCat("cudaMallocManaged of ", num_bytes,
                              " bytes of managed memory on ", device,
                              FreeMemory());
        }));
  }
  return Allocation(address, &cudaFree);
}

Allocation& Allocation::operator=(Allocation&& other) noexcept {
  if (this != &other) {
    std::swap(address_, other.address_);
    std::swap(free_, other.free_);
    Allocation(std::move(other));  // Frees what this one owned.
  }
  return *this;
}

Allocation::~Allocation() {
  if (address_ != nullptr) LogIfFailed(free_(address_), "freeing memory");
}

}  // namespace internal
}  // namespace conveyor
