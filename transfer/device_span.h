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
// File: device_span.h
// -----------------------------------------------------------------------------
//
// A range of a device's memory. It knows its device, and cannot be dereferenced
// on the host: it has neither data() nor operator[], and does not convert to
// absl::Span.

#ifndef CONVEYOR_TRANSFER_DEVICE_SPAN_H_
#define CONVEYOR_TRANSFER_DEVICE_SPAN_H_

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "absl/status/status_macros.h"
#include "absl/status/statusor.h"
#include "transfer/device.h"
#include "transfer/element.h"
#include "transfer/memory_kind.h"

namespace conveyor {

// `size()` elements of device memory that somebody else owns. A value type, as
// cheap as a pointer and two integers; it must not outlive the memory.
// DeviceSpan<T> converts to DeviceSpan<const T>.
template <typename T>
class DeviceSpan {
 public:
  using element_type = typename CheckElement<T>::type;
  static constexpr MemoryKind kKind = MemoryKind::kDevice;

  // No elements, on no device: OK wherever zero elements are.
  DeviceSpan() = default;

  // `count` elements (not bytes) from `pointer` on, allocated elsewhere.
  //
  // kInvalidArgument if the first or the last byte is not memory of `device`,
  // saying what it is: host memory, another device's, or beyond the allocation.
  // The runtime API cannot tell two neighbouring allocations apart. Costs two
  // pointer queries, about 0.2 microseconds. Thread-safe.
  static absl::StatusOr<DeviceSpan> FromPointer(T* pointer, size_t count,
                                                DeviceId device) {
    ABSL_ASSIGN_OR_RETURN(const size_t num_bytes,
                          SizeInBytes<T>("count", count));
    ABSL_RETURN_IF_ERROR(
        CheckMemory("pointer", pointer, num_bytes, kKind, device));
    return FromTrusted(pointer, count, device);
  }

  // As FromPointer, for a caller who allocated the memory: nothing is checked.
  static DeviceSpan FromTrusted(T* pointer, size_t count, DeviceId device) {
    DeviceSpan span;
    span.pointer_ = pointer;
    span.size_ = count;
    span.device_ = device;
    return span;
  }

  template <typename U,
            typename = std::enable_if_t<std::is_same<const U, T>::value>>
  DeviceSpan(DeviceSpan<U> other)  // NOLINT: as T* converts to const T*.
      : DeviceSpan(FromTrusted(other.device_pointer(), other.size(),
                               other.device())) {}

  // An address for kernels and CUDA calls, not for the host.
  T* device_pointer() const { return pointer_; }
  size_t size() const { return size_; }
  size_t size_bytes() const { return size_ * sizeof(T); }
  bool empty() const { return size_ == 0; }
  DeviceId device() const { return device_; }

  // At most `count` elements from `offset` on: what of them is inside this
  // span.
  DeviceSpan subspan(size_t offset, size_t count = SIZE_MAX) const {
    offset = std::min(offset, size_);
    return FromTrusted(pointer_ + offset, std::min(count, size_ - offset),
                       device_);
  }

 private:
  T* pointer_ = nullptr;
  size_t size_ = 0;
  DeviceId device_ = DeviceId(-1);
};

}  // namespace conveyor

#endif  // CONVEYOR_TRANSFER_DEVICE_SPAN_H_
