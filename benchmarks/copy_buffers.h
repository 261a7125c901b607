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
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "transfer/device.h"
#include "transfer/device_buffer.h"
#include "transfer/device_span.h"
#include "transfer/event.h"
#include "transfer/pinned_buffer.h"
#include "transfer/pinned_span.h"
#include "transfer/stager.h"
#include "transfer/stream.h"

namespace conveyor {
namespace bench {

enum class Place {
  kPageableSource,  // Holds the random data, for good.
  kPageable,
  kFresh,  // Pageable, and not touched by anybody since it was renewed.
  kPinned,
  kOtherPinned,
  kDevice,
  kOtherDeviceRange,  // Of the same device.
  kPeer,              // Of the other device.
  kOtherPeer,
};
inline constexpr size_t kPlaceCount = 9;

// Whether it is memory of the other device.
constexpr bool OnPeer(Place place) {
  return place == Place::kPeer || place == Place::kOtherPeer;
}

// Bytes to be had in each place.
using PlaceSizes = std::array<size_t, kPlaceCount>;

// Move-only. One thread at a time, with the device current.
class CopyBuffers {
 public:
  // Allocates, touches every host page but the fresh ones, and makes streams
  // and events. The source gets the size of the largest other place at least.
  // Without `peer` there is no memory on another device, whatever `sizes` says.
  //
  // kResourceExhausted if host or devices have not that much memory.
  static absl::StatusOr<CopyBuffers> Create(
      DeviceId device, PlaceSizes sizes,
      std::optional<DeviceId> peer = std::nullopt);

  // Of the device, with an event that is not timed.
  StreamRef stream() const { return memory_.stream; }
  Event& event() { return memory_.event; }
  // Another stream of the device, with another event.
  StreamRef other_stream() const { return memory_.other_stream; }
  Event& other_event() { return memory_.other_event; }
  // Those of the peer; of the device if there is none.
  StreamRef peer_stream() const { return memory_.peer_stream; }
  Event& peer_event() { return memory_.peer_event; }

  Stager& stager() { return memory_.stager; }

  void* Address(Place place);

  absl::Span<const uint8_t> PageableSource(size_t num_bytes) const {
    return {memory_.source.get(), num_bytes};
  }
  absl::Span<uint8_t> Pageable(size_t num_bytes) {
    return {memory_.pageable.get(), num_bytes};
  }
  absl::Span<uint8_t> Fresh(size_t num_bytes) {
    return {memory_.fresh.get(), num_bytes};
  }
  PinnedSpan<uint8_t> Pinned(size_t num_bytes) {
    return memory_.pinned.span().subspan(0, num_bytes);
  }
  PinnedSpan<uint8_t> OtherPinned(size_t num_bytes) {
    return memory_.other_pinned.span().subspan(0, num_bytes);
  }
  DeviceSpan<uint8_t> Device(size_t num_bytes) {
    return memory_.device.span().subspan(0, num_bytes);
  }
  DeviceSpan<uint8_t> OtherDeviceRange(size_t num_bytes) {
    return memory_.other.span().subspan(0, num_bytes);
  }

  // Puts new pages in the place of kFresh. kResourceExhausted if the host has
  // none.
  absl::Status RenewFresh();

  // Puts the first `num_bytes` of the random data into `place`.
  absl::Status FillSource(Place place, size_t num_bytes);

  // Overwrites the first `num_bytes` of `place`, never kPageableSource, so that
  // nothing is left of what an earlier copy wrote.
  absl::Status Poison(Place place, size_t num_bytes);

  // Whether `place` holds the first `num_bytes` of the random data. Waits for
  // the device.
  absl::StatusOr<bool> HoldsData(Place place, size_t num_bytes);

 private:
  struct Unmap {
    size_t num_bytes = 0;
    void operator()(uint8_t* pages) const;
  };
  using HostMemory = std::unique_ptr<uint8_t[]>;
  using FreshMemory = std::unique_ptr<uint8_t, Unmap>;

  struct Memory {
    HostMemory source;
    HostMemory pageable;
    FreshMemory fresh;
    PinnedBuffer<uint8_t> pinned;
    PinnedBuffer<uint8_t> other_pinned;
    DeviceBuffer<uint8_t> device;
    DeviceBuffer<uint8_t> other;
    DeviceBuffer<uint8_t> peer;
    DeviceBuffer<uint8_t> other_peer;
    Stream stream;
    Stream other_stream;
    Stream peer_stream;
    Event event;
    Event other_event;
    Event peer_event;
    Stager stager;
  };

  explicit CopyBuffers(Memory memory) : memory_(std::move(memory)) {}

  static absl::StatusOr<FreshMemory> MapFresh(size_t num_bytes);

  Memory memory_;
};

}  // namespace bench
}  // namespace conveyor

#endif  // CONVEYOR_BENCHMARKS_COPY_BUFFERS_H_
