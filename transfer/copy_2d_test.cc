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

// The 2-D copies of copy.h.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "testing/devices.h"
#include "testing/status_matchers.h"
#include "testing/stream_gate.h"
#include "transfer/copy.h"
#include "transfer/device.h"
#include "transfer/device_buffer.h"
#include "transfer/pinned_buffer.h"
#include "transfer/stream.h"

namespace conveyor {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;

constexpr DeviceId kDevice(0);

class Copy2DTest : public ::testing::Test {
 protected:
  void SetUp() override {
    CONVEYOR_REQUIRE_DEVICES(1);
    ASSERT_OK_AND_ASSIGN(Stream stream, Stream::Create(kDevice));
    stream_ = std::move(stream);
  }

  StreamRef stream() const { return stream_->ref(); }

  std::optional<Stream> stream_;
};

// Rows of 5 ints: 7 apart on the host, 8 on the device, 6 on the way back.
TEST_F(Copy2DTest, MovesRowsAndNothingBetweenThem) {
  constexpr size_t kWidth = 5;
  constexpr size_t kHeight = 9;
  std::vector<int> sent(7 * kHeight);
  for (size_t i = 0; i < sent.size(); ++i) sent[i] = static_cast<int>(i);
  ASSERT_OK_AND_ASSIGN(auto device,
                       DeviceBuffer<int>::Create(8 * kHeight, kDevice));
  std::vector<int> received(6 * kHeight, -1);

  ASSERT_OK(Copy2D(WithPitch(device, 32), WithPitch(sent, 28), kWidth, kHeight,
                   stream()));
  ASSERT_OK(Copy2D(WithPitch(received, 24), WithPitch(device, 32), kWidth,
                   kHeight, stream()));

  for (size_t row = 0; row < kHeight; ++row) {
    for (size_t column = 0; column < kWidth; ++column) {
      EXPECT_EQ(received[row * 6 + column], sent[row * 7 + column]);
    }
    EXPECT_EQ(received[row * 6 + kWidth], -1) << "wrote between rows";
  }
}

TEST_F(Copy2DTest, MovesRowsFromHostToHost) {
  std::vector<int> from = {1, 2, 0, 3, 4, 0, 5, 6};
  std::vector<int> to(6, -1);
  ASSERT_OK(Copy2D(WithPitch(to, 8), WithPitch(from, 12), 2, 3, stream()));
  EXPECT_EQ(to, (std::vector<int>{1, 2, 3, 4, 5, 6}));
}

TEST_F(Copy2DTest, AsyncReturnsBeforeTheCopyHasRun) {
  ASSERT_OK_AND_ASSIGN(auto device, DeviceBuffer<int>::Create(64, kDevice));
  ASSERT_OK_AND_ASSIGN(auto up, PinnedBuffer<int>::Create(64));
  ASSERT_OK_AND_ASSIGN(auto down, PinnedBuffer<int>::Create(64));
  for (int i = 0; i < 64; ++i) up[i] = i;
  for (int i = 0; i < 64; ++i) down[i] = -1;
  ASSERT_OK_AND_ASSIGN(StreamGate gate, StreamGate::Hold(stream().native()));
  ASSERT_OK(
      Copy2DAsync(WithPitch(device, 32), WithPitch(up, 32), 7, 8, stream()));
  ASSERT_OK(
      Copy2DAsync(WithPitch(down, 32), WithPitch(device, 32), 7, 8, stream()));
  EXPECT_THAT(stream().Ready(), IsOkAndHolds(false));
  EXPECT_EQ(down[0], -1);
  gate.Open();
  ASSERT_OK(stream().Synchronize());
  EXPECT_EQ(down[62], 62);
  EXPECT_EQ(down[63], -1);
  EXPECT_FALSE(gate.timed_out());
}

TEST_F(Copy2DTest, NoColumnsOrNoRowsAreFineWhateverThePitch) {
  std::vector<int> host(4);
  ASSERT_OK_AND_ASSIGN(auto device, DeviceBuffer<int>::Create(4, kDevice));
  for (const auto& [width, height] :
       {std::pair<size_t, size_t>{0, 5}, {5, 0}, {0, 0}}) {
    EXPECT_OK(Copy2D(WithPitch(device, 0), WithPitch(host, 0), width, height,
                     stream()));
  }
  EXPECT_OK(Copy2DAsync(WithPitch(DeviceSpan<int>(), 0), WithPitch(device, 0),
                        0, 3, stream()));
}

TEST_F(Copy2DTest, APitchBelowTheWidthNamesSidePitchWidthAndHeight) {
  std::vector<int> host(100);
  ASSERT_OK_AND_ASSIGN(auto device, DeviceBuffer<int>::Create(100, kDevice));
  for (const size_t pitch : {size_t{0}, size_t{39}}) {
    EXPECT_THAT(
        Copy2D(WithPitch(device, 40), WithPitch(host, pitch), 10, 10, stream()),
        StatusIs(
            absl::StatusCode::kInvalidArgument,
            AllOf(HasSubstr("src has pitch " + std::to_string(pitch)),
                  HasSubstr("width 10 elements of 4 bytes"),
                  HasSubstr("height 10 rows"), HasSubstr("from 40 bytes"))));
    EXPECT_THAT(
        Copy2D(WithPitch(device, pitch), WithPitch(host, 40), 10, 1, stream()),
        StatusIs(absl::StatusCode::kInvalidArgument,
                 HasSubstr("dst has pitch " + std::to_string(pitch))));
  }
  EXPECT_OK(
      Copy2D(WithPitch(device, 40), WithPitch(host, 40), 10, 10, stream()));
}

TEST_F(Copy2DTest, APitchThatCudaCannotTakeIsRefused) {
  std::vector<int> host(100);
  ASSERT_OK_AND_ASSIGN(auto device, DeviceBuffer<int>::Create(100, kDevice));
  EXPECT_THAT(
      Copy2D(WithPitch(device, 40), WithPitch(host, size_t{1} << 31), 10, 1,
             stream()),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("to 2147483647")));
  EXPECT_THAT(Copy2D(WithPitch(device, 40), WithPitch(host, 40),
                     size_t{1} << 62, 1, stream()),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("a row is at most")));
}

TEST_F(Copy2DTest, TheLastRowNeedsItsWidthAndNoMore) {
  ASSERT_OK_AND_ASSIGN(auto device, DeviceBuffer<int>::Create(100, kDevice));
  std::vector<int> exact(16 * 9 + 10);
  EXPECT_OK(
      Copy2D(WithPitch(device, 40), WithPitch(exact, 64), 10, 10, stream()));
  std::vector<int> less(16 * 9 + 9);
  EXPECT_THAT(
      Copy2D(WithPitch(device, 40), WithPitch(less, 64), 10, 10, stream()),
      StatusIs(absl::StatusCode::kInvalidArgument,
               AllOf(HasSubstr("src has pitch 64"),
                     HasSubstr("last row ends beyond its 153 elements"))));
  EXPECT_THAT(Copy2D(WithPitch(device, 40), WithPitch(exact, 64), 10, SIZE_MAX,
                     stream()),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("last row ends beyond")));
}

TEST_F(Copy2DTest, RowsMayInterleaveButNotOverlap) {
  ASSERT_OK_AND_ASSIGN(auto device, DeviceBuffer<int>::Create(100, kDevice));
  std::vector<int> host(100);
  for (int i = 0; i < 100; ++i) host[i] = i;
  ASSERT_OK(Copy(device, host, stream()));
  // Columns 0 to 4 of each row of 10 into columns 5 to 9.
  const auto left = WithPitch(device, 40);
  const auto right = WithPitch(device.span().subspan(5), 40);
  ASSERT_OK(Copy2D(right, left, 5, 10, stream()));
  ASSERT_OK(Copy(host, device, stream()));
  for (int i = 0; i < 100; ++i) EXPECT_EQ(host[i], i / 10 * 10 + i % 5);
  EXPECT_THAT(
      Copy2D(WithPitch(device.span().subspan(4), 40), left, 5, 10, stream()),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("overlaps")));
  // Pitches that differ: row 2 of one meets row 1 of the other.
  EXPECT_THAT(
      Copy2D(WithPitch(device.span().subspan(10), 80), WithPitch(device, 40), 5,
             4, stream()),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("overlaps")));
  EXPECT_OK(Copy2D(left, left, 5, 10, stream()));
}

TEST_F(Copy2DTest, NullWithRowsIsRefused) {
  ASSERT_OK_AND_ASSIGN(auto device, DeviceBuffer<int>::Create(100, kDevice));
  EXPECT_THAT(Copy2D(WithPitch(device, 40), WithPitch(absl::Span<int>(), 40),
                     10, 10, stream()),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("last row ends beyond its 0 elements")));
}

}  // namespace
}  // namespace conveyor
