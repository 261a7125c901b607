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

#include "transfer/transfer_stats.h"

#include <cuda_runtime_api.h>

#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/time/time.h"
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

using ::testing::HasSubstr;

constexpr DeviceId kDevice(0);
constexpr size_t kBytes = 4 << 20;

TEST(TransferSharesTest, FractionsAreOfTheWindow) {
  TransferShares shares;
  EXPECT_EQ(shares.TransferFraction(), 0.0);
  shares.window = absl::Seconds(4);
  shares.transfer = absl::Seconds(3);
  shares.exposed = absl::Seconds(1);
  EXPECT_EQ(shares.TransferFraction(), 0.75);
  EXPECT_EQ(shares.ExposedFraction(), 0.25);
}

class TransferStatsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    CONVEYOR_REQUIRE_DEVICES(1);
    ASSERT_OK_AND_ASSIGN(Stream copies, Stream::Create(kDevice));
    ASSERT_OK_AND_ASSIGN(Stream kernels, Stream::Create(kDevice));
    copies_ = std::move(copies);
    kernels_ = std::move(kernels);
    ASSERT_OK_AND_ASSIGN(auto dst, DeviceBuffer<char>::Create(kBytes, kDevice));
    ASSERT_OK_AND_ASSIGN(auto src, PinnedBuffer<char>::Create(kBytes));
    dst_ = std::move(dst);
    src_ = std::move(src);
    ASSERT_OK_AND_ASSIGN(TransferStats stats, TransferStats::Create(*copies_));
    stats_ = std::move(stats);
  }

  std::optional<Stream> copies_;
  std::optional<Stream> kernels_;
  std::optional<DeviceBuffer<char>> dst_;
  std::optional<PinnedBuffer<char>> src_;
  std::optional<TransferStats> stats_;
};

TEST_F(TransferStatsTest, ATransferAloneIsExposed) {
  ASSERT_OK_AND_ASSIGN(auto load, stats_->BeginTransfer(*copies_));
  ASSERT_OK(CopyAsync(*dst_, *src_, *copies_));
  ASSERT_OK(stats_->End(load));
  ASSERT_OK_AND_ASSIGN(const TransferShares shares, stats_->Wait());
  EXPECT_GT(shares.transfer, absl::ZeroDuration());
  EXPECT_EQ(shares.exposed, shares.transfer);
  EXPECT_EQ(shares.overlapped, absl::ZeroDuration());
  EXPECT_EQ(shares.compute, absl::ZeroDuration());
  EXPECT_GE(shares.window, shares.transfer);
}

TEST_F(TransferStatsTest, ComputeInsideATransferIsOverlapped) {
  ASSERT_OK_AND_ASSIGN(auto load, stats_->BeginTransfer(*copies_));
  ASSERT_OK_AND_ASSIGN(StreamGate gate,
                       StreamGate::Hold(copies_->ref().native()));
  gate.WaitUntilReached();  // The transfer's interval has begun, and is held.
  ASSERT_OK_AND_ASSIGN(auto work, stats_->BeginCompute(*kernels_));
  ASSERT_EQ(cudaMemsetAsync(dst_->span().device_pointer(), 0, kBytes,
                            kernels_->ref().native()),
            cudaSuccess);
  ASSERT_OK(stats_->End(work));
  ASSERT_OK(kernels_->ref().Synchronize());
  gate.Open();
  ASSERT_OK(stats_->End(load));

  ASSERT_OK_AND_ASSIGN(const TransferShares shares, stats_->Wait());
  EXPECT_FALSE(gate.timed_out());
  EXPECT_GT(shares.compute, absl::ZeroDuration());
  EXPECT_EQ(shares.overlapped, shares.compute);
  EXPECT_EQ(shares.overlapped + shares.exposed, shares.transfer);
}

TEST_F(TransferStatsTest, TransfersAtTheSameTimeCountOnce) {
  ASSERT_OK_AND_ASSIGN(auto outer, stats_->BeginTransfer(*copies_));
  ASSERT_OK_AND_ASSIGN(auto inner, stats_->BeginTransfer(*copies_));
  ASSERT_OK(CopyAsync(*dst_, *src_, *copies_));
  ASSERT_OK(stats_->End(inner));
  ASSERT_OK(stats_->End(outer));
  ASSERT_OK_AND_ASSIGN(const TransferShares shares, stats_->Wait());
  EXPECT_LE(shares.transfer, shares.window);
  EXPECT_LE(shares.TransferFraction(), 1.0);
}

TEST_F(TransferStatsTest, AWindowWithNothingInItIsEmpty) {
  ASSERT_OK_AND_ASSIGN(const TransferShares shares, stats_->Wait());
  EXPECT_EQ(shares.window, absl::ZeroDuration());
  EXPECT_EQ(shares.TransferFraction(), 0.0);
}

TEST_F(TransferStatsTest, IntervalsEndOnceAndBeforeTheFigures) {
  ASSERT_OK_AND_ASSIGN(auto load, stats_->BeginTransfer(*copies_));
  EXPECT_THAT(stats_->Wait(), StatusIs(absl::StatusCode::kFailedPrecondition,
                                       HasSubstr("has not ended")));
  ASSERT_OK(stats_->End(load));
  EXPECT_THAT(stats_->End(load), StatusIs(absl::StatusCode::kFailedPrecondition,
                                          HasSubstr("ended already")));
  EXPECT_OK(stats_->Wait());
}

TEST_F(TransferStatsTest, AnIntervalOfOtherStatsIsRefused) {
  ASSERT_OK_AND_ASSIGN(TransferStats other, TransferStats::Create(*copies_));
  ASSERT_OK_AND_ASSIGN(auto load, other.BeginTransfer(*copies_));
  ASSERT_OK(stats_->BeginTransfer(*copies_));
  EXPECT_THAT(stats_->End(load), StatusIs(absl::StatusCode::kInvalidArgument,
                                          HasSubstr("other TransferStats")));
}

TEST_F(TransferStatsTest,
       OnACapturingStreamItIsRefusedAndTheCaptureStaysValid) {
  const cudaStream_t native = kernels_->ref().native();
  ASSERT_EQ(cudaStreamBeginCapture(native, cudaStreamCaptureModeThreadLocal),
            cudaSuccess);
  EXPECT_THAT(stats_->BeginCompute(*kernels_),
              StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_THAT(TransferStats::Create(*kernels_),
              StatusIs(absl::StatusCode::kFailedPrecondition));
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamEndCapture(native, &graph), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
}

}  // namespace
}  // namespace conveyor
