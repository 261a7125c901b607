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

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
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
  return place == Place::kDevice || place == Place::kOtherDeviceRange;
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

absl::StatusOr<CopyBuffers> CopyBuffers::Create(DeviceId device,
                                                PlaceSizes sizes) {
  const auto size = [&](Place place) -> size_t& {
    return sizes[static_cast<size_t>(place)];
  };
  size(Place::kPageableSource) = *std::max_element(sizes.begin(), sizes.end());
  // The scarcest first: what fails, fails before the host is filled.
  ABSL_ASSIGN_OR_RETURN(auto on_device, DeviceBuffer<uint8_t>::Create(
                                            size(Place::kDevice), device));
  ABSL_ASSIGN_OR_RETURN(
      auto other,
      DeviceBuffer<uint8_t>::Create(size(Place::kOtherDeviceRange), device));
  ABSL_ASSIGN_OR_RETURN(auto pinned,
                        PinnedBuffer<uint8_t>::Create(size(Place::kPinned)));
  ABSL_ASSIGN_OR_RETURN(auto source,
                        AllocatePageable(size(Place::kPageableSource)));
  ABSL_ASSIGN_OR_RETURN(auto pageable,
                        AllocatePageable(size(Place::kPageable)));
  ABSL_ASSIGN_OR_RETURN(Stream stream, Stream::Create(device));
  FillWithRandomData(source.get(), size(Place::kPageableSource), kSeed);
  if (pageable != nullptr) {
    std::memset(pageable.get(), kPoison, size(Place::kPageable));
  }
  return CopyBuffers(std::move(source), std::move(pageable), std::move(pinned),
                     std::move(on_device), std::move(other), std::move(stream));
}

void* CopyBuffers::Address(Place place) {
  switch (place) {
    case Place::kPageableSource:
      return source_.get();
    case Place::kPageable:
      return pageable_.get();
    case Place::kPinned:
      return pinned_.data();
    case Place::kDevice:
      return device_.span().device_pointer();
    case Place::kOtherDeviceRange:
      return other_.span().device_pointer();
  }
  return nullptr;
}

absl::Status CopyBuffers::FillSource(Place place, size_t num_bytes) {
  if (place == Place::kPageableSource) return absl::OkStatus();
  if (!OnDevice(place)) {
    std::memcpy(Address(place), source_.get(), num_bytes);
    return absl::OkStatus();
  }
  ABSL_RETURN_IF_ERROR(RawCopy(Address(place), source_.get(), num_bytes,
                               cudaMemcpyHostToDevice));
  return WaitForDevice();
}

absl::Status CopyBuffers::Poison(Place place, size_t num_bytes) {
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
    return std::memcmp(address, source_.get(), num_bytes) == 0;
  }
  ABSL_ASSIGN_OR_RETURN(const auto read_back,
                        AllocatePageable(std::min(num_bytes, kReadBackBytes)));
  for (size_t done = 0; done < num_bytes; done += kReadBackBytes) {
    const size_t now = std::min(num_bytes - done, kReadBackBytes);
    ABSL_RETURN_IF_ERROR(
        RawCopy(read_back.get(), address + done, now, cudaMemcpyDeviceToHost));
    if (std::memcmp(read_back.get(), source_.get() + done, now) != 0) {
      return false;
    }
  }
  return true;
}

}  // namespace bench
}  // namespace conveyor
