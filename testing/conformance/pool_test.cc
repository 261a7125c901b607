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

// Stream-ordered allocation, and the pools that it takes memory from.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "gtest/gtest.h"
#include "testing/conformance/cuda_test.h"
#include "testing/pattern.h"
#include "testing/status_matchers.h"

namespace conveyor {
namespace {

constexpr size_t kBytes = size_t{1} << 20;
// More than any machine has.
constexpr size_t kTooMany = size_t{1} << 50;

class PoolTest : public CudaTest {
 protected:
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(CudaTest::SetUp());
    if (IsSkipped()) return;
    stream_ = NonBlockingStream();
    other_ = NonBlockingStream();
    ASSERT_CUDA(cudaDeviceGetDefaultMemPool(&default_, 0));
  }

  // Memory of the current pool, for the test to free.
  char* Allocate(size_t num_bytes = kBytes) {
    void* memory = nullptr;
    EXPECT_CUDA(cudaMallocAsync(&memory, num_bytes, stream_));
    return static_cast<char*>(memory);
  }

  static cudaMemPoolProps PropertiesOf(int device) {
    cudaMemPoolProps props = {};
    props.allocType = cudaMemAllocationTypePinned;
    props.location = {cudaMemLocationTypeDevice, device};
    return props;
  }

  static uint64_t Value(cudaMemPool_t pool, cudaMemPoolAttr attribute) {
    uint64_t value = 0;
    EXPECT_CUDA(cudaMemPoolGetAttribute(pool, attribute, &value));
    return value;
  }

  cudaError_t SetAccess(cudaMemLocation location, cudaMemAccessFlags flags) {
    const cudaMemAccessDesc access = {location, flags};
    return cudaMemPoolSetAccess(default_, &access, 1);
  }

  cudaStream_t stream_ = nullptr;
  cudaStream_t other_ = nullptr;
  cudaMemPool_t default_ = nullptr;
};

TEST_F(PoolTest, TheDefaultPoolIsCurrentAndKeepsNothing) {
  cudaMemPool_t current = nullptr;
  EXPECT_CUDA(cudaDeviceGetMemPool(&current, 0));
  EXPECT_EQ(current, default_);
  EXPECT_EQ(Value(default_, cudaMemPoolAttrReleaseThreshold), 0u);
}

TEST_F(PoolTest, ReuseIsAllowedByDefault) {
  for (const cudaMemPoolAttr attribute :
       {cudaMemPoolReuseFollowEventDependencies,
        cudaMemPoolReuseAllowOpportunistic,
        cudaMemPoolReuseAllowInternalDependencies}) {
    int value = 9;
    EXPECT_CUDA(cudaMemPoolGetAttribute(default_, attribute, &value));
    EXPECT_EQ(value, 1) << attribute;
  }
}

TEST_F(PoolTest, UsedBytesAreThoseAllocated) {
  const uint64_t before = Value(default_, cudaMemPoolAttrUsedMemCurrent);
  char* const memory = Allocate();
  EXPECT_EQ(Value(default_, cudaMemPoolAttrUsedMemCurrent), before + kBytes);
  EXPECT_CUDA(cudaFreeAsync(memory, stream_));
  EXPECT_CUDA(cudaStreamSynchronize(stream_));
  EXPECT_EQ(Value(default_, cudaMemPoolAttrUsedMemCurrent), before);
}

TEST_F(PoolTest, WhatIsReservedGoesWhenTheStreamIsSynchronized) {
  char* const memory = Allocate();
  EXPECT_GE(Value(default_, cudaMemPoolAttrReservedMemCurrent), kBytes);
  EXPECT_CUDA(cudaFreeAsync(memory, stream_));
  EXPECT_CUDA(cudaStreamSynchronize(stream_));
  EXPECT_EQ(Value(default_, cudaMemPoolAttrReservedMemCurrent), 0u);
}

TEST_F(PoolTest, CountersAreReadAndOnlyHighWaterMarksAreReset) {
  uint64_t zero = 0;
  EXPECT_CUDA(
      cudaMemPoolSetAttribute(default_, cudaMemPoolAttrUsedMemHigh, &zero));
  EXPECT_EQ(
      cudaMemPoolSetAttribute(default_, cudaMemPoolAttrUsedMemCurrent, &zero),
      cudaErrorInvalidValue);
  uint64_t one = 1;
  EXPECT_EQ(cudaMemPoolSetAttribute(default_, cudaMemPoolAttrUsedMemHigh, &one),
            cudaErrorInvalidValue);
}

TEST_F(PoolTest, MemoryIsUsableOnItsStreamAtOnce) {
  char* const pinned = Pinned(kBytes);
  char* const result = Pinned(kBytes);
  FillPattern(pinned, kBytes, /*seed=*/1);
  std::memset(result, 0, kBytes);
  char* const memory = Allocate();
  EXPECT_CUDA(
      cudaMemcpyAsync(memory, pinned, kBytes, cudaMemcpyHostToDevice, stream_));
  EXPECT_CUDA(
      cudaMemcpyAsync(result, memory, kBytes, cudaMemcpyDeviceToHost, stream_));
  EXPECT_CUDA(cudaFreeAsync(memory, stream_));
  EXPECT_CUDA(cudaStreamSynchronize(stream_));
  EXPECT_OK(VerifyPattern(result, kBytes, /*seed=*/1));
}

TEST_F(PoolTest, FreeingReturns) {
  char* const memory = Allocate();
  EXPECT_TRUE(ReturnsWhileHeld(stream_,
                               [&] { return cudaFreeAsync(memory, stream_); }));
}

TEST_F(PoolTest, MemoryMayBeFreedOnAnotherStream) {
  char* const memory = Allocate();
  EXPECT_CUDA(cudaStreamSynchronize(stream_));
  EXPECT_CUDA(cudaFreeAsync(memory, other_));
  EXPECT_CUDA(cudaStreamSynchronize(other_));
}

TEST_F(PoolTest, CudaFreeTakesItOnce) {
  char* const memory = Allocate();
  EXPECT_CUDA(cudaFree(memory));
  EXPECT_EQ(cudaFree(memory), cudaErrorInvalidValue);
}

TEST_F(PoolTest, CudaFreeAfterCudaFreeAsyncIsAnError) {
  char* const memory = Allocate();
  EXPECT_CUDA(cudaFreeAsync(memory, stream_));
  EXPECT_CUDA(cudaStreamSynchronize(stream_));
  EXPECT_EQ(cudaFree(memory), cudaErrorInvalidValue);
}

TEST_F(PoolTest, CudaFreeHostDoesNotTakeIt) {
  char* const memory = Allocate();
  EXPECT_EQ(cudaFreeHost(memory), cudaErrorInvalidValue);
  EXPECT_CUDA(cudaFreeAsync(memory, stream_));
}

TEST_F(PoolTest, CudaFreeAsyncTakesTheirOwnAddressesOnly) {
  char* const memory = Allocate();
  EXPECT_EQ(cudaFreeAsync(memory + 256, stream_), cudaErrorInvalidValue);
  EXPECT_CUDA(cudaFreeAsync(memory, stream_));
}

TEST_F(PoolTest, CudaFreeAsyncTakesNoHostMemory) {
  EXPECT_EQ(cudaFreeAsync(Pinned(kBytes), stream_), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFreeAsync(Pageable(kBytes), stream_), cudaErrorInvalidValue);
}

TEST_F(PoolTest, CudaFreeAsyncTakesNoManagedMemory) {
  char* const managed = Managed(kBytes);
  const cudaError_t error = cudaFreeAsync(managed, stream_);
  EXPECT_EQ(error, cudaErrorNotSupported);
  if (error == cudaSuccess) Forget(managed);
}

TEST_F(PoolTest, FreedMemoryIsUnregisteredOnceTheStreamIsSynchronized) {
  char* const memory = Allocate();
  EXPECT_CUDA(cudaFreeAsync(memory, stream_));
  EXPECT_CUDA(cudaStreamSynchronize(stream_));
  cudaPointerAttributes attributes = {};
  EXPECT_CUDA(cudaPointerGetAttributes(&attributes, memory));
  EXPECT_EQ(attributes.type, cudaMemoryTypeUnregistered);
}

TEST_F(PoolTest, TooManyBytesAreOutOfMemory) {
  void* memory = nullptr;
  EXPECT_EQ(cudaMallocAsync(&memory, kTooMany, stream_),
            cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
  EXPECT_CUDA(cudaStreamSynchronize(stream_));
}

TEST_F(PoolTest, NoBytesAreANullPointer) {
  void* memory = &memory;
  EXPECT_CUDA(cudaMallocAsync(&memory, 0, stream_));
  EXPECT_EQ(memory, nullptr);
}

// Each call has its own error.
TEST_F(PoolTest, ADeviceThatIsNotThereHasNoPool) {
  cudaMemPool_t pool = nullptr;
  EXPECT_EQ(cudaDeviceGetDefaultMemPool(&pool, 99), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaDeviceGetMemPool(&pool, -1), cudaErrorInvalidValue);
  const cudaMemPoolProps nowhere = PropertiesOf(99);
  EXPECT_EQ(cudaMemPoolCreate(&pool, &nowhere), cudaErrorInvalidValue);
}

// It is the call that makes the difference, not the number.
TEST_F(PoolTest, EveryNumberOfNoDeviceGivesTheSameErrors) {
  cudaMemPool_t pool = nullptr;
  EXPECT_EQ(cudaDeviceGetDefaultMemPool(&pool, -1), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaDeviceGetMemPool(&pool, 99), cudaErrorInvalidValue);
  const cudaMemPoolProps nowhere = PropertiesOf(-1);
  EXPECT_EQ(cudaMemPoolCreate(&pool, &nowhere), cudaErrorInvalidValue);
}

TEST_F(PoolTest, ADeviceThatIsNotThereIsGivenNoPool) {
  EXPECT_EQ(cudaDeviceSetMemPool(99, default_), cudaErrorInvalidValue);
  EXPECT_EQ(cudaDeviceSetMemPool(-1, default_), cudaErrorInvalidValue);
}

TEST_F(PoolTest, APoolOfNoKnownTypeIsRefused) {
  cudaMemPool_t pool = nullptr;
  cudaMemPoolProps props = PropertiesOf(0);
  props.allocType = cudaMemAllocationTypeInvalid;
  EXPECT_EQ(cudaMemPoolCreate(&pool, &props), cudaErrorInvalidValue);
}

TEST_F(PoolTest, ReservedPropertiesAreZero) {
  cudaMemPool_t pool = nullptr;
  cudaMemPoolProps props = PropertiesOf(0);
  props.reserved[53] = 1;
  const cudaError_t error = cudaMemPoolCreate(&pool, &props);
  EXPECT_EQ(error, cudaErrorInvalidValue);
  if (error == cudaSuccess) {
    EXPECT_CUDA(cudaMemPoolDestroy(pool));
  }
}

TEST_F(PoolTest, ABoundedPoolRunsOut) {
  cudaMemPool_t pool = nullptr;
  cudaMemPoolProps props = PropertiesOf(0);
  props.maxSize = size_t{32} << 20;
  ASSERT_CUDA(cudaMemPoolCreate(&pool, &props));
  void* memory = nullptr;
  EXPECT_CUDA(cudaMallocFromPoolAsync(&memory, kBytes, pool, stream_));
  void* more = nullptr;
  EXPECT_EQ(cudaMallocFromPoolAsync(&more, size_t{64} << 20, pool, stream_),
            cudaErrorMemoryAllocation);
  EXPECT_CUDA(cudaFreeAsync(memory, stream_));
  EXPECT_CUDA(cudaStreamSynchronize(stream_));
  EXPECT_CUDA(cudaMemPoolDestroy(pool));
}

TEST_F(PoolTest, MemoryOutlivesItsPool) {
  cudaMemPool_t pool = nullptr;
  const cudaMemPoolProps props = PropertiesOf(0);
  ASSERT_CUDA(cudaMemPoolCreate(&pool, &props));
  void* memory = nullptr;
  ASSERT_CUDA(cudaMallocFromPoolAsync(&memory, kBytes, pool, stream_));
  EXPECT_CUDA(cudaMemPoolDestroy(pool));
  EXPECT_CUDA(cudaMemsetAsync(memory, 1, kBytes, stream_));
  EXPECT_CUDA(cudaFreeAsync(memory, stream_));
  EXPECT_CUDA(cudaStreamSynchronize(stream_));
}

TEST_F(PoolTest, DestroyingTheCurrentPoolMakesTheDefaultOneCurrent) {
  cudaMemPool_t pool = nullptr;
  const cudaMemPoolProps props = PropertiesOf(0);
  ASSERT_CUDA(cudaMemPoolCreate(&pool, &props));
  ASSERT_CUDA(cudaDeviceSetMemPool(0, pool));
  EXPECT_CUDA(cudaMemPoolDestroy(pool));
  cudaMemPool_t current = nullptr;
  EXPECT_CUDA(cudaDeviceGetMemPool(&current, 0));
  EXPECT_EQ(current, default_);
}

TEST_F(PoolTest, TheDefaultPoolCannotBeDestroyed) {
  EXPECT_EQ(cudaMemPoolDestroy(default_), cudaErrorInvalidValue);
}

TEST_F(PoolTest, ADeviceReachesItsOwnPool) {
  cudaMemLocation location = {cudaMemLocationTypeDevice, 0};
  auto flags = cudaMemAccessFlagsProtNone;
  EXPECT_CUDA(cudaMemPoolGetAccess(&flags, default_, &location));
  EXPECT_EQ(flags, cudaMemAccessFlagsProtReadWrite);
}

TEST_F(PoolTest, ADevicesAccessToItsOwnPoolMayBeGivenAgain) {
  EXPECT_CUDA(SetAccess({cudaMemLocationTypeDevice, 0},
                        cudaMemAccessFlagsProtReadWrite));
}

TEST_F(PoolTest, ADevicesAccessToItsOwnPoolCannotBeTaken) {
  EXPECT_EQ(
      SetAccess({cudaMemLocationTypeDevice, 0}, cudaMemAccessFlagsProtNone),
      cudaErrorInvalidDevice);
}

TEST_F(PoolTest, ReadOnlyAccessIsRefused) {
  EXPECT_EQ(
      SetAccess({cudaMemLocationTypeDevice, 0}, cudaMemAccessFlagsProtRead),
      cudaErrorNotSupported);
}

TEST_F(PoolTest, AccessOfADeviceThatIsNotThereIsRefused) {
  EXPECT_EQ(SetAccess({cudaMemLocationTypeDevice, 99},
                      cudaMemAccessFlagsProtReadWrite),
            cudaErrorInvalidDevice);
  EXPECT_EQ(SetAccess({cudaMemLocationTypeDevice, -1},
                      cudaMemAccessFlagsProtReadWrite),
            cudaErrorInvalidDevice);
}

TEST_F(PoolTest, AccessOfTheHostIsRefused) {
  EXPECT_EQ(
      SetAccess({cudaMemLocationTypeHost, 0}, cudaMemAccessFlagsProtReadWrite),
      cudaErrorNotSupported);
}

TEST_F(PoolTest, AccessOfANodeIsRefused) {
  EXPECT_EQ(SetAccess({cudaMemLocationTypeHostNuma, 0},
                      cudaMemAccessFlagsProtReadWrite),
            cudaErrorNotSupported);
}

TEST_F(PoolTest, AskingForAccessOfADeviceThatIsNotThereIsRefused) {
  cudaMemLocation location = {cudaMemLocationTypeDevice, 99};
  auto flags = cudaMemAccessFlagsProtNone;
  EXPECT_EQ(cudaMemPoolGetAccess(&flags, default_, &location),
            cudaErrorInvalidValue);
}

TEST_F(PoolTest, TheHostMayBeAskedForItsAccess) {
  cudaMemLocation location = {cudaMemLocationTypeHost, 0};
  auto flags = cudaMemAccessFlagsProtNone;
  EXPECT_CUDA(cudaMemPoolGetAccess(&flags, default_, &location));
}

TEST_F(PoolTest, TheHostHasNoAccess) {
  cudaMemLocation location = {cudaMemLocationTypeHost, 0};
  auto flags = cudaMemAccessFlagsProtReadWrite;
  EXPECT_CUDA(cudaMemPoolGetAccess(&flags, default_, &location));
  EXPECT_EQ(flags, cudaMemAccessFlagsProtNone);
}

TEST_F(PoolTest, AllocatingBesideACaptureInvalidatesIt) {
  ASSERT_CUDA(cudaStreamBeginCapture(other_, cudaStreamCaptureModeGlobal));
  void* memory = nullptr;
  EXPECT_EQ(cudaMallocAsync(&memory, kBytes, stream_),
            cudaErrorStreamCaptureUnsupported);
  cudaGraph_t graph = nullptr;
  EXPECT_EQ(cudaStreamEndCapture(other_, &graph),
            cudaErrorStreamCaptureInvalidated);
}

TEST_F(PoolTest, FreeingBesideACaptureInvalidatesIt) {
  char* const memory = Allocate();
  ASSERT_CUDA(cudaStreamBeginCapture(other_, cudaStreamCaptureModeGlobal));
  EXPECT_EQ(cudaFreeAsync(memory, stream_), cudaErrorStreamCaptureUnsupported);
  cudaGraph_t graph = nullptr;
  EXPECT_EQ(cudaStreamEndCapture(other_, &graph),
            cudaErrorStreamCaptureInvalidated);
  EXPECT_CUDA(cudaFreeAsync(memory, stream_));
}

TEST_F(PoolTest, AllocatingBesideARelaxedCaptureLeavesItValid) {
  ASSERT_CUDA(cudaStreamBeginCapture(other_, cudaStreamCaptureModeRelaxed));
  char* const memory = Allocate();
  EXPECT_CUDA(cudaFreeAsync(memory, stream_));
  cudaGraph_t graph = nullptr;
  EXPECT_CUDA(cudaStreamEndCapture(other_, &graph));
  EXPECT_CUDA(cudaGraphDestroy(graph));
}

TEST_F(PoolTest, NullIsNoPool) {
  void* memory = nullptr;
  EXPECT_EQ(cudaMallocFromPoolAsync(&memory, kBytes, nullptr, stream_),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemPoolTrimTo(nullptr, 0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemPoolDestroy(nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaDeviceSetMemPool(0, nullptr), cudaErrorInvalidValue);
}

TEST_F(PoolTest, AllocatingToNowhereIsRefused) {
  EXPECT_EQ(cudaMallocAsync(static_cast<void**>(nullptr), kBytes, stream_),
            cudaErrorInvalidValue);
}

}  // namespace
}  // namespace conveyor
