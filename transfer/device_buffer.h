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
// File: device_buffer.h
// -----------------------------------------------------------------------------
//
// Owns memory of a device.
//
//   ABSL_ASSIGN_OR_RETURN(auto weights,
//                         DeviceBuffer<float>::Create(1 << 20, DeviceId(0)));
//   ABSL_RETURN_IF_ERROR(Copy(weights, host_weights, stream));

#ifndef CONVEYOR_TRANSFER_DEVICE_BUFFER_H_
#define CONVEYOR_TRANSFER_DEVICE_BUFFER_H_

#include <cstddef>
#include <utility>

#include "absl/status/status_macros.h"
#include "absl/status/statusor.h"
#include "transfer/device.h"
#include "transfer/device_span.h"
#include "transfer/element.h"
#include "transfer/internal/allocation.h"

namespace conveyor {

// Owns `size()` elements of uninitialised device memory (cudaMalloc).
// Move-only; moved-from it is empty.
//
// All work that uses the buffer must be complete before it is destroyed:
// cudaFree may or may not wait for it.
template <typename T>
class DeviceBuffer {
 public:
  // Room for `count` elements (not bytes) on `device`; none is OK and allocates
  // nothing. Blocks; not for hot paths. Leaves the current device unchanged.
  //
  // kResourceExhausted, with the size and what was free, if the device has not
  // enough memory; kInvalidArgument if there is no such device or the size
  // overflows. Thread-safe.
  static absl::StatusOr<DeviceBuffer> Create(size_t count, DeviceId device) {
    ABSL_ASSIGN_OR_RETURN(const size_t num_bytes,
                          SizeInBytes<T>("count", count));
    ABSL_ASSIGN_OR_RETURN(internal::Allocation allocation,
                          internal::Allocation::Device(num_bytes, device));
    return DeviceBuffer(std::move(allocation), count, device);
  }

  DeviceBuffer(DeviceBuffer&& other) noexcept
      : allocation_(std::move(other.allocation_)),
        size_(std::exchange(other.size_, 0)),
        device_(other.device_) {}
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    allocation_ = std::move(other.allocation_);
    size_ = std::exchange(other.size_, 0);
    device_ = other.device_;
    return *this;
  }

  DeviceSpan<T> span() {
    return DeviceSpan<T>::FromTrusted(pointer(), size_, device_);
  }
  DeviceSpan<const T> span() const {
    return DeviceSpan<const T>::FromTrusted(pointer(), size_, device_);
  }

  size_t size() const { return size_; }
  size_t size_bytes() const { return size_ * sizeof(T); }
  DeviceId device() const { return device_; }

  // Hands the memory to the caller, who frees it with cudaFree.
  [[nodiscard]] T* release() {
    size_ = 0;
    return static_cast<T*>(allocation_.release());
  }

 private:
  DeviceBuffer(internal::Allocation allocation, size_t size, DeviceId device)
      : allocation_(std::move(allocation)), size_(size), device_(device) {}

  T* pointer() const { return static_cast<T*>(allocation_.address()); }

  internal::Allocation allocation_;
  size_t size_;
  DeviceId device_;
};

}  // namespace conveyor

#endif  // CONVEYOR_TRANSFER_DEVICE_BUFFER_H_
