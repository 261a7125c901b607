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

#include "transfer/timer.h"

#include <cuda_runtime_api.h>

#include <cstdint>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "testing/devices.h"
#include "testing/status_matchers.h"
#include "testing/stream_gate.h"
#include "third_party/cuda/host_threads.h"
#include "transfer/copy.h"
#include "transfer/device.h"
#include "transfer/device_buffer.h"
#include "transfer/pinned_buffer.h"
#include "transfer/stream.h"

namespace conveyor {
namespace {

using ::testing::HasSubstr;

constexpr DeviceId kDevice(0);

TEST(ThroughputTest, IsInPowersOfTen) {
  const Throughput second = {1000000000, absl::Seconds(1)};
  EXPECT_EQ(second.GigabytesPerSecond(), 1.0);
  EXPECT_EQ(second.Milliseconds(), 1000.0);
  EXPECT_EQ(second.PercentOf(4.0), 25.0);
  EXPECT_EQ(absl::StrCat(second),
            "1000000000 bytes in 1000.000 ms, 1.000 GB/s");
}

TEST(ThroughputTest, OfNoTimeOrNoLinkIsZero) {
  EXPECT_EQ((Throughput{5, absl::ZeroDuration()}).GigabytesPerSecond(), 0.0);
  EXPECT_EQ((Throughput{5, absl::Seconds(1)}).PercentOf(0), 0.0);
}

class TimerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    CONVEYOR_REQUIRE_DEVICES(1);
    ASSERT_OK_AND_ASSIGN(Stream stream, Stream::Create(kDevice));
    stream_ = std::move(stream);
    ASSERT_OK_AND_ASSIGN(Timer timer, Timer::Create(*stream_));
    timer_ = std::move(timer);
  }

  StreamRef stream() const { return stream_->ref(); }

  std::optional<Stream> stream_;
  std::optional<Timer> timer_;
};

TEST_F(TimerTest, TimesACopy) {
  constexpr size_t kBytes = 8 << 20;
  ASSERT_OK_AND_ASSIGN(auto dst, DeviceBuffer<char>::Create(kBytes, kDevice));
  ASSERT_OK_AND_ASSIGN(auto src, PinnedBuffer<char>::Create(kBytes));
  for (int i = 0; i < 2; ++i) {  // A timer may be used again.
    ASSERT_OK(timer_->Start());
    ASSERT_OK(CopyAsync(dst, src, stream()));
    ASSERT_OK(timer_->Stop());
    ASSERT_OK_AND_ASSIGN(const Throughput copied, timer_->Wait(kBytes));
    EXPECT_EQ(copied.num_bytes, static_cast<int64_t>(kBytes));
    EXPECT_GT(copied.elapsed, absl::ZeroDuration());
  }
}

// The copy is timed, not its enqueueing: there is no figure until it is done.
TEST_F(TimerTest, WaitsForTheWorkItTimes) {
  ASSERT_OK_AND_ASSIGN(StreamGate gate, StreamGate::Hold(stream().native()));
  ASSERT_OK(timer_->Start());
  ASSERT_OK(timer_->Stop());
  EXPECT_THAT(stream().Ready(), IsOkAndHolds(false));
  HostThread opener([&] { gate.Open(); });
  EXPECT_OK(timer_->Wait(1));
  EXPECT_THAT(stream().Ready(), IsOkAndHolds(true));
  opener.Join();
  EXPECT_FALSE(gate.timed_out());
}

TEST_F(TimerTest, HasNoFigureBeforeItWasStoppedOrStarted) {
  EXPECT_THAT(timer_->Wait(1), StatusIs(absl::StatusCode::kFailedPrecondition,
                                        HasSubstr("without Timer::Start")));
  EXPECT_THAT(timer_->Stop(), StatusIs(absl::StatusCode::kFailedPrecondition,
                                       HasSubstr("without Timer::Start")));
  ASSERT_OK(timer_->Start());
  EXPECT_THAT(timer_->Wait(1), StatusIs(absl::StatusCode::kFailedPrecondition,
                                        HasSubstr("without Timer::Stop")));
}

TEST_F(TimerTest, NegativeBytesAreRefused) {
  ASSERT_OK(timer_->Start());
  ASSERT_OK(timer_->Stop());
  EXPECT_THAT(timer_->Wait(-5), StatusIs(absl::StatusCode::kInvalidArgument,
                                         HasSubstr("num_bytes is -5")));
}

TEST_F(TimerTest, OnACapturingStreamItIsRefusedAndLeavesTheCaptureValid) {
  ASSERT_EQ(cudaStreamBeginCapture(stream().native(),
                                   cudaStreamCaptureModeThreadLocal),
            cudaSuccess);
  EXPECT_THAT(timer_->Start(), StatusIs(absl::StatusCode::kFailedPrecondition,
                                        HasSubstr("capturing")));
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamEndCapture(stream().native(), &graph), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
}

}  // namespace
}  // namespace conveyor
