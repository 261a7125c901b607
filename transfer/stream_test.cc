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

#include "transfer/stream.h"

#include <cuda_runtime_api.h>

#include <cstdint>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "testing/devices.h"
#include "testing/status_matchers.h"
#include "testing/stream_gate.h"
#include "transfer/device.h"

namespace conveyor {
namespace {

using ::testing::HasSubstr;

constexpr DeviceId kDevice(0);

class StreamTest : public ::testing::Test {
 protected:
  void SetUp() override {
    CONVEYOR_REQUIRE_DEVICES(1);
    ASSERT_OK_AND_ASSIGN(Stream stream, Stream::Create(kDevice));
    stream_ = std::move(stream);
  }

  StreamRef stream() const { return stream_->ref(); }

  std::optional<Stream> stream_;
};

TEST_F(StreamTest, IsNonBlocking) {
  unsigned flags = 0;
  ASSERT_EQ(cudaStreamGetFlags(stream().native(), &flags), cudaSuccess);
  EXPECT_EQ(flags, static_cast<unsigned>(cudaStreamNonBlocking));
  ASSERT_OK_AND_ASSIGN(Stream urgent, Stream::Create(kDevice, /*priority=*/-1));
  ASSERT_EQ(cudaStreamGetFlags(urgent.ref().native(), &flags), cudaSuccess);
  EXPECT_EQ(flags, static_cast<unsigned>(cudaStreamNonBlocking));
}

TEST_F(StreamTest, TakesAPriority) {
  ASSERT_OK_AND_ASSIGN(Stream urgent, Stream::Create(kDevice, /*priority=*/-1));
  int priority = 0;
  ASSERT_EQ(cudaStreamGetPriority(urgent.ref().native(), &priority),
            cudaSuccess);
  EXPECT_EQ(priority, -1);
}

TEST_F(StreamTest, AnUnknownDeviceIsRefused) {
  EXPECT_THAT(Stream::Create(DeviceId(1 << 20)),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("does not exist")));
}

TEST_F(StreamTest, DefaultStreamsAreRefusedByName) {
  EXPECT_THAT(
      StreamRef::FromNative(static_cast<cudaStream_t>(nullptr), kDevice),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("legacy")));
  EXPECT_THAT(
      StreamRef::FromNative(cudaStreamLegacy, kDevice),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("legacy")));
  EXPECT_THAT(
      StreamRef::FromNative(cudaStreamPerThread, kDevice),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("per-thread")));
}

TEST_F(StreamTest, TakesAStreamMadeElsewhere) {
  cudaStream_t native = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&native, cudaStreamNonBlocking),
            cudaSuccess);
  ASSERT_OK_AND_ASSIGN(const StreamRef ref,
                       StreamRef::FromNative(native, kDevice));
  EXPECT_EQ(ref.native(), native);
  EXPECT_EQ(ref.device(), kDevice);
  EXPECT_OK(ref.Synchronize());
  EXPECT_EQ(cudaStreamDestroy(native), cudaSuccess);
}

TEST_F(StreamTest, IsReadyOnlyWhenItsWorkIsComplete) {
  EXPECT_THAT(stream().Ready(), IsOkAndHolds(true));
  ASSERT_OK_AND_ASSIGN(StreamGate gate, StreamGate::Hold(stream().native()));
  EXPECT_THAT(stream().Ready(), IsOkAndHolds(false));
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess) << "polling left an error";
  gate.Open();
  EXPECT_OK(stream().Synchronize());
  EXPECT_THAT(stream().Ready(), IsOkAndHolds(true));
  EXPECT_FALSE(gate.timed_out());
}

TEST_F(StreamTest, PollingLeavesTheCallersErrorAlone) {
  ASSERT_OK_AND_ASSIGN(StreamGate gate, StreamGate::Hold(stream().native()));
  ASSERT_EQ(cudaSetDevice(1 << 20), cudaErrorInvalidDevice);
  EXPECT_THAT(stream().Ready(), IsOkAndHolds(false));
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDevice);
  gate.Open();
  EXPECT_OK(stream().Synchronize());
}

TEST_F(StreamTest, DestroyedWithWorkItReturnsAtOnceAndTheWorkCompletes) {
  int value = 0;
  std::optional<StreamGate> gate;
  {
    ASSERT_OK_AND_ASSIGN(Stream doomed, Stream::Create(kDevice));
    ASSERT_OK_AND_ASSIGN(gate, StreamGate::Hold(doomed.ref().native()));
    ASSERT_EQ(cudaLaunchHostFunc(
                  doomed.ref().native(),
                  [](void* p) { *static_cast<int*>(p) = 7; }, &value),
              cudaSuccess);
  }
  EXPECT_FALSE(gate->timed_out()) << "the destructor waited for the work";
  gate->Open();
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(value, 7);
}

TEST_F(StreamTest, MovesItsOwnership) {
  const cudaStream_t native = stream().native();
  Stream moved = std::move(*stream_);
  EXPECT_EQ(moved.ref().native(), native);
  EXPECT_EQ(stream_->ref().native(), nullptr);
  ASSERT_OK_AND_ASSIGN(Stream other, Stream::Create(kDevice));
  other = std::move(moved);
  EXPECT_EQ(other.ref().native(), native);
  const cudaStream_t released = other.release();
  EXPECT_EQ(released, native);
  EXPECT_EQ(other.ref().native(), nullptr);
  EXPECT_EQ(cudaStreamDestroy(released), cudaSuccess);
}

TEST_F(StreamTest, WaitingWhileCapturingIsRefusedAndLeavesTheCaptureValid) {
  EXPECT_THAT(stream().IsCapturing(), IsOkAndHolds(false));
  ASSERT_EQ(
      cudaStreamBeginCapture(stream().native(), cudaStreamCaptureModeGlobal),
      cudaSuccess);
  EXPECT_THAT(stream().IsCapturing(), IsOkAndHolds(true));
  EXPECT_THAT(
      stream().Synchronize(),
      StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("capturing")));
  EXPECT_THAT(stream().Ready(), StatusIs(absl::StatusCode::kFailedPrecondition,
                                         HasSubstr("capturing")));
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamEndCapture(stream().native(), &graph), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
}

}  // namespace
}  // namespace conveyor
