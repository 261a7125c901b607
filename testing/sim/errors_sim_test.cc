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

// Errors: per thread, per context, injected, and of handles.

#include <cuda_runtime.h>

#include <cstddef>
#include <string>
#include <thread>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "testing/sim/sim.h"

namespace conveyor {
namespace sim {
namespace {

using ::testing::HasSubstr;

#define ASSERT_CUDA(call) ASSERT_EQ(call, cudaSuccess)
#define EXPECT_CUDA(call) EXPECT_EQ(call, cudaSuccess)

TEST(LastErrorTest, StaysUntilItIsTaken) {
  EXPECT_EQ(cudaSetDevice(99), cudaErrorInvalidDevice);
  EXPECT_CUDA(cudaSetDevice(0));
  EXPECT_EQ(cudaPeekAtLastError(), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDevice);
  EXPECT_CUDA(cudaGetLastError());
}

TEST(LastErrorTest, IsTheThreadsOwn) {
  EXPECT_EQ(cudaSetDevice(99), cudaErrorInvalidDevice);
  cudaError_t other = cudaErrorUnknown;
  std::thread([&] { other = cudaPeekAtLastError(); }).join();
  EXPECT_CUDA(other);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDevice);
}

TEST(LastErrorTest, IsNotTouchedByPolling) {
  cudaStream_t stream;
  ASSERT_CUDA(cudaStreamCreate(&stream));
  void* memory = nullptr;
  ASSERT_CUDA(cudaMalloc(&memory, 1 << 20));
  ASSERT_CUDA(cudaMemsetAsync(memory, 0, 1 << 20, stream));
  EXPECT_EQ(cudaStreamQuery(stream), cudaErrorNotReady);
  EXPECT_CUDA(cudaGetLastError());
  ASSERT_CUDA(cudaStreamSynchronize(stream));
  EXPECT_CUDA(cudaStreamQuery(stream));
  ASSERT_CUDA(cudaStreamDestroy(stream));
  ASSERT_CUDA(cudaFree(memory));
}

TEST(FaultTest, HitsTheNthCallOfThatName) {
  FailNth("cudaEventCreateWithFlags", cudaErrorUnknown, 2);
  const int live = LiveHandles();
  cudaEvent_t event = nullptr;
  ASSERT_CUDA(cudaEventCreateWithFlags(&event, 0));
  EXPECT_EQ(LiveHandles(), live + 1);
  cudaEvent_t failed = nullptr;
  EXPECT_EQ(cudaEventCreateWithFlags(&failed, 0), cudaErrorUnknown);
  EXPECT_EQ(failed, nullptr);
  EXPECT_EQ(LiveHandles(), live + 1);
  EXPECT_THAT(DescribeLiveHandles(), HasSubstr("event of device 0"));
  EXPECT_EQ(cudaGetLastError(), cudaErrorUnknown);
  ASSERT_CUDA(cudaEventCreateWithFlags(&failed, 0));
  ASSERT_CUDA(cudaEventDestroy(failed));
  ASSERT_CUDA(cudaEventDestroy(event));
}

TEST(FaultTest, IsForgottenOnRequest) {
  FailNth("cudaSetDevice", cudaErrorUnknown, 1);
  ClearFaults();
  EXPECT_CUDA(cudaSetDevice(0));
}

TEST(StickyErrorTest, IsReturnedByEveryCallInEveryThread) {
  FailNth("cudaStreamSynchronize", cudaErrorIllegalAddress, 1);
  EXPECT_EQ(cudaStreamSynchronize(nullptr), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaGetLastError(), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaGetLastError(), cudaErrorIllegalAddress);
  void* memory = nullptr;
  EXPECT_EQ(cudaMalloc(&memory, 1), cudaErrorIllegalAddress);
  cudaError_t other = cudaSuccess;
  std::thread([&] { other = cudaMalloc(&memory, 1); }).join();
  EXPECT_EQ(other, cudaErrorIllegalAddress);
  // Another device is another context.
  EXPECT_CUDA(cudaSetDevice(1));
  EXPECT_CUDA(cudaMalloc(&memory, 1));
  EXPECT_CUDA(cudaFree(memory));
  cudaSetDevice(0);
  EXPECT_CUDA(cudaDeviceReset());
  EXPECT_CUDA(cudaMalloc(&memory, 1));
  EXPECT_CUDA(cudaFree(memory));
  cudaGetLastError();
}

TEST(StickyErrorTest, IsRaisedByWorkOnFreedMemory) {
  SetFreeSynchronizes(false);
  void* memory = nullptr;
  ASSERT_CUDA(cudaMalloc(&memory, 1 << 20));
  cudaStream_t stream;
  ASSERT_CUDA(cudaStreamCreate(&stream));
  // One of these is late enough.
  for (int i = 0; i < 20; ++i) {
    ASSERT_CUDA(cudaMemsetAsync(memory, 0, 1 << 20, stream));
  }
  EXPECT_CUDA(cudaFree(memory));
  EXPECT_NE(TakeHazards(), "");
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaMalloc(&memory, 1), cudaErrorIllegalAddress);
  EXPECT_CUDA(cudaDeviceReset());
  SetFreeSynchronizes(true);
  cudaGetLastError();
}

TEST(HandleTest, IsRefusedOnceItIsDestroyed) {
  cudaStream_t stream;
  ASSERT_CUDA(cudaStreamCreate(&stream));
  ASSERT_CUDA(cudaStreamDestroy(stream));
  cudaStream_t next;
  ASSERT_CUDA(cudaStreamCreate(&next));
  EXPECT_NE(next, stream);
  EXPECT_EQ(cudaStreamQuery(stream), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaErrorInvalidResourceHandle);
  EXPECT_CUDA(cudaStreamDestroy(next));
  cudaEvent_t event;
  ASSERT_CUDA(cudaEventCreate(&event));
  ASSERT_CUDA(cudaEventDestroy(event));
  EXPECT_EQ(cudaEventRecord(event, nullptr), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventQuery(event), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaStreamWaitEvent(nullptr, event, 0),
            cudaErrorInvalidResourceHandle);
  cudaGetLastError();
}

TEST(HandleTest, AnEventIsRecordedOnItsOwnDevice) {
  cudaEvent_t event;
  ASSERT_CUDA(cudaEventCreate(&event));
  ASSERT_CUDA(cudaSetDevice(1));
  cudaStream_t stream;
  ASSERT_CUDA(cudaStreamCreate(&stream));
  EXPECT_EQ(cudaEventRecord(event, stream), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventRecord(event, nullptr), cudaErrorInvalidResourceHandle);
  // Waiting for another device's event is allowed.
  ASSERT_CUDA(cudaSetDevice(0));
  EXPECT_CUDA(cudaEventRecord(event, nullptr));
  EXPECT_CUDA(cudaStreamWaitEvent(stream, event, 0));
  EXPECT_CUDA(cudaStreamSynchronize(stream));
  EXPECT_CUDA(cudaStreamDestroy(stream));
  EXPECT_CUDA(cudaEventDestroy(event));
  cudaGetLastError();
}

TEST(HandleTest, TimeIsOfRecordedTimingEventsOnly) {
  cudaEvent_t timed;
  cudaEvent_t untimed;
  ASSERT_CUDA(cudaEventCreate(&timed));
  ASSERT_CUDA(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
  float ms = 0;
  EXPECT_EQ(cudaEventElapsedTime(&ms, timed, timed),
            cudaErrorInvalidResourceHandle);
  ASSERT_CUDA(cudaEventRecord(timed, nullptr));
  ASSERT_CUDA(cudaEventRecord(untimed, nullptr));
  ASSERT_CUDA(cudaDeviceSynchronize());
  EXPECT_EQ(cudaEventElapsedTime(&ms, timed, untimed),
            cudaErrorInvalidResourceHandle);
  EXPECT_CUDA(cudaEventElapsedTime(&ms, timed, timed));
  EXPECT_EQ(ms, 0);
  ASSERT_CUDA(cudaEventDestroy(timed));
  ASSERT_CUDA(cudaEventDestroy(untimed));
  cudaGetLastError();
}

}  // namespace
}  // namespace sim
}  // namespace conveyor
