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

// ForEach (third_party/cuda/launch.h), on the streams and memory of this layer.

#include <cuda_runtime_api.h>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "testing/devices.h"
#include "testing/status_matchers.h"
#include "testing/stream_gate.h"
#include "transfer/copy.h"
#include "transfer/device.h"
#include "transfer/device_buffer.h"
#include "transfer/internal/for_each_test_kernels.h"
#include "transfer/mapped_buffer.h"
#include "transfer/stream.h"

namespace conveyor {
namespace {

using internal::AddIndex;

constexpr DeviceId kDevice(0);

class ForEachTest : public ::testing::Test {
 protected:
  void SetUp() override {
    CONVEYOR_REQUIRE_DEVICES(1);
    cudaGetLastError();
    ASSERT_OK_AND_ASSIGN(Stream stream, Stream::Create(kDevice));
    stream_ = std::move(stream);
  }

  StreamRef stream() const { return stream_->ref(); }

  std::optional<Stream> stream_;
};

TEST_F(ForEachTest, RunsEachIndexOnce) {
  for (const int64_t n : {1, 255, 256, 257, 1000001}) {
    SCOPED_TRACE(n);
    ASSERT_OK_AND_ASSIGN(auto values,
                         DeviceBuffer<int64_t>::Create(n + 1, kDevice));
    std::vector<int64_t> host(n + 1, 5);
    ASSERT_OK(Copy(values, host, stream()));
    ASSERT_EQ(AddIndex(stream(), values.span().device_pointer(), n),
              cudaSuccess);
    ASSERT_OK(Copy(host, values, stream()));
    for (int64_t i = 0; i < n; ++i) ASSERT_EQ(host[i], i + 5);
    EXPECT_EQ(host[n], 5) << "ran an index too many";
  }
}

TEST_F(ForEachTest, OfNothingIsFineAndOfLessIsNot) {
  EXPECT_EQ(AddIndex(stream(), nullptr, 0), cudaSuccess);
  EXPECT_EQ(AddIndex(stream(), nullptr, -1), cudaErrorInvalidValue);
}

TEST_F(ForEachTest, RunsAfterEarlierWorkOfItsStream) {
  ASSERT_OK_AND_ASSIGN(auto values, MappedBuffer<int64_t>::Create(10));
  ASSERT_OK_AND_ASSIGN(int64_t* const there, values.DevicePointer(kDevice));
  for (int i = 0; i < 10; ++i) values.span()[i] = 0;
  ASSERT_OK_AND_ASSIGN(StreamGate gate, StreamGate::Hold(stream().native()));
  ASSERT_EQ(AddIndex(stream(), there, 10), cudaSuccess);
  EXPECT_THAT(stream().Ready(), IsOkAndHolds(false));
  EXPECT_EQ(values.span()[9], 0);
  gate.Open();
  ASSERT_OK(stream().Synchronize());
  EXPECT_EQ(values.span()[9], 9);
  EXPECT_FALSE(gate.timed_out());
}

TEST_F(ForEachTest, IsCaptured) {
  ASSERT_OK_AND_ASSIGN(auto values, DeviceBuffer<int64_t>::Create(10, kDevice));
  std::vector<int64_t> host(10, 0);
  ASSERT_OK(Copy(values, host, stream()));
  ASSERT_EQ(
      cudaStreamBeginCapture(stream().native(), cudaStreamCaptureModeGlobal),
      cudaSuccess);
  EXPECT_EQ(AddIndex(stream(), values.span().device_pointer(), 10),
            cudaSuccess);
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamEndCapture(stream().native(), &graph), cudaSuccess);
  cudaGraphExec_t exec = nullptr;
  ASSERT_EQ(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
  for (int launch = 0; launch < 3; ++launch) {
    ASSERT_EQ(cudaGraphLaunch(exec, stream().native()), cudaSuccess);
  }
  ASSERT_OK(Copy(host, values, stream()));
  EXPECT_EQ(host[9], 27);
  EXPECT_EQ(cudaGraphExecDestroy(exec), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
}

TEST_F(ForEachTest, LeavesTheCallersLastError) {
  ASSERT_OK_AND_ASSIGN(auto values, DeviceBuffer<int64_t>::Create(10, kDevice));
  ASSERT_EQ(cudaSetDevice(1 << 20), cudaErrorInvalidDevice);
  EXPECT_EQ(AddIndex(stream(), values.span().device_pointer(), 10),
            cudaSuccess);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDevice);
  EXPECT_OK(stream().Synchronize());
}

}  // namespace
}  // namespace conveyor
