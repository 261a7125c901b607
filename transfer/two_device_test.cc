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

// What takes two devices to see: every call binds the device of what it is
// given, and leaves the caller's current device as it was.

#include <cuda_runtime_api.h>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "testing/devices.h"
#include "testing/pattern.h"
#include "testing/status_matchers.h"
#include "transfer/copy.h"
#include "transfer/device.h"
#include "transfer/device_buffer.h"
#include "transfer/device_span.h"
#include "transfer/event.h"
#include "transfer/internal/for_each_test_kernels.h"
#include "transfer/managed_buffer.h"
#include "transfer/mapped_buffer.h"
#include "transfer/stream.h"
#include "transfer/timer.h"

namespace conveyor {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr size_t kCount = 1000;

// Device 1 is current; everything belongs to device 0.
class TwoDeviceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    CONVEYOR_REQUIRE_DEVICES(2);
    ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
    ASSERT_OK_AND_ASSIGN(Stream stream, Stream::Create(DeviceId(0)));
    stream_ = std::move(stream);
  }

  void TearDown() override {
    int current = -1;
    EXPECT_EQ(cudaGetDevice(&current), cudaSuccess);
    EXPECT_EQ(current, 1) << "the current device was not restored";
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    stream_.reset();
    cudaSetDevice(0);
  }

  std::optional<Stream> stream_;
};

TEST_F(TwoDeviceTest, BindRestoresTheCallersDevice) {
  {
    ASSERT_OK_AND_ASSIGN(ScopedDevice scope, ScopedDevice::Bind(DeviceId(0)));
    EXPECT_THAT(CurrentDevice(), IsOkAndHolds(DeviceId(0)));
    const ScopedDevice moved = std::move(scope);
    EXPECT_THAT(CurrentDevice(), IsOkAndHolds(DeviceId(0)));
  }
  EXPECT_THAT(CurrentDevice(), IsOkAndHolds(DeviceId(1)));
}

TEST_F(TwoDeviceTest, CopiesOfAnotherDeviceThanTheCurrentOne) {
  ASSERT_OK_AND_ASSIGN(auto device,
                       DeviceBuffer<uint8_t>::Create(kCount, DeviceId(0)));
  ASSERT_OK_AND_ASSIGN(auto mapped, MappedBuffer<uint8_t>::Create(kCount));
  ASSERT_OK_AND_ASSIGN(auto managed,
                       ManagedBuffer<uint8_t>::Create(kCount, DeviceId(0)));
  EXPECT_OK(mapped.DevicePointer(DeviceId(0)));
  std::vector<uint8_t> host(kCount);
  FillPattern(absl::MakeSpan(host), 1);

  ASSERT_OK_AND_ASSIGN(Timer timer, Timer::Create(*stream_));
  ASSERT_OK(timer.Start());
  ASSERT_OK(Copy(device, host, *stream_));
  ASSERT_OK(CopyAsync(managed, device, *stream_));
  ASSERT_OK(CopyAsync(mapped, managed, *stream_));
  ASSERT_OK(timer.Stop());
  ASSERT_OK(timer.Wait(kCount));

  EXPECT_OK(VerifyPattern(absl::MakeSpan(mapped.span().data(), kCount), 1));
}

TEST_F(TwoDeviceTest, AKernelRunsOnTheDeviceOfItsStream) {
  ASSERT_OK_AND_ASSIGN(auto values,
                       DeviceBuffer<int64_t>::Create(kCount, DeviceId(0)));
  std::vector<int64_t> host(kCount, 1);
  ASSERT_OK(Copy(values, host, *stream_));
  EXPECT_EQ(
      internal::AddIndex(*stream_, values.span().device_pointer(), kCount),
      cudaSuccess);
  ASSERT_OK(Copy(host, values, *stream_));
  EXPECT_EQ(host[kCount - 1], static_cast<int64_t>(kCount));
}

TEST_F(TwoDeviceTest, ACopyNamesBothDevicesOfAMismatch) {
  ASSERT_OK_AND_ASSIGN(auto other,
                       DeviceBuffer<uint8_t>::Create(kCount, DeviceId(1)));
  std::vector<uint8_t> host(kCount);
  EXPECT_THAT(Copy(other, host, *stream_),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("dst is on device 1"),
                             HasSubstr("stream is on device 0"))));
  EXPECT_THAT(Copy(host, other, *stream_),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("src is on device 1"),
                             HasSubstr("stream is on device 0"))));
}

TEST_F(TwoDeviceTest, ASpanOfAnotherDevicesMemoryIsRefused) {
  ASSERT_OK_AND_ASSIGN(auto buffer,
                       DeviceBuffer<uint8_t>::Create(kCount, DeviceId(0)));
  EXPECT_THAT(
      DeviceSpan<uint8_t>::FromPointer(buffer.span().device_pointer(), kCount,
                                       DeviceId(1)),
      StatusIs(absl::StatusCode::kInvalidArgument,
               AllOf(HasSubstr("device memory of device 0"),
                     HasSubstr("should be device memory of device 1"))));
}

TEST_F(TwoDeviceTest, AStreamOfAnotherDeviceIsRefused) {
  EXPECT_THAT(StreamRef::FromNative(stream_->ref().native(), DeviceId(1)),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("device is device 1"),
                             HasSubstr("stream is on device 0"))));
}

TEST_F(TwoDeviceTest, AnEventIsRecordedOnItsOwnDevice) {
  ASSERT_OK_AND_ASSIGN(Event event, Event::Create(DeviceId(1)));
  EXPECT_THAT(event.Record(*stream_),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("stream is on device 0"),
                             HasSubstr("event is of device 1"))));
}

TEST_F(TwoDeviceTest, AStreamWaitsForAnEventOfAnotherDevice) {
  ASSERT_OK_AND_ASSIGN(Event event, Event::Create(DeviceId(0)));
  ASSERT_OK(event.Record(*stream_));
  ASSERT_OK_AND_ASSIGN(Stream other, Stream::Create(DeviceId(1)));
  ASSERT_OK(StreamWaitEvent(other, event));
  EXPECT_OK(other.ref().Synchronize());
}

}  // namespace
}  // namespace conveyor
