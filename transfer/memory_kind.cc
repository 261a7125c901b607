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

#include "transfer/memory_kind.h"

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/status_macros.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "transfer/cuda_status.h"
#include "transfer/device.h"

namespace conveyor {
namespace {

const char* At(const void* address, size_t offset) {
  return static_cast<const char*>(address) + offset;
}

bool SameMemory(const PointerInfo& a, const PointerInfo& b) {
  return a.kind == b.kind &&
         (a.kind != MemoryKind::kDevice || a.device == b.device);
}

std::string Describe(const PointerInfo& info) {
  std::string text(MemoryKindName(info.kind));
  if (info.kind == MemoryKind::kDevice) {
    absl::StrAppend(&text, " of ", *info.device);
  }
  return text;
}

}  // namespace

absl::string_view MemoryKindName(MemoryKind kind) {
  switch (kind) {
    case MemoryKind::kPageable:
      return "pageable host memory";
    case MemoryKind::kPinned:
      return "pinned host memory";
    case MemoryKind::kManaged:
      return "managed memory";
    case MemoryKind::kDevice:
      return "device memory";
  }
  return "unknown memory";
}

absl::StatusOr<PointerInfo> InspectPointer(const void* pointer) {
  cudaPointerAttributes attributes = {};
  ABSL_RETURN_IF_ERROR(ToStatus(CallKeepingLastError([&] {
                                  return cudaPointerGetAttributes(&attributes,
                                                                  pointer);
                                }),
                                "cudaPointerGetAttributes"));
  PointerInfo info = {MemoryKind::kPageable, std::nullopt,
                      attributes.devicePointer};
  switch (attributes.type) {
    case cudaMemoryTypeHost:
      info.kind = MemoryKind::kPinned;
      break;
    case cudaMemoryTypeDevice:
      info.kind = MemoryKind::kDevice;
      break;
    case cudaMemoryTypeManaged:
      info.kind = MemoryKind::kManaged;
      break;
    default:
      return info;
  }
  info.device = DeviceId(attributes.device);
  return info;
}

std::string DescribeMemory(const void* address, size_t num_bytes) {
  const absl::StatusOr<PointerInfo> first = InspectPointer(address);
  if (!first.ok()) return "memory that cannot be inspected";
  if (address == nullptr || num_bytes == 0) return Describe(*first);
  // The first probe that differs, then the exact byte by bisection.
  constexpr size_t kProbes = 32;
  size_t same = 0;
  for (size_t probe = 1; probe <= kProbes; ++probe) {
    size_t differs = (num_bytes - 1) / kProbes * probe;
    if (probe == kProbes) differs = num_bytes - 1;
    absl::StatusOr<PointerInfo> other = InspectPointer(At(address, differs));
    if (!other.ok()) break;
    if (SameMemory(*first, *other)) {
      same = differs;
      continue;
    }
    while (differs - same > 1) {
      const size_t middle = same + (differs - same) / 2;
      const absl::StatusOr<PointerInfo> info =
          InspectPointer(At(address, middle));
      if (info.ok() && SameMemory(*first, *info)) {
        same = middle;
      } else {
        differs = middle;
        if (info.ok()) other = info;
      }
    }
    return absl::StrCat(Describe(*first), " in bytes [0, ", differs, ") but ",
                        Describe(*other), " in bytes [", differs, ", ",
                        num_bytes, ")");
  }
  return Describe(*first);
}

absl::Status CheckMemory(absl::string_view name, const void* address,
                         size_t num_bytes, MemoryKind kind,
                         std::optional<DeviceId> device) {
  if (num_bytes == 0) return absl::OkStatus();
  if (address == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, " is null but has ", num_bytes,
                     " bytes; null goes with no bytes"));
  }
  if (num_bytes - 1 > UINTPTR_MAX - reinterpret_cast<uintptr_t>(address)) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, " of ", num_bytes,
                     " bytes runs over the end of the address space"));
  }
  ABSL_ASSIGN_OR_RETURN(const PointerInfo first, InspectPointer(address));
  ABSL_ASSIGN_OR_RETURN(const PointerInfo last,
                        InspectPointer(At(address, num_bytes - 1)));
  const bool right_kind = first.kind == kind && SameMemory(first, last);
  if (right_kind && (!device || first.device == device)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      name, " of ", num_bytes, " bytes is ", DescribeMemory(address, num_bytes),
      "; it should be ", MemoryKindName(kind),
      device ? absl::StrCat(" of ", *device) : "", " throughout"));
}

}  // namespace conveyor
