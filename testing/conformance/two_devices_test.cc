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

// Two devices: current device, streams and events of another one, peer copies.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstring>
#include <thread>

#include "gtest/gtest.h"
#include "testing/conformance/cuda_test.h"
#include "testing/devices.h"
#include "testing/pattern.h"
#include "testing/status_matchers.h"
#include "testing/stream_gate.h"

namespace conveyor {
namespace {

constexpr size_t kBytes = size_t{1} << 20;

class TwoDevicesTest : public CudaTest {
 protected:
  void SetUp() override {
    CONVEYOR_REQUIRE_DEVICES(2);
    ASSERT_NO_FATAL_FAILURE(CudaTest::SetUp());
    pinned_ = Pinned(kBytes);
    result_ = Pageable(kBytes);
    std::memset(result_, 0, kBytes);
    device0_ = Device(kBytes);
    stream0_ = NonBlockingStream();
    event0_ = Event();
    ASSERT_CUDA(cudaSetDevice(1));
    device1_ = Device(kBytes);
    stream1_ = NonBlockingStream();
    event1_ = Event();
    ASSERT_CUDA(cudaSetDevice(0));
  }

  void TearDown() override {
    if (IsSkipped()) return;
    EXPECT_CUDA(cudaSetDevice(1));
    EXPECT_CUDA(cudaDeviceSynchronize());
    CudaTest::TearDown();
  }

  // Fills `device` with the pattern `seed`.
  void Write(char* device, int seed) {
    FillPattern(pinned_, kBytes, seed);
    ASSERT_CUDA(cudaMemcpy(device, pinned_, kBytes, cudaMemcpyHostToDevice));
  }

  // Whether `device` has the pattern `seed`, once `stream` is done.
  void ExpectHas(const char* device, int seed, cudaStream_t stream) {
    ASSERT_CUDA(cudaMemcpyAsync(result_, device, kBytes, cudaMemcpyDeviceToHost,
                                stream));
    ASSERT_CUDA(cudaStreamSynchronize(stream));
    EXPECT_OK(VerifyPattern(result_, kBytes, seed));
  }

  // Whether each device can reach the other's memory directly.
  static bool ArePeers() {
    int there = 0;
    int back = 0;
    EXPECT_CUDA(cudaDeviceCanAccessPeer(&there, 0, 1));
    EXPECT_CUDA(cudaDeviceCanAccessPeer(&back, 1, 0));
    return there != 0 && back != 0;
  }

  char* pinned_ = nullptr;
  char* result_ = nullptr;
  char* device0_ = nullptr;
  char* device1_ = nullptr;
  cudaStream_t stream0_ = nullptr;
  cudaStream_t stream1_ = nullptr;
  cudaEvent_t event0_ = nullptr;
  cudaEvent_t event1_ = nullptr;
};

TEST_F(TwoDevicesTest, TheCurrentDeviceIsEachThreadsOwn) {
  std::thread([] { EXPECT_CUDA(cudaSetDevice(1)); }).join();
  int device = -1;
  EXPECT_CUDA(cudaGetDevice(&device));
  EXPECT_EQ(device, 0);

  ASSERT_CUDA(cudaSetDevice(1));
  std::thread([] {
    int device = -1;
    EXPECT_CUDA(cudaGetDevice(&device));
    EXPECT_EQ(device, 0);
  }).join();
}

TEST_F(TwoDevicesTest, MemoryAndStreamsKnowTheirDevice) {
  cudaPointerAttributes attributes = {};
  EXPECT_CUDA(cudaPointerGetAttributes(&attributes, device0_));
  EXPECT_EQ(attributes.device, 0);
  EXPECT_CUDA(cudaPointerGetAttributes(&attributes, device1_));
  EXPECT_EQ(attributes.device, 1);
  int device = -1;
  EXPECT_CUDA(cudaStreamGetDevice(stream0_, &device));
  EXPECT_EQ(device, 0);
  EXPECT_CUDA(cudaStreamGetDevice(stream1_, &device));
  EXPECT_EQ(device, 1);
}

TEST_F(TwoDevicesTest,
       PinnedMemoryBelongsToTheDeviceCurrentWhenItWasAllocated) {
  ASSERT_CUDA(cudaSetDevice(1));
  char* const pinned = Pinned(kBytes);
  ASSERT_CUDA(cudaSetDevice(0));
  cudaPointerAttributes attributes = {};
  EXPECT_CUDA(cudaPointerGetAttributes(&attributes, pinned));
  EXPECT_EQ(attributes.type, cudaMemoryTypeHost);
  EXPECT_EQ(attributes.device, 1);
}

TEST_F(TwoDevicesTest, PciBusIdsTellDevicesApart) {
  char first[64] = "";
  char second[64] = "";
  ASSERT_CUDA(cudaDeviceGetPCIBusId(first, sizeof(first), 0));
  ASSERT_CUDA(cudaDeviceGetPCIBusId(second, sizeof(second), 1));
  EXPECT_STRNE(first, second);
  int device = -1;
  EXPECT_CUDA(cudaDeviceGetByPCIBusId(&device, second));
  EXPECT_EQ(device, 1);
}

TEST_F(TwoDevicesTest, ACopyRunsOnTheDeviceOfItsStream) {
  FillPattern(pinned_, kBytes, /*seed=*/1);
  ASSERT_CUDA(cudaMemcpyAsync(device1_, pinned_, kBytes, cudaMemcpyHostToDevice,
                              stream1_));
  ExpectHas(device1_, /*seed=*/1, stream1_);
}

TEST_F(TwoDevicesTest, PinnedMemoryIsPinnedForAllDevices) {
  FillPattern(pinned_, kBytes, /*seed=*/2);
  EXPECT_TRUE(ReturnsWhileHeld(stream0_, [&] {
    EXPECT_CUDA(cudaMemcpyAsync(device1_, pinned_, kBytes,
                                cudaMemcpyHostToDevice, stream1_));
    return cudaStreamSynchronize(stream1_);
  }));
  ExpectHas(device1_, /*seed=*/2, stream1_);
}

TEST_F(TwoDevicesTest, SynchronizingADeviceLeavesTheOtherPending) {
  ASSERT_CUDA(cudaSetDevice(1));
  ASSERT_OK_AND_ASSIGN(StreamGate gate, StreamGate::Hold(stream1_));
  ASSERT_CUDA(cudaSetDevice(0));
  EXPECT_CUDA(cudaDeviceSynchronize());
  EXPECT_EQ(cudaStreamQuery(stream1_), cudaErrorNotReady);
  EXPECT_FALSE(gate.timed_out());
}

TEST_F(TwoDevicesTest, EachDeviceHasItsOwnLegacyStream) {
  const cudaStream_t blocking0 = BlockingStream();
  ASSERT_OK_AND_ASSIGN(StreamGate gate, StreamGate::Hold(blocking0));
  EXPECT_EQ(cudaStreamQuery(nullptr), cudaErrorNotReady);
  ASSERT_CUDA(cudaSetDevice(1));
  EXPECT_CUDA(cudaStreamQuery(nullptr));
  EXPECT_FALSE(gate.timed_out());
}

TEST_F(TwoDevicesTest, AnEventIsRecordedOnStreamsOfItsOwnDeviceOnly) {
  EXPECT_EQ(cudaEventRecord(event0_, stream1_), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventRecord(event1_, stream0_), cudaErrorInvalidResourceHandle);
  EXPECT_CUDA(cudaEventRecord(event1_, stream1_));
}

TEST_F(TwoDevicesTest, AnEventAnswersWhateverDeviceIsCurrent) {
  ASSERT_CUDA(cudaSetDevice(1));
  ASSERT_OK_AND_ASSIGN(StreamGate gate, StreamGate::Hold(stream1_));
  ASSERT_CUDA(cudaSetDevice(0));
  ASSERT_CUDA(cudaEventRecord(event1_, stream1_));
  EXPECT_EQ(cudaEventQuery(event1_), cudaErrorNotReady);
  EXPECT_FALSE(gate.timed_out());
  gate.Open();
  EXPECT_CUDA(cudaEventSynchronize(event1_));
  EXPECT_CUDA(cudaEventQuery(event1_));
}

TEST_F(TwoDevicesTest, EventsOfTwoDevicesHaveNoTimeBetweenThem) {
  ASSERT_CUDA(cudaEventRecord(event0_, stream0_));
  ASSERT_CUDA(cudaEventRecord(event1_, stream1_));
  ASSERT_CUDA(cudaEventSynchronize(event0_));
  ASSERT_CUDA(cudaEventSynchronize(event1_));
  float ms = 0;
  // CUDA does not say which error it is.
  EXPECT_NE(cudaEventElapsedTime(&ms, event0_, event1_), cudaSuccess);
}

TEST_F(TwoDevicesTest, AStreamWaitsForAnEventOfAnotherDevice) {
  for (int i = 0; i < 20; ++i) {
    FillPattern(pinned_, kBytes, /*seed=*/i);
    ASSERT_CUDA(cudaMemcpyAsync(device0_, pinned_, kBytes,
                                cudaMemcpyHostToDevice, stream0_));
    ASSERT_CUDA(cudaEventRecord(event0_, stream0_));
    ASSERT_CUDA(cudaStreamWaitEvent(stream1_, event0_, 0));
    ASSERT_CUDA(
        cudaMemcpyPeerAsync(device1_, 1, device0_, 0, kBytes, stream1_));
    ExpectHas(device1_, /*seed=*/i, stream1_);
    if (HasFailure()) break;
  }
}

TEST_F(TwoDevicesTest, PeerCopiesMoveBytesBothWays) {
  Write(device0_, /*seed=*/1);
  ASSERT_CUDA(cudaDeviceSynchronize());
  ASSERT_CUDA(cudaMemcpyPeerAsync(device1_, 1, device0_, 0, kBytes, stream0_));
  ASSERT_CUDA(cudaStreamSynchronize(stream0_));
  ExpectHas(device1_, /*seed=*/1, stream1_);

  FillPattern(pinned_, kBytes, /*seed=*/2);
  ASSERT_CUDA(cudaMemcpyAsync(device1_, pinned_, kBytes, cudaMemcpyHostToDevice,
                              stream1_));
  ASSERT_CUDA(cudaMemcpyPeerAsync(device0_, 0, device1_, 1, kBytes, stream1_));
  ASSERT_CUDA(cudaStreamSynchronize(stream1_));
  ExpectHas(device0_, /*seed=*/2, stream0_);
}

// The addresses say which devices are meant.
TEST_F(TwoDevicesTest, APlainCopyMovesBytesBetweenDevices) {
  Write(device0_, /*seed=*/3);
  ASSERT_CUDA(cudaDeviceSynchronize());
  ASSERT_CUDA(
      cudaMemcpyAsync(device1_, device0_, kBytes, cudaMemcpyDefault, stream0_));
  ASSERT_CUDA(cudaStreamSynchronize(stream0_));
  ExpectHas(device1_, /*seed=*/3, stream1_);

  Write(device0_, /*seed=*/4);
  ASSERT_CUDA(cudaDeviceSynchronize());
  ASSERT_CUDA(cudaMemcpyAsync(device1_, device0_, kBytes,
                              cudaMemcpyDeviceToDevice, stream0_));
  ASSERT_CUDA(cudaStreamSynchronize(stream0_));
  ExpectHas(device1_, /*seed=*/4, stream1_);
}

TEST_F(TwoDevicesTest, PeerAccessIsEnabledAndDisabledOnce) {
  if (!ArePeers()) {
    EXPECT_EQ(cudaDeviceEnablePeerAccess(1, 0), cudaErrorPeerAccessUnsupported);
    return;
  }
  EXPECT_EQ(cudaDeviceDisablePeerAccess(1), cudaErrorPeerAccessNotEnabled);
  EXPECT_EQ(cudaDeviceEnablePeerAccess(1, /*flags=*/1), cudaErrorInvalidValue);
  EXPECT_CUDA(cudaDeviceEnablePeerAccess(1, 0));
  EXPECT_EQ(cudaDeviceEnablePeerAccess(1, 0),
            cudaErrorPeerAccessAlreadyEnabled);
  EXPECT_CUDA(cudaDeviceDisablePeerAccess(1));
  EXPECT_EQ(cudaDeviceDisablePeerAccess(1), cudaErrorPeerAccessNotEnabled);
}

// What is enabled is the current device's access to the other, not both ways.
TEST_F(TwoDevicesTest, PeerAccessIsOneWay) {
  if (!ArePeers()) {
    EXPECT_EQ(cudaDeviceEnablePeerAccess(1, 0), cudaErrorPeerAccessUnsupported);
    return;
  }
  ASSERT_CUDA(cudaDeviceEnablePeerAccess(1, 0));
  ASSERT_CUDA(cudaSetDevice(1));
  EXPECT_EQ(cudaDeviceDisablePeerAccess(0), cudaErrorPeerAccessNotEnabled);
  ASSERT_CUDA(cudaSetDevice(0));
  EXPECT_CUDA(cudaDeviceDisablePeerAccess(1));
}

TEST_F(TwoDevicesTest, PeerCopiesMoveBytesWithAccessEnabledToo) {
  if (ArePeers()) {
    ASSERT_CUDA(cudaDeviceEnablePeerAccess(1, 0));
  }
  Write(device0_, /*seed=*/5);
  ASSERT_CUDA(cudaDeviceSynchronize());
  EXPECT_CUDA(cudaMemcpyPeerAsync(device1_, 1, device0_, 0, kBytes, stream0_));
  EXPECT_CUDA(cudaStreamSynchronize(stream0_));
  ExpectHas(device1_, /*seed=*/5, stream1_);
  if (ArePeers()) {
    EXPECT_CUDA(cudaDeviceDisablePeerAccess(1));
  }
}

TEST_F(TwoDevicesTest, AccessToAPoolIsGivenWherePeersAre) {
  cudaMemPool_t pool = nullptr;
  ASSERT_CUDA(cudaDeviceGetDefaultMemPool(&pool, 1));
  cudaMemLocation location = {cudaMemLocationTypeDevice, 0};
  auto flags = cudaMemAccessFlagsProtReadWrite;
  EXPECT_CUDA(cudaMemPoolGetAccess(&flags, pool, &location));
  EXPECT_EQ(flags, cudaMemAccessFlagsProtNone);
  cudaMemAccessDesc access = {location, cudaMemAccessFlagsProtReadWrite};
  if (!ArePeers()) {
    EXPECT_EQ(cudaMemPoolSetAccess(pool, &access, 1), cudaErrorInvalidDevice);
    return;
  }
  EXPECT_CUDA(cudaMemPoolSetAccess(pool, &access, 1));
  EXPECT_CUDA(cudaMemPoolGetAccess(&flags, pool, &location));
  EXPECT_EQ(flags, cudaMemAccessFlagsProtReadWrite);
  access.flags = cudaMemAccessFlagsProtNone;
  EXPECT_CUDA(cudaMemPoolSetAccess(pool, &access, 1));
}

TEST_F(TwoDevicesTest, APlainCopyOfAPoolWithoutAccessIsRefused) {
  void* remote = nullptr;
  ASSERT_CUDA(cudaMallocAsync(&remote, kBytes, stream1_));
  ASSERT_CUDA(cudaStreamSynchronize(stream1_));
  EXPECT_EQ(
      cudaMemcpyAsync(device0_, remote, kBytes, cudaMemcpyDefault, stream0_),
      cudaErrorInvalidValue);
  EXPECT_CUDA(cudaFreeAsync(remote, stream1_));
}

TEST_F(TwoDevicesTest, APeerCopyOfAPoolNeedsNoAccess) {
  void* remote = nullptr;
  ASSERT_CUDA(cudaMallocAsync(&remote, kBytes, stream1_));
  FillPattern(pinned_, kBytes, /*seed=*/6);
  ASSERT_CUDA(cudaMemcpyAsync(remote, pinned_, kBytes, cudaMemcpyHostToDevice,
                              stream1_));
  ASSERT_CUDA(cudaStreamSynchronize(stream1_));
  EXPECT_CUDA(cudaMemcpyPeerAsync(device0_, 0, remote, 1, kBytes, stream0_));
  ExpectHas(device0_, /*seed=*/6, stream0_);
  EXPECT_CUDA(cudaFreeAsync(remote, stream1_));
}

TEST_F(TwoDevicesTest, ABatchCopiesBetweenDevices) {
  Write(device0_, /*seed=*/7);
  ASSERT_CUDA(cudaDeviceSynchronize());
  void* dst = device1_;
  const void* src = device0_;
  size_t size = kBytes;
  size_t first = 0;
  cudaMemcpyAttributes attributes = {};
  attributes.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  EXPECT_CUDA(cudaMemcpyBatchAsync(&dst, &src, &size, 1, &attributes, &first, 1,
                                   stream0_));
  EXPECT_CUDA(cudaStreamSynchronize(stream0_));
  ExpectHas(device1_, /*seed=*/7, stream1_);
}

TEST_F(TwoDevicesTest, AccessorsAreReadBackByTheirNumber) {
  int concurrent = 0;
  ASSERT_CUDA(cudaDeviceGetAttribute(&concurrent,
                                     cudaDevAttrConcurrentManagedAccess, 0));
  if (concurrent == 0) GTEST_SKIP() << "no concurrent managed access";
  char* const managed = Managed(kBytes);
  for (const int device : {1, 0}) {
    ASSERT_CUDA(cudaMemAdvise(managed, kBytes, cudaMemAdviseSetAccessedBy,
                              {cudaMemLocationTypeDevice, device}));
  }
  int places[3] = {};
  EXPECT_CUDA(cudaMemRangeGetAttribute(places, sizeof(places),
                                       cudaMemRangeAttributeAccessedBy, managed,
                                       kBytes));
  EXPECT_EQ(places[0], 0);
  EXPECT_EQ(places[1], 1);
  EXPECT_EQ(places[2], cudaInvalidDeviceId);
}

TEST_F(TwoDevicesTest, MemoryIsFreedWhateverDeviceIsCurrent) {
  ASSERT_CUDA(cudaSetDevice(1));
  char* const device = Device(kBytes);
  ASSERT_CUDA(cudaSetDevice(0));
  Forget(device);
  EXPECT_CUDA(cudaFree(device));
  cudaPointerAttributes attributes = {};
  EXPECT_CUDA(cudaPointerGetAttributes(&attributes, device));
  EXPECT_EQ(attributes.type, cudaMemoryTypeUnregistered);
}

}  // namespace
}  // namespace conveyor
