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

// The legacy default stream, and the streams that wait for it.

#include <cuda_runtime_api.h>

#include <cstddef>

#include "gtest/gtest.h"
#include "testing/conformance/cuda_test.h"
#include "testing/pattern.h"
#include "testing/status_matchers.h"
#include "testing/stream_gate.h"

namespace conveyor {
namespace {

constexpr size_t kBytes = 4096;

class LegacyStreamTest : public CudaTest {
 protected:
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(CudaTest::SetUp());
    if (IsSkipped()) return;
    blocking_ = BlockingStream();
    non_blocking_ = NonBlockingStream();
    event_ = Event();
    device_ = Device(kBytes);
    other_ = Device(kBytes);
    pinned_ = Pinned(kBytes);
    result_ = Pinned(kBytes);
  }

  cudaStream_t blocking_ = nullptr;
  cudaStream_t non_blocking_ = nullptr;
  cudaEvent_t event_ = nullptr;
  char* device_ = nullptr;
  char* other_ = nullptr;
  char* pinned_ = nullptr;
  char* result_ = nullptr;
};

TEST_F(LegacyStreamTest, AnEventOnItCoversBlockingStreams) {
  ASSERT_OK_AND_ASSIGN(StreamGate gate, StreamGate::Hold(blocking_));
  ASSERT_CUDA(cudaEventRecord(event_, nullptr));
  EXPECT_EQ(cudaEventQuery(event_), cudaErrorNotReady);
  EXPECT_FALSE(gate.timed_out());
  gate.Open();
  EXPECT_CUDA(cudaEventSynchronize(event_));
  EXPECT_CUDA(cudaStreamQuery(blocking_));
}

TEST_F(LegacyStreamTest, AnEventOnItOrdersBytesOfBlockingStreams) {
  for (int i = 0; i < 20; ++i) {
    FillPattern(pinned_, kBytes, /*seed=*/i);
    ASSERT_CUDA(cudaMemcpyAsync(device_, pinned_, kBytes,
                                cudaMemcpyHostToDevice, blocking_));
    ASSERT_CUDA(cudaEventRecord(event_, nullptr));
    ASSERT_CUDA(cudaStreamWaitEvent(non_blocking_, event_, 0));
    ASSERT_CUDA(cudaMemcpyAsync(result_, device_, kBytes,
                                cudaMemcpyDeviceToHost, non_blocking_));
    ASSERT_CUDA(cudaStreamSynchronize(non_blocking_));
    ASSERT_OK(VerifyPattern(result_, kBytes, /*seed=*/i));
  }
}

TEST_F(LegacyStreamTest, AnEventOnItDoesNotCoverNonBlockingStreams) {
  EXPECT_TRUE(ReturnsWhileHeld(non_blocking_, [&] {
    EXPECT_CUDA(cudaEventRecord(event_, nullptr));
    return cudaEventSynchronize(event_);
  }));
}

TEST_F(LegacyStreamTest, AQueryOfItAsksBlockingStreamsToo) {
  ASSERT_OK_AND_ASSIGN(StreamGate gate, StreamGate::Hold(blocking_));
  EXPECT_EQ(cudaStreamQuery(nullptr), cudaErrorNotReady);
  EXPECT_EQ(cudaStreamQuery(cudaStreamLegacy), cudaErrorNotReady);
  EXPECT_FALSE(gate.timed_out());
}

TEST_F(LegacyStreamTest, AQueryOfItDoesNotAskNonBlockingStreams) {
  ASSERT_OK_AND_ASSIGN(StreamGate gate, StreamGate::Hold(non_blocking_));
  EXPECT_CUDA(cudaStreamQuery(nullptr));
  EXPECT_FALSE(gate.timed_out());
}

TEST_F(LegacyStreamTest, SynchronizingItWaitsForBlockingStreamsOnly) {
  EXPECT_TRUE(
      WaitsWhileHeld(blocking_, [] { return cudaStreamSynchronize(nullptr); }));
  EXPECT_TRUE(ReturnsWhileHeld(non_blocking_,
                               [] { return cudaStreamSynchronize(nullptr); }));
}

TEST_F(LegacyStreamTest, BlockingStreamsWaitForIt) {
  ASSERT_OK_AND_ASSIGN(StreamGate gate, StreamGate::Hold(nullptr));
  ASSERT_CUDA(cudaMemsetAsync(device_, 1, kBytes, blocking_));
  EXPECT_EQ(cudaStreamQuery(blocking_), cudaErrorNotReady);
  EXPECT_FALSE(gate.timed_out());
  gate.Open();
  EXPECT_CUDA(cudaStreamSynchronize(blocking_));
}

TEST_F(LegacyStreamTest, NonBlockingStreamsDoNotWaitForIt) {
  EXPECT_TRUE(ReturnsWhileHeld(nullptr, [&] {
    EXPECT_CUDA(cudaMemsetAsync(device_, 1, kBytes, non_blocking_));
    return cudaStreamSynchronize(non_blocking_);
  }));
}

TEST_F(LegacyStreamTest, BlockingStreamsDoNotWaitForEachOther) {
  const cudaStream_t second = BlockingStream();
  EXPECT_TRUE(ReturnsWhileHeld(blocking_, [&] {
    EXPECT_CUDA(cudaMemsetAsync(device_, 1, kBytes, second));
    return cudaStreamSynchronize(second);
  }));
}

TEST_F(LegacyStreamTest, WorkOnItJoinsBlockingStreams) {
  const cudaStream_t second = BlockingStream();
  ASSERT_OK_AND_ASSIGN(StreamGate gate, StreamGate::Hold(blocking_));
  ASSERT_CUDA(cudaMemsetAsync(other_, 1, kBytes, nullptr));
  ASSERT_CUDA(cudaMemsetAsync(device_, 1, kBytes, second));
  EXPECT_EQ(cudaStreamQuery(second), cudaErrorNotReady);
  EXPECT_FALSE(gate.timed_out());
  gate.Open();
  EXPECT_CUDA(cudaStreamSynchronize(second));
}

TEST_F(LegacyStreamTest, BytesPassBetweenItAndBlockingStreamsInOrder) {
  for (int i = 0; i < 20; ++i) {
    FillPattern(pinned_, kBytes, /*seed=*/i);
    ASSERT_CUDA(cudaMemcpyAsync(device_, pinned_, kBytes,
                                cudaMemcpyHostToDevice, nullptr));
    ASSERT_CUDA(cudaMemcpyAsync(other_, device_, kBytes,
                                cudaMemcpyDeviceToDevice, blocking_));
    ASSERT_CUDA(cudaMemcpyAsync(result_, other_, kBytes, cudaMemcpyDeviceToHost,
                                cudaStreamLegacy));
    ASSERT_CUDA(cudaStreamSynchronize(nullptr));
    ASSERT_OK(VerifyPattern(result_, kBytes, /*seed=*/i));
  }
}

TEST_F(LegacyStreamTest, AStreamMadeLaterWaitsForItToo) {
  ASSERT_OK_AND_ASSIGN(StreamGate gate, StreamGate::Hold(nullptr));
  const cudaStream_t later = BlockingStream();
  ASSERT_CUDA(cudaMemsetAsync(device_, 1, kBytes, later));
  EXPECT_EQ(cudaStreamQuery(later), cudaErrorNotReady);
  EXPECT_FALSE(gate.timed_out());
}

// It was asked for nothing: what it waits for is only that of work on it.
TEST_F(LegacyStreamTest, AnEmptyBlockingStreamIsReadyWhileItIsHeld) {
  ASSERT_OK_AND_ASSIGN(StreamGate gate, StreamGate::Hold(nullptr));
  EXPECT_CUDA(cudaStreamQuery(blocking_));
  EXPECT_FALSE(gate.timed_out());
}

TEST_F(LegacyStreamTest, AnEventOfABlockingStreamCoversIt) {
  ASSERT_OK_AND_ASSIGN(StreamGate gate, StreamGate::Hold(nullptr));
  ASSERT_CUDA(cudaEventRecord(event_, blocking_));
  EXPECT_EQ(cudaEventQuery(event_), cudaErrorNotReady);
  EXPECT_FALSE(gate.timed_out());
}

TEST_F(LegacyStreamTest, ItWaitsForAnEventOfANonBlockingStream) {
  ASSERT_OK_AND_ASSIGN(StreamGate gate, StreamGate::Hold(non_blocking_));
  ASSERT_CUDA(cudaEventRecord(event_, non_blocking_));
  ASSERT_CUDA(cudaStreamWaitEvent(nullptr, event_, 0));
  EXPECT_EQ(cudaStreamQuery(nullptr), cudaErrorNotReady);
  // And so do the streams that wait for it.
  ASSERT_CUDA(cudaMemsetAsync(device_, 1, kBytes, blocking_));
  EXPECT_EQ(cudaStreamQuery(blocking_), cudaErrorNotReady);
  EXPECT_FALSE(gate.timed_out());
}

TEST_F(LegacyStreamTest, ItWaitsForAnEventThatWasNotRecordedNoMoment) {
  EXPECT_CUDA(cudaStreamWaitEvent(nullptr, event_, 0));
  EXPECT_CUDA(cudaStreamQuery(nullptr));
}

TEST_F(LegacyStreamTest, SynchronizingABlockingStreamWaitsForIt) {
  EXPECT_TRUE(WaitsWhileHeld(nullptr, [&] {
    EXPECT_CUDA(cudaMemsetAsync(device_, 1, kBytes, blocking_));
    return cudaStreamSynchronize(blocking_);
  }));
}

TEST_F(LegacyStreamTest, TheStreamOfAThreadIsABlockingOne) {
  ASSERT_OK_AND_ASSIGN(StreamGate gate, StreamGate::Hold(cudaStreamPerThread));
  EXPECT_EQ(cudaStreamQuery(nullptr), cudaErrorNotReady);
  EXPECT_FALSE(gate.timed_out());
}

}  // namespace
}  // namespace conveyor
