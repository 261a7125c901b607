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

// The last error of a thread.

#include <cuda_runtime_api.h>

#include <thread>

#include "gtest/gtest.h"
#include "testing/conformance/cuda_test.h"
#include "testing/status_matchers.h"
#include "testing/stream_gate.h"

namespace conveyor {
namespace {

using LastErrorTest = CudaTest;

TEST_F(LastErrorTest, AFailedCallSetsIt) {
  ASSERT_EQ(cudaSetDevice(-1), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDevice);
}

TEST_F(LastErrorTest, ReadingItClearsIt) {
  ASSERT_EQ(cudaSetDevice(-1), cudaErrorInvalidDevice);
  ASSERT_EQ(cudaGetLastError(), cudaErrorInvalidDevice);
  EXPECT_CUDA(cudaGetLastError());
}

TEST_F(LastErrorTest, PeekingKeepsIt) {
  ASSERT_EQ(cudaSetDevice(-1), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaPeekAtLastError(), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaPeekAtLastError(), cudaErrorInvalidDevice);
}

TEST_F(LastErrorTest, CallsThatSucceedKeepIt) {
  char* const device = Device(16);
  ASSERT_EQ(cudaSetDevice(-1), cudaErrorInvalidDevice);
  EXPECT_CUDA(cudaSetDevice(0));
  EXPECT_CUDA(cudaMemset(device, 0, 16));
  EXPECT_CUDA(cudaDeviceSynchronize());
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDevice);
}

TEST_F(LastErrorTest, ALaterErrorReplacesIt) {
  ASSERT_EQ(cudaSetDevice(-1), cudaErrorInvalidDevice);
  ASSERT_EQ(cudaEventQuery(nullptr), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidResourceHandle);
}

TEST_F(LastErrorTest, EachThreadHasItsOwn) {
  ASSERT_EQ(cudaSetDevice(-1), cudaErrorInvalidDevice);
  std::thread([] {
    EXPECT_CUDA(cudaPeekAtLastError());
    EXPECT_EQ(cudaEventQuery(nullptr), cudaErrorInvalidResourceHandle);
    EXPECT_EQ(cudaPeekAtLastError(), cudaErrorInvalidResourceHandle);
  }).join();
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDevice);
}

TEST_F(LastErrorTest, ACopyThatIsRefusedSetsItAndLeavesTheDeviceUsable) {
  char* const device = Device(16);
  ASSERT_EQ(cudaMemcpy(device, nullptr, 1, cudaMemcpyHostToDevice),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  EXPECT_CUDA(cudaMemset(device, 0, 16));
  EXPECT_CUDA(cudaDeviceSynchronize());
}

TEST_F(LastErrorTest, NotReadyIsNoError) {
  const cudaStream_t stream = NonBlockingStream();
  const cudaEvent_t event = Event();
  ASSERT_OK_AND_ASSIGN(StreamGate gate, StreamGate::Hold(stream));
  ASSERT_CUDA(cudaEventRecord(event, stream));
  EXPECT_EQ(cudaStreamQuery(stream), cudaErrorNotReady);
  EXPECT_CUDA(cudaGetLastError());
  EXPECT_EQ(cudaEventQuery(event), cudaErrorNotReady);
  EXPECT_CUDA(cudaGetLastError());
  EXPECT_FALSE(gate.timed_out());
}

}  // namespace
}  // namespace conveyor
