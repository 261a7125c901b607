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
// File: mapped_buffer.h
// -----------------------------------------------------------------------------
//
// Owns page-locked host memory that kernels read and write in place. It has two
// views, whose addresses may differ: the host's, and each device's.

#ifndef CONVEYOR_TRANSFER_MAPPED_BUFFER_H_
#define CONVEYOR_TRANSFER_MAPPED_BUFFER_H_

#include <cstddef>
#include <utility>

#include "absl/status/status_macros.h"
#include "absl/status/statusor.h"
#include "transfer/device.h"
#include "transfer/internal/mapped.h"
#include "transfer/pinned_buffer.h"
#include "transfer/pinned_span.h"

namespace conveyor {

// Owns `size()` elements of uninitialised, mapped and pinned host memory.
// Move-only; moved-from it is empty. All work that uses the buffer must be
// complete before it is destroyed.
//
// A kernel's writes are visible to the host once the kernel is known to be
// complete (Synchronize, Event::Synchronize).
template <typename T>
class MappedBuffer {
 public:
  // As PinnedBuffer::Create. Works whether or not the process has used CUDA
  // before: no device flag is needed.
  static absl::StatusOr<MappedBuffer> Create(size_t count) {
    ABSL_ASSIGN_OR_RETURN(auto memory, PinnedBuffer<T>::Create(count));
    return MappedBuffer(std::move(memory));
  }

  // The host's view; also what copies take.
  PinnedSpan<T> span() { return memory_.span(); }
  PinnedSpan<const T> span() const { return memory_.span(); }

  // The address of the first element for kernels on `device`; null for an empty
  // buffer. kFailedPrecondition if the device cannot map host memory.
  // Thread-safe.
  absl::StatusOr<T*> DevicePointer(DeviceId device) {
    ABSL_ASSIGN_OR_RETURN(void* const pointer,
                          internal::MappedDevicePointer(
                              memory_.data(), memory_.size_bytes(), device));
    return static_cast<T*>(pointer);
  }

  size_t size() const { return memory_.size(); }
  size_t size_bytes() const { return memory_.size_bytes(); }

 private:
  explicit MappedBuffer(PinnedBuffer<T> memory) : memory_(std::move(memory)) {}

  PinnedBuffer<T> memory_;
};

}  // namespace conveyor

#endif  // CONVEYOR_TRANSFER_MAPPED_BUFFER_H_
