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
#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "testing/devices.h"
#include "testing/status_matchers.h"
#include "transfer/device.h"
#include "transfer/device_buffer.h"
#include "transfer/device_span.h"
#include "transfer/managed_buffer.h"
#include "transfer/mapped_buffer.h"
#include "transfer/pinned_buffer.h"
#include "transfer/pinned_span.h"

namespace conveyor {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr DeviceId kDevice(0);
constexpr size_t kPage = 4096;

class MemoryKindTest : public ::testing::Test {
 protected:
  void SetUp() override { CONVEYOR_REQUIRE_DEVICES(1); }
};

// Pages of which the first `pinned` are registered.
class PartlyPinned {
 public:
  PartlyPinned(size_t pages, size_t pinned) : size_(pages * kPage) {
    data_ = static_cast<uint8_t*>(mmap(nullptr, size_, PROT_READ | PROT_WRITE,
                                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    registered_ = cudaHostRegister(data_, pinned * kPage,
                                   cudaHostRegisterDefault) == cudaSuccess;
  }
  ~PartlyPinned() {
    if (registered_) cudaHostUnregister(data_);
    munmap(data_, size_);
  }

  bool registered() const { return registered_; }
  absl::Span<uint8_t> range() { return absl::MakeSpan(data_, size_); }

 private:
  uint8_t* data_;
  size_t size_;
  bool registered_;
};

TEST_F(MemoryKindTest, TellsEveryKind) {
  std::vector<char> pageable(10);
  ASSERT_OK_AND_ASSIGN(const PointerInfo host, InspectPointer(pageable.data()));
  EXPECT_EQ(host.kind, MemoryKind::kPageable);
  EXPECT_EQ(host.device, std::nullopt);

  ASSERT_OK_AND_ASSIGN(auto pinned, PinnedBuffer<char>::Create(10));
  ASSERT_OK_AND_ASSIGN(const PointerInfo locked, InspectPointer(pinned.data()));
  EXPECT_EQ(locked.kind, MemoryKind::kPinned);

  ASSERT_OK_AND_ASSIGN(auto managed, ManagedBuffer<char>::Create(10, kDevice));
  ASSERT_OK_AND_ASSIGN(const PointerInfo moving,
                       InspectPointer(managed.data()));
  EXPECT_EQ(moving.kind, MemoryKind::kManaged);

  ASSERT_OK_AND_ASSIGN(auto device, DeviceBuffer<char>::Create(10, kDevice));
  ASSERT_OK_AND_ASSIGN(const PointerInfo there,
                       InspectPointer(device.span().device_pointer()));
  EXPECT_EQ(there.kind, MemoryKind::kDevice);
  EXPECT_EQ(there.device, kDevice);
  EXPECT_EQ(there.device_pointer, device.span().device_pointer());
}

TEST_F(MemoryKindTest, InspectingLeavesTheLastError) {
  ASSERT_EQ(cudaSetDevice(1 << 20), cudaErrorInvalidDevice);
  int local = 0;
  EXPECT_OK(InspectPointer(&local));
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDevice);
}

TEST_F(MemoryKindTest, SpansTakeWhatTheirTypeSays) {
  ASSERT_OK_AND_ASSIGN(auto pinned, PinnedBuffer<int>::Create(10));
  ASSERT_OK_AND_ASSIGN(const auto span, PinnedSpan<int>::FromSpan(
                                            absl::MakeSpan(pinned.data(), 10)));
  EXPECT_EQ(span.data(), pinned.data());
  EXPECT_EQ(span.size(), 10u);
  EXPECT_EQ(span.size_bytes(), 40u);

  ASSERT_OK_AND_ASSIGN(auto device, DeviceBuffer<int>::Create(10, kDevice));
  int* const pointer = device.span().device_pointer();
  ASSERT_OK_AND_ASSIGN(const auto there,
                       DeviceSpan<int>::FromPointer(pointer, 10, kDevice));
  EXPECT_EQ(there.device_pointer(), pointer);
  EXPECT_EQ(there.device(), kDevice);
  EXPECT_OK(DeviceSpan<int>::FromPointer(nullptr, 0, kDevice));
}

TEST_F(MemoryKindTest, PageableMemoryIsNoPinnedSpan) {
  std::vector<int> pageable(10);
  EXPECT_THAT(PinnedSpan<int>::FromSpan(absl::MakeSpan(pageable)),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("range of 40 bytes"),
                             HasSubstr("is pageable host memory"),
                             HasSubstr("should be pinned host memory"))));
}

TEST_F(MemoryKindTest, HostMemoryIsNoDeviceSpan) {
  ASSERT_OK_AND_ASSIGN(auto pinned, PinnedBuffer<int>::Create(10));
  EXPECT_THAT(DeviceSpan<int>::FromPointer(pinned.data(), 10, kDevice),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("is pinned host memory"),
                             HasSubstr("device memory of device 0"))));
}

TEST_F(MemoryKindTest, ARangePinnedInPartNamesBothParts) {
  PartlyPinned memory(/*pages=*/64, /*pinned=*/16);
  ASSERT_TRUE(memory.registered());
  EXPECT_THAT(
      PinnedSpan<uint8_t>::FromSpan(memory.range()),
      StatusIs(
          absl::StatusCode::kInvalidArgument,
          AllOf(HasSubstr("pinned host memory in bytes [0, 65536)"),
                HasSubstr("pageable host memory in bytes [65536, 262144)"))));
  EXPECT_OK(PinnedSpan<uint8_t>::FromSpan(memory.range().subspan(0, 65536)));
}

TEST_F(MemoryKindTest, ARangeBeyondTheAllocationIsRefused) {
  // Larger than the gap that an allocator may leave after it.
  constexpr size_t kBytes = 64 << 20;
  ASSERT_OK_AND_ASSIGN(auto device,
                       DeviceBuffer<char>::Create(kBytes, kDevice));
  EXPECT_THAT(DeviceSpan<char>::FromPointer(device.span().device_pointer(),
                                            size_t{1} << 46, kDevice),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("should be device memory")));
}

TEST_F(MemoryKindTest, NullGoesWithNoBytesOnly) {
  EXPECT_OK(CheckMemory("range", nullptr, 0, MemoryKind::kPinned, {}));
  EXPECT_THAT(CheckMemory("range", nullptr, 8, MemoryKind::kPinned, {}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("range is null but has 8 bytes")));
}

TEST_F(MemoryKindTest, ARangeOverTheEndOfTheAddressSpaceIsRefused) {
  int local = 0;
  EXPECT_THAT(CheckMemory("range", &local, SIZE_MAX, MemoryKind::kPinned, {}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("end of the address space")));
}

TEST(SpanTest, SubspansStayInside) {
  int values[10] = {};
  const auto span = PinnedSpan<int>::FromTrusted(absl::MakeSpan(values));
  EXPECT_EQ(span.subspan(2).size(), 8u);
  EXPECT_EQ(span.subspan(2, 3).data(), values + 2);
  EXPECT_EQ(span.subspan(8, 100).size(), 2u);
  EXPECT_TRUE(span.subspan(100).empty());
  const PinnedSpan<const int> constant = span;
  EXPECT_EQ(constant.data(), values);

  const auto device = DeviceSpan<int>::FromTrusted(values, 10, kDevice);
  EXPECT_EQ(device.subspan(2, 3).device_pointer(), values + 2);
  EXPECT_EQ(device.subspan(8, 100).size(), 2u);
  EXPECT_TRUE(device.subspan(100).empty());
  EXPECT_EQ(device.subspan(1).device(), kDevice);
}

}  // namespace
}  // namespace conveyor
