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

#include "transfer/copy.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "absl/base/attributes.h"
#include "absl/base/optimization.h"
#include "absl/status/status.h"
#include "absl/status/status_macros.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "third_party/cuda/host_threads.h"
#include "transfer/cuda_status.h"
#include "transfer/internal/capture.h"
#include "transfer/internal/copy_range.h"
#include "transfer/memory_kind.h"
#include "transfer/stream.h"

namespace conveyor {
namespace internal {
namespace {

// cudaDevAttrMaxPitch of every device so far; the attribute is an int.
constexpr size_t kMaxPitch = std::numeric_limits<int>::max();

uintptr_t Address(const CopyRange& range) {
  return reinterpret_cast<uintptr_t>(range.address);
}

bool IsHost(const CopyRange& range) {
  return range.kind == MemoryKind::kPageable ||
         range.kind == MemoryKind::kPinned;
}

// "1024 elements of 4 bytes (4096 bytes) of pinned host memory".
std::string Describe(const CopyRange& range) {
  return absl::StrCat(
      range.count, " elements of ", range.element_size, " bytes (",
      range.num_bytes(), " bytes) of ", MemoryKindName(range.kind),
      range.kind == MemoryKind::kDevice ? absl::StrCat(" of ", range.device)
                                        : "");
}

// The same, of memory as the runtime sees it: it may not be what its type says.
std::string DescribeActual(const CopyRange& range) {
  return absl::StrCat(Describe(range), " that is ",
                      DescribeMemory(range.address, range.num_bytes()));
}

// What must hold of each range by itself.
absl::Status CheckRange(absl::string_view name, const CopyRange& range,
                        StreamRef stream) {
  if (range.count == 0) return absl::OkStatus();
  if (ABSL_PREDICT_FALSE(range.count >
                         static_cast<size_t>(INT64_MAX) / range.element_size)) {
    return absl::InvalidArgumentError(absl::StrCat(
        name, " has ", range.count, " elements of ", range.element_size,
        " bytes, which overflows 2^63 - 1 bytes"));
  }
  if (ABSL_PREDICT_FALSE(range.address == nullptr)) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, " is null but has ", range.count,
                     " elements; null goes with no elements"));
  }
  if (ABSL_PREDICT_FALSE(range.num_bytes() > UINTPTR_MAX - Address(range))) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, " of ", range.num_bytes(),
                     " bytes runs over the end of the address space"));
  }
  if (ABSL_PREDICT_FALSE(range.kind == MemoryKind::kDevice &&
                         range.device != stream.device())) {
    return absl::InvalidArgumentError(absl::StrCat(
        name, " is on ", range.device, ", but stream is on ", stream.device(),
        "; a copy runs on the device of its memory"));
  }
  return absl::OkStatus();
}

absl::Status CheckPair(const CopyRange& dst, const CopyRange& src,
                       StreamRef stream) {
  if (ABSL_PREDICT_FALSE(dst.count != src.count)) {
    return absl::InvalidArgumentError(
        absl::StrCat("dst has ", Describe(dst), ", but src has ", Describe(src),
                     "; they must have equally many elements"));
  }
  ABSL_RETURN_IF_ERROR(CheckRange("dst", dst, stream));
  ABSL_RETURN_IF_ERROR(CheckRange("src", src, stream));
  // Host and devices share one address space, so kinds need not be compared.
  const uintptr_t to = Address(dst);
  const uintptr_t from = Address(src);
  const uintptr_t distance = to > from ? to - from : from - to;
  if (ABSL_PREDICT_FALSE(distance != 0 && distance < dst.num_bytes())) {
    return absl::InvalidArgumentError(absl::StrCat(
        "dst and src, of ", dst.num_bytes(), " bytes each, overlap by ",
        dst.num_bytes() - distance,
        " bytes; they must be apart, or the same (dst starts ", distance,
        " bytes ", to > from ? "after" : "before", " src)"));
  }
  return absl::OkStatus();
}

bool IsReachable(const CopyRange& range, StreamRef stream) {
  return range.address != nullptr &&
         (range.kind != MemoryKind::kDevice || range.device == stream.device());
}

// True only where CheckPair has nothing to say, and then at a fraction of its
// cost: a small copy is issued in little more than a microsecond.
bool PassesQuickCheck(const CopyRange& dst, const CopyRange& src,
                      StreamRef stream) {
  // Together at most 2^60 bytes, at user addresses, which end below 2^63: so
  // nothing overflows.
  constexpr size_t kMaxCount = size_t{1} << 40;
  constexpr size_t kMaxElementSize = size_t{1} << 20;
  constexpr uintptr_t kMaxAddress = UINTPTR_MAX / 2;
  const uintptr_t to = Address(dst);
  const uintptr_t from = Address(src);
  const uintptr_t distance = to > from ? to - from : from - to;
  return dst.count == src.count && dst.count <= kMaxCount &&
         dst.element_size <= kMaxElementSize && IsReachable(dst, stream) &&
         IsReachable(src, stream) && to <= kMaxAddress && from <= kMaxAddress &&
         distance >= dst.num_bytes();
}

// A pageable range says nothing of where it points, and under unified
// addressing CUDA would follow a device's address into the wrong direction.
absl::Status RefuseDeviceMemory(absl::string_view name,
                                const CopyRange& range) {
  if (range.kind != MemoryKind::kPageable) return absl::OkStatus();
  ABSL_ASSIGN_OR_RETURN(const PointerInfo info, InspectPointer(range.address));
  if (ABSL_PREDICT_FALSE(info.kind == MemoryKind::kDevice)) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, " is given as host memory, but is device memory of ",
                     *info.device, "; give it as a DeviceSpan"));
  }
  return absl::OkStatus();
}

cudaMemcpyKind KindOf(const CopyRange& dst, const CopyRange& src) {
  if (dst.kind == MemoryKind::kManaged || src.kind == MemoryKind::kManaged) {
    return cudaMemcpyDefault;
  }
  if (IsHost(src)) return cudaMemcpyHostToDevice;
  if (IsHost(dst)) return cudaMemcpyDeviceToHost;
  return cudaMemcpyDeviceToDevice;
}

absl::string_view KindName(cudaMemcpyKind kind) {
  switch (kind) {
    case cudaMemcpyHostToDevice:
      return "host to device";
    case cudaMemcpyDeviceToHost:
      return "device to host";
    case cudaMemcpyDeviceToDevice:
      return "device to device";
    default:
      return "managed";
  }
}

// Enqueues a copy whose ranges have been checked. Inlined as CallCuda is.
ABSL_ATTRIBUTE_ALWAYS_INLINE inline absl::Status Enqueue(const CopyRange& dst,
                                                         const CopyRange& src,
                                                         StreamRef stream) {
  if (src.count == 0 || dst.address == src.address) return absl::OkStatus();
  const cudaMemcpyKind kind = KindOf(dst, src);
  return CallCuda(
      [&] {
        return cudaMemcpyAsync(const_cast<void*>(dst.address), src.address,
                               src.num_bytes(), kind, stream.native());
      },
      [&] {
        return absl::StrCat("cudaMemcpyAsync, ", KindName(kind), " on ",
                            stream.device(), ", dst ", DescribeActual(dst),
                            ", src ", DescribeActual(src));
      });
}

// ---- Rows.

std::string Describe(absl::string_view name, const CopyRows& rows, size_t width,
                     size_t height) {
  return absl::StrCat(name, " has pitch ", rows.pitch_bytes, " bytes, width ",
                      width, " elements of ", rows.range.element_size,
                      " bytes, height ", height, " rows");
}

absl::Status CheckRows(absl::string_view name, const CopyRows& rows,
                       size_t width, size_t height, StreamRef stream) {
  ABSL_RETURN_IF_ERROR(CheckRange(name, rows.range, stream));
  const CopyRange& range = rows.range;
  if (width > kMaxPitch / range.element_size) {
    return absl::InvalidArgumentError(
        absl::StrCat(Describe(name, rows, width, height), "; a row is at most ",
                     kMaxPitch, " bytes"));
  }
  const size_t width_bytes = width * range.element_size;
  if (rows.pitch_bytes < width_bytes || rows.pitch_bytes > kMaxPitch) {
    return absl::InvalidArgumentError(absl::StrCat(
        Describe(name, rows, width, height), "; its pitch should be from ",
        width_bytes, " bytes, a row, to ", kMaxPitch));
  }
  // By division: the product may overflow.
  if (width_bytes > range.num_bytes() ||
      (height - 1) > (range.num_bytes() - width_bytes) / rows.pitch_bytes) {
    return absl::InvalidArgumentError(absl::StrCat(
        Describe(name, rows, width, height), "; its last row ends beyond its ",
        range.count, " elements (", range.num_bytes(), " bytes)"));
  }
  return absl::OkStatus();
}

// Whether a row of one meets a row of the other. Rows lie in the order of their
// addresses, so one walk along both finds a meeting.
bool RowsOverlap(const CopyRows& dst, const CopyRows& src, size_t width_bytes,
                 size_t height) {
  uintptr_t to = Address(dst.range);
  uintptr_t from = Address(src.range);
  const uintptr_t to_last = to + (height - 1) * dst.pitch_bytes;
  const uintptr_t from_last = from + (height - 1) * src.pitch_bytes;
  if (to_last + width_bytes <= from || from_last + width_bytes <= to) {
    return false;
  }
  while (to <= to_last && from <= from_last) {
    if (std::max(to, from) - std::min(to, from) < width_bytes) return true;
    if (to < from) {
      to += dst.pitch_bytes;
    } else {
      from += src.pitch_bytes;
    }
  }
  return false;
}

absl::Status CheckRowPair(const CopyRows& dst, const CopyRows& src,
                          size_t width, size_t height, StreamRef stream) {
  ABSL_RETURN_IF_ERROR(CheckRows("dst", dst, width, height, stream));
  ABSL_RETURN_IF_ERROR(CheckRows("src", src, width, height, stream));
  const bool same = dst.range.address == src.range.address &&
                    (dst.pitch_bytes == src.pitch_bytes || height == 1);
  if (!same && RowsOverlap(dst, src, width * dst.range.element_size, height)) {
    return absl::InvalidArgumentError(absl::StrCat(
        Describe("dst", dst, width, height), " and ",
        Describe("src", src, width, height),
        ", and a row of one overlaps a row of the other; they must be apart, "
        "or the same"));
  }
  return absl::OkStatus();
}

absl::Status EnqueueRows(const CopyRows& dst, const CopyRows& src, size_t width,
                         size_t height, StreamRef stream) {
  if (dst.range.address == src.range.address) return absl::OkStatus();
  const cudaMemcpyKind kind = KindOf(dst.range, src.range);
  return CallCuda(
      [&] {
        return cudaMemcpy2DAsync(
            const_cast<void*>(dst.range.address), dst.pitch_bytes,
            src.range.address, src.pitch_bytes, width * src.range.element_size,
            height, kind, stream.native());
      },
      [&] {
        return absl::StrCat("cudaMemcpy2DAsync, ", KindName(kind), " on ",
                            stream.device(), ", ",
                            Describe("dst", dst, width, height), ", ",
                            DescribeActual(dst.range), ", ",
                            Describe("src", src, width, height), ", ",
                            DescribeActual(src.range));
      });
}

absl::Status RefuseBlockingInCapture(StreamRef stream) {
  return RefuseIfCapturing(stream.native(), "a blocking copy");
}

// StreamRef::Synchronize of a stream that is known not to be capturing.
absl::Status Wait(StreamRef stream) {
  return CallCuda([&] { return cudaStreamSynchronize(stream.native()); },
                  [&] {
                    return absl::StrCat(
                        "cudaStreamSynchronize after a copy on ",
                        stream.device());
                  });
}

}  // namespace

absl::Status CheckCopy(const CopyRange& dst, const CopyRange& src,
                       StreamRef stream) {
  ABSL_RETURN_IF_ERROR(CheckPair(dst, src, stream));
  if (src.count == 0) return absl::OkStatus();
  ABSL_RETURN_IF_ERROR(RefuseDeviceMemory("dst", dst));
  return RefuseDeviceMemory("src", src);
}

absl::Status EnqueueCopy(const CopyRange& dst, const CopyRange& src,
                         StreamRef stream) {
  if (ABSL_PREDICT_FALSE(!PassesQuickCheck(dst, src, stream))) {
    ABSL_RETURN_IF_ERROR(CheckPair(dst, src, stream));
  }
  return Enqueue(dst, src, stream);
}

absl::Status CopyAndWait(const CopyRange& dst, const CopyRange& src,
                         StreamRef stream) {
  ABSL_RETURN_IF_ERROR(CheckCopy(dst, src, stream));
  if (src.count == 0) return absl::OkStatus();
  ABSL_RETURN_IF_ERROR(RefuseBlockingInCapture(stream));
  if (IsHost(dst) && IsHost(src)) {
    ABSL_RETURN_IF_ERROR(Wait(stream));
    if (dst.address != src.address) {
      HostCopy(const_cast<void*>(dst.address), src.address, src.num_bytes());
    }
    return absl::OkStatus();
  }
  // Not cudaMemcpy: it runs on the legacy default stream, and from pageable
  // memory it returns before non-blocking streams see the last bytes.
  ABSL_RETURN_IF_ERROR(Enqueue(dst, src, stream));
  return Wait(stream);
}

absl::Status EnqueueCopy2D(const CopyRows& dst, const CopyRows& src,
                           size_t width, size_t height, StreamRef stream) {
  if (width == 0 || height == 0) return absl::OkStatus();
  ABSL_RETURN_IF_ERROR(CheckRowPair(dst, src, width, height, stream));
  return EnqueueRows(dst, src, width, height, stream);
}

absl::Status Copy2DAndWait(const CopyRows& dst, const CopyRows& src,
                           size_t width, size_t height, StreamRef stream) {
  if (width == 0 || height == 0) return absl::OkStatus();
  ABSL_RETURN_IF_ERROR(CheckRowPair(dst, src, width, height, stream));
  ABSL_RETURN_IF_ERROR(RefuseDeviceMemory("dst", dst.range));
  ABSL_RETURN_IF_ERROR(RefuseDeviceMemory("src", src.range));
  ABSL_RETURN_IF_ERROR(RefuseBlockingInCapture(stream));
  if (IsHost(dst.range) && IsHost(src.range)) {
    ABSL_RETURN_IF_ERROR(Wait(stream));
    if (dst.range.address == src.range.address) return absl::OkStatus();
    auto* to = static_cast<char*>(const_cast<void*>(dst.range.address));
    const auto* from = static_cast<const char*>(src.range.address);
    for (size_t row = 0; row < height; ++row) {
      HostCopy(to + row * dst.pitch_bytes, from + row * src.pitch_bytes,
               width * src.range.element_size);
    }
    return absl::OkStatus();
  }
  ABSL_RETURN_IF_ERROR(EnqueueRows(dst, src, width, height, stream));
  return Wait(stream);
}

}  // namespace internal
}  // namespace conveyor
