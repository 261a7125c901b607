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

// The owners of memory, of every kind.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "testing/devices.h"
#include "testing/status_matchers.h"
#include "transfer/device.h"
#include "transfer/device_buffer.h"
#include "transfer/internal/test_buffers.h"
#include "transfer/managed_buffer.h"
#include "transfer/mapped_buffer.h"
#include "transfer/memory_kind.h"
#include "transfer/pinned_buffer.h"

namespace conveyor {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr DeviceId kDevice(0);

using internal::AddressOf;
using internal::Make;

template <typename Buffer>
class BufferTest : public ::testing::Test {
 protected:
  void SetUp() override { CONVEYOR_REQUIRE_DEVICES(1); }
};

using Owners = ::testing::Types<DeviceBuffer<int>, PinnedBuffer<int>,
                                MappedBuffer<int>, ManagedBuffer<int>>;
TYPED_TEST_SUITE(BufferTest, Owners);

TYPED_TEST(BufferTest, HoldsElementsOfItsKind) {
  ASSERT_OK_AND_ASSIGN(TypeParam buffer, Make<TypeParam>(1000));
  EXPECT_EQ(buffer.size(), 1000u);
  EXPECT_EQ(buffer.size_bytes(), 4000u);
  EXPECT_EQ(buffer.span().size(), 1000u);
  ASSERT_OK_AND_ASSIGN(const PointerInfo info,
                       InspectPointer(AddressOf(buffer) + 999));
  EXPECT_EQ(info.kind, std::decay_t<decltype(buffer.span())>::kKind);
}

TYPED_TEST(BufferTest, OfNothingAllocatesNothing) {
  ASSERT_OK_AND_ASSIGN(TypeParam buffer, Make<TypeParam>(0));
  EXPECT_EQ(buffer.size(), 0u);
  EXPECT_EQ(AddressOf(buffer), nullptr);
}

TYPED_TEST(BufferTest, RefusesASizeThatOverflows) {
  EXPECT_THAT(Make<TypeParam>(size_t{1} << 62),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("count is 4611686018427387904"),
                             HasSubstr("overflows"))));
}

TYPED_TEST(BufferTest, MovedFromIsEmpty) {
  ASSERT_OK_AND_ASSIGN(TypeParam buffer, Make<TypeParam>(10));
  const auto address = AddressOf(buffer);
  TypeParam moved = std::move(buffer);
  EXPECT_EQ(AddressOf(moved), address);
  EXPECT_EQ(moved.size(), 10u);
  EXPECT_EQ(buffer.size(), 0u);  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(AddressOf(buffer), nullptr);
  ASSERT_OK_AND_ASSIGN(TypeParam other, Make<TypeParam>(20));
  other = std::move(moved);
  EXPECT_EQ(AddressOf(other), address);
  EXPECT_EQ(other.size(), 10u);
  EXPECT_EQ(moved.size(), 0u);  // NOLINT(bugprone-use-after-move)
}

class BuffersTest : public ::testing::Test {
 protected:
  void SetUp() override { CONVEYOR_REQUIRE_DEVICES(1); }
};

TEST_F(BuffersTest, ReleasedMemoryIsTheCallers) {
  ASSERT_OK_AND_ASSIGN(auto device, DeviceBuffer<int>::Create(10, kDevice));
  int* const there = device.release();
  EXPECT_EQ(device.size(), 0u);
  EXPECT_EQ(cudaFree(there), cudaSuccess);
  ASSERT_OK_AND_ASSIGN(auto pinned, PinnedBuffer<int>::Create(10));
  EXPECT_EQ(cudaFreeHost(pinned.release()), cudaSuccess);
  ASSERT_OK_AND_ASSIGN(auto managed, ManagedBuffer<int>::Create(10, kDevice));
  EXPECT_EQ(cudaFree(managed.release()), cudaSuccess);
}

TEST_F(BuffersTest, AnUnknownDeviceIsRefused) {
  EXPECT_THAT(DeviceBuffer<int>::Create(10, DeviceId(1 << 20)),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("does not exist")));
  EXPECT_THAT(ManagedBuffer<int>::Create(10, DeviceId(-1)),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("does not exist")));
}

TEST_F(BuffersTest, TooMuchDeviceMemoryNamesNeedAndRoom) {
  size_t free_bytes = 0;
  size_t total_bytes = 0;
  ASSERT_EQ(cudaMemGetInfo(&free_bytes, &total_bytes), cudaSuccess);
  const size_t wanted = total_bytes + (size_t{1} << 30);
  EXPECT_THAT(DeviceBuffer<char>::Create(wanted, kDevice),
              StatusIs(absl::StatusCode::kResourceExhausted,
                       AllOf(HasSubstr(std::to_string(wanted)),
                             HasSubstr("device memory on device 0"),
                             HasSubstr(std::to_string(total_bytes)))));
  cudaGetLastError();
}

TEST_F(BuffersTest, AMappedBufferHasAnAddressForTheDevice) {
  ASSERT_OK_AND_ASSIGN(auto mapped, MappedBuffer<int>::Create(10));
  ASSERT_OK_AND_ASSIGN(int* const there, mapped.DevicePointer(kDevice));
  ASSERT_OK_AND_ASSIGN(const PointerInfo info,
                       InspectPointer(mapped.span().data()));
  EXPECT_EQ(there, info.device_pointer);
  ASSERT_OK_AND_ASSIGN(auto empty, MappedBuffer<int>::Create(0));
  EXPECT_THAT(empty.DevicePointer(kDevice), IsOkAndHolds(nullptr));
}

TEST_F(BuffersTest, ManagedMemoryIsOneAddressForAll) {
  ASSERT_OK_AND_ASSIGN(auto managed, ManagedBuffer<int>::Create(10, kDevice));
  managed.data()[9] = 42;
  int value = 0;
  ASSERT_EQ(
      cudaMemcpy(&value, managed.data() + 9, sizeof(int), cudaMemcpyDefault),
      cudaSuccess);
  EXPECT_EQ(value, 42);
}

}  // namespace
}  // namespace conveyor
