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

#include "testing/stream_gate.h"

#include <cuda_runtime_api.h>

#include <utility>

#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "testing/devices.h"
#include "testing/status_matchers.h"

namespace conveyor {
namespace {

class StreamGateTest : public ::testing::Test {
 protected:
  void SetUp() override {
    CONVEYOR_REQUIRE_DEVICES(1);
    ASSERT_EQ(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking),
              cudaSuccess);
  }

  void TearDown() override {
    if (stream_ != nullptr) {
      EXPECT_EQ(cudaStreamDestroy(stream_), cudaSuccess);
    }
  }

  cudaStream_t stream_ = nullptr;
};

TEST_F(StreamGateTest, HoldsTheStreamUntilItOpens) {
  ASSERT_OK_AND_ASSIGN(StreamGate gate, StreamGate::Hold(stream_));
  EXPECT_EQ(cudaStreamQuery(stream_), cudaErrorNotReady);
  gate.Open();
  EXPECT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
  EXPECT_EQ(cudaStreamQuery(stream_), cudaSuccess);
  EXPECT_FALSE(gate.timed_out());
}

TEST_F(StreamGateTest, OpensWhenDestroyed) {
  {
    ASSERT_OK_AND_ASSIGN(StreamGate gate, StreamGate::Hold(stream_));
    gate.WaitUntilReached();
  }
  EXPECT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
}

TEST_F(StreamGateTest, MovingKeepsTheGateClosed) {
  ASSERT_OK_AND_ASSIGN(StreamGate first, StreamGate::Hold(stream_));
  StreamGate second = std::move(first);
  first.Open();
  EXPECT_EQ(cudaStreamQuery(stream_), cudaErrorNotReady);
  second.Open();
  EXPECT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
  EXPECT_FALSE(second.timed_out());
}

TEST_F(StreamGateTest, AssigningOpensTheGateThatWasHeld) {
  ASSERT_OK_AND_ASSIGN(StreamGate gate, StreamGate::Hold(stream_));
  ASSERT_OK_AND_ASSIGN(gate, StreamGate::Hold(stream_));
  // The stream reaches the second gate only through the first.
  gate.WaitUntilReached();
  gate.Open();
  EXPECT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
  EXPECT_FALSE(gate.timed_out());
}

TEST_F(StreamGateTest, OpensByItselfAndSaysSo) {
  ASSERT_OK_AND_ASSIGN(StreamGate gate,
                       StreamGate::Hold(stream_, absl::ZeroDuration()));
  EXPECT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
  EXPECT_TRUE(gate.timed_out());
}

}  // namespace
}  // namespace conveyor
