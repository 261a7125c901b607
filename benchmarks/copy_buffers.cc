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

#include "benchmarks/copy_buffers.h"

#include <cuda_runtime_api.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/status_macros.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "benchmarks/random_data.h"
#include "transfer/cuda_status.h"
#include "transfer/device.h"
#include "transfer/device_buffer.h"
#include "transfer/event.h"
#include "transfer/pinned_buffer.h"
#include "transfer/stream.h"

namespace conveyor {
namespace bench {
namespace {

constexpr int kPoison = 0xA5;
// Random, with no pattern of its own to find in a failure.
constexpr uint64_t kSeed = 0x2545f4914f6cdd1d;
// What is read back at once to be compared.
constexpr size_t kReadBackBytes = size_t{4} << 20;

bool OnDevice(Place place) {
  return place == Place::kDevice || place == Place::kOtherDeviceRange ||
         OnPeer(place);
}

// None without bytes.
absl::StatusOr<std::unique_ptr<uint8_t[]>> AllocatePageable(size_t num_bytes) {
  std::unique_ptr<uint8_t[]> memory;
  if (num_bytes == 0) return memory;
  memory.reset(new (std::nothrow) uint8_t[num_bytes]);
  if (memory == nullptr) {
    return absl::ResourceExhaustedError(
        absl::StrCat("no ", num_bytes, " bytes of host memory"));
  }
  return memory;
}

// The library is what is being measured and checked: what fills and compares
// calls CUDA directly.
absl::Status RawCopy(void* dst, const void* src, size_t num_bytes,
                     cudaMemcpyKind kind) {
  return CallCuda(
      [&] { return cudaMemcpy(dst, src, num_bytes, kind); },
      [&] { return absl::StrCat("cudaMemcpy of ", num_bytes, " bytes"); });
}

absl::Status WaitForDevice() {
  return CallCuda([] { return cudaDeviceSynchronize(); },
                  [] { return std::string("cudaDeviceSynchronize"); });
}

}  // namespace

void CopyBuffers::Unmap::operator()(uint8_t* pages) const {
  munmap(pages, num_bytes);
}

absl::StatusOr<CopyBuffers::FreshMemory> CopyBuffers::MapFresh(
    size_t num_bytes) {
  if (num_bytes == 0) return FreshMemory(nullptr, Unmap{0});
  void* const pages = mmap(nullptr, num_bytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) {
    return absl::ResourceExhaustedError(
        absl::StrCat("no ", num_bytes, " bytes of new host pages"));
  }
  return FreshMemory(static_cast<uint8_t*>(pages), Unmap{num_bytes});
}

absl::Status CopyBuffers::RenewFresh() {
  const size_t num_bytes = memory_.fresh.get_deleter().num_bytes;
  ABSL_ASSIGN_OR_RETURN(memory_.fresh, MapFresh(num_bytes));
  return absl::OkStatus();
}

absl::StatusOr<CopyBuffers> CopyBuffers::Create(DeviceId device,
                                                PlaceSizes sizes,
                                                std::optional<DeviceId> peer) {
  const auto size = [&](Place place) -> size_t& {
    return sizes[static_cast<size_t>(place)];
  };
  size(Place::kPageableSource) = *std::max_element(sizes.begin(), sizes.end());
  if (!peer.has_value()) size(Place::kPeer) = size(Place::kOtherPeer) = 0;
  const DeviceId other_device = peer.value_or(device);
  const auto on_device = [&](Place place) {
    return DeviceBuffer<uint8_t>::Create(size(place),
                                         OnPeer(place) ? other_device : device);
  };
  // The scarcest first: what fails, fails before the host is filled.
  ABSL_ASSIGN_OR_RETURN(auto own, on_device(Place::kDevice));
  ABSL_ASSIGN_OR_RETURN(auto other, on_device(Place::kOtherDeviceRange));
  ABSL_ASSIGN_OR_RETURN(auto peers, on_device(Place::kPeer));
  ABSL_ASSIGN_OR_RETURN(auto other_peers, on_device(Place::kOtherPeer));
  ABSL_ASSIGN_OR_RETURN(auto pinned,
                        PinnedBuffer<uint8_t>::Create(size(Place::kPinned)));
  ABSL_ASSIGN_OR_RETURN(auto other_pinned, PinnedBuffer<uint8_t>::Create(
                                               size(Place::kOtherPinned)));
  ABSL_ASSIGN_OR_RETURN(auto source,
                        AllocatePageable(size(Place::kPageableSource)));
  ABSL_ASSIGN_OR_RETURN(auto pageable,
                        AllocatePageable(size(Place::kPageable)));
  ABSL_ASSIGN_OR_RETURN(auto fresh, MapFresh(size(Place::kFresh)));
  ABSL_ASSIGN_OR_RETURN(Stream stream, Stream::Create(device));
  ABSL_ASSIGN_OR_RETURN(Stream other_stream, Stream::Create(device));
  ABSL_ASSIGN_OR_RETURN(Stream peer_stream, Stream::Create(other_device));
  ABSL_ASSIGN_OR_RETURN(Event event, Event::Create(device));
  ABSL_ASSIGN_OR_RETURN(Event other_event, Event::Create(device));
  ABSL_ASSIGN_OR_RETURN(Event peer_event, Event::Create(other_device));
  ABSL_ASSIGN_OR_RETURN(Stager stager, Stager::Create({}));
  FillWithRandomData(source.get(), size(Place::kPageableSource), kSeed);
  if (pageable != nullptr) {
    std::memset(pageable.get(), kPoison, size(Place::kPageable));
  }
  return CopyBuffers(
      Memory{std::move(source), std::move(pageable), std::move(fresh),
             std::move(pinned), std::move(other_pinned), std::move(own),
             std::move(other), std::move(peers), std::move(other_peers),
             std::move(stream), std::move(other_stream), std::move(peer_stream),
             std::move(event), std::move(other_event), std::move(peer_event),
             std::move(stager)});
}

void* CopyBuffers::Address(Place place) {
  switch (place) {
    case Place::kPageableSource:
      return memory_.source.get();
    case Place::kPageable:
      return memory_.pageable.get();
    case Place::kFresh:
      return memory_.fresh.get();
    case Place::kPinned:
      return memory_.pinned.data();
    case Place::kOtherPinned:
      return memory_.other_pinned.data();
    case Place::kDevice:
      return memory_.device.span().device_pointer();
    case Place::kOtherDeviceRange:
      return memory_.other.span().device_pointer();
    case Place::kPeer:
      return memory_.peer.span().device_pointer();
    case Place::kOtherPeer:
      return memory_.other_peer.span().device_pointer();
  }
  return nullptr;
}

absl::Status CopyBuffers::FillSource(Place place, size_t num_bytes) {
  if (place == Place::kPageableSource) return absl::OkStatus();
  if (!OnDevice(place)) {
    std::memcpy(Address(place), memory_.source.get(), num_bytes);
    return absl::OkStatus();
  }
  ABSL_RETURN_IF_ERROR(RawCopy(Address(place), memory_.source.get(), num_bytes,
                               cudaMemcpyHostToDevice));
  return WaitForDevice();
}

absl::Status CopyBuffers::Poison(Place place, size_t num_bytes) {
  if (place == Place::kFresh) return RenewFresh();
  if (!OnDevice(place)) {
    std::memset(Address(place), kPoison, num_bytes);
    return absl::OkStatus();
  }
  ABSL_RETURN_IF_ERROR(CallCuda(
      [&] { return cudaMemset(Address(place), kPoison, num_bytes); },
      [&] { return absl::StrCat("cudaMemset of ", num_bytes, " bytes"); }));
  return WaitForDevice();
}

absl::StatusOr<bool> CopyBuffers::HoldsData(Place place, size_t num_bytes) {
  ABSL_RETURN_IF_ERROR(WaitForDevice());
  const auto* address = static_cast<const uint8_t*>(Address(place));
  if (!OnDevice(place)) {
    return std::memcmp(address, memory_.source.get(), num_bytes) == 0;
  }
  ABSL_ASSIGN_OR_RETURN(const auto read_back,
                        AllocatePageable(std::min(num_bytes, kReadBackBytes)));
  for (size_t done = 0; done < num_bytes; done += kReadBackBytes) {
    const size_t now = std::min(num_bytes - done, kReadBackBytes);
    ABSL_RETURN_IF_ERROR(
        RawCopy(read_back.get(), address + done, now, cudaMemcpyDeviceToHost));
    if (std::memcmp(read_back.get(), memory_.source.get() + done, now) != 0) {
      return false;
    }
  }
  return true;
}

}  // namespace bench
}  // namespace conveyor
