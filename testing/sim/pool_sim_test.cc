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

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <utility>

#include "gtest/gtest.h"
#include "testing/sim/memory_range.h"
#include "testing/sim/sim.h"

namespace conveyor {
namespace sim {
namespace {

#define ASSERT_CUDA(call) ASSERT_EQ(call, cudaSuccess)
#define EXPECT_CUDA(call) EXPECT_EQ(call, cudaSuccess)

constexpr size_t kBytes = 1 << 20;

cudaMemPoolProps PropertiesOf(int device) {
  cudaMemPoolProps props = {};
  props.allocType = cudaMemAllocationTypePinned;
  props.location = {cudaMemLocationTypeDevice, device};
  return props;
}

class PoolTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (int device = 1; device >= 0; --device) {
      ASSERT_CUDA(cudaSetDevice(device));
      ASSERT_CUDA(
          cudaStreamCreateWithFlags(&streams_[device], cudaStreamNonBlocking));
      ASSERT_CUDA(cudaDeviceGetDefaultMemPool(&default_[device], device));
    }
  }

  void TearDown() override {
    ClearFaults();
    for (int device = 1; device >= 0; --device) {
      cudaSetDevice(device);
      EXPECT_CUDA(cudaDeviceReset());
    }
    EXPECT_EQ(LiveHandles(), 0) << DescribeLiveHandles();
    cudaGetLastError();
  }

  static uint64_t Bytes(cudaMemPool_t pool, cudaMemPoolAttr attribute) {
    uint64_t value = 0;
    EXPECT_CUDA(cudaMemPoolGetAttribute(pool, attribute, &value));
    return value;
  }
  static uint64_t Used(cudaMemPool_t pool) {
    return Bytes(pool, cudaMemPoolAttrUsedMemCurrent);
  }
  static uint64_t Reserved(cudaMemPool_t pool) {
    return Bytes(pool, cudaMemPoolAttrReservedMemCurrent);
  }
  static size_t FreeBytes() {
    size_t free_bytes = 0;
    size_t total_bytes = 0;
    EXPECT_CUDA(cudaMemGetInfo(&free_bytes, &total_bytes));
    return free_bytes;
  }
  static cudaError_t SetAccess(cudaMemPool_t pool, int device,
                               cudaMemAccessFlags flags) {
    const cudaMemAccessDesc access = {{cudaMemLocationTypeDevice, device},
                                      flags};
    return cudaMemPoolSetAccess(pool, &access, 1);
  }
  static cudaMemAccessFlags Access(cudaMemPool_t pool, int device) {
    cudaMemLocation location = {cudaMemLocationTypeDevice, device};
    cudaMemAccessFlags flags = cudaMemAccessFlagsProtRead;
    EXPECT_CUDA(cudaMemPoolGetAccess(&flags, pool, &location));
    return flags;
  }

  // A kernel of `device` that reads a byte there.
  cudaError_t Touch(int device, const char* address) {
    EXPECT_CUDA(cudaSetDevice(device));
    const MemoryRange range = {address, 1};
    const cudaError_t launched = LaunchKernel(
        streams_[device], [] {}, &range, 1, nullptr, 0);
    if (launched != cudaSuccess) return launched;
    return cudaStreamSynchronize(streams_[device]);
  }

  cudaStream_t streams_[2] = {};
  cudaMemPool_t default_[2] = {};
};

TEST_F(PoolTest, EveryDeviceHasADefaultPoolThatIsCurrent) {
  EXPECT_NE(default_[0], default_[1]);
  for (int device = 0; device < 2; ++device) {
    cudaMemPool_t current = nullptr;
    ASSERT_CUDA(cudaDeviceGetMemPool(&current, device));
    EXPECT_EQ(current, default_[device]);
    EXPECT_EQ(Bytes(current, cudaMemPoolAttrReleaseThreshold), 0u);
    int reuse = 0;
    EXPECT_CUDA(cudaMemPoolGetAttribute(
        current, cudaMemPoolReuseAllowOpportunistic, &reuse));
    EXPECT_EQ(reuse, 1);
  }
  EXPECT_EQ(cudaMemPoolDestroy(default_[0]), cudaErrorInvalidValue);
  cudaMemPool_t none = nullptr;
  EXPECT_EQ(cudaDeviceGetDefaultMemPool(&none, 2), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaDeviceGetMemPool(&none, -1), cudaErrorInvalidValue);
}

TEST_F(PoolTest, AllocationIsOfTheStreamsDevice) {
  char* memory = nullptr;
  ASSERT_CUDA(cudaMallocAsync(&memory, kBytes, streams_[1]));
  cudaPointerAttributes attributes;
  ASSERT_CUDA(cudaPointerGetAttributes(&attributes, memory));
  EXPECT_EQ(attributes.type, cudaMemoryTypeDevice);
  EXPECT_EQ(attributes.device, 1);
  EXPECT_EQ(Used(default_[1]), kBytes);
  EXPECT_EQ(Used(default_[0]), 0u);
  ASSERT_CUDA(cudaFreeAsync(memory, streams_[1]));
}

TEST_F(PoolTest, FreedMemoryStaysReservedUntilSynchronizing) {
  const size_t before = FreeBytes();
  char* memory = nullptr;
  ASSERT_CUDA(cudaMallocAsync(&memory, kBytes, streams_[0]));
  EXPECT_EQ(FreeBytes(), before - kBytes);
  ASSERT_CUDA(cudaFreeAsync(memory, streams_[0]));
  ASSERT_CUDA(cudaStreamSynchronize(streams_[0]));
  EXPECT_EQ(Used(default_[0]), 0u);
  EXPECT_EQ(Reserved(default_[0]), 0u);
  EXPECT_EQ(FreeBytes(), before);
  EXPECT_EQ(Bytes(default_[0], cudaMemPoolAttrUsedMemHigh), kBytes);
  EXPECT_EQ(Bytes(default_[0], cudaMemPoolAttrReservedMemHigh), kBytes);
}

TEST_F(PoolTest, TheThresholdKeepsMemoryReserved) {
  uint64_t threshold = kBytes / 2;
  ASSERT_CUDA(cudaMemPoolSetAttribute(
      default_[0], cudaMemPoolAttrReleaseThreshold, &threshold));
  const size_t before = FreeBytes();
  char* memory = nullptr;
  ASSERT_CUDA(cudaMallocAsync(&memory, kBytes, streams_[0]));
  ASSERT_CUDA(cudaFreeAsync(memory, streams_[0]));
  ASSERT_CUDA(cudaStreamSynchronize(streams_[0]));
  EXPECT_EQ(Reserved(default_[0]), kBytes / 2);
  EXPECT_EQ(FreeBytes(), before - kBytes / 2);
  // What is reserved is used first.
  ASSERT_CUDA(cudaMallocAsync(&memory, kBytes / 4, streams_[0]));
  EXPECT_EQ(Reserved(default_[0]), kBytes / 2);
  ASSERT_CUDA(cudaMemPoolTrimTo(default_[0], 0));
  EXPECT_EQ(Reserved(default_[0]), kBytes / 4);
  EXPECT_EQ(FreeBytes(), before - kBytes / 4);
  ASSERT_CUDA(cudaFree(memory));
  EXPECT_EQ(Used(default_[0]), 0u);
}

TEST_F(PoolTest, UnusedReserveIsGivenToWhoeverNeedsIt) {
  uint64_t threshold = UINT64_MAX;
  ASSERT_CUDA(cudaMemPoolSetAttribute(
      default_[0], cudaMemPoolAttrReleaseThreshold, &threshold));
  SetFreeMemory(0, kBytes);
  char* memory = nullptr;
  ASSERT_CUDA(cudaMallocAsync(&memory, kBytes, streams_[0]));
  ASSERT_CUDA(cudaFreeAsync(memory, streams_[0]));
  ASSERT_CUDA(cudaStreamSynchronize(streams_[0]));
  EXPECT_EQ(FreeBytes(), 0u);
  ASSERT_CUDA(cudaMalloc(&memory, kBytes));
  EXPECT_EQ(Reserved(default_[0]), 0u);
  ASSERT_CUDA(cudaFree(memory));
}

TEST_F(PoolTest, AllocationWaitsForWhatHasBeenFreedInStreams) {
  for (uint64_t seed = 1; seed < 20; ++seed) {
    SetSeed(seed);
    SetFreeMemory(0, kBytes);
    char* memory = nullptr;
    ASSERT_CUDA(cudaMallocAsync(&memory, kBytes, streams_[0]));
    char* more = nullptr;
    ASSERT_EQ(cudaMallocAsync(&more, 1, streams_[0]),
              cudaErrorMemoryAllocation);
    EXPECT_EQ(more, nullptr);
    ASSERT_CUDA(cudaFreeAsync(memory, streams_[0]));
    ASSERT_CUDA(cudaMallocAsync(&more, kBytes, streams_[0])) << seed;
    ASSERT_CUDA(cudaFreeAsync(more, streams_[0]));
    ASSERT_CUDA(cudaStreamSynchronize(streams_[0]));
  }
  SetSeed(1);
}

TEST_F(PoolTest, HighWaterMarksAreReset) {
  char* memory = nullptr;
  ASSERT_CUDA(cudaMallocAsync(&memory, kBytes, streams_[0]));
  ASSERT_CUDA(cudaFreeAsync(memory, streams_[0]));
  ASSERT_CUDA(cudaStreamSynchronize(streams_[0]));
  uint64_t value = 1;
  EXPECT_EQ(
      cudaMemPoolSetAttribute(default_[0], cudaMemPoolAttrUsedMemHigh, &value),
      cudaErrorInvalidValue);
  value = 0;
  EXPECT_CUDA(
      cudaMemPoolSetAttribute(default_[0], cudaMemPoolAttrUsedMemHigh, &value));
  EXPECT_EQ(Bytes(default_[0], cudaMemPoolAttrUsedMemHigh), 0u);
  EXPECT_EQ(cudaMemPoolSetAttribute(default_[0], cudaMemPoolAttrUsedMemCurrent,
                                    &value),
            cudaErrorInvalidValue);
  int off = 0;
  EXPECT_CUDA(cudaMemPoolSetAttribute(
      default_[0], cudaMemPoolReuseFollowEventDependencies, &off));
  int read = 1;
  EXPECT_CUDA(cudaMemPoolGetAttribute(
      default_[0], cudaMemPoolReuseFollowEventDependencies, &read));
  EXPECT_EQ(read, 0);
}

TEST_F(PoolTest, AnotherPoolCanBeMadeCurrentAndOutlivesItsHandle) {
  const size_t before = FreeBytes();
  cudaMemPool_t pool = nullptr;
  cudaMemPoolProps props = PropertiesOf(0);
  props.maxSize = 2 * kBytes;
  ASSERT_CUDA(cudaMemPoolCreate(&pool, &props));
  EXPECT_EQ(cudaDeviceSetMemPool(1, pool), cudaErrorInvalidValue);
  ASSERT_CUDA(cudaDeviceSetMemPool(0, pool));
  char* one = nullptr;
  ASSERT_CUDA(cudaMallocAsync(&one, kBytes, streams_[0]));
  EXPECT_EQ(Used(pool), kBytes);
  EXPECT_EQ(Used(default_[0]), 0u);
  char* other = nullptr;
  EXPECT_EQ(cudaMallocAsync(&other, kBytes + 1, streams_[0]),
            cudaErrorMemoryAllocation);
  // By a stream of the other device.
  ASSERT_CUDA(cudaMallocFromPoolAsync(&other, kBytes, pool, streams_[1]));
  cudaPointerAttributes attributes;
  ASSERT_CUDA(cudaPointerGetAttributes(&attributes, other));
  EXPECT_EQ(attributes.device, 0);

  ASSERT_CUDA(cudaMemPoolDestroy(pool));
  EXPECT_EQ(cudaMemPoolDestroy(pool), cudaErrorInvalidValue);
  cudaMemPool_t current = nullptr;
  ASSERT_CUDA(cudaDeviceGetMemPool(&current, 0));
  EXPECT_EQ(current, default_[0]);
  EXPECT_CUDA(Touch(0, one));
  ASSERT_CUDA(cudaFreeAsync(one, streams_[0]));
  ASSERT_CUDA(cudaFreeAsync(other, streams_[1]));
  ASSERT_CUDA(cudaStreamSynchronize(streams_[0]));
  ASSERT_CUDA(cudaStreamSynchronize(streams_[1]));
  EXPECT_EQ(FreeBytes(), before);
}

TEST_F(PoolTest, WhatPoolsCannotBeIsRefused) {
  cudaMemPool_t pool = nullptr;
  cudaMemPoolProps props = PropertiesOf(2);
  EXPECT_EQ(cudaMemPoolCreate(&pool, &props), cudaErrorInvalidValue);
  props = PropertiesOf(0);
  props.reserved[53] = 1;
  EXPECT_EQ(cudaMemPoolCreate(&pool, &props), cudaErrorInvalidValue);
  props = PropertiesOf(0);
  props.allocType = cudaMemAllocationTypeManaged;
  EXPECT_EQ(cudaMemPoolCreate(&pool, &props), cudaErrorNotSupported);
  EXPECT_EQ(cudaMemPoolCreate(&pool, nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(pool, nullptr);
}

TEST_F(PoolTest, PeerAccessIsThePoolsOwnToGive) {
  char* memory = nullptr;
  ASSERT_CUDA(cudaMallocAsync(&memory, kBytes, streams_[1]));
  ASSERT_CUDA(cudaMemsetAsync(memory, 5, kBytes, streams_[1]));
  ASSERT_CUDA(cudaStreamSynchronize(streams_[1]));
  ASSERT_CUDA(cudaSetDevice(0));
  ASSERT_CUDA(cudaDeviceEnablePeerAccess(1, 0));
  EXPECT_EQ(Access(default_[1], 1), cudaMemAccessFlagsProtReadWrite);
  EXPECT_EQ(Access(default_[1], 0), cudaMemAccessFlagsProtNone);
  ASSERT_CUDA(SetAccess(default_[1], 0, cudaMemAccessFlagsProtReadWrite));
  EXPECT_EQ(Access(default_[1], 0), cudaMemAccessFlagsProtReadWrite);
  EXPECT_CUDA(Touch(0, memory));
  ASSERT_CUDA(SetAccess(default_[1], 0, cudaMemAccessFlagsProtNone));
  EXPECT_EQ(Touch(0, memory), cudaErrorIllegalAddress);
}

TEST_F(PoolTest, APlainCopyNeedsAccessAndAPeerCopyDoesNot) {
  char* remote = nullptr;
  char* local = nullptr;
  ASSERT_CUDA(cudaMallocAsync(&remote, kBytes, streams_[1]));
  ASSERT_CUDA(cudaMemsetAsync(remote, 6, kBytes, streams_[1]));
  ASSERT_CUDA(cudaStreamSynchronize(streams_[1]));
  ASSERT_CUDA(cudaMalloc(&local, kBytes));
  ASSERT_CUDA(cudaMemset(local, 0, kBytes));
  ASSERT_CUDA(cudaDeviceSynchronize());
  ASSERT_CUDA(cudaDeviceEnablePeerAccess(1, 0));
  for (const auto& [dst, src] : {std::pair<char*, char*>{local, remote},
                                 std::pair<char*, char*>{remote, local}}) {
    EXPECT_EQ(cudaMemcpyAsync(dst, src, kBytes, cudaMemcpyDeviceToDevice,
                              streams_[0]),
              cudaErrorInvalidValue);
  }
  EXPECT_CUDA(cudaMemcpyPeerAsync(local, 0, remote, 1, kBytes, streams_[0]));
  char value = 0;
  ASSERT_CUDA(cudaStreamSynchronize(streams_[0]));
  ASSERT_CUDA(cudaMemcpy(&value, local, 1, cudaMemcpyDeviceToHost));
  EXPECT_EQ(value, 6);
  ASSERT_CUDA(SetAccess(default_[1], 0, cudaMemAccessFlagsProtReadWrite));
  EXPECT_CUDA(cudaMemcpyAsync(remote, local, kBytes, cudaMemcpyDeviceToDevice,
                              streams_[0]));
  ASSERT_CUDA(cudaStreamSynchronize(streams_[0]));
  ASSERT_CUDA(cudaFree(local));
  ASSERT_CUDA(cudaFreeAsync(remote, streams_[1]));
}

TEST_F(PoolTest, WrongAccessIsRefused) {
  EXPECT_EQ(SetAccess(default_[0], 2, cudaMemAccessFlagsProtReadWrite),
            cudaErrorInvalidDevice);
  EXPECT_EQ(SetAccess(default_[0], 1, cudaMemAccessFlagsProtRead),
            cudaErrorNotSupported);
  EXPECT_EQ(SetAccess(default_[0], 0, cudaMemAccessFlagsProtNone),
            cudaErrorInvalidDevice);
  EXPECT_CUDA(SetAccess(default_[0], 0, cudaMemAccessFlagsProtReadWrite));
  // All or none of them.
  const cudaMemAccessDesc some[] = {
      {{cudaMemLocationTypeDevice, 1}, cudaMemAccessFlagsProtReadWrite},
      {{cudaMemLocationTypeDevice, 2}, cudaMemAccessFlagsProtReadWrite}};
  EXPECT_EQ(cudaMemPoolSetAccess(default_[0], some, 2), cudaErrorInvalidDevice);
  EXPECT_EQ(Access(default_[0], 1), cudaMemAccessFlagsProtNone);
}

}  // namespace
}  // namespace sim
}  // namespace conveyor
