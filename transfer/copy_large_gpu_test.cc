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

// Sizes at which byte counts outgrow 32 bits, with real memory.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "testing/devices.h"
#include "testing/pattern.h"
#include "testing/status_matchers.h"
#include "transfer/copy.h"
#include "transfer/device.h"
#include "transfer/device_buffer.h"
#include "transfer/pinned_buffer.h"
#include "transfer/stream.h"

namespace conveyor {
namespace {

constexpr DeviceId kDevice(0);

class CopyLargeTest : public ::testing::TestWithParam<size_t> {
 protected:
  void SetUp() override {
    CONVEYOR_REQUIRE_DEVICES(1);
    ASSERT_OK_AND_ASSIGN(Stream stream, Stream::Create(kDevice));
    stream_ = std::move(stream);
  }

  std::optional<Stream> stream_;
};

TEST_P(CopyLargeTest, EveryByteArrivesAndComesBack) {
  const size_t size = GetParam();
  ASSERT_OK_AND_ASSIGN(auto host, PinnedBuffer<uint8_t>::Create(size));
  ASSERT_OK_AND_ASSIGN(auto device,
                       DeviceBuffer<uint8_t>::Create(size, kDevice));
  FillPattern(absl::MakeSpan(host.data(), size), size);
  ASSERT_OK(CopyAsync(device, host, *stream_));
  ASSERT_OK(stream_->ref().Synchronize());
  FillPattern(absl::MakeSpan(host.data(), size), /*seed=*/1);
  ASSERT_OK(CopyAsync(host, device, *stream_));
  ASSERT_OK(stream_->ref().Synchronize());
  EXPECT_OK(VerifyPattern(absl::MakeSpan(host.data(), size), size));
}

INSTANTIATE_TEST_SUITE_P(Sizes, CopyLargeTest,
                         ::testing::Values((size_t{1} << 31) - 1,
                                           size_t{1} << 31,
                                           (size_t{1} << 32) - 1,
                                           size_t{1} << 32,
                                           (size_t{1} << 32) + 1));

// 2^28 elements of 8 bytes: a byte count of 2^31, which an int makes negative.
TEST_F(CopyLargeTest, CountsElementsIn64Bits) {
  constexpr size_t kCount = size_t{1} << 28;
  ASSERT_OK_AND_ASSIGN(auto host, PinnedBuffer<double>::Create(kCount));
  ASSERT_OK_AND_ASSIGN(auto device,
                       DeviceBuffer<double>::Create(kCount, kDevice));
  host[0] = 1;
  host[kCount - 1] = 2;
  ASSERT_OK(Copy(device, host, *stream_));
  host[0] = host[kCount - 1] = 0;
  ASSERT_OK(Copy(host, device, *stream_));
  EXPECT_EQ(host[0], 1);
  EXPECT_EQ(host[kCount - 1], 2);
}

}  // namespace
}  // namespace conveyor
