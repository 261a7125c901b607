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
// File: copy_buffers.h
// -----------------------------------------------------------------------------
//
// The memory that the copy rows share: ours and the raw call move the same
// bytes between the same addresses.

#ifndef CONVEYOR_BENCHMARKS_COPY_BUFFERS_H_
#define CONVEYOR_BENCHMARKS_COPY_BUFFERS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "transfer/device.h"
#include "transfer/device_buffer.h"
#include "transfer/device_span.h"
#include "transfer/pinned_buffer.h"
#include "transfer/pinned_span.h"
#include "transfer/stream.h"

namespace conveyor {
namespace bench {

enum class Place {
  kPageableSource,  // Holds the random data, for good.
  kPageable,
  kPinned,
  kDevice,
  kOtherDeviceRange,  // Of the same device.
};
inline constexpr size_t kPlaceCount = 5;

// Bytes to be had in each place.
using PlaceSizes = std::array<size_t, kPlaceCount>;

// Move-only. One thread at a time, with the device current.
class CopyBuffers {
 public:
  // Allocates, touches every host page, and makes a stream. The source gets the
  // size of the largest other place at least.
  //
  // kResourceExhausted if host or device have not that much memory.
  static absl::StatusOr<CopyBuffers> Create(DeviceId device, PlaceSizes sizes);

  StreamRef stream() const { return stream_; }

  void* Address(Place place);

  absl::Span<const uint8_t> PageableSource(size_t num_bytes) const {
    return {source_.get(), num_bytes};
  }
  absl::Span<uint8_t> Pageable(size_t num_bytes) {
    return {pageable_.get(), num_bytes};
  }
  PinnedSpan<uint8_t> Pinned(size_t num_bytes) {
    return pinned_.span().subspan(0, num_bytes);
  }
  DeviceSpan<uint8_t> Device(size_t num_bytes) {
    return device_.span().subspan(0, num_bytes);
  }
  DeviceSpan<uint8_t> OtherDeviceRange(size_t num_bytes) {
    return other_.span().subspan(0, num_bytes);
  }

  // Puts the first `num_bytes` of the random data into `place`.
  absl::Status FillSource(Place place, size_t num_bytes);

  // Overwrites the first `num_bytes` of `place`, never kPageableSource, so that
  // nothing is left of what an earlier copy wrote.
  absl::Status Poison(Place place, size_t num_bytes);

  // Whether `place` holds the first `num_bytes` of the random data. Waits for
  // the device.
  absl::StatusOr<bool> HoldsData(Place place, size_t num_bytes);

 private:
  using HostMemory = std::unique_ptr<uint8_t[]>;

  CopyBuffers(HostMemory source, HostMemory pageable,
              PinnedBuffer<uint8_t> pinned, DeviceBuffer<uint8_t> device,
              DeviceBuffer<uint8_t> other, Stream stream)
      : source_(std::move(source)),
        pageable_(std::move(pageable)),
        pinned_(std::move(pinned)),
        device_(std::move(device)),
        other_(std::move(other)),
        stream_(std::move(stream)) {}

  HostMemory source_;
  HostMemory pageable_;
  PinnedBuffer<uint8_t> pinned_;
  DeviceBuffer<uint8_t> device_;
  DeviceBuffer<uint8_t> other_;
  Stream stream_;
};

}  // namespace bench
}  // namespace conveyor

#endif  // CONVEYOR_BENCHMARKS_COPY_BUFFERS_H_
