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

// Stream capture: what is captured, what a capture survives, and what ends it.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstring>
#include <thread>

#include "absl/functional/function_ref.h"
#include "gtest/gtest.h"
#include "testing/conformance/cuda_test.h"
#include "testing/pattern.h"
#include "testing/status_matchers.h"

namespace conveyor {
namespace {

constexpr size_t kBytes = size_t{1} << 20;

constexpr cudaStreamCaptureMode kGlobal = cudaStreamCaptureModeGlobal;
constexpr cudaStreamCaptureMode kThreadLocal = cudaStreamCaptureModeThreadLocal;
constexpr cudaStreamCaptureMode kRelaxed = cudaStreamCaptureModeRelaxed;

class CaptureTest : public CudaTest {
 protected:
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(CudaTest::SetUp());
    if (IsSkipped()) return;
    stream_ = NonBlockingStream();
    blocking_ = BlockingStream();
    event_ = Event();
    device_ = Device(kBytes);
    pinned_ = Pinned(kBytes);
    pageable_ = Pageable(kBytes);
    ASSERT_CUDA(cudaDeviceSynchronize());
  }

  // Begins a capture that has a piece of work already.
  void Begin(cudaStreamCaptureMode mode) {
    ASSERT_CUDA(cudaStreamBeginCapture(stream_, mode));
    ASSERT_CUDA(cudaMemsetAsync(device_, 0, 16, stream_));
  }

  static cudaStreamCaptureStatus Status(cudaStream_t stream) {
    auto status = static_cast<cudaStreamCaptureStatus>(9);
    EXPECT_CUDA(cudaStreamIsCapturing(stream, &status));
    return status;
  }

  // Ends the capture of `stream_`, which is valid.
  void ExpectEndsWithAGraph() {
    EXPECT_EQ(Status(stream_), cudaStreamCaptureStatusActive);
    cudaGraph_t graph = nullptr;
    EXPECT_CUDA(cudaStreamEndCapture(stream_, &graph));
    EXPECT_NE(graph, nullptr);
    EXPECT_EQ(Status(stream_), cudaStreamCaptureStatusNone);
    if (graph != nullptr) {
      EXPECT_CUDA(cudaGraphDestroy(graph));
    }
  }

  // Ends the capture of `stream`, which is not.
  void ExpectEndsInvalidated(cudaStream_t stream) {
    EXPECT_EQ(Status(stream), cudaStreamCaptureStatusInvalidated);
    cudaGraph_t graph = nullptr;
    EXPECT_EQ(cudaStreamEndCapture(stream, &graph),
              cudaErrorStreamCaptureInvalidated);
    EXPECT_EQ(graph, nullptr);
    EXPECT_EQ(Status(stream), cudaStreamCaptureStatusNone);
  }

  // In a capture of `mode`, `call` succeeds and leaves the capture valid.
  void ExpectAllowed(cudaStreamCaptureMode mode,
                     absl::FunctionRef<cudaError_t()> call) {
    ASSERT_NO_FATAL_FAILURE(Begin(mode));
    EXPECT_CUDA(call());
    ExpectEndsWithAGraph();
  }

  // In a capture of `mode`, `call` fails with `error` and invalidates the
  // capture.
  void ExpectInvalidates(cudaStreamCaptureMode mode, cudaError_t error,
                         absl::FunctionRef<cudaError_t()> call) {
    ASSERT_NO_FATAL_FAILURE(Begin(mode));
    EXPECT_EQ(call(), error);
    ExpectEndsInvalidated(stream_);
  }

  cudaStream_t stream_ = nullptr;
  cudaStream_t blocking_ = nullptr;
  cudaEvent_t event_ = nullptr;
  char* device_ = nullptr;
  char* pinned_ = nullptr;
  char* pageable_ = nullptr;
};

TEST_F(CaptureTest, CapturedWorkRunsWhenTheGraphIsLaunchedAndNotBefore) {
  std::memset(pinned_, 0, kBytes);
  char* const source = Pinned(kBytes);
  FillPattern(source, kBytes, /*seed=*/1);
  ASSERT_CUDA(cudaStreamBeginCapture(stream_, kGlobal));
  ASSERT_CUDA(cudaMemcpyAsync(device_, source, kBytes, cudaMemcpyHostToDevice,
                              stream_));
  ASSERT_CUDA(cudaMemcpyAsync(pinned_, device_, kBytes, cudaMemcpyDeviceToHost,
                              stream_));
  cudaGraph_t graph = nullptr;
  ASSERT_CUDA(cudaStreamEndCapture(stream_, &graph));
  ASSERT_CUDA(cudaDeviceSynchronize());
  EXPECT_EQ(pinned_[0], 0);
  EXPECT_EQ(pinned_[kBytes - 1], 0);

  cudaGraphExec_t executable = nullptr;
  ASSERT_CUDA(cudaGraphInstantiate(&executable, graph, 0));
  for (const int seed : {2, 3}) {
    FillPattern(source, kBytes, seed);
    ASSERT_CUDA(cudaGraphLaunch(executable, stream_));
    ASSERT_CUDA(cudaStreamSynchronize(stream_));
    EXPECT_OK(VerifyPattern(pinned_, kBytes, seed));
  }
  EXPECT_CUDA(cudaGraphExecDestroy(executable));
  EXPECT_CUDA(cudaGraphDestroy(graph));
}

TEST_F(CaptureTest, AStreamIsCapturingFromBeginToEnd) {
  EXPECT_EQ(Status(stream_), cudaStreamCaptureStatusNone);
  ASSERT_NO_FATAL_FAILURE(Begin(kGlobal));
  EXPECT_EQ(Status(blocking_), cudaStreamCaptureStatusNone);
  ExpectEndsWithAGraph();
}

TEST_F(CaptureTest, TheLegacyStreamIsNotCaptured) {
  ASSERT_NO_FATAL_FAILURE(Begin(kGlobal));
  EXPECT_EQ(cudaStreamBeginCapture(nullptr, kGlobal),
            cudaErrorStreamCaptureUnsupported);
  ExpectEndsWithAGraph();
}

TEST_F(CaptureTest, ACaptureBeginsOnceAndEndsOnce) {
  cudaGraph_t graph = nullptr;
  EXPECT_EQ(cudaStreamEndCapture(stream_, &graph), cudaErrorIllegalState);
  ASSERT_NO_FATAL_FAILURE(Begin(kGlobal));
  EXPECT_EQ(cudaStreamBeginCapture(stream_, kGlobal), cudaErrorIllegalState);
  ExpectEndsWithAGraph();
  EXPECT_EQ(cudaStreamEndCapture(stream_, &graph), cudaErrorIllegalState);
}

TEST_F(CaptureTest, AnUnknownModeIsRefused) {
  EXPECT_EQ(
      cudaStreamBeginCapture(stream_, static_cast<cudaStreamCaptureMode>(7)),
      cudaErrorInvalidValue);
  EXPECT_EQ(Status(stream_), cudaStreamCaptureStatusNone);
}

TEST_F(CaptureTest, AskingOrWaitingForTheStreamInvalidates) {
  for (const cudaStreamCaptureMode mode : {kGlobal, kRelaxed}) {
    ExpectInvalidates(mode, cudaErrorStreamCaptureUnsupported,
                      [&] { return cudaStreamQuery(stream_); });
  }
  ExpectInvalidates(kGlobal, cudaErrorStreamCaptureUnsupported,
                    [&] { return cudaStreamSynchronize(stream_); });
}

TEST_F(CaptureTest, AskingOrWaitingForAnotherStreamInvalidates) {
  ExpectInvalidates(kGlobal, cudaErrorStreamCaptureUnsupported,
                    [&] { return cudaStreamQuery(blocking_); });
  ExpectInvalidates(kGlobal, cudaErrorStreamCaptureUnsupported,
                    [&] { return cudaStreamSynchronize(blocking_); });
}

TEST_F(CaptureTest, WaitingForTheDeviceInvalidatesInEveryMode) {
  for (const cudaStreamCaptureMode mode : {kGlobal, kRelaxed}) {
    ExpectInvalidates(mode, cudaErrorStreamCaptureUnsupported,
                      [] { return cudaDeviceSynchronize(); });
  }
}

TEST_F(CaptureTest, AllocatingInvalidatesUnlessRelaxed) {
  void* memory = nullptr;
  const auto allocate = [&] { return cudaMalloc(&memory, 100); };
  ExpectInvalidates(kGlobal, cudaErrorStreamCaptureUnsupported, allocate);
  ExpectInvalidates(kThreadLocal, cudaErrorStreamCaptureUnsupported, allocate);
  ExpectAllowed(kRelaxed, allocate);
  EXPECT_CUDA(cudaFree(memory));
  ExpectInvalidates(kGlobal, cudaErrorStreamCaptureUnsupported, [&] {
    return cudaHostAlloc(&memory, 100, cudaHostAllocDefault);
  });
  ExpectInvalidates(kGlobal, cudaErrorStreamCaptureUnsupported, [&] {
    return cudaHostRegister(pageable_, 100, cudaHostRegisterDefault);
  });
}

TEST_F(CaptureTest, UnregisteringInvalidatesAndUnregistersNothing) {
  ASSERT_CUDA(cudaHostRegister(pageable_, kBytes, cudaHostRegisterDefault));
  ExpectInvalidates(kGlobal, cudaErrorStreamCaptureUnsupported,
                    [&] { return cudaHostUnregister(pageable_); });
  EXPECT_CUDA(cudaHostUnregister(pageable_));
}

TEST_F(CaptureTest, FreeingInvalidatesAndFreesNothing) {
  ExpectInvalidates(kGlobal, cudaErrorStreamCaptureUnsupported,
                    [&] { return cudaFree(device_); });
  ExpectInvalidates(kGlobal, cudaErrorStreamCaptureUnsupported,
                    [&] { return cudaFreeHost(pinned_); });
  // TearDown frees both.
  cudaPointerAttributes attributes = {};
  EXPECT_CUDA(cudaPointerGetAttributes(&attributes, device_));
  EXPECT_EQ(attributes.type, cudaMemoryTypeDevice);
  EXPECT_CUDA(cudaPointerGetAttributes(&attributes, pinned_));
  EXPECT_EQ(attributes.type, cudaMemoryTypeHost);
}

// What other threads may do depends on the capture's mode and on theirs.
TEST_F(CaptureTest, AnotherThreadsAllocationInvalidatesAGlobalCaptureOnly) {
  void* memory = nullptr;
  const auto allocate_elsewhere = [&] {
    cudaError_t error = cudaErrorUnknown;
    std::thread([&] { error = cudaMalloc(&memory, 100); }).join();
    return error;
  };
  ExpectInvalidates(kGlobal, cudaErrorStreamCaptureUnsupported,
                    allocate_elsewhere);
  ExpectAllowed(kThreadLocal, allocate_elsewhere);
  EXPECT_CUDA(cudaFree(memory));
}

TEST_F(CaptureTest, AThreadThatIsNotGlobalInvalidatesNoOthersCapture) {
  for (const cudaStreamCaptureMode mode : {kRelaxed, kThreadLocal}) {
    void* memory = nullptr;
    ExpectAllowed(kGlobal, [&] {
      cudaError_t error = cudaErrorUnknown;
      std::thread([&] {
        cudaStreamCaptureMode exchanged = mode;
        EXPECT_CUDA(cudaThreadExchangeStreamCaptureMode(&exchanged));
        EXPECT_EQ(exchanged, kGlobal);
        error = cudaMalloc(&memory, 100);
      }).join();
      return error;
    });
    EXPECT_CUDA(cudaFree(memory));
  }
}

TEST_F(CaptureTest, BlockingCopiesAreAllowedBesideANonBlockingStream) {
  for (const cudaStreamCaptureMode mode : {kGlobal, kRelaxed}) {
    ExpectAllowed(mode, [&] {
      return cudaMemcpy(device_, pinned_, 16, cudaMemcpyHostToDevice);
    });
    ExpectAllowed(mode,
                  [&] { return cudaMemsetAsync(device_, 0, 16, nullptr); });
  }
  ExpectAllowed(kGlobal, [&] { return cudaMemset(device_, 0, 16); });
}

TEST_F(CaptureTest, CopiesOfPageableMemoryAreCaptured) {
  for (const size_t num_bytes : {size_t{16}, kBytes / 2}) {
    ExpectAllowed(kGlobal, [&] {
      return cudaMemcpyAsync(device_, pageable_, num_bytes,
                             cudaMemcpyHostToDevice, stream_);
    });
  }
  ExpectAllowed(kGlobal, [&] {
    return cudaMemcpyAsync(pageable_, device_, 16, cudaMemcpyDeviceToHost,
                           stream_);
  });
  ExpectAllowed(kGlobal, [&] {
    return cudaMemcpyAsync(pageable_, pageable_ + 64, 16, cudaMemcpyHostToHost,
                           stream_);
  });
}

TEST_F(CaptureTest, HostFunctionsAreCaptured) {
  bool ran = false;
  ExpectAllowed(kGlobal, [&] {
    return cudaLaunchHostFunc(
        stream_, [](void* data) { *static_cast<bool*>(data) = true; }, &ran);
  });
  EXPECT_CUDA(cudaDeviceSynchronize());
  EXPECT_FALSE(ran);
}

TEST_F(CaptureTest, ACallWithWrongArgumentsLeavesItValid) {
  ASSERT_NO_FATAL_FAILURE(Begin(kGlobal));
  EXPECT_EQ(
      cudaMemcpyAsync(nullptr, pinned_, 16, cudaMemcpyHostToDevice, stream_),
      cudaErrorInvalidValue);
  ExpectEndsWithAGraph();
}

TEST_F(CaptureTest, QuestionsAndNewObjectsLeaveItValid) {
  ExpectAllowed(kGlobal, [&] {
    cudaPointerAttributes attributes;
    return cudaPointerGetAttributes(&attributes, pinned_);
  });
  ExpectAllowed(kGlobal, [] {
    size_t free = 0;
    size_t total = 0;
    return cudaMemGetInfo(&free, &total);
  });
  ExpectAllowed(kGlobal, [] { return cudaSetDevice(0); });
  ExpectAllowed(kGlobal, [] {
    cudaEvent_t event = nullptr;
    EXPECT_CUDA(cudaEventCreate(&event));
    return cudaEventDestroy(event);
  });
  cudaStream_t stream = nullptr;
  ExpectAllowed(kGlobal, [&] { return cudaStreamCreate(&stream); });
  ExpectAllowed(kGlobal, [&] { return cudaStreamDestroy(stream); });
}

TEST_F(CaptureTest, NothingMoreIsCapturedOnceItIsInvalid) {
  ASSERT_NO_FATAL_FAILURE(Begin(kGlobal));
  ASSERT_EQ(cudaStreamQuery(stream_), cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(cudaMemsetAsync(device_, 0, 16, stream_),
            cudaErrorStreamCaptureInvalidated);
  EXPECT_EQ(cudaEventRecord(event_, stream_),
            cudaErrorStreamCaptureInvalidated);
  ExpectEndsInvalidated(stream_);
}

TEST_F(CaptureTest, AskingOrWaitingForACapturedEventInvalidates) {
  ExpectInvalidates(kGlobal, cudaErrorCapturedEvent, [&] {
    EXPECT_CUDA(cudaEventRecord(event_, stream_));
    return cudaEventQuery(event_);
  });
  ExpectInvalidates(kGlobal, cudaErrorCapturedEvent, [&] {
    EXPECT_CUDA(cudaEventRecord(event_, stream_));
    return cudaEventSynchronize(event_);
  });
}

TEST_F(CaptureTest, AskingForAnEventOutsideInvalidatesToo) {
  ExpectInvalidates(kGlobal, cudaErrorStreamCaptureUnsupported,
                    [&] { return cudaEventQuery(event_); });
}

TEST_F(CaptureTest, ACapturedEventHasNoTimeButAskingIsHarmless) {
  ASSERT_NO_FATAL_FAILURE(Begin(kGlobal));
  EXPECT_CUDA(cudaEventRecord(event_, stream_));
  float ms = 0;
  EXPECT_EQ(cudaEventElapsedTime(&ms, event_, event_), cudaErrorCapturedEvent);
  ExpectEndsWithAGraph();
}

TEST_F(CaptureTest, ACapturedEventIsOfNoUseUntilItIsRecordedAgain) {
  ASSERT_NO_FATAL_FAILURE(Begin(kGlobal));
  EXPECT_CUDA(cudaEventRecord(event_, stream_));
  ExpectEndsWithAGraph();
  float ms = 0;
  EXPECT_EQ(cudaEventQuery(event_), cudaErrorInvalidValue);
  EXPECT_EQ(cudaEventSynchronize(event_), cudaErrorInvalidValue);
  EXPECT_EQ(cudaStreamWaitEvent(blocking_, event_, 0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaEventElapsedTime(&ms, event_, event_), cudaErrorInvalidValue);
  EXPECT_CUDA(cudaEventRecord(event_, blocking_));
  EXPECT_CUDA(cudaEventSynchronize(event_));
}

TEST_F(CaptureTest, WaitingForWorkOutsideInvalidates) {
  ExpectInvalidates(kGlobal, cudaErrorStreamCaptureIsolation, [&] {
    EXPECT_CUDA(cudaEventRecord(event_, blocking_));
    return cudaStreamWaitEvent(stream_, event_, 0);
  });
}

TEST_F(CaptureTest, WaitingForAnEventThatWasNeverRecordedIsHarmless) {
  ExpectAllowed(kGlobal,
                [&] { return cudaStreamWaitEvent(stream_, event_, 0); });
}

TEST_F(CaptureTest, AStreamThatWaitsForACapturedEventJoinsTheCapture) {
  const cudaEvent_t joined = Event();
  ASSERT_NO_FATAL_FAILURE(Begin(kGlobal));
  EXPECT_CUDA(cudaEventRecord(event_, stream_));
  EXPECT_CUDA(cudaStreamWaitEvent(blocking_, event_, 0));
  EXPECT_EQ(Status(blocking_), cudaStreamCaptureStatusActive);
  EXPECT_CUDA(cudaMemsetAsync(device_, 0, 8, blocking_));
  EXPECT_CUDA(cudaEventRecord(joined, blocking_));
  EXPECT_CUDA(cudaStreamWaitEvent(stream_, joined, 0));
  ExpectEndsWithAGraph();
  EXPECT_EQ(Status(blocking_), cudaStreamCaptureStatusNone);
}

TEST_F(CaptureTest, WorkOfAStreamThatDoesNotComeBackFailsTheCapture) {
  ASSERT_NO_FATAL_FAILURE(Begin(kGlobal));
  EXPECT_CUDA(cudaEventRecord(event_, stream_));
  EXPECT_CUDA(cudaStreamWaitEvent(blocking_, event_, 0));
  EXPECT_CUDA(cudaMemsetAsync(device_, 0, 8, blocking_));
  cudaGraph_t graph = nullptr;
  EXPECT_EQ(cudaStreamEndCapture(stream_, &graph),
            cudaErrorStreamCaptureUnjoined);
  EXPECT_EQ(graph, nullptr);
  EXPECT_EQ(Status(stream_), cudaStreamCaptureStatusNone);
}

TEST_F(CaptureTest, AStreamThatJoinedAndDidNothingNeedNotComeBack) {
  ExpectAllowed(kGlobal, [&] {
    EXPECT_CUDA(cudaEventRecord(event_, stream_));
    return cudaStreamWaitEvent(blocking_, event_, 0);
  });
}

TEST_F(CaptureTest, EndsOnTheStreamOnWhichItBegan) {
  const cudaEvent_t joined = Event();
  ASSERT_NO_FATAL_FAILURE(Begin(kGlobal));
  EXPECT_CUDA(cudaEventRecord(event_, stream_));
  EXPECT_CUDA(cudaStreamWaitEvent(blocking_, event_, 0));
  EXPECT_CUDA(cudaMemsetAsync(device_, 0, 8, blocking_));
  EXPECT_CUDA(cudaEventRecord(joined, blocking_));
  EXPECT_CUDA(cudaStreamWaitEvent(stream_, joined, 0));
  cudaGraph_t graph = nullptr;
  EXPECT_EQ(cudaStreamEndCapture(blocking_, &graph),
            cudaErrorStreamCaptureUnmatched);
  ExpectEndsInvalidated(stream_);
}

TEST_F(CaptureTest, EndsInTheThreadInWhichItBeganUnlessRelaxed) {
  for (const cudaStreamCaptureMode mode : {kGlobal, kRelaxed}) {
    ASSERT_NO_FATAL_FAILURE(Begin(mode));
    std::thread([&] {
      cudaGraph_t graph = nullptr;
      EXPECT_EQ(
          cudaStreamEndCapture(stream_, &graph),
          mode == kRelaxed ? cudaSuccess : cudaErrorStreamCaptureWrongThread);
      if (graph != nullptr) {
        EXPECT_CUDA(cudaGraphDestroy(graph));
      }
    }).join();
    // Ended, either way.
    EXPECT_EQ(Status(stream_), cudaStreamCaptureStatusNone);
    cudaGraph_t graph = nullptr;
    EXPECT_EQ(cudaStreamEndCapture(stream_, &graph), cudaErrorIllegalState);
  }
}

TEST_F(CaptureTest, TheLegacyStreamCannotJoin) {
  ExpectInvalidates(kGlobal, cudaErrorStreamCaptureImplicit, [&] {
    EXPECT_CUDA(cudaEventRecord(event_, stream_));
    return cudaStreamWaitEvent(nullptr, event_, 0);
  });
}

TEST_F(CaptureTest, UsingTheLegacyStreamInvalidatesThatOfABlockingStream) {
  const auto expect_implicit = [&](absl::FunctionRef<cudaError_t()> call) {
    ASSERT_CUDA(cudaStreamBeginCapture(blocking_, kRelaxed));
    EXPECT_EQ(call(), cudaErrorStreamCaptureImplicit);
    ExpectEndsInvalidated(blocking_);
  };
  expect_implicit([&] { return cudaMemsetAsync(device_, 0, 16, nullptr); });
  expect_implicit([] { return cudaStreamQuery(nullptr); });
  expect_implicit([&] { return cudaEventRecord(event_, nullptr); });
  expect_implicit(
      [&] { return cudaMemcpy(device_, pinned_, 16, cudaMemcpyHostToDevice); });
}

TEST_F(CaptureTest, TheLegacyStreamDoesNotSayWhileABlockingStreamCaptures) {
  ASSERT_CUDA(cudaStreamBeginCapture(blocking_, kRelaxed));
  cudaStreamCaptureStatus status;
  EXPECT_EQ(cudaStreamIsCapturing(nullptr, &status),
            cudaErrorStreamCaptureImplicit);
  // Asking was harmless.
  EXPECT_EQ(Status(blocking_), cudaStreamCaptureStatusActive);
  cudaGraph_t graph = nullptr;
  EXPECT_CUDA(cudaStreamEndCapture(blocking_, &graph));
  EXPECT_CUDA(cudaGraphDestroy(graph));
}

TEST_F(CaptureTest, NullIsNoGraph) {
  cudaGraphExec_t executable = nullptr;
  EXPECT_EQ(cudaGraphInstantiate(&executable, nullptr, 0),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaGraphLaunch(nullptr, stream_), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGraphDestroy(nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGraphExecDestroy(nullptr), cudaErrorInvalidValue);
}

TEST_F(CaptureTest, EventsAreNoNodes) {
  ASSERT_CUDA(cudaStreamBeginCapture(stream_, kGlobal));
  EXPECT_CUDA(cudaEventRecord(event_, stream_));
  cudaGraph_t graph = nullptr;
  ASSERT_CUDA(cudaStreamEndCapture(stream_, &graph));
  size_t count = 99;
  EXPECT_CUDA(cudaGraphGetNodes(graph, nullptr, &count));
  EXPECT_EQ(count, 0u);
  EXPECT_CUDA(cudaGraphDestroy(graph));
}

TEST_F(CaptureTest, LaunchingAGraphInvalidates) {
  ASSERT_CUDA(cudaStreamBeginCapture(stream_, kGlobal));
  EXPECT_CUDA(cudaEventRecord(event_, stream_));
  cudaGraph_t graph = nullptr;
  ASSERT_CUDA(cudaStreamEndCapture(stream_, &graph));
  cudaGraphExec_t executable = nullptr;
  ASSERT_CUDA(cudaGraphInstantiate(&executable, graph, 0));

  ASSERT_CUDA(cudaStreamBeginCapture(stream_, kGlobal));
  EXPECT_EQ(cudaGraphLaunch(executable, stream_),
            cudaErrorStreamCaptureUnsupported);
  ExpectEndsInvalidated(stream_);
  EXPECT_CUDA(cudaGraphExecDestroy(executable));
  EXPECT_CUDA(cudaGraphDestroy(graph));
}

}  // namespace
}  // namespace conveyor
