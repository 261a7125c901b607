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

// What CUDA allocates and frees, and what it refuses to.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "gtest/gtest.h"
#include "testing/conformance/cuda_test.h"
#include "testing/pattern.h"
#include "testing/status_matchers.h"

namespace conveyor {
namespace {

constexpr size_t kBytes = 4096;
// More than any machine has.
constexpr size_t kTooMany = size_t{1} << 50;

void* const kUntouched = reinterpret_cast<void*>(uintptr_t{5});

using AllocationTest = CudaTest;

TEST_F(AllocationTest, NoBytesAreANullPointer) {
  void* memory = kUntouched;
  EXPECT_CUDA(cudaMalloc(&memory, 0));
  EXPECT_EQ(memory, nullptr);
  memory = kUntouched;
  EXPECT_CUDA(cudaHostAlloc(&memory, 0, cudaHostAllocDefault));
  EXPECT_EQ(memory, nullptr);
  EXPECT_CUDA(cudaMallocManaged(&memory, 0, cudaMemAttachGlobal));
}

TEST_F(AllocationTest, TooManyBytesAreOutOfMemory) {
  void* memory = nullptr;
  EXPECT_EQ(cudaMalloc(&memory, kTooMany), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaMallocHost(&memory, kTooMany), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
  // The error is of the call, not of the context.
  EXPECT_NE(Device(kBytes), nullptr);
  EXPECT_CUDA(cudaDeviceSynchronize());
}

TEST_F(AllocationTest, WrongArgumentsAreRefused) {
  void* memory = nullptr;
  EXPECT_EQ(cudaMalloc(static_cast<void**>(nullptr), 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaHostAlloc(&memory, 10, /*flags=*/0x100), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMallocManaged(&memory, 10, /*flags=*/0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMallocManaged(&memory, 10, cudaMemAttachSingle),
            cudaErrorInvalidValue);
}

TEST_F(AllocationTest, FreeingNullDoesNothing) {
  EXPECT_CUDA(cudaFree(nullptr));
  EXPECT_CUDA(cudaFreeHost(nullptr));
  EXPECT_CUDA(cudaFreeAsync(nullptr, NonBlockingStream()));
}

TEST_F(AllocationTest, CudaFreeTakesItsOwnAddressesOnly) {
  EXPECT_EQ(cudaFree(Device(kBytes) + 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(Pinned(kBytes)), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(Pageable(kBytes)), cudaErrorInvalidValue);
}

TEST_F(AllocationTest, CudaFreeHostTakesItsOwnAddressesOnly) {
  EXPECT_EQ(cudaFreeHost(Pinned(kBytes) + 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFreeHost(Device(kBytes)), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFreeHost(Pageable(kBytes)), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFreeHost(Managed(kBytes)), cudaErrorInvalidValue);

  char* const registered = Pageable(kBytes);
  ASSERT_CUDA(cudaHostRegister(registered, kBytes, cudaHostRegisterDefault));
  EXPECT_EQ(cudaFreeHost(registered), cudaErrorInvalidValue);
  EXPECT_CUDA(cudaHostUnregister(registered));
}

TEST_F(AllocationTest, FreeingTwiceIsAnError) {
  char* const device = Device(kBytes);
  char* const managed = Managed(kBytes);
  char* const pinned = Pinned(kBytes);
  Forget(device);
  Forget(managed);
  Forget(pinned);
  EXPECT_CUDA(cudaFree(device));
  EXPECT_EQ(cudaFree(device), cudaErrorInvalidValue);
  EXPECT_CUDA(cudaFree(managed));
  EXPECT_EQ(cudaFree(managed), cudaErrorInvalidValue);
  EXPECT_CUDA(cudaFreeHost(pinned));
  EXPECT_EQ(cudaFreeHost(pinned), cudaErrorInvalidValue);
}

TEST_F(AllocationTest, DeviceMemoryIsAlignedTo256Bytes) {
  for (const size_t num_bytes : {1, 100, 4097}) {
    EXPECT_EQ(reinterpret_cast<uintptr_t>(Device(num_bytes)) % 256, 0u);
  }
}

TEST_F(AllocationTest, AllocationsDoNotOverlap) {
  char* const first = Device(300);
  char* const second = Device(300);
  EXPECT_TRUE(first + 300 <= second || second + 300 <= first);
}

TEST_F(AllocationTest, PitchedRowsDoNotOverlap) {
  constexpr size_t kWidth = 100;
  constexpr size_t kHeight = 3;
  void* device = nullptr;
  size_t pitch = 0;
  ASSERT_CUDA(cudaMallocPitch(&device, &pitch, kWidth, kHeight));
  EXPECT_GE(pitch, kWidth);
  char rows[kHeight * kWidth];
  FillPattern(rows, sizeof(rows), /*seed=*/1);
  EXPECT_CUDA(cudaMemcpy2D(device, pitch, rows, kWidth, kWidth, kHeight,
                           cudaMemcpyHostToDevice));
  char result[kHeight * kWidth] = {};
  EXPECT_CUDA(cudaMemcpy2D(result, kWidth, device, pitch, kWidth, kHeight,
                           cudaMemcpyDeviceToHost));
  EXPECT_OK(VerifyPattern(result, sizeof(result), /*seed=*/1));
  EXPECT_CUDA(cudaFree(device));
}

TEST_F(AllocationTest, StreamOrderedMemoryIsDeviceMemory) {
  const cudaStream_t stream = NonBlockingStream();
  void* memory = nullptr;
  EXPECT_CUDA(cudaMallocAsync(&memory, 0, stream));
  ASSERT_CUDA(cudaMallocAsync(&memory, 100, stream));
  cudaPointerAttributes attributes = {};
  EXPECT_CUDA(cudaPointerGetAttributes(&attributes, memory));
  EXPECT_EQ(attributes.type, cudaMemoryTypeDevice);
  EXPECT_CUDA(cudaFree(memory));
}

TEST_F(AllocationTest, CudaFreeAsyncTakesMemoryOfCudaMalloc) {
  const cudaStream_t stream = NonBlockingStream();
  char* const device = Device(100);
  Forget(device);
  EXPECT_CUDA(cudaFreeAsync(device, stream));
  EXPECT_CUDA(cudaStreamSynchronize(stream));
}

TEST_F(AllocationTest, FreeMemoryIsNoMoreThanThereIs) {
  size_t free = 0;
  size_t total = 0;
  ASSERT_CUDA(cudaMemGetInfo(&free, &total));
  EXPECT_GT(free, 0u);
  EXPECT_LE(free, total);
  EXPECT_CUDA(cudaMemGetInfo(&free, nullptr));
}

}  // namespace
}  // namespace conveyor
