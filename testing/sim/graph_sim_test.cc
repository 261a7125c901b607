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

// Stream capture and graphs. The verdicts are those of an H200.

#include <cuda_runtime.h>

#include <cstddef>
#include <cstring>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "testing/sim/launch.h"
#include "testing/sim/sim.h"

namespace conveyor {
namespace sim {
namespace {

#define ASSERT_CUDA(call) ASSERT_EQ(call, cudaSuccess)
#define EXPECT_CUDA(call) EXPECT_EQ(call, cudaSuccess)

constexpr size_t kBytes = 256;

class CaptureTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_CUDA(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    ASSERT_CUDA(cudaStreamCreateWithFlags(&fork_, cudaStreamNonBlocking));
    ASSERT_CUDA(cudaStreamCreate(&blocking_));
    ASSERT_CUDA(cudaEventCreate(&event_));
    ASSERT_CUDA(cudaMalloc(&device_, kBytes));
    ASSERT_CUDA(cudaMallocHost(&pinned_, kBytes));
    ASSERT_CUDA(cudaMemset(device_, 0, kBytes));
    ASSERT_CUDA(cudaDeviceSynchronize());
  }

  void TearDown() override {
    EXPECT_CUDA(cudaDeviceSynchronize());
    EXPECT_CUDA(cudaStreamDestroy(stream_));
    EXPECT_CUDA(cudaStreamDestroy(fork_));
    EXPECT_CUDA(cudaStreamDestroy(blocking_));
    EXPECT_CUDA(cudaEventDestroy(event_));
    EXPECT_CUDA(cudaFree(device_));
    EXPECT_CUDA(cudaFreeHost(pinned_));
    cudaGetLastError();
  }

  void Begin(cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal) {
    ASSERT_CUDA(cudaStreamBeginCapture(stream_, mode));
  }

  // Ends the capture, and says how.
  cudaError_t End() {
    cudaGraph_t graph = nullptr;
    const cudaError_t error = cudaStreamEndCapture(stream_, &graph);
    EXPECT_EQ(graph != nullptr, error == cudaSuccess);
    if (graph != nullptr) {
      EXPECT_CUDA(cudaGraphDestroy(graph));
    }
    return error;
  }

  cudaStream_t stream_ = nullptr;
  cudaStream_t fork_ = nullptr;
  cudaStream_t blocking_ = nullptr;
  cudaEvent_t event_ = nullptr;
  char* device_ = nullptr;
  char* pinned_ = nullptr;
};

TEST_F(CaptureTest, AGraphDoesItsWorkWhenItIsLaunched) {
  static int calls;
  calls = 0;
  std::memset(pinned_, 1, kBytes);
  Begin();
  ASSERT_CUDA(cudaMemcpyAsync(device_, pinned_, kBytes, cudaMemcpyHostToDevice,
                              stream_));
  char* const device = device_;
  ASSERT_CUDA(LaunchKernel(
      stream_,
      [device] {
        for (size_t i = 0; i < kBytes; ++i) device[i] += 1;
      },
      nullptr, 0, nullptr, 0));
  ASSERT_CUDA(cudaMemcpyAsync(pinned_, device_, kBytes, cudaMemcpyDeviceToHost,
                              stream_));
  ASSERT_CUDA(cudaLaunchHostFunc(
      stream_, [](void*) { ++calls; }, nullptr));
  cudaGraph_t graph;
  ASSERT_CUDA(cudaStreamEndCapture(stream_, &graph));
  size_t nodes = 0;
  ASSERT_CUDA(cudaGraphGetNodes(graph, nullptr, &nodes));
  EXPECT_EQ(nodes, 4u);
  cudaGraphExec_t executable;
  ASSERT_CUDA(cudaGraphInstantiate(&executable, graph, 0));
  ASSERT_CUDA(cudaGraphDestroy(graph));
  ASSERT_CUDA(cudaStreamSynchronize(stream_));
  EXPECT_EQ(pinned_[0], 1);
  for (int i = 0; i < 3; ++i) {
    ASSERT_CUDA(cudaGraphLaunch(executable, stream_));
    ASSERT_CUDA(cudaStreamSynchronize(stream_));
    EXPECT_EQ(pinned_[kBytes - 1], 2 + i);
  }
  EXPECT_EQ(calls, 3);
  ASSERT_CUDA(cudaGraphExecDestroy(executable));
}

TEST_F(CaptureTest, StatusIsTheStreamsOwn) {
  cudaStreamCaptureStatus status;
  ASSERT_CUDA(cudaStreamIsCapturing(stream_, &status));
  EXPECT_EQ(status, cudaStreamCaptureStatusNone);
  Begin();
  ASSERT_CUDA(cudaStreamIsCapturing(stream_, &status));
  EXPECT_EQ(status, cudaStreamCaptureStatusActive);
  ASSERT_CUDA(cudaStreamIsCapturing(fork_, &status));
  EXPECT_EQ(status, cudaStreamCaptureStatusNone);
  EXPECT_EQ(cudaStreamQuery(stream_), cudaErrorStreamCaptureUnsupported);
  ASSERT_CUDA(cudaStreamIsCapturing(stream_, &status));
  EXPECT_EQ(status, cudaStreamCaptureStatusInvalidated);
  EXPECT_EQ(cudaMemsetAsync(device_, 0, 1, stream_),
            cudaErrorStreamCaptureInvalidated);
  EXPECT_EQ(End(), cudaErrorStreamCaptureInvalidated);
  ASSERT_CUDA(cudaStreamIsCapturing(stream_, &status));
  EXPECT_EQ(status, cudaStreamCaptureStatusNone);
}

TEST_F(CaptureTest, UnsafeCallsAreForbiddenByMode) {
  struct Case {
    cudaStreamCaptureMode mode;
    cudaStreamCaptureMode thread_mode;
    bool other_thread;
    bool allowed;
  };
  const auto global = cudaStreamCaptureModeGlobal;
  const auto local = cudaStreamCaptureModeThreadLocal;
  const auto relaxed = cudaStreamCaptureModeRelaxed;
  for (const Case& c : std::vector<Case>{{global, global, false, false},
                                         {local, global, false, false},
                                         {relaxed, global, false, true},
                                         {global, relaxed, false, true},
                                         {global, global, true, false},
                                         {local, global, true, true},
                                         {global, relaxed, true, true},
                                         {global, local, true, true}}) {
    Begin(c.mode);
    cudaError_t error = cudaErrorUnknown;
    const auto call = [&] {
      cudaStreamCaptureMode mode = c.thread_mode;
      EXPECT_CUDA(cudaThreadExchangeStreamCaptureMode(&mode));
      void* memory = nullptr;
      error = cudaMalloc(&memory, 1);
      if (error == cudaSuccess) {
        EXPECT_CUDA(cudaFree(memory));
      }
      EXPECT_CUDA(cudaThreadExchangeStreamCaptureMode(&mode));
    };
    if (c.other_thread) {
      std::thread(call).join();
    } else {
      call();
    }
    EXPECT_EQ(error,
              c.allowed ? cudaSuccess : cudaErrorStreamCaptureUnsupported);
    EXPECT_EQ(End(),
              c.allowed ? cudaSuccess : cudaErrorStreamCaptureInvalidated);
  }
}

TEST_F(CaptureTest, ForksMustBeJoined) {
  Begin();
  ASSERT_CUDA(cudaEventRecord(event_, stream_));
  ASSERT_CUDA(cudaStreamWaitEvent(fork_, event_, 0));
  ASSERT_CUDA(cudaMemsetAsync(device_, 1, 8, fork_));
  EXPECT_EQ(End(), cudaErrorStreamCaptureUnjoined);

  Begin();
  ASSERT_CUDA(cudaEventRecord(event_, stream_));
  ASSERT_CUDA(cudaStreamWaitEvent(fork_, event_, 0));
  ASSERT_CUDA(cudaMemsetAsync(device_, 1, 8, fork_));
  ASSERT_CUDA(cudaEventRecord(event_, fork_));
  ASSERT_CUDA(cudaStreamWaitEvent(stream_, event_, 0));
  EXPECT_EQ(End(), cudaSuccess);
}

TEST_F(CaptureTest, NothingOutsideIsWaitedFor) {
  ASSERT_CUDA(cudaEventRecord(event_, fork_));
  Begin();
  EXPECT_EQ(cudaStreamWaitEvent(stream_, event_, 0),
            cudaErrorStreamCaptureIsolation);
  EXPECT_EQ(End(), cudaErrorStreamCaptureInvalidated);
}

TEST_F(CaptureTest, ACapturedEventHasNoState) {
  Begin();
  ASSERT_CUDA(cudaEventRecord(event_, stream_));
  EXPECT_EQ(cudaEventQuery(event_), cudaErrorCapturedEvent);
  EXPECT_EQ(End(), cudaErrorStreamCaptureInvalidated);
  EXPECT_EQ(cudaEventSynchronize(event_), cudaErrorInvalidValue);
  ASSERT_CUDA(cudaEventRecord(event_, stream_));
  EXPECT_CUDA(cudaEventSynchronize(event_));
}

TEST_F(CaptureTest, TheLegacyStreamEndsCapturesOfBlockingStreamsOnly) {
  Begin();
  EXPECT_CUDA(cudaMemset(device_, 0, 8));
  EXPECT_EQ(End(), cudaSuccess);

  ASSERT_CUDA(cudaStreamBeginCapture(blocking_, cudaStreamCaptureModeRelaxed));
  EXPECT_EQ(cudaMemset(device_, 0, 8), cudaErrorStreamCaptureImplicit);
  cudaGraph_t graph;
  EXPECT_EQ(cudaStreamEndCapture(blocking_, &graph),
            cudaErrorStreamCaptureInvalidated);
}

TEST_F(CaptureTest, AnotherThreadEndsARelaxedCaptureOnly) {
  Begin(cudaStreamCaptureModeRelaxed);
  cudaError_t error = cudaErrorUnknown;
  std::thread([&] { error = End(); }).join();
  EXPECT_CUDA(error);
  Begin();
  std::thread([&] { error = End(); }).join();
  EXPECT_EQ(error, cudaErrorStreamCaptureWrongThread);
  EXPECT_EQ(End(), cudaErrorIllegalState);
}

TEST_F(CaptureTest, TheLegacyStreamIsNotCaptured) {
  EXPECT_EQ(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeRelaxed),
            cudaErrorStreamCaptureUnsupported);
}

TEST_F(CaptureTest, InfoTellsTheCaptureAndWhatTheNextNodeComesAfter) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusInvalidated;
  ASSERT_CUDA(cudaStreamGetCaptureInfo(stream_, &status));
  EXPECT_EQ(status, cudaStreamCaptureStatusNone);
  Begin();
  unsigned long long id = 0;
  const cudaGraphNode_t* nodes = nullptr;
  const cudaGraphEdgeData* edges = nullptr;
  size_t count = 9;
  const auto ask = [&](cudaStream_t stream) {
    return cudaStreamGetCaptureInfo(stream, &status, &id, nullptr, &nodes,
                                    &edges, &count);
  };
  ASSERT_CUDA(ask(stream_));
  EXPECT_EQ(status, cudaStreamCaptureStatusActive);
  EXPECT_EQ(count, 0u);
  const unsigned long long first_id = id;
  EXPECT_NE(first_id, 0u);
  // Two branches, joined.
  ASSERT_CUDA(cudaMemsetAsync(device_, 1, kBytes, stream_));
  ASSERT_CUDA(cudaEventRecord(event_, stream_));
  ASSERT_CUDA(cudaStreamWaitEvent(fork_, event_, 0));
  ASSERT_CUDA(cudaMemsetAsync(device_, 2, 1, fork_));
  ASSERT_CUDA(cudaMemsetAsync(device_ + 1, 3, 1, stream_));
  ASSERT_CUDA(ask(fork_));
  EXPECT_EQ(id, first_id);
  ASSERT_EQ(count, 1u);
  const cudaGraphNode_t forked = nodes[0];
  ASSERT_CUDA(cudaEventRecord(event_, fork_));
  ASSERT_CUDA(cudaStreamWaitEvent(stream_, event_, 0));
  ASSERT_CUDA(ask(stream_));
  ASSERT_EQ(count, 2u);
  EXPECT_NE(nodes[0], nodes[1]);
  EXPECT_TRUE(nodes[0] == forked || nodes[1] == forked);
  EXPECT_EQ(edges[1].type, 0);

  cudaGraph_t graph = nullptr;
  EXPECT_EQ(cudaStreamGetCaptureInfo(stream_, &status, nullptr, &graph),
            cudaErrorNotSupported);
  EXPECT_EQ(cudaStreamGetCaptureInfo(stream_, nullptr), cudaErrorInvalidValue);
  EXPECT_CUDA(End());
  Begin();
  ASSERT_CUDA(ask(stream_));
  EXPECT_NE(id, first_id);
  EXPECT_CUDA(End());
}

}  // namespace
}  // namespace sim
}  // namespace conveyor
