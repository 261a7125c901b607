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

// What the simulated runtime does not do as CUDA does, foremost captures that
// it refuses. So these run on hardware alone.

#include <cuda_runtime_api.h>

#include <cstddef>

#include "gtest/gtest.h"
#include "testing/conformance/cuda_test.h"

namespace conveyor {
namespace {

constexpr size_t kBytes = size_t{1} << 20;

class NotSimulatedTest : public CudaTest {
 protected:
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(CudaTest::SetUp());
    if (IsSkipped()) return;
    stream_ = NonBlockingStream();
    event_ = Event();
    device_ = Device(kBytes);
  }

  void TearDown() override {
    if (graph_ != nullptr) {
      EXPECT_CUDA(cudaGraphDestroy(graph_));
    }
    CudaTest::TearDown();
  }

  void Begin() {
    ASSERT_CUDA(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
  }

  // Ends the capture, which is valid, and runs its graph `times` times.
  void EndAndRun(int times) {
    ASSERT_CUDA(cudaStreamEndCapture(stream_, &graph_));
    cudaGraphExec_t executable = nullptr;
    ASSERT_CUDA(cudaGraphInstantiate(&executable, graph_, 0));
    for (int i = 0; i < times; ++i) {
      EXPECT_CUDA(cudaGraphLaunch(executable, stream_));
    }
    EXPECT_CUDA(cudaStreamSynchronize(stream_));
    EXPECT_CUDA(cudaGraphExecDestroy(executable));
  }

  size_t NodeCount() {
    size_t count = 0;
    EXPECT_CUDA(cudaGraphGetNodes(graph_, nullptr, &count));
    return count;
  }

  cudaStream_t stream_ = nullptr;
  cudaEvent_t event_ = nullptr;
  char* device_ = nullptr;
  cudaGraph_t graph_ = nullptr;
};

TEST_F(NotSimulatedTest, AllocatingAndFreeingInAStreamAreNodes) {
  ASSERT_NO_FATAL_FAILURE(Begin());
  void* memory = nullptr;
  EXPECT_CUDA(cudaMallocAsync(&memory, kBytes, stream_));
  EXPECT_CUDA(cudaMemsetAsync(memory, 1, kBytes, stream_));
  EXPECT_CUDA(cudaFreeAsync(memory, stream_));
  EndAndRun(/*times=*/2);
  EXPECT_EQ(NodeCount(), 3u);
}

TEST_F(NotSimulatedTest, MemoryThatTheGraphLeavesIsFreedOutside) {
  ASSERT_NO_FATAL_FAILURE(Begin());
  void* memory = nullptr;
  EXPECT_CUDA(cudaMallocAsync(&memory, kBytes, stream_));
  EndAndRun(/*times=*/1);
  EXPECT_CUDA(cudaFreeAsync(memory, stream_));
  EXPECT_CUDA(cudaStreamSynchronize(stream_));
}

TEST_F(NotSimulatedTest, FreeingInACaptureTakesMemoryOfTheGraphOnly) {
  void* memory = nullptr;
  ASSERT_CUDA(cudaMallocAsync(&memory, kBytes, stream_));
  ASSERT_CUDA(cudaStreamSynchronize(stream_));
  ASSERT_NO_FATAL_FAILURE(Begin());
  EXPECT_EQ(cudaFreeAsync(memory, stream_), cudaErrorInvalidValue);
  // Whether the capture outlives it is not said.
  static_cast<void>(cudaStreamEndCapture(stream_, &graph_));
  EXPECT_CUDA(cudaFreeAsync(memory, stream_));
}

TEST_F(NotSimulatedTest, FreeingInACaptureTakesNoMemoryOfCudaMalloc) {
  ASSERT_NO_FATAL_FAILURE(Begin());
  EXPECT_EQ(cudaFreeAsync(device_, stream_), cudaErrorInvalidValue);
  static_cast<void>(cudaStreamEndCapture(stream_, &graph_));
}

TEST_F(NotSimulatedTest, AnExternalRecordIsANodeThatRecordsInEveryRun) {
  ASSERT_NO_FATAL_FAILURE(Begin());
  EXPECT_CUDA(cudaMemsetAsync(device_, 1, kBytes, stream_));
  EXPECT_CUDA(
      cudaEventRecordWithFlags(event_, stream_, cudaEventRecordExternal));
  EndAndRun(/*times=*/1);
  EXPECT_EQ(NodeCount(), 2u);
  EXPECT_CUDA(cudaEventQuery(event_));
  EXPECT_CUDA(cudaStreamWaitEvent(NonBlockingStream(), event_, 0));
}

TEST_F(NotSimulatedTest, AnExternalWaitIsANode) {
  const cudaStream_t other = NonBlockingStream();
  ASSERT_CUDA(cudaEventRecord(event_, other));
  ASSERT_NO_FATAL_FAILURE(Begin());
  EXPECT_CUDA(cudaStreamWaitEvent(stream_, event_, cudaEventWaitExternal));
  EXPECT_CUDA(cudaMemsetAsync(device_, 1, kBytes, stream_));
  EndAndRun(/*times=*/1);
  EXPECT_EQ(NodeCount(), 2u);
}

TEST_F(NotSimulatedTest, FreeingTwiceInAStreamIsAnError) {
  void* memory = nullptr;
  ASSERT_CUDA(cudaMallocAsync(&memory, kBytes, stream_));
  EXPECT_CUDA(cudaFreeAsync(memory, stream_));
  EXPECT_EQ(cudaFreeAsync(memory, stream_), cudaErrorInvalidValue);
}

}  // namespace
}  // namespace conveyor
