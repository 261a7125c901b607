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

// Host functions on streams.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <vector>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "testing/conformance/cuda_test.h"
#include "testing/pattern.h"
#include "testing/status_matchers.h"
#include "testing/stream_gate.h"

namespace conveyor {
namespace {

constexpr size_t kBytes = 4096;

using HostFunctionsTest = CudaTest;

TEST_F(HostFunctionsTest, RunBetweenTheWorkBeforeAndAfterThem) {
  const cudaStream_t stream = NonBlockingStream();
  char* const device = Device(kBytes);
  struct Step {
    char* memory;
    absl::Status found;
  } step = {Pinned(kBytes), absl::UnknownError("it did not run")};

  FillPattern(step.memory, kBytes, /*seed=*/1);
  ASSERT_CUDA(cudaMemcpyAsync(device, step.memory, kBytes,
                              cudaMemcpyHostToDevice, stream));
  ASSERT_CUDA(cudaMemsetAsync(step.memory, 0, kBytes, stream));
  ASSERT_CUDA(cudaMemcpyAsync(step.memory, device, kBytes,
                              cudaMemcpyDeviceToHost, stream));
  ASSERT_CUDA(cudaLaunchHostFunc(
      stream,
      [](void* data) {
        Step& step = *static_cast<Step*>(data);
        step.found = VerifyPattern(step.memory, kBytes, /*seed=*/1);
        FillPattern(step.memory, kBytes, /*seed=*/2);
      },
      &step));
  ASSERT_CUDA(cudaMemcpyAsync(device, step.memory, kBytes,
                              cudaMemcpyHostToDevice, stream));
  ASSERT_CUDA(cudaMemsetAsync(step.memory, 0, kBytes, stream));
  ASSERT_CUDA(cudaStreamSynchronize(stream));

  EXPECT_OK(step.found);
  char* const result = Pageable(kBytes);
  ASSERT_CUDA(cudaMemcpy(result, device, kBytes, cudaMemcpyDeviceToHost));
  EXPECT_OK(VerifyPattern(result, kBytes, /*seed=*/2));
}

TEST_F(HostFunctionsTest, OfOneStreamRunInOrder) {
  const cudaStream_t stream = NonBlockingStream();
  struct Call {
    std::vector<int>* order;
    int number;
  };
  constexpr int kCalls = 50;
  std::vector<int> order;
  std::vector<Call> calls;
  for (int i = 0; i < kCalls; ++i) calls.push_back({&order, i});
  for (Call& call : calls) {
    ASSERT_CUDA(cudaLaunchHostFunc(
        stream,
        [](void* data) {
          const Call& call = *static_cast<Call*>(data);
          call.order->push_back(call.number);
        },
        &call));
  }
  ASSERT_CUDA(cudaStreamSynchronize(stream));
  ASSERT_EQ(order.size(), size_t{kCalls});
  for (int i = 0; i < kCalls; ++i) EXPECT_EQ(order[i], i);
}

TEST_F(HostFunctionsTest, LaunchingDoesNotWaitForThem) {
  const cudaStream_t stream = NonBlockingStream();
  bool ran = false;
  EXPECT_TRUE(ReturnsWhileHeld(stream, [&] {
    return cudaLaunchHostFunc(
        stream, [](void* data) { *static_cast<bool*>(data) = true; }, &ran);
  }));
  EXPECT_TRUE(ran);
}

TEST_F(HostFunctionsTest, AnEventBehindOneIsPendingWhileItRuns) {
  const cudaStream_t stream = NonBlockingStream();
  const cudaEvent_t event = Event();
  ASSERT_OK_AND_ASSIGN(StreamGate gate, StreamGate::Hold(stream));
  ASSERT_CUDA(cudaEventRecord(event, stream));
  gate.WaitUntilReached();
  EXPECT_EQ(cudaEventQuery(event), cudaErrorNotReady);
  EXPECT_EQ(cudaStreamQuery(stream), cudaErrorNotReady);
  EXPECT_FALSE(gate.timed_out());
  gate.Open();
  EXPECT_CUDA(cudaEventSynchronize(event));
}

TEST_F(HostFunctionsTest, MayNotCallCuda) {
  const cudaStream_t stream = NonBlockingStream();
  struct Answers {
    cudaError_t allocation = cudaSuccess;
    cudaError_t device = cudaSuccess;
  } answers;
  ASSERT_CUDA(cudaLaunchHostFunc(
      stream,
      [](void* data) {
        Answers& answers = *static_cast<Answers*>(data);
        void* memory = nullptr;
        answers.allocation = cudaMalloc(&memory, 1);
        int device = 0;
        answers.device = cudaGetDevice(&device);
      },
      &answers));
  EXPECT_CUDA(cudaStreamSynchronize(stream));
  EXPECT_EQ(answers.allocation, cudaErrorNotPermitted);
  EXPECT_EQ(answers.device, cudaErrorNotPermitted);
  EXPECT_CUDA(cudaPeekAtLastError());
}

TEST_F(HostFunctionsTest, NullIsRefused) {
  EXPECT_EQ(cudaLaunchHostFunc(NonBlockingStream(), nullptr, nullptr),
            cudaErrorInvalidValue);
}

}  // namespace
}  // namespace conveyor
