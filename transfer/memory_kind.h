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
// File: memory_kind.h
// -----------------------------------------------------------------------------
//
// What memory a pointer points to, as the CUDA runtime sees it.

#ifndef CONVEYOR_TRANSFER_MEMORY_KIND_H_
#define CONVEYOR_TRANSFER_MEMORY_KIND_H_

#include <cstddef>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "transfer/device.h"

namespace conveyor {

enum class MemoryKind {
  kPageable,  // Host memory that CUDA knows nothing of.
  kPinned,    // Host memory, page-locked: cudaHostAlloc or cudaHostRegister.
  kManaged,   // cudaMallocManaged: migrates between host and devices.
  kDevice,    // A device's own memory.
};

// "pageable host memory" and the like.
absl::string_view MemoryKindName(MemoryKind kind);

struct PointerInfo {
  MemoryKind kind;
  // Where kDevice memory is, and what device was current when kPinned or
  // kManaged memory was made; none for kPageable.
  std::optional<DeviceId> device;
  // The address by which a device reaches the same byte, if it can.
  void* device_pointer;
};

// What `pointer` points to. Costs about 0.1 microseconds and does not block.
// Leaves the thread's last error as it was. Thread-safe.
absl::StatusOr<PointerInfo> InspectPointer(const void* pointer);

// `num_bytes` from `address` on, in words for an error message: its kind and
// device, and where the kind changes inside it, both sub-ranges. Looks at no
// more than 64 places. Thread-safe.
std::string DescribeMemory(const void* address, size_t num_bytes);

// OK if the first and the last of `num_bytes` from `address` on are memory of
// `kind`, and, where `device` is given, on that device. Else kInvalidArgument
// that says what they are. `name` names the range in the message. A null
// address is OK only with no bytes. Thread-safe.
absl::Status CheckMemory(absl::string_view name, const void* address,
                         size_t num_bytes, MemoryKind kind,
                         std::optional<DeviceId> device);

}  // namespace conveyor

#endif  // CONVEYOR_TRANSFER_MEMORY_KIND_H_
