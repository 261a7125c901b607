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
// File: pinned_buffer.h
// -----------------------------------------------------------------------------
//
// Owns page-locked host memory: the DMA engines reach it at the speed of the
// link, and copies from and to it are truly asynchronous.

#ifndef CONVEYOR_TRANSFER_PINNED_BUFFER_H_
#define CONVEYOR_TRANSFER_PINNED_BUFFER_H_

#include <cstddef>
#include <utility>

#include "absl/status/status_macros.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "transfer/element.h"
#include "transfer/internal/allocation.h"
#include "transfer/pinned_span.h"

namespace conveyor {

// Owns `size()` elements of uninitialised pinned memory (cudaHostAlloc), which
// every device can copy from and to. Move-only; moved-from it is empty.
//
// All work that uses the buffer must be complete before it is destroyed.
template <typename T>
class PinnedBuffer {
 public:
  // Room for `count` elements (not bytes); none is OK and allocates nothing.
  // Page-locking costs about 0.4 ms a MiB: make buffers ahead of time and keep
  // them. Never write-combined: the host would read it fifty times slower.
  //
  // kResourceExhausted, saying "host pinned memory" and the size, if the system
  // refuses; kInvalidArgument if the size overflows. Thread-safe.
  static absl::StatusOr<PinnedBuffer> Create(size_t count) {
    ABSL_ASSIGN_OR_RETURN(const size_t num_bytes,
                          SizeInBytes<T>("count", count));
    ABSL_ASSIGN_OR_RETURN(internal::Allocation allocation,
                          internal::Allocation::Pinned(num_bytes));
    return PinnedBuffer(std::move(allocation), count);
  }

  PinnedBuffer(PinnedBuffer&& other) noexcept
      : allocation_(std::move(other.allocation_)),
        size_(std::exchange(other.size_, 0)) {}
  PinnedBuffer& operator=(PinnedBuffer&& other) noexcept {
    allocation_ = std::move(other.allocation_);
    size_ = std::exchange(other.size_, 0);
    return *this;
  }

  PinnedSpan<T> span() {
    return PinnedSpan<T>::FromTrusted(absl::MakeSpan(data(), size_));
  }
  PinnedSpan<const T> span() const {
    return PinnedSpan<const T>::FromTrusted(absl::MakeSpan(data(), size_));
  }

  T* data() { return static_cast<T*>(allocation_.address()); }
  const T* data() const { return static_cast<const T*>(allocation_.address()); }
  size_t size() const { return size_; }
  size_t size_bytes() const { return size_ * sizeof(T); }
  T& operator[](size_t i) { return data()[i]; }
  const T& operator[](size_t i) const { return data()[i]; }

  // Hands the memory to the caller, who frees it with cudaFreeHost.
  [[nodiscard]] T* release() {
    size_ = 0;
    return static_cast<T*>(allocation_.release());
  }

 private:
  PinnedBuffer(internal::Allocation allocation, size_t size)
      : allocation_(std::move(allocation)), size_(size) {}

  internal::Allocation allocation_;
  size_t size_;
};

}  // namespace conveyor

#endif  // CONVEYOR_TRANSFER_PINNED_BUFFER_H_
