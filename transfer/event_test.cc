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

#include "transfer/event.h"

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
#include "transfer/device.h"
#include "transfer/stream.h"

namespace conveyor {
namespace {

using ::testing::HasSubstr;

constexpr DeviceId kDevice(0);

class EventTest : public ::testing::Test {
 protected:
  void SetUp() override {
    CONVEYOR_REQUIRE_DEVICES(1);
    ASSERT_OK_AND_ASSIGN(Stream stream, Stream::Create(kDevice));
    stream_ = std::move(stream);
    ASSERT_OK_AND_ASSIGN(Event event, Event::Create(kDevice));
    event_ = std::move(event);
  }

  StreamRef stream() const { return stream_->ref(); }

  std::optional<Stream> stream_;
  std::optional<Event> event_;
};

TEST_F(EventTest, CompletesWithTheWorkBeforeIt) {
  ASSERT_OK_AND_ASSIGN(StreamGate gate, StreamGate::Hold(stream().native()));
  ASSERT_OK(event_->Record(stream()));
  EXPECT_THAT(event_->Ready(), IsOkAndHolds(false));
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess) << "polling left an error";
  gate.Open();
  EXPECT_OK(event_->Synchronize());
  EXPECT_THAT(event_->Ready(), IsOkAndHolds(true));
  EXPECT_FALSE(gate.timed_out());
}

TEST_F(EventTest, DoesNotCoverLaterWork) {
  ASSERT_OK(event_->Record(stream()));
  ASSERT_OK_AND_ASSIGN(StreamGate gate, StreamGate::Hold(stream().native()));
  EXPECT_OK(event_->Synchronize());
  EXPECT_FALSE(gate.timed_out());
  gate.Open();
  EXPECT_OK(stream().Synchronize());
}

TEST_F(EventTest, RecordingAgainReplacesWhatWasRecorded) {
  ASSERT_OK(event_->Record(stream()));
  ASSERT_OK(event_->Synchronize());
  ASSERT_OK_AND_ASSIGN(StreamGate gate, StreamGate::Hold(stream().native()));
  ASSERT_OK(event_->Record(stream()));
  EXPECT_THAT(event_->Ready(), IsOkAndHolds(false));
  gate.Open();
  EXPECT_OK(event_->Synchronize());
  EXPECT_FALSE(gate.timed_out());
}

TEST_F(EventTest, OrdersAnotherStream) {
  ASSERT_OK_AND_ASSIGN(Stream later, Stream::Create(kDevice));
  ASSERT_OK_AND_ASSIGN(StreamGate gate, StreamGate::Hold(stream().native()));
  ASSERT_OK(event_->Record(stream()));
  ASSERT_OK(StreamWaitEvent(later, *event_));
  EXPECT_THAT(later.ref().Ready(), IsOkAndHolds(false));
  gate.Open();
  EXPECT_OK(later.ref().Synchronize());
  EXPECT_THAT(event_->Ready(), IsOkAndHolds(true));
  EXPECT_FALSE(gate.timed_out());
}

TEST_F(EventTest, NeverRecordedItIsNotWaitedFor) {
  EXPECT_FALSE(event_->recorded());
  EXPECT_THAT(event_->Synchronize(),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("never recorded")));
  EXPECT_THAT(event_->Ready(), StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_THAT(StreamWaitEvent(stream(), *event_),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("never recorded")));
}

TEST_F(EventTest, CapturedItOrdersTheGraphAndTheHostCannotWait) {
  ASSERT_OK_AND_ASSIGN(Stream branch, Stream::Create(kDevice));
  ASSERT_EQ(cudaStreamBeginCapture(stream().native(),
                                   cudaStreamCaptureModeThreadLocal),
            cudaSuccess);
  ASSERT_OK(event_->Record(stream()));
  ASSERT_OK(StreamWaitEvent(branch, *event_));
  EXPECT_THAT(branch.ref().IsCapturing(), IsOkAndHolds(true));
  EXPECT_THAT(event_->Synchronize(),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("stream capture")));
  EXPECT_THAT(event_->Ready(), StatusIs(absl::StatusCode::kFailedPrecondition));
  ASSERT_OK_AND_ASSIGN(Event join, Event::Create(kDevice));
  ASSERT_OK(join.Record(branch));
  ASSERT_OK(StreamWaitEvent(stream(), join));
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamEndCapture(stream().native(), &graph), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
}

TEST_F(EventTest, ElapsedTimeNeedsTiming) {
  ASSERT_OK_AND_ASSIGN(Event timed,
                       Event::Create(kDevice, Event::Timing::kEnabled));
  ASSERT_OK(event_->Record(stream()));
  ASSERT_OK(timed.Record(stream()));
  EXPECT_THAT(timed.ElapsedSince(*event_),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("the start event was created without")));
  EXPECT_THAT(event_->ElapsedSince(timed),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("the end event was created without")));
}

TEST_F(EventTest, ElapsedTimeWaitsForBothEvents) {
  ASSERT_OK_AND_ASSIGN(Event start,
                       Event::Create(kDevice, Event::Timing::kEnabled));
  ASSERT_OK_AND_ASSIGN(Event end,
                       Event::Create(kDevice, Event::Timing::kEnabled));
  EXPECT_THAT(end.ElapsedSince(start),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("never recorded")));
  ASSERT_OK(start.Record(stream()));
  ASSERT_EQ(cudaLaunchHostFunc(
                stream().native(), [](void*) {}, nullptr),
            cudaSuccess);
  ASSERT_OK(end.Record(stream()));
  ASSERT_OK_AND_ASSIGN(const absl::Duration elapsed, end.ElapsedSince(start));
  EXPECT_GE(elapsed, absl::ZeroDuration());
  EXPECT_THAT(end.Ready(), IsOkAndHolds(true));
}

TEST_F(EventTest, MovesItsOwnership) {
  ASSERT_OK(event_->Record(stream()));
  const cudaEvent_t native = event_->native();
  Event moved = std::move(*event_);
  EXPECT_EQ(moved.native(), native);
  EXPECT_TRUE(moved.recorded());
  EXPECT_EQ(event_->native(), nullptr);
  EXPECT_FALSE(event_->recorded());
  ASSERT_OK_AND_ASSIGN(Event other, Event::Create(kDevice));
  other = std::move(moved);
  EXPECT_EQ(other.native(), native);
  EXPECT_OK(other.Synchronize());
  const cudaEvent_t released = other.release();
  EXPECT_EQ(cudaEventDestroy(released), cudaSuccess);
}

TEST_F(EventTest, DestroyedWhilePendingItIsReleased) {
  ASSERT_OK_AND_ASSIGN(StreamGate gate, StreamGate::Hold(stream().native()));
  ASSERT_OK(event_->Record(stream()));
  event_.reset();
  EXPECT_FALSE(gate.timed_out()) << "the destructor waited for the work";
  gate.Open();
  EXPECT_OK(stream().Synchronize());
}

}  // namespace
}  // namespace conveyor
