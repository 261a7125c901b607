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

// One vocabulary over the owners of memory, for tests that all must pass.

#ifndef CONVEYOR_TRANSFER_INTERNAL_TEST_BUFFERS_H_
#define CONVEYOR_TRANSFER_INTERNAL_TEST_BUFFERS_H_

#include <cstddef>
#include <vector>

#include "absl/status/statusor.h"
#include "transfer/device.h"
#include "transfer/device_buffer.h"
#include "transfer/managed_buffer.h"
#include "transfer/mapped_buffer.h"
#include "transfer/pinned_buffer.h"

namespace conveyor {
namespace internal {

template <typename Buffer>
struct TestBuffer {  // PinnedBuffer and MappedBuffer.
  static absl::StatusOr<Buffer> Make(size_t count) {
    return Buffer::Create(count);
  }
  static auto Address(Buffer& buffer) { return buffer.span().data(); }
};

template <typename T>
struct TestBuffer<DeviceBuffer<T>> {
  static absl::StatusOr<DeviceBuffer<T>> Make(size_t count) {
    return DeviceBuffer<T>::Create(count, DeviceId(0));
  }
  static T* Address(DeviceBuffer<T>& buffer) {
    return buffer.span().device_pointer();
  }
};

template <typename T>
struct TestBuffer<ManagedBuffer<T>> {
  static absl::StatusOr<ManagedBuffer<T>> Make(size_t count) {
    return ManagedBuffer<T>::Create(count, DeviceId(0));
  }
  static T* Address(ManagedBuffer<T>& buffer) { return buffer.data(); }
};

template <typename T>
struct TestBuffer<std::vector<T>> {
  static absl::StatusOr<std::vector<T>> Make(size_t count) {
    return std::vector<T>(count);
  }
  static T* Address(std::vector<T>& buffer) { return buffer.data(); }
};

// `count` elements in a Buffer; of device 0, where that matters.
template <typename Buffer>
absl::StatusOr<Buffer> Make(size_t count) {
  return TestBuffer<Buffer>::Make(count);
}

// Where its elements are, as CUDA's own calls take it.
template <typename Buffer>
auto AddressOf(Buffer& buffer) {
  return TestBuffer<Buffer>::Address(buffer);
}

}  // namespace internal
}  // namespace conveyor

#endif  // CONVEYOR_TRANSFER_INTERNAL_TEST_BUFFERS_H_
