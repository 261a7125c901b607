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
// File: managed_buffer.h
// -----------------------------------------------------------------------------
//
// Owns managed memory: one address for the host and every device; pages move to
// where they are used.

#ifndef CONVEYOR_TRANSFER_MANAGED_BUFFER_H_
#define CONVEYOR_TRANSFER_MANAGED_BUFFER_H_

#include <cstddef>
#include <utility>

#include "absl/status/status_macros.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "transfer/device.h"
#include "transfer/element.h"
#include "transfer/internal/allocation.h"
#include "transfer/managed_span.h"

namespace conveyor {

// Owns `size()` elements of uninitialised managed memory (cudaMallocManaged).
// Move-only; moved-from it is empty. All work that uses the buffer must be
// complete before it is destroyed.
//
// Where the device's attribute concurrentManagedAccess is 0 (Windows, WSL, some
// Jetsons) the host may touch no managed memory at all while any kernel runs on
// the device; elsewhere ordering is the caller's, as for any shared memory.
template <typename T>
class ManagedBuffer {
 public:
  // Room for `count` elements (not bytes); `device` is where CUDA accounts for
  // it. None is OK and allocates nothing.
  //
  // kFailedPrecondition if the device has no managed memory; else as
  // DeviceBuffer::Create. Thread-safe.
  static absl::StatusOr<ManagedBuffer> Create(size_t count, DeviceId device) {
    ABSL_ASSIGN_OR_RETURN(const size_t num_bytes,
                          SizeInBytes<T>("count", count));
    ABSL_ASSIGN_OR_RETURN(internal::Allocation allocation,
                          internal::Allocation::Managed(num_bytes, device));
    return ManagedBuffer(std::move(allocation), count);
  }

  ManagedBuffer(ManagedBuffer&& other) noexcept
      : allocation_(std::move(other.allocation_)),
        size_(std::exchange(other.size_, 0)) {}
  ManagedBuffer& operator=(ManagedBuffer&& other) noexcept {
    allocation_ = std::move(other.allocation_);
    size_ = std::exchange(other.size_, 0);
    return *this;
  }

  ManagedSpan<T> span() {
    return ManagedSpan<T>::FromTrusted(absl::MakeSpan(data(), size_));
  }
  ManagedSpan<const T> span() const {
    return ManagedSpan<const T>::FromTrusted(absl::MakeSpan(data(), size_));
  }

  T* data() { return static_cast<T*>(allocation_.address()); }
  const T* data() const { return static_cast<const T*>(allocation_.address()); }
  size_t size() const { return size_; }
  size_t size_bytes() const { return size_ * sizeof(T); }

  // Hands the memory to the caller, who frees it with cudaFree.
  [[nodiscard]] T* release() {
    size_ = 0;
    return static_cast<T*>(allocation_.release());
  }

 private:
  ManagedBuffer(internal::Allocation allocation, size_t size)
      : allocation_(std::move(allocation)), size_(size) {}

  internal::Allocation allocation_;
  size_t size_;
};

}  // namespace conveyor

#endif  // CONVEYOR_TRANSFER_MANAGED_BUFFER_H_
