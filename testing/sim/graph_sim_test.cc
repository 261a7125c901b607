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

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
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

// A graph of two branches: one node, then one in each stream, then one again.
class BranchTest : public CaptureTest {
 protected:
  template <typename Enqueue>
  void Instantiate(Enqueue enqueue) {
    Begin();
    enqueue(0, stream_);
    ASSERT_CUDA(cudaEventRecord(event_, stream_));
    ASSERT_CUDA(cudaStreamWaitEvent(fork_, event_, 0));
    enqueue(1, stream_);
    enqueue(2, fork_);
    ASSERT_CUDA(cudaEventRecord(event_, fork_));
    ASSERT_CUDA(cudaStreamWaitEvent(stream_, event_, 0));
    enqueue(3, stream_);
    cudaGraph_t graph = nullptr;
    ASSERT_CUDA(cudaStreamEndCapture(stream_, &graph));
    ASSERT_CUDA(cudaGraphInstantiate(&executable_, graph, 0));
    ASSERT_CUDA(cudaGraphDestroy(graph));
  }

  void TearDown() override {
    EXPECT_CUDA(cudaDeviceSynchronize());
    if (executable_ != nullptr) {
      EXPECT_CUDA(cudaGraphExecDestroy(executable_));
    }
    CaptureTest::TearDown();
  }

  cudaGraphExec_t executable_ = nullptr;
};

TEST_F(BranchTest, BranchesTakeEffectInAnyOrder) {
  static std::string order;
  Instantiate([](int node, cudaStream_t stream) {
    ASSERT_CUDA(LaunchKernel(
        stream, [node] { order += std::to_string(node); }, nullptr, 0, nullptr,
        0));
  });
  std::set<std::string> seen;
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    SetSeed(seed);
    order.clear();
    // The branch's stream, too, makes its choices by the seed.
    cudaStream_t stream = nullptr;
    ASSERT_CUDA(cudaStreamCreate(&stream));
    ASSERT_CUDA(cudaGraphLaunch(executable_, stream));
    ASSERT_CUDA(cudaStreamSynchronize(stream));
    ASSERT_CUDA(cudaStreamDestroy(stream));
    seen.insert(order);
  }
  EXPECT_THAT(seen, ::testing::ElementsAre("0123", "0213"));
}

TEST_F(BranchTest, BranchesOverlapInTime) {
  constexpr size_t kLarge = 4 << 20;
  char* device = nullptr;
  char* pinned = nullptr;
  ASSERT_CUDA(cudaMalloc(&device, kLarge));
  ASSERT_CUDA(cudaMallocHost(&pinned, kLarge));
  Instantiate([&](int node, cudaStream_t stream) {
    switch (node) {
      case 1:
        ASSERT_CUDA(cudaMemcpyAsync(device, pinned, kLarge,
                                    cudaMemcpyHostToDevice, stream));
        break;
      case 2:
        ASSERT_CUDA(cudaMemcpyAsync(pinned, device, kLarge,
                                    cudaMemcpyDeviceToHost, stream));
        break;
      default:
        ASSERT_CUDA(cudaMemsetAsync(device_, node, kBytes, stream));
        break;
    }
  });
  StartTrace();
  ASSERT_CUDA(cudaGraphLaunch(executable_, stream_));
  ASSERT_CUDA(cudaStreamSynchronize(stream_));
  StopTrace();
  EXPECT_NE(TakeHazards(), "");  // They share their bytes.

  std::map<std::string, TracedOperation> by_name;
  std::vector<TracedOperation> sets;
  for (const TracedOperation& operation : TracedOperations()) {
    by_name[operation.name] = operation;
    if (operation.kind == Operation::kSet) sets.push_back(operation);
  }
  const TracedOperation& up = by_name["pinned upload"];
  const TracedOperation& down = by_name["pinned download"];
  EXPECT_NE(up.stream, down.stream);
  EXPECT_GT(
      std::min(up.end_ns, down.end_ns) - std::max(up.start_ns, down.start_ns),
      static_cast<int64_t>(kLarge / 60));
  ASSERT_EQ(sets.size(), 2u);
  EXPECT_GE(by_name["graph start"].end_ns, 0);
  EXPECT_LE(by_name["graph start"].end_ns, sets[0].start_ns);
  EXPECT_LE(sets[0].end_ns, std::min(up.start_ns, down.start_ns));
  EXPECT_GE(sets[1].start_ns, std::max(up.end_ns, down.end_ns));
  EXPECT_GE(by_name["graph end"].start_ns, sets[1].end_ns);
  ASSERT_CUDA(cudaFree(device));
  ASSERT_CUDA(cudaFreeHost(pinned));
}

TEST_F(BranchTest, LaunchesOfOneGraphComeOneAfterTheOther) {
  static std::string order;
  Instantiate([](int node, cudaStream_t stream) {
    ASSERT_CUDA(LaunchKernel(
        stream, [node] { order += std::to_string(node); }, nullptr, 0, nullptr,
        0));
  });
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    SetSeed(seed);
    order.clear();
    ASSERT_CUDA(cudaGraphLaunch(executable_, stream_));
    ASSERT_CUDA(cudaGraphLaunch(executable_, fork_));
    ASSERT_CUDA(cudaStreamSynchronize(fork_));
    ASSERT_EQ(order.size(), 8u) << seed;
    EXPECT_EQ(order[3], '3') << order;
    EXPECT_EQ(order[4], '0') << order;
  }
}

TEST_F(BranchTest, TheLegacyStreamWaitsForABlockingStreamsGraph) {
  Instantiate([this](int node, cudaStream_t stream) {
    ASSERT_CUDA(cudaMemsetAsync(device_ + node, 5, 1, stream));
  });
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    SetSeed(seed);
    ASSERT_CUDA(cudaMemset(device_, 0, kBytes));
    ASSERT_CUDA(cudaGraphLaunch(executable_, blocking_));
    char found[4] = {};
    ASSERT_CUDA(cudaMemcpy(found, device_, 4, cudaMemcpyDeviceToHost));
    EXPECT_EQ(std::string(found, 4), std::string(4, 5)) << seed;
  }
}

TEST_F(BranchTest, AGraphInFlightCanBeDestroyed) {
  const int live = LiveHandles();
  Instantiate([this](int node, cudaStream_t stream) {
    ASSERT_CUDA(cudaMemsetAsync(device_ + node, 6, 1, stream));
  });
  ASSERT_CUDA(cudaGraphLaunch(executable_, stream_));
  ASSERT_CUDA(cudaGraphExecDestroy(executable_));
  executable_ = nullptr;
  EXPECT_EQ(LiveHandles(), live);
  ASSERT_CUDA(cudaStreamSynchronize(stream_));
  char found[4] = {};
  ASSERT_CUDA(cudaMemcpy(found, device_, 4, cudaMemcpyDeviceToHost));
  EXPECT_EQ(std::string(found, 4), std::string(4, 6));
}

// In CUDA a graph may have memory of its own, and nothing else is freed in it.
TEST_F(CaptureTest, PoolMemoryIsNeitherTakenNorFreed) {
  char* memory = nullptr;
  ASSERT_CUDA(cudaMallocAsync(&memory, kBytes, stream_));
  Begin();
  EXPECT_EQ(cudaFreeAsync(memory, stream_), cudaErrorInvalidValue);
  EXPECT_CUDA(End());
  Begin();
  char* captured = nullptr;
  EXPECT_EQ(cudaMallocAsync(&captured, kBytes, stream_),
            cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(captured, nullptr);
  EXPECT_EQ(End(), cudaErrorStreamCaptureInvalidated);
  // It is still there.
  EXPECT_CUDA(cudaMemsetAsync(memory, 1, kBytes, stream_));
  EXPECT_CUDA(cudaFreeAsync(memory, stream_));
  EXPECT_CUDA(cudaStreamSynchronize(stream_));
}

}  // namespace
}  // namespace sim
}  // namespace conveyor
