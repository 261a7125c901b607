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
//
// -----------------------------------------------------------------------------
// File: cuda_test.h
// -----------------------------------------------------------------------------
//
// The fixture of the conformance tests: one device, objects of CUDA that go
// when the test ends, and two questions about held work:
//
//   EXPECT_TRUE(ReturnsWhileHeld(stream, [&] { return cudaMalloc(&p, 1); }));
//   EXPECT_TRUE(WaitsWhileHeld(stream, [] { return cudaDeviceSynchronize();
//   }));

#ifndef CONVEYOR_TESTING_CONFORMANCE_CUDA_TEST_H_
#define CONVEYOR_TESTING_CONFORMANCE_CUDA_TEST_H_

#include <cuda_runtime_api.h>

#include <cstddef>
#include <functional>
#include <ostream>
#include <vector>

#include "absl/functional/function_ref.h"
#include "gtest/gtest.h"

#define EXPECT_CUDA(call) EXPECT_EQ(call, cudaSuccess)
#define ASSERT_CUDA(call) ASSERT_EQ(call, cudaSuccess)

// GoogleTest prints errors by name. It looks in the namespace of cudaError_t,
// which is the global one.
inline void PrintTo(cudaError_t error, std::ostream* os) {
  *os << cudaGetErrorName(error);
}

namespace conveyor {

// Device 0 is current and the thread has no last error when a test begins.
//
// Functions that create fail the test and return null if CUDA refuses. What
// they return is destroyed after the test, when the device is idle, unless it
// has been Forget()ten. Not thread-safe.
class CudaTest : public ::testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  // A stream that does not heed the legacy default stream, and one that does.
  cudaStream_t NonBlockingStream();
  cudaStream_t BlockingStream();
  // An event with timing.
  cudaEvent_t Event();

  // Memory of `num_bytes` bytes: of the current device, page-locked, managed,
  // and from malloc(), aligned to a page.
  char* Device(size_t num_bytes);
  char* Pinned(size_t num_bytes);
  char* Managed(size_t num_bytes);
  char* Pageable(size_t num_bytes);

  // Leaves what was created above to the test.
  void Forget(const void* created);

 private:
  struct Created {
    const void* handle;
    std::function<void()> destroy;
  };

  std::vector<Created> created_;
};

// Whether `call` succeeds, and returns while earlier work on `stream` is held.
// It has many seconds for that.
::testing::AssertionResult ReturnsWhileHeld(
    cudaStream_t stream, absl::FunctionRef<cudaError_t()> call);

// Whether `call` succeeds, and returns only after earlier work on `stream`,
// which is held for a tenth of a second. A machine that needs longer for a call
// that does not wait makes this true by mistake, never false.
::testing::AssertionResult WaitsWhileHeld(
    cudaStream_t stream, absl::FunctionRef<cudaError_t()> call);

}  // namespace conveyor

#endif  // CONVEYOR_TESTING_CONFORMANCE_CUDA_TEST_H_
