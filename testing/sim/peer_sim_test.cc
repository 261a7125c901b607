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

// Peer access: what it allows, and what copies do without.

#include <cuda_runtime.h>

#include <cstddef>
#include <string>
#include <thread>

#include "gtest/gtest.h"
#include "testing/sim/memory_range.h"
#include "testing/sim/sim.h"

namespace conveyor {
namespace sim {
namespace {

#define ASSERT_CUDA(call) ASSERT_EQ(call, cudaSuccess)
#define EXPECT_CUDA(call) EXPECT_EQ(call, cudaSuccess)

constexpr size_t kBytes = 4096;

class PeerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (int device = 1; device >= 0; --device) {
      ASSERT_CUDA(cudaSetDevice(device));
      ASSERT_CUDA(cudaMalloc(&memory_[device], kBytes));
      ASSERT_CUDA(cudaMemset(memory_[device], 10 + device, kBytes));
      ASSERT_CUDA(
          cudaStreamCreateWithFlags(&streams_[device], cudaStreamNonBlocking));
      ASSERT_CUDA(cudaDeviceSynchronize());
    }
  }

  void TearDown() override {
    // A corrupted device is good for nothing else.
    for (int device = 1; device >= 0; --device) {
      cudaSetDevice(device);
      EXPECT_CUDA(cudaDeviceReset());
    }
    cudaGetLastError();
  }

  // A kernel of `device` that copies all of one memory to another.
  cudaError_t CopyByKernel(int device, char* dst, const char* src) {
    EXPECT_CUDA(cudaSetDevice(device));
    const MemoryRange read = {src, kBytes};
    const MemoryRange written = {dst, kBytes};
    const cudaError_t launched = LaunchKernel(
        streams_[device],
        [dst, src] {
          for (size_t i = 0; i < kBytes; ++i) dst[i] = src[i];
        },
        &read, 1, &written, 1);
    if (launched != cudaSuccess) return launched;
    return cudaStreamSynchronize(streams_[device]);
  }

  char ByteOf(int device) {
    char value = 0;
    EXPECT_CUDA(cudaSetDevice(device));
    EXPECT_CUDA(cudaMemcpy(&value, memory_[device] + kBytes - 1, 1,
                           cudaMemcpyDeviceToHost));
    return value;
  }

  static int CanAccess(int device, int peer) {
    int can = -1;
    EXPECT_CUDA(cudaDeviceCanAccessPeer(&can, device, peer));
    return can;
  }

  static int Attribute(cudaDeviceP2PAttr attribute) {
    int value = -1;
    EXPECT_CUDA(cudaDeviceGetP2PAttribute(&value, attribute, 0, 1));
    return value;
  }

  char* memory_[2] = {};
  cudaStream_t streams_[2] = {};
};

// Of the machines with it and of those without, by profile.
bool HasPeers() { return ProfileName() != "pcie4x2"; }

TEST_F(PeerTest, TheProfileSaysWhetherDevicesReachEachOther) {
  EXPECT_EQ(CanAccess(0, 1), HasPeers());
  EXPECT_EQ(CanAccess(1, 0), HasPeers());
  EXPECT_EQ(CanAccess(0, 0), 0);
  EXPECT_EQ(Attribute(cudaDevP2PAttrAccessSupported), HasPeers());
  EXPECT_EQ(Attribute(cudaDevP2PAttrNativeAtomicSupported), HasPeers());
  int value = 0;
  EXPECT_EQ(cudaDeviceCanAccessPeer(&value, 0, 2), cudaErrorInvalidDevice);
  EXPECT_EQ(
      cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 0, 0),
      cudaErrorInvalidDevice);
}

TEST_F(PeerTest, IsEnabledOnceAndDisabledOnce) {
  if (!HasPeers()) GTEST_SKIP() << "no peer access on this machine";
  EXPECT_EQ(cudaDeviceEnablePeerAccess(1, 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaDeviceEnablePeerAccess(2, 0), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaDeviceDisablePeerAccess(1), cudaErrorPeerAccessNotEnabled);
  EXPECT_EQ(cudaGetLastError(), cudaErrorPeerAccessNotEnabled);
  EXPECT_CUDA(cudaDeviceEnablePeerAccess(1, 0));
  EXPECT_CUDA(cudaPeekAtLastError());
  EXPECT_EQ(cudaDeviceEnablePeerAccess(1, 0),
            cudaErrorPeerAccessAlreadyEnabled);
  // Kept as any other failure, in this thread only.
  cudaError_t other = cudaErrorUnknown;
  std::thread([&] { other = cudaPeekAtLastError(); }).join();
  EXPECT_CUDA(other);
  EXPECT_EQ(cudaGetLastError(), cudaErrorPeerAccessAlreadyEnabled);
  EXPECT_CUDA(cudaDeviceDisablePeerAccess(1));
  EXPECT_CUDA(cudaDeviceEnablePeerAccess(1, 0));
}

TEST_F(PeerTest, CannotBeEnabledWhereThereIsNone) {
  if (HasPeers()) GTEST_SKIP() << "peers reach each other on this machine";
  EXPECT_EQ(cudaDeviceEnablePeerAccess(1, 0), cudaErrorPeerAccessUnsupported);
  EXPECT_EQ(cudaGetLastError(), cudaErrorPeerAccessUnsupported);
}

TEST_F(PeerTest, AKernelReadsAndWritesAPeersMemoryOnceItIsEnabled) {
  if (!HasPeers()) GTEST_SKIP() << "no peer access on this machine";
  ASSERT_CUDA(cudaDeviceEnablePeerAccess(1, 0));
  EXPECT_CUDA(CopyByKernel(0, memory_[1], memory_[0]));
  EXPECT_EQ(ByteOf(1), 10);
  ASSERT_CUDA(cudaMemset(memory_[1], 12, kBytes));
  ASSERT_CUDA(cudaDeviceSynchronize());
  EXPECT_CUDA(CopyByKernel(0, memory_[0], memory_[1]));
  EXPECT_EQ(ByteOf(0), 12);
}

TEST_F(PeerTest, AKernelThatReadsWithoutAccessCorruptsItsDevice) {
  EXPECT_EQ(CopyByKernel(0, memory_[0], memory_[1]), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaGetLastError(), cudaErrorIllegalAddress);
  void* more = nullptr;
  EXPECT_EQ(cudaMalloc(&more, 1), cudaErrorIllegalAddress);
  // The other device is another context.
  EXPECT_EQ(ByteOf(1), 11);
}

TEST_F(PeerTest, AKernelThatWritesWithoutAccessWritesNothing) {
  EXPECT_EQ(CopyByKernel(0, memory_[1], memory_[0]), cudaErrorIllegalAddress);
  EXPECT_EQ(ByteOf(1), 11);
}

TEST_F(PeerTest, IsOfOneDirectionOnly) {
  if (!HasPeers()) GTEST_SKIP() << "no peer access on this machine";
  ASSERT_CUDA(cudaSetDevice(1));
  ASSERT_CUDA(cudaDeviceEnablePeerAccess(0, 0));
  EXPECT_CUDA(CopyByKernel(1, memory_[1], memory_[0]));
  EXPECT_EQ(CopyByKernel(0, memory_[0], memory_[1]), cudaErrorIllegalAddress);
}

TEST_F(PeerTest, EndsWhenItIsDisabled) {
  if (!HasPeers()) GTEST_SKIP() << "no peer access on this machine";
  ASSERT_CUDA(cudaDeviceEnablePeerAccess(1, 0));
  ASSERT_CUDA(CopyByKernel(0, memory_[0], memory_[1]));
  ASSERT_CUDA(cudaDeviceDisablePeerAccess(1));
  EXPECT_EQ(CopyByKernel(0, memory_[0], memory_[1]), cudaErrorIllegalAddress);
}

TEST_F(PeerTest, EndsWhenThePeerIsReset) {
  if (!HasPeers()) GTEST_SKIP() << "no peer access on this machine";
  ASSERT_CUDA(cudaDeviceEnablePeerAccess(1, 0));
  ASSERT_CUDA(cudaSetDevice(1));
  ASSERT_CUDA(cudaDeviceReset());
  ASSERT_CUDA(cudaSetDevice(0));
  EXPECT_CUDA(cudaDeviceEnablePeerAccess(1, 0));
}

TEST_F(PeerTest, CopiesWorkWithout) {
  ASSERT_CUDA(cudaMemcpyPeer(memory_[1], 1, memory_[0], 0, kBytes));
  ASSERT_CUDA(cudaDeviceSynchronize());
  EXPECT_EQ(ByteOf(1), 10);
  ASSERT_CUDA(cudaMemset(memory_[1], 13, kBytes));
  ASSERT_CUDA(cudaDeviceSynchronize());
  ASSERT_CUDA(cudaMemcpyAsync(memory_[0], memory_[1], kBytes, cudaMemcpyDefault,
                              streams_[0]));
  ASSERT_CUDA(cudaStreamSynchronize(streams_[0]));
  EXPECT_EQ(ByteOf(0), 13);
}

TEST_F(PeerTest, HostAndManagedMemoryNeedNone) {
  char* pinned = nullptr;
  char* managed = nullptr;
  ASSERT_CUDA(cudaSetDevice(1));
  ASSERT_CUDA(cudaMallocHost(&pinned, kBytes));
  ASSERT_CUDA(cudaMallocManaged(&managed, kBytes));
  EXPECT_CUDA(CopyByKernel(0, managed, memory_[0]));
  EXPECT_CUDA(CopyByKernel(0, pinned, managed));
  EXPECT_EQ(pinned[0], 10);
  ASSERT_CUDA(cudaFree(managed));
  ASSERT_CUDA(cudaFreeHost(pinned));
}

}  // namespace
}  // namespace sim
}  // namespace conveyor
