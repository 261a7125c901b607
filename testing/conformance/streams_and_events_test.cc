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

// What streams and events order, and what they answer meanwhile.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstring>

#include "gtest/gtest.h"
#include "testing/conformance/cuda_test.h"
#include "testing/pattern.h"
#include "testing/status_matchers.h"
#include "testing/stream_gate.h"

namespace conveyor {
namespace {

constexpr size_t kBytes = 4096;

class StreamsTest : public CudaTest {
 protected:
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(CudaTest::SetUp());
    if (IsSkipped()) return;
    a_ = NonBlockingStream();
    b_ = NonBlockingStream();
    event_ = Event();
    device_ = Device(kBytes);
    pinned_ = Pinned(kBytes);
  }

  cudaStream_t a_ = nullptr;
  cudaStream_t b_ = nullptr;
  cudaEvent_t event_ = nullptr;
  char* device_ = nullptr;
  char* pinned_ = nullptr;
};

using EventsTest = StreamsTest;

TEST_F(StreamsTest, AQuerySaysWhetherWorkIsPending) {
  EXPECT_CUDA(cudaStreamQuery(a_));
  ASSERT_OK_AND_ASSIGN(StreamGate gate, StreamGate::Hold(a_));
  EXPECT_EQ(cudaStreamQuery(a_), cudaErrorNotReady);
  EXPECT_CUDA(cudaStreamQuery(b_));
  EXPECT_FALSE(gate.timed_out());
  gate.Open();
  EXPECT_CUDA(cudaStreamSynchronize(a_));
  EXPECT_CUDA(cudaStreamQuery(a_));
}

TEST_F(StreamsTest, WorkRunsInTheOrderOfOneStream) {
  char* const host = Pageable(kBytes);
  for (int i = 0; i < 20; ++i) {
    ASSERT_CUDA(cudaMemsetAsync(device_, i, kBytes, a_));
    ASSERT_CUDA(
        cudaMemcpyAsync(pinned_, device_, kBytes, cudaMemcpyDeviceToHost, a_));
    ASSERT_CUDA(cudaMemsetAsync(device_, 100, kBytes, a_));
    ASSERT_CUDA(cudaStreamSynchronize(a_));
    std::memset(host, i, kBytes);
    ASSERT_EQ(std::memcmp(pinned_, host, kBytes), 0) << i;
  }
}

TEST_F(StreamsTest, SynchronizingAStreamLeavesOthersPending) {
  ASSERT_CUDA(cudaMemsetAsync(device_, 1, kBytes, b_));
  EXPECT_TRUE(ReturnsWhileHeld(a_, [&] { return cudaStreamSynchronize(b_); }));
  EXPECT_TRUE(WaitsWhileHeld(a_, [&] { return cudaStreamSynchronize(a_); }));
}

TEST_F(StreamsTest, SynchronizingTheDeviceWaitsForAllStreams) {
  EXPECT_TRUE(WaitsWhileHeld(a_, [] { return cudaDeviceSynchronize(); }));
  EXPECT_TRUE(
      WaitsWhileHeld(BlockingStream(), [] { return cudaDeviceSynchronize(); }));
}

TEST_F(StreamsTest, DestroyingReturnsAndTheWorkIsDoneAllTheSame) {
  FillPattern(pinned_, kBytes, /*seed=*/1);
  char* const result = Pinned(kBytes);
  std::memset(result, 0, kBytes);
  Forget(a_);
  EXPECT_TRUE(ReturnsWhileHeld(a_, [&] {
    EXPECT_CUDA(
        cudaMemcpyAsync(device_, pinned_, kBytes, cudaMemcpyHostToDevice, a_));
    EXPECT_CUDA(
        cudaMemcpyAsync(result, device_, kBytes, cudaMemcpyDeviceToHost, a_));
    return cudaStreamDestroy(a_);
  }));
  EXPECT_OK(VerifyPattern(result, kBytes, /*seed=*/1));
}

TEST_F(StreamsTest, WrongArgumentsAreRefused) {
  cudaStream_t stream = nullptr;
  EXPECT_EQ(cudaStreamCreateWithFlags(&stream, /*flags=*/7),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaStreamCreateWithFlags(nullptr, cudaStreamDefault),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaStreamWaitEvent(a_, event_, /*flags=*/7),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaStreamWaitEvent(a_, nullptr, 0),
            cudaErrorInvalidResourceHandle);
}

TEST_F(StreamsTest, DefaultStreamsCannotBeDestroyed) {
  EXPECT_EQ(cudaStreamDestroy(nullptr), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaStreamDestroy(cudaStreamLegacy),
            cudaErrorInvalidResourceHandle);
}

TEST_F(StreamsTest, FlagsAreThoseOfCreation) {
  unsigned flags = 99;
  EXPECT_CUDA(cudaStreamGetFlags(a_, &flags));
  EXPECT_EQ(flags, cudaStreamNonBlocking);
  EXPECT_CUDA(cudaStreamGetFlags(BlockingStream(), &flags));
  EXPECT_EQ(flags, cudaStreamDefault);
  for (const cudaStream_t stream :
       {cudaStream_t{nullptr}, cudaStreamPerThread}) {
    flags = 99;
    EXPECT_CUDA(cudaStreamGetFlags(stream, &flags));
    EXPECT_EQ(flags, cudaStreamDefault);
  }
}

TEST_F(StreamsTest, AStreamKnowsItsDevice) {
  int device = -1;
  EXPECT_CUDA(cudaStreamGetDevice(a_, &device));
  EXPECT_EQ(device, 0);
  device = -1;
  EXPECT_CUDA(cudaStreamGetDevice(nullptr, &device));
  EXPECT_EQ(device, 0);
}

TEST_F(StreamsTest, NoTwoStreamsHaveOneId) {
  unsigned long long a = 0;
  unsigned long long b = 0;
  unsigned long long legacy = 0;
  EXPECT_CUDA(cudaStreamGetId(a_, &a));
  EXPECT_CUDA(cudaStreamGetId(b_, &b));
  EXPECT_CUDA(cudaStreamGetId(nullptr, &legacy));
  EXPECT_NE(a, b);
  EXPECT_NE(a, legacy);
  EXPECT_NE(b, legacy);
}

TEST_F(StreamsTest, APriorityOutOfRangeIsTheNearestOne) {
  int least = 99;
  int greatest = 99;
  ASSERT_CUDA(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  EXPECT_EQ(least, 0);
  EXPECT_LE(greatest, least);
  int alone = 99;
  EXPECT_CUDA(cudaDeviceGetStreamPriorityRange(&alone, nullptr));
  EXPECT_EQ(alone, least);
  EXPECT_CUDA(cudaDeviceGetStreamPriorityRange(nullptr, &alone));
  EXPECT_EQ(alone, greatest);

  cudaStream_t stream = nullptr;
  ASSERT_CUDA(
      cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, -100));
  int priority = 99;
  EXPECT_CUDA(cudaStreamGetPriority(stream, &priority));
  EXPECT_EQ(priority, greatest);
  EXPECT_CUDA(cudaStreamDestroy(stream));
}

TEST_F(EventsTest, AnEventIsReadyOnceTheWorkBeforeItIsDone) {
  ASSERT_OK_AND_ASSIGN(StreamGate gate, StreamGate::Hold(a_));
  ASSERT_CUDA(cudaEventRecord(event_, a_));
  EXPECT_EQ(cudaEventQuery(event_), cudaErrorNotReady);
  EXPECT_FALSE(gate.timed_out());
  gate.Open();
  EXPECT_CUDA(cudaEventSynchronize(event_));
  EXPECT_CUDA(cudaEventQuery(event_));
}

TEST_F(EventsTest, RecordingReturns) {
  EXPECT_TRUE(
      ReturnsWhileHeld(a_, [&] { return cudaEventRecord(event_, a_); }));
}

TEST_F(EventsTest, SynchronizingWaits) {
  EXPECT_TRUE(WaitsWhileHeld(a_, [&] {
    EXPECT_CUDA(cudaEventRecord(event_, a_));
    return cudaEventSynchronize(event_);
  }));
}

TEST_F(EventsTest, AnEventDoesNotCoverLaterWork) {
  ASSERT_CUDA(cudaMemsetAsync(device_, 1, kBytes, a_));
  ASSERT_CUDA(cudaEventRecord(event_, a_));
  EXPECT_TRUE(
      ReturnsWhileHeld(a_, [&] { return cudaEventSynchronize(event_); }));
}

TEST_F(EventsTest, AnEventThatWasNeverRecordedIsReady) {
  EXPECT_CUDA(cudaEventQuery(event_));
  EXPECT_CUDA(cudaEventSynchronize(event_));
  EXPECT_CUDA(cudaStreamWaitEvent(a_, event_, 0));
  EXPECT_CUDA(cudaStreamSynchronize(a_));
}

TEST_F(EventsTest, RecordingAgainMovesTheEvent) {
  ASSERT_CUDA(cudaEventRecord(event_, b_));
  ASSERT_CUDA(cudaEventSynchronize(event_));
  ASSERT_OK_AND_ASSIGN(StreamGate gate, StreamGate::Hold(a_));
  ASSERT_CUDA(cudaEventRecord(event_, a_));
  EXPECT_EQ(cudaEventQuery(event_), cudaErrorNotReady);
  EXPECT_FALSE(gate.timed_out());
}

TEST_F(EventsTest, AStreamThatWaitsRunsAfterTheEvent) {
  char* const result = Pinned(kBytes);
  for (int i = 0; i < 20; ++i) {
    FillPattern(pinned_, kBytes, /*seed=*/i);
    ASSERT_CUDA(
        cudaMemcpyAsync(device_, pinned_, kBytes, cudaMemcpyHostToDevice, a_));
    ASSERT_CUDA(cudaEventRecord(event_, a_));
    ASSERT_CUDA(cudaStreamWaitEvent(b_, event_, 0));
    ASSERT_CUDA(
        cudaMemcpyAsync(result, device_, kBytes, cudaMemcpyDeviceToHost, b_));
    ASSERT_CUDA(cudaStreamSynchronize(b_));
    ASSERT_OK(VerifyPattern(result, kBytes, /*seed=*/i));
  }
}

TEST_F(EventsTest, WaitingIsTheStreamsAndNotTheHosts) {
  ASSERT_OK_AND_ASSIGN(StreamGate gate, StreamGate::Hold(a_));
  ASSERT_CUDA(cudaEventRecord(event_, a_));
  ASSERT_CUDA(cudaStreamWaitEvent(b_, event_, 0));
  EXPECT_EQ(cudaStreamQuery(b_), cudaErrorNotReady);
  EXPECT_FALSE(gate.timed_out());
  gate.Open();
  EXPECT_CUDA(cudaStreamSynchronize(b_));
}

// A wait is for the record that was the last one when it was enqueued.
TEST_F(EventsTest, AWaitIgnoresLaterRecords) {
  ASSERT_CUDA(cudaEventRecord(event_, a_));
  ASSERT_CUDA(cudaStreamWaitEvent(b_, event_, 0));
  EXPECT_TRUE(ReturnsWhileHeld(a_, [&] {
    EXPECT_CUDA(cudaEventRecord(event_, a_));
    EXPECT_CUDA(cudaMemsetAsync(device_, 1, kBytes, b_));
    return cudaStreamSynchronize(b_);
  }));
}

TEST_F(EventsTest, DestroyingAnEventKeepsTheWaitsForIt) {
  const cudaEvent_t event = Event();
  Forget(event);
  ASSERT_OK_AND_ASSIGN(StreamGate gate, StreamGate::Hold(a_));
  ASSERT_CUDA(cudaEventRecord(event, a_));
  ASSERT_CUDA(cudaStreamWaitEvent(b_, event, 0));
  EXPECT_CUDA(cudaEventDestroy(event));
  EXPECT_EQ(cudaStreamQuery(b_), cudaErrorNotReady);
  EXPECT_FALSE(gate.timed_out());
  gate.Open();
  EXPECT_CUDA(cudaStreamSynchronize(b_));
}

TEST_F(EventsTest, TheTimeBetweenEventsNeedsBothRecorded) {
  float ms = -1;
  EXPECT_EQ(cudaEventElapsedTime(&ms, event_, event_),
            cudaErrorInvalidResourceHandle);
  ASSERT_CUDA(cudaEventRecord(event_, a_));
  ASSERT_CUDA(cudaStreamSynchronize(a_));
  EXPECT_CUDA(cudaEventElapsedTime(&ms, event_, event_));
  EXPECT_EQ(ms, 0);
  EXPECT_EQ(cudaEventElapsedTime(nullptr, event_, event_),
            cudaErrorInvalidValue);
}

TEST_F(EventsTest, TheTimeToAPendingEventIsNotReady) {
  const cudaEvent_t end = Event();
  float ms = -1;
  ASSERT_CUDA(cudaEventRecord(event_, a_));
  ASSERT_OK_AND_ASSIGN(StreamGate gate, StreamGate::Hold(a_));
  ASSERT_CUDA(cudaEventRecord(end, a_));
  EXPECT_EQ(cudaEventElapsedTime(&ms, event_, end), cudaErrorNotReady);
  EXPECT_FALSE(gate.timed_out());
  gate.Open();
  ASSERT_CUDA(cudaEventSynchronize(end));
  EXPECT_CUDA(cudaEventElapsedTime(&ms, event_, end));
  EXPECT_GE(ms, 0);
}

TEST_F(EventsTest, AnEventWithoutTimingHasNoTime) {
  cudaEvent_t untimed = nullptr;
  ASSERT_CUDA(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
  ASSERT_CUDA(cudaEventRecord(event_, a_));
  ASSERT_CUDA(cudaEventRecord(untimed, a_));
  ASSERT_CUDA(cudaStreamSynchronize(a_));
  float ms = -1;
  EXPECT_EQ(cudaEventElapsedTime(&ms, event_, untimed),
            cudaErrorInvalidResourceHandle);
  EXPECT_CUDA(cudaEventDestroy(untimed));
}

// Nothing of what is asked for comes first: no event recorded before a pending
// one, none without timing before one that was not recorded.
TEST_F(EventsTest, AnEventThatWasNotRecordedHasNoTimeWhateverIsPending) {
  const cudaEvent_t unrecorded = Event();
  ASSERT_OK_AND_ASSIGN(StreamGate gate, StreamGate::Hold(a_));
  ASSERT_CUDA(cudaEventRecord(event_, a_));
  float ms = -1;
  EXPECT_EQ(cudaEventElapsedTime(&ms, event_, unrecorded),
            cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventElapsedTime(&ms, unrecorded, event_),
            cudaErrorInvalidResourceHandle);
  EXPECT_FALSE(gate.timed_out());
}

TEST_F(EventsTest, AnEventWithoutTimingHasNoTimeWhileItIsPending) {
  cudaEvent_t untimed = nullptr;
  ASSERT_CUDA(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
  {
    ASSERT_OK_AND_ASSIGN(StreamGate gate, StreamGate::Hold(a_));
    ASSERT_CUDA(cudaEventRecord(untimed, a_));
    ASSERT_CUDA(cudaEventRecord(event_, a_));
    float ms = -1;
    EXPECT_EQ(cudaEventElapsedTime(&ms, untimed, event_),
              cudaErrorInvalidResourceHandle);
    EXPECT_EQ(cudaEventElapsedTime(&ms, untimed, untimed),
              cudaErrorInvalidResourceHandle);
    EXPECT_FALSE(gate.timed_out());
  }
  EXPECT_CUDA(cudaEventDestroy(untimed));
}

TEST_F(EventsTest, NullHasNoTime) {
  float ms = -1;
  ASSERT_CUDA(cudaEventRecord(event_, a_));
  ASSERT_CUDA(cudaStreamSynchronize(a_));
  EXPECT_EQ(cudaEventElapsedTime(&ms, nullptr, event_),
            cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventElapsedTime(&ms, event_, nullptr),
            cudaErrorInvalidResourceHandle);
}

TEST_F(EventsTest, TheTimeBackIsNegative) {
  const cudaEvent_t end = Event();
  ASSERT_CUDA(cudaEventRecord(event_, a_));
  ASSERT_OK_AND_ASSIGN(StreamGate gate, StreamGate::Hold(a_));
  ASSERT_CUDA(cudaEventRecord(end, a_));
  gate.Open();
  ASSERT_CUDA(cudaEventSynchronize(end));
  float ms = 1;
  EXPECT_CUDA(cudaEventElapsedTime(&ms, end, event_));
  EXPECT_LE(ms, 0);
}

TEST_F(EventsTest, AnotherRecordIsWhatTheTimeIsAskedOf) {
  ASSERT_CUDA(cudaEventRecord(event_, a_));
  ASSERT_CUDA(cudaEventSynchronize(event_));
  ASSERT_OK_AND_ASSIGN(StreamGate gate, StreamGate::Hold(a_));
  ASSERT_CUDA(cudaEventRecord(event_, a_));
  float ms = -1;
  EXPECT_EQ(cudaEventElapsedTime(&ms, event_, event_), cudaErrorNotReady);
  EXPECT_FALSE(gate.timed_out());
}

TEST_F(EventsTest, WaitingForAnEventThatWasNotRecordedHoldsNothing) {
  EXPECT_TRUE(ReturnsWhileHeld(a_, [&] {
    // That it is recorded later does not matter.
    EXPECT_CUDA(cudaStreamWaitEvent(b_, event_, 0));
    EXPECT_CUDA(cudaEventRecord(event_, a_));
    return cudaStreamSynchronize(b_);
  }));
}

TEST_F(EventsTest, AStreamMayWaitForItself) {
  ASSERT_CUDA(cudaMemsetAsync(device_, 1, kBytes, a_));
  ASSERT_CUDA(cudaEventRecord(event_, a_));
  ASSERT_CUDA(cudaStreamWaitEvent(a_, event_, 0));
  EXPECT_CUDA(cudaStreamSynchronize(a_));
}

TEST_F(EventsTest, WrongArgumentsAreRefused) {
  cudaEvent_t event = nullptr;
  EXPECT_EQ(cudaEventCreateWithFlags(&event, /*flags=*/0x10),
            cudaErrorInvalidValue);
  // It needs cudaEventDisableTiming.
  EXPECT_EQ(cudaEventCreateWithFlags(&event, cudaEventInterprocess),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaEventCreateWithFlags(nullptr, cudaEventDefault),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaEventRecordWithFlags(event_, a_, /*flags=*/7),
            cudaErrorInvalidValue);
}

TEST_F(EventsTest, NullIsNoEvent) {
  EXPECT_EQ(cudaEventDestroy(nullptr), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventRecord(nullptr, nullptr), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventQuery(nullptr), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventSynchronize(nullptr), cudaErrorInvalidResourceHandle);
}

TEST_F(EventsTest, ExternalRecordsAndWaitsAreForCaptures) {
  ASSERT_CUDA(cudaEventRecord(event_, a_));
  EXPECT_EQ(cudaEventRecordWithFlags(event_, a_, cudaEventRecordExternal),
            cudaErrorIllegalState);
  EXPECT_EQ(cudaStreamWaitEvent(a_, event_, cudaEventWaitExternal),
            cudaErrorIllegalState);
}

}  // namespace
}  // namespace conveyor
