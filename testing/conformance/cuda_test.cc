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

#include "testing/conformance/cuda_test.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "testing/devices.h"
#include "testing/stream_gate.h"

namespace conveyor {
namespace {

using ::testing::AssertionFailure;
using ::testing::AssertionResult;
using ::testing::AssertionSuccess;

constexpr size_t kPage = 4096;

// Calls behind a gate on `stream` and says in `*held` whether the gate was
// still closed on return.
AssertionResult CallBehindGate(cudaStream_t stream, absl::Duration max_hold,
                               absl::FunctionRef<cudaError_t()> call,
                               bool* held) {
  absl::StatusOr<StreamGate> gate = StreamGate::Hold(stream, max_hold);
  if (!gate.ok()) return AssertionFailure() << gate.status();
  const cudaError_t error = call();
  *held = !gate->timed_out();
  gate->Open();
  if (error != cudaSuccess) {
    return AssertionFailure()
           << "the call returned " << cudaGetErrorName(error);
  }
  if (const cudaError_t late = cudaDeviceSynchronize(); late != cudaSuccess) {
    return AssertionFailure()
           << "the held work ended with " << cudaGetErrorName(late);
  }
  return AssertionSuccess();
}

}  // namespace

void CudaTest::SetUp() {
  CONVEYOR_REQUIRE_DEVICES(1);
  ASSERT_CUDA(cudaSetDevice(0));
  static_cast<void>(cudaGetLastError());
}

void CudaTest::TearDown() {
  if (IsSkipped()) return;
  EXPECT_CUDA(cudaSetDevice(0));
  EXPECT_CUDA(cudaDeviceSynchronize());
  while (!created_.empty()) {
    created_.back().destroy();
    created_.pop_back();
  }
  static_cast<void>(cudaGetLastError());
}

cudaStream_t CudaTest::NonBlockingStream() {
  cudaStream_t stream = nullptr;
  EXPECT_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  created_.push_back(
      {stream, [stream] { EXPECT_CUDA(cudaStreamDestroy(stream)); }});
  return stream;
}

cudaStream_t CudaTest::BlockingStream() {
  cudaStream_t stream = nullptr;
  EXPECT_CUDA(cudaStreamCreate(&stream));
  created_.push_back(
      {stream, [stream] { EXPECT_CUDA(cudaStreamDestroy(stream)); }});
  return stream;
}

cudaEvent_t CudaTest::Event() {
  cudaEvent_t event = nullptr;
  EXPECT_CUDA(cudaEventCreate(&event));
  created_.push_back(
      {event, [event] { EXPECT_CUDA(cudaEventDestroy(event)); }});
  return event;
}

char* CudaTest::Device(size_t num_bytes) {
  void* memory = nullptr;
  EXPECT_CUDA(cudaMalloc(&memory, num_bytes));
  created_.push_back({memory, [memory] { EXPECT_CUDA(cudaFree(memory)); }});
  return static_cast<char*>(memory);
}

char* CudaTest::Pinned(size_t num_bytes) {
  void* memory = nullptr;
  EXPECT_CUDA(cudaHostAlloc(&memory, num_bytes, cudaHostAllocDefault));
  created_.push_back({memory, [memory] { EXPECT_CUDA(cudaFreeHost(memory)); }});
  return static_cast<char*>(memory);
}

char* CudaTest::Managed(size_t num_bytes) {
  void* memory = nullptr;
  EXPECT_CUDA(cudaMallocManaged(&memory, num_bytes, cudaMemAttachGlobal));
  created_.push_back({memory, [memory] { EXPECT_CUDA(cudaFree(memory)); }});
  return static_cast<char*>(memory);
}

char* CudaTest::Pageable(size_t num_bytes) {
  const size_t rounded = (num_bytes + kPage - 1) / kPage * kPage;
  void* const memory = std::aligned_alloc(kPage, rounded);
  EXPECT_NE(memory, nullptr);
  created_.push_back({memory, [memory] { std::free(memory); }});
  return static_cast<char*>(memory);
}

void CudaTest::Forget(const void* created) {
  const auto found =
      std::find_if(created_.begin(), created_.end(),
                   [&](const Created& each) { return each.handle == created; });
  ASSERT_NE(found, created_.end());
  created_.erase(found);
}

AssertionResult ReturnsWhileHeld(cudaStream_t stream,
                                 absl::FunctionRef<cudaError_t()> call) {
  bool held = false;
  AssertionResult result =
      CallBehindGate(stream, StreamGate::MaxHold(), call, &held);
  if (result && !held) {
    return AssertionFailure() << "the call waited for the held work";
  }
  return result;
}

AssertionResult WaitsWhileHeld(cudaStream_t stream,
                               absl::FunctionRef<cudaError_t()> call) {
  bool held = false;
  AssertionResult result =
      CallBehindGate(stream, absl::Milliseconds(100), call, &held);
  if (result && held) {
    return AssertionFailure() << "the call did not wait for the held work";
  }
  return result;
}

}  // namespace conveyor
