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

// What a test can have go wrong: delays, memory, links and peer writes.

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "testing/sim/memory_range.h"
#include "testing/sim/sim.h"

namespace conveyor {
namespace sim {
namespace {

#define ASSERT_CUDA(call) ASSERT_EQ(call, cudaSuccess)
#define EXPECT_CUDA(call) EXPECT_EQ(call, cudaSuccess)

constexpr int kHost = cudaCpuDeviceId;
constexpr size_t kPage = 4096;
constexpr size_t kBytes = 8 * kPage;
constexpr size_t kLarge = 16 << 20;
constexpr int64_t kMillisecond = 1000000;

class FaultsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(ProfileName(), "h200x2");
    for (int device = 1; device >= 0; --device) {
      ASSERT_CUDA(cudaSetDevice(device));
      ASSERT_CUDA(cudaMalloc(&memory_[device], kLarge));
      ASSERT_CUDA(
          cudaStreamCreateWithFlags(&streams_[device], cudaStreamNonBlocking));
      ASSERT_CUDA(cudaDeviceEnablePeerAccess(1 - device, 0));
    }
    ASSERT_CUDA(cudaMallocHost(&pinned_, kLarge));
    Fill(0, 'a');
    Fill(1, 'b');
  }

  void TearDown() override {
    ClearFaults();
    for (int device = 1; device >= 0; --device) {
      // A device with an error can do nothing else.
      cudaSetDevice(device);
      EXPECT_CUDA(cudaDeviceReset());
    }
    cudaGetLastError();
  }

  void Fill(int device, char value) {
    ASSERT_CUDA(cudaMemset(memory_[device], value, kBytes));
    ASSERT_CUDA(cudaStreamSynchronize(nullptr));
  }

  // What the owner itself finds in its memory.
  std::string Owned(int device) { return Read(memory_[device]); }
  std::string Read(const char* memory) {
    std::string bytes(kBytes, '?');
    EXPECT_CUDA(cudaMemcpy(&bytes[0], memory, kBytes, cudaMemcpyDeviceToHost));
    return bytes;
  }

  // A kernel of `device` that copies from one memory to another.
  cudaError_t CopyByKernel(int device, char* dst, const char* src) {
    EXPECT_CUDA(cudaSetDevice(device));
    const MemoryRange read = {src, kBytes};
    const MemoryRange written = {dst, kBytes};
    const cudaError_t launched = LaunchKernel(
        streams_[device], [dst, src] { std::copy(src, src + kBytes, dst); },
        &read, 1, &written, 1);
    EXPECT_CUDA(launched);
    return cudaStreamSynchronize(streams_[device]);
  }

  // A copy between the devices, in a stream of `device`.
  cudaError_t PeerCopy(int dst, int src, int device) {
    const cudaError_t enqueued = cudaMemcpyPeerAsync(
        memory_[dst], dst, memory_[src], src, kBytes, streams_[device]);
    return enqueued != cudaSuccess ? enqueued
                                   : cudaStreamSynchronize(streams_[device]);
  }

  cudaError_t Upload(char* dst, const char* src, size_t size) {
    const cudaError_t enqueued =
        cudaMemcpyAsync(dst, src, size, cudaMemcpyHostToDevice, streams_[0]);
    return enqueued != cudaSuccess ? enqueued
                                   : cudaStreamSynchronize(streams_[0]);
  }

  // How long it takes by the host's clock.
  template <typename Work>
  static double NsOf(Work work) {
    const int64_t start = HostNowNs();
    work();
    return static_cast<double>(HostNowNs() - start);
  }

  char* memory_[2] = {};
  cudaStream_t streams_[2] = {};
  char* pinned_ = nullptr;
};

std::string All(char value) { return std::string(kBytes, value); }

TEST_F(FaultsTest, ACallIsDelayed) {
  DelayNth("cudaMalloc", 100 * kMillisecond, 2);
  const auto allocate = [] {
    void* memory = nullptr;
    EXPECT_CUDA(cudaMalloc(&memory, 1));
    EXPECT_CUDA(cudaFree(memory));
  };
  EXPECT_LT(NsOf(allocate), kMillisecond);
  const double delayed = NsOf(allocate);
  EXPECT_GE(delayed, 100 * kMillisecond);
  EXPECT_LT(delayed, 101 * kMillisecond);
  EXPECT_LT(NsOf(allocate), kMillisecond);
}

TEST_F(FaultsTest, ACallIsDelayedAndFails) {
  DelayNth("cudaMalloc", kMillisecond, 1);
  FailNth("cudaMalloc", cudaErrorMemoryAllocation, 1);
  EXPECT_GE(NsOf([] {
              void* memory = nullptr;
              EXPECT_EQ(cudaMalloc(&memory, 1), cudaErrorMemoryAllocation);
            }),
            kMillisecond);
}

TEST_F(FaultsTest, AnOperationIsDelayed) {
  const auto upload = [this] {
    EXPECT_CUDA(Upload(memory_[0], pinned_, kBytes));
  };
  const double usual = NsOf(upload);
  DelayNthOperation(Operation::kCopy, 5 * kMillisecond, 2);
  // Other kinds do not count.
  ASSERT_CUDA(cudaMemsetAsync(memory_[0], 0, kBytes, streams_[0]));
  ASSERT_CUDA(cudaStreamSynchronize(streams_[0]));
  EXPECT_NEAR(NsOf(upload), usual, 100);
  EXPECT_NEAR(NsOf(upload), usual + 5 * kMillisecond, 100);
  EXPECT_NEAR(NsOf(upload), usual, 100);
}

TEST_F(FaultsTest, EveryKindCanBeDelayed) {
  cudaEvent_t event = nullptr;
  ASSERT_CUDA(cudaEventCreate(&event));
  const auto all = [&] {
    const cudaStream_t stream = streams_[0];
    ASSERT_CUDA(cudaMemsetAsync(memory_[0], 0, kBytes, stream));
    ASSERT_CUDA(LaunchKernel(
        stream, [] {}, nullptr, 0, nullptr, 0));
    ASSERT_CUDA(cudaLaunchHostFunc(
        stream, [](void*) {}, nullptr));
    ASSERT_CUDA(cudaEventRecord(event, stream));
    ASSERT_CUDA(cudaStreamWaitEvent(stream, event, 0));
    ASSERT_CUDA(cudaStreamSynchronize(stream));
  };
  const double usual = NsOf(all);
  for (const Operation kind :
       {Operation::kSet, Operation::kKernel, Operation::kHostFunction,
        Operation::kEventRecord, Operation::kEventWait}) {
    DelayNthOperation(kind, kMillisecond, 1);
    // Some of what it takes otherwise is now in the shadow of the delay.
    EXPECT_NEAR(NsOf(all), usual + kMillisecond, 5000)
        << static_cast<int>(kind);
  }
  ASSERT_CUDA(cudaEventDestroy(event));
}

// With any seed: a slot that is used again without a wait shows.
TEST_F(FaultsTest, ADelayedOperationHasItsEffectLate) {
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    SetSeed(seed);
    pinned_[0] = 1;
    DelayNthOperation(Operation::kCopy, kMillisecond, 1);
    ASSERT_CUDA(cudaMemcpyAsync(memory_[0], pinned_, 1, cudaMemcpyHostToDevice,
                                streams_[0]));
    for (int i = 0; i < 10; ++i) {
      ASSERT_CUDA(cudaMemsetAsync(memory_[0] + kPage, 0, 1, streams_[0]));
    }
    pinned_[0] = 2;
    ASSERT_CUDA(cudaStreamSynchronize(streams_[0]));
    char found = 0;
    ASSERT_CUDA(cudaMemcpy(&found, memory_[0], 1, cudaMemcpyDeviceToHost));
    EXPECT_EQ(found, 2) << seed;
    EXPECT_NE(TakeHazards(), "");
  }
}

TEST_F(FaultsTest, HostMemoryRunsOut) {
  SetFreeHostMemory(1 << 20);
  char* first = nullptr;
  char* second = nullptr;
  ASSERT_CUDA(cudaMallocHost(&first, 1 << 19));
  EXPECT_EQ(cudaHostAlloc(&second, (1 << 19) + 1, 0),
            cudaErrorMemoryAllocation);
  EXPECT_EQ(second, nullptr);
  std::vector<char> pageable((1 << 19) + 1);
  EXPECT_EQ(cudaHostRegister(pageable.data(), pageable.size(), 0),
            cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
  ASSERT_CUDA(cudaHostRegister(pageable.data(), 1 << 19, 0));
  EXPECT_EQ(cudaMallocHost(&second, 1), cudaErrorMemoryAllocation);
  // What is given back can be had again.
  ASSERT_CUDA(cudaHostUnregister(pageable.data()));
  ASSERT_CUDA(cudaMallocHost(&second, 1 << 19));
  ClearFaults();
  char* third = nullptr;
  ASSERT_CUDA(cudaMallocHost(&third, 1 << 20));
  for (char* memory : {first, second, third}) {
    ASSERT_CUDA(cudaFreeHost(memory));
  }
}

TEST_F(FaultsTest, ABrokenNvlinkStaysWithTheDevice) {
  BreakLink(0, 1);
  int can = 0;
  EXPECT_CUDA(cudaDeviceCanAccessPeer(&can, 0, 1));
  EXPECT_EQ(can, 1);
  // The other way is whole.
  EXPECT_CUDA(PeerCopy(0, 1, 0));
  EXPECT_EQ(Owned(0), All('b'));
  EXPECT_EQ(PeerCopy(1, 0, 0), cudaErrorNvlinkUncorrectable);
  void* memory = nullptr;
  EXPECT_EQ(cudaMalloc(&memory, 1), cudaErrorNvlinkUncorrectable);
  ClearFaults();
  EXPECT_EQ(cudaMalloc(&memory, 1), cudaErrorNvlinkUncorrectable);
  // The other device goes on, and got nothing.
  EXPECT_CUDA(cudaSetDevice(1));
  EXPECT_EQ(Owned(1), All('b'));
  cudaSetDevice(0);
  EXPECT_CUDA(cudaDeviceReset());
  EXPECT_CUDA(cudaMalloc(&memory, 1));
}

TEST_F(FaultsTest, ABrokenNvlinkFailsKernels) {
  BreakLink(0, 1);
  EXPECT_EQ(CopyByKernel(0, memory_[1], memory_[0]),
            cudaErrorNvlinkUncorrectable);
  cudaGetLastError();
  EXPECT_CUDA(cudaSetDevice(1));
  EXPECT_EQ(Owned(1), All('b'));
}

TEST_F(FaultsTest, ABrokenSlotFailsCopiesOfAnyMemory) {
  std::vector<char> pageable(kLarge);
  for (const char* host : {pinned_, pageable.data()}) {
    BreakLink(kHost, 1);
    EXPECT_CUDA(Upload(memory_[0], host, kLarge));
    BreakLink(kHost, 0);
    EXPECT_EQ(Upload(memory_[0], host, kLarge), cudaErrorLaunchFailure);
    ClearFaults();
    EXPECT_CUDA(cudaDeviceReset());
    EXPECT_CUDA(cudaMalloc(&memory_[0], kLarge));
    EXPECT_CUDA(cudaMallocHost(&pinned_, kLarge));
    EXPECT_CUDA(cudaStreamCreate(&streams_[0]));
  }
  BreakLink(kHost, 0);
  EXPECT_EQ(
      cudaMemcpy(memory_[0], pageable.data(), 100, cudaMemcpyHostToDevice),
      cudaErrorLaunchFailure);
}

TEST_F(FaultsTest, ABrokenSlotFailsCopiesBetweenDevicesByWayOfTheHost) {
  BreakLink(0, kHost);
  EXPECT_CUDA(PeerCopy(1, 0, 0));
  ASSERT_CUDA(cudaDeviceDisablePeerAccess(1));
  ASSERT_CUDA(cudaSetDevice(1));
  ASSERT_CUDA(cudaDeviceDisablePeerAccess(0));
  EXPECT_CUDA(PeerCopy(0, 1, 1));
  EXPECT_EQ(PeerCopy(1, 0, 1), cudaErrorLaunchFailure);
}

TEST_F(FaultsTest, ASlowSlotIsSlowOneWay) {
  std::vector<char> pageable(kLarge);
  const auto upload = [this] { Upload(memory_[0], pinned_, kLarge); };
  const auto upload_pageable = [&] {
    cudaMemcpy(memory_[0], pageable.data(), kLarge, cudaMemcpyHostToDevice);
  };
  const auto download = [this] {
    cudaMemcpy(pinned_, memory_[0], kLarge, cudaMemcpyDeviceToHost);
  };
  const auto download_pageable = [&] {
    cudaMemcpy(pageable.data(), memory_[0], kLarge, cudaMemcpyDeviceToHost);
  };
  const double up = NsOf(upload);
  const double down = NsOf(download);
  const double pageable_up = NsOf(upload_pageable);
  const double pageable_down = NsOf(download_pageable);
  SlowLink(kHost, 0, 0.25);
  EXPECT_NEAR(NsOf(upload) / up, 4, 0.1);
  EXPECT_NEAR(NsOf(download) / down, 1, 0.01);
  // A quarter of 55 GB/s is more than pageable memory gets.
  EXPECT_NEAR(NsOf(upload_pageable) / pageable_up, 1, 0.03);
  SlowLink(kHost, 0, 0.05);
  EXPECT_NEAR(NsOf(upload_pageable) / pageable_up, 7.75 / (55 * 0.05), 0.1);
  SlowLink(0, kHost, 0.1);
  EXPECT_NEAR(NsOf(download) / down, 10, 0.3);
  EXPECT_NEAR(NsOf(download_pageable) / pageable_down, 15.4 / 5.53, 0.1);
  ClearFaults();
  EXPECT_NEAR(NsOf(upload) / up, 1, 0.01);
  EXPECT_NEAR(NsOf(download) / down, 1, 0.01);
}

TEST_F(FaultsTest, ASlowNvlinkIsThatOfAPairOneWay) {
  const auto copy = [this](int dst, int src) {
    return NsOf([&] {
      ASSERT_CUDA(cudaMemcpyPeerAsync(memory_[dst], dst, memory_[src], src,
                                      kLarge, streams_[0]));
      ASSERT_CUDA(cudaStreamSynchronize(streams_[0]));
    });
  };
  const double usual = copy(1, 0);
  SlowLink(0, 1, 0.01);
  EXPECT_NEAR(copy(1, 0), kLarge / 3.93, 0.02 * kLarge / 3.93);
  EXPECT_NEAR(copy(0, 1) / usual, 1, 0.01);
  SlowLink(0, 1, 0.02);
  EXPECT_NEAR(copy(1, 0), kLarge / 7.86, 0.02 * kLarge / 7.86);
  ClearFaults();
  EXPECT_NEAR(copy(1, 0) / usual, 1, 0.01);
}

TEST_F(FaultsTest, ALinkFlipsBytes) {
  CorruptLink(0, 1, Damage::kFlip, 1, 1000);
  ASSERT_CUDA(PeerCopy(1, 0, 0));
  std::string expected = All('a');
  for (size_t i = 999; i < kBytes; i += 1000) {
    expected[i] = static_cast<char>(~'a');
  }
  EXPECT_EQ(Owned(1), expected);
  // Not the other way, nor with a copy that it does not carry.
  Fill(1, 'c');
  ASSERT_CUDA(PeerCopy(0, 1, 0));
  EXPECT_EQ(Owned(0), All('c'));
}

TEST_F(FaultsTest, ALinkDropsPages) {
  CorruptLink(0, 1, Damage::kDrop, kPage, 3);
  ASSERT_CUDA(PeerCopy(1, 0, 1));
  std::string expected = All('a');
  for (size_t i = 2 * kPage; i < kBytes; i += 3 * kPage) {
    expected.replace(i, kPage, kPage, 'b');
  }
  EXPECT_EQ(Owned(1), expected);
}

TEST_F(FaultsTest, ALinkDamagesWhatKernelsWrite) {
  CorruptLink(0, 1, Damage::kDrop, 1, 1);
  ASSERT_CUDA(CopyByKernel(0, memory_[1], memory_[0]));
  EXPECT_EQ(Owned(1), All('b'));
  CorruptLink(0, kHost, Damage::kFlip, 1, 1);
  ASSERT_CUDA(CopyByKernel(0, pinned_, memory_[0]));
  EXPECT_EQ(std::string(pinned_, kBytes), All(static_cast<char>(~'a')));
  // In its own memory it does what it should.
  ASSERT_CUDA(CopyByKernel(0, memory_[0] + kBytes, memory_[0]));
  ClearFaults();
  EXPECT_EQ(Read(memory_[0] + kBytes), All('a'));
}

TEST_F(FaultsTest, ASlotDamagesCopiesOfAnyMemory) {
  CorruptLink(kHost, 0, Damage::kFlip, kPage, 2);
  std::string expected = All('x');
  for (size_t i = kPage; i < kBytes; i += 2 * kPage) {
    expected.replace(i, kPage, kPage, static_cast<char>(~'x'));
  }
  const std::string pageable = All('x');
  std::fill(pinned_, pinned_ + kBytes, 'x');
  for (const char* host :
       {static_cast<const char*>(pinned_), pageable.data()}) {
    Fill(0, 'a');
    ASSERT_CUDA(Upload(memory_[0], host, kBytes));
    EXPECT_EQ(Owned(0), expected);
  }
  // Rows with a gap between them count as if there were none.
  Fill(0, 'a');
  ASSERT_CUDA(cudaMemcpy2D(memory_[0], 2 * kPage, pinned_, kPage, kPage, 4,
                           cudaMemcpyHostToDevice));
  EXPECT_EQ(Owned(0)[0], 'x');
  EXPECT_EQ(Owned(0)[kPage], 'a');
  EXPECT_EQ(Owned(0)[2 * kPage], static_cast<char>(~'x'));
  EXPECT_EQ(Owned(0)[4 * kPage], 'x');
}

// What disabled peer access puts right: the copy goes another way.
TEST_F(FaultsTest, ACopyByWayOfTheHostIsNotDamagedByTheDirectLink) {
  CorruptLink(0, 1, Damage::kDrop, 1, 1);
  ASSERT_CUDA(PeerCopy(1, 0, 0));
  EXPECT_EQ(Owned(1), All('b'));
  ASSERT_CUDA(cudaDeviceDisablePeerAccess(1));
  ASSERT_CUDA(cudaSetDevice(1));
  ASSERT_CUDA(cudaDeviceDisablePeerAccess(0));
  ASSERT_CUDA(PeerCopy(1, 0, 0));
  EXPECT_EQ(Owned(1), All('a'));
}

TEST_F(FaultsTest, PeerWritesAreLost) {
  SetPeerWrites(0, 1, PeerWrites::kLost);
  ASSERT_CUDA(CopyByKernel(0, memory_[1], memory_[0]));
  EXPECT_EQ(Owned(1), All('b'));
  ASSERT_CUDA(PeerCopy(1, 0, 0));
  EXPECT_EQ(Owned(1), All('b'));
  // The writer sees that too.
  ASSERT_CUDA(CopyByKernel(0, memory_[0] + kBytes, memory_[1]));
  EXPECT_EQ(Read(memory_[0] + kBytes), All('b'));
  // Not the other way.
  ASSERT_CUDA(CopyByKernel(1, memory_[0], memory_[1]));
  EXPECT_EQ(Owned(0), All('b'));
}

TEST_F(FaultsTest, PeerWritesAreMirrored) {
  SetPeerWrites(0, 1, PeerWrites::kMirrored);
  ASSERT_CUDA(CopyByKernel(0, memory_[1], memory_[0]));
  // The owner has the old bytes; the writer reads its own.
  EXPECT_EQ(Owned(1), All('b'));
  ASSERT_CUDA(CopyByKernel(0, memory_[0] + kBytes, memory_[1]));
  EXPECT_EQ(Read(memory_[0] + kBytes), All('a'));
  EXPECT_EQ(Owned(1), All('b'));
  // By copies as well.
  ASSERT_CUDA(cudaMemset(memory_[0], 'z', kBytes));
  ASSERT_CUDA(cudaStreamSynchronize(nullptr));
  ASSERT_CUDA(PeerCopy(1, 0, 0));
  EXPECT_EQ(Owned(1), All('b'));
  Fill(0, 'q');
  ASSERT_CUDA(PeerCopy(0, 1, 0));
  EXPECT_EQ(Owned(0), All('z'));
  // What the owner's kernels read is the memory.
  ASSERT_CUDA(CopyByKernel(1, memory_[0], memory_[1]));
  EXPECT_EQ(Owned(0), All('b'));
  ClearFaults();
  ASSERT_CUDA(CopyByKernel(0, memory_[0], memory_[1]));
  EXPECT_EQ(Owned(0), All('b'));
}

TEST_F(FaultsTest, APeerWriteOfAPartLeavesTheRest) {
  SetPeerWrites(0, 1, PeerWrites::kMirrored);
  char* const dst = memory_[1] + kPage + 100;
  const MemoryRange written = {dst, 10};
  ASSERT_CUDA(LaunchKernel(
      streams_[0], [dst] { std::fill(dst, dst + 10, 'w'); }, nullptr, 0,
      &written, 1));
  ASSERT_CUDA(cudaStreamSynchronize(streams_[0]));
  EXPECT_EQ(Owned(1), All('b'));
  ASSERT_CUDA(PeerCopy(0, 1, 0));
  std::string expected = All('b');
  expected.replace(kPage + 100, 10, 10, 'w');
  EXPECT_EQ(Owned(0), expected);
}

TEST_F(FaultsTest, ACopyByWayOfTheHostArrives) {
  ASSERT_CUDA(cudaDeviceDisablePeerAccess(1));
  ASSERT_CUDA(cudaSetDevice(1));
  ASSERT_CUDA(cudaDeviceDisablePeerAccess(0));
  SetPeerWrites(0, 1, PeerWrites::kMirrored);
  ASSERT_CUDA(PeerCopy(1, 0, 0));
  EXPECT_EQ(Owned(1), All('a'));
}

TEST_F(FaultsTest, ClearFaultsTakesAllBack) {
  FailNth("cudaFree", cudaErrorUnknown, 1);
  DelayNth("cudaFree", kMillisecond, 1);
  DelayNthOperation(Operation::kCopy, kMillisecond, 1);
  SetFreeMemory(0, 0);
  SetFreeHostMemory(0);
  BreakLink(0, 1);
  CorruptLink(1, 0, Damage::kDrop, 1, 1);
  SetPeerWrites(1, 0, PeerWrites::kLost);
  ClearFaults();
  EXPECT_LT(NsOf([&] {
              void* memory = nullptr;
              EXPECT_CUDA(cudaMalloc(&memory, kBytes));
              EXPECT_CUDA(cudaFree(memory));
              EXPECT_CUDA(cudaMallocHost(&memory, 1));
              EXPECT_CUDA(cudaFreeHost(memory));
              EXPECT_CUDA(PeerCopy(1, 0, 0));
              Fill(1, 'c');
              EXPECT_CUDA(PeerCopy(0, 1, 0));
            }),
            kMillisecond);
  EXPECT_EQ(Owned(0), All('c'));
}

}  // namespace
}  // namespace sim
}  // namespace conveyor
