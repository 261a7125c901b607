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
// Owns one allocation of the CUDA runtime, whatever its kind.

#ifndef CONVEYOR_TRANSFER_INTERNAL_ALLOCATION_H_
#define CONVEYOR_TRANSFER_INTERNAL_ALLOCATION_H_

#include <cuda_runtime_api.h>

#include <cstddef>
#include <utility>

#include "absl/status/statusor.h"
#include "transfer/device.h"

namespace conveyor {
namespace internal {

// Move-only; moved-from it owns nothing. An allocation of no bytes owns
// nothing, has a null address, and is made without a CUDA call.
class Allocation {
 public:
  static absl::StatusOr<Allocation> Device(size_t num_bytes, DeviceId device);
  // Page-locked, mapped and portable.
  static absl::StatusOr<Allocation> Pinned(size_t num_bytes);
  // kFailedPrecondition if `device` has no managed memory.
  static absl::StatusOr<Allocation> Managed(size_t num_bytes, DeviceId device);

  Allocation(Allocation&& other) noexcept
      : address_(other.release()), free_(other.free_) {}
  Allocation& operator=(Allocation&& other) noexcept;
  ~Allocation();

  void* address() const { return address_; }
  void* release() { return std::exchange(address_, nullptr); }

 private:
  using Free = cudaError_t (*)(void*);

  Allocation(void* address, Free free) : address_(address), free_(free) {}

  void* address_;
  Free free_;
};

}  // namespace internal
}  // namespace conveyor

#endif  // CONVEYOR_TRANSFER_INTERNAL_ALLOCATION_H_
