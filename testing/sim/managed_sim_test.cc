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

// Managed memory: advice, prefetching and what they make of time.

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "testing/sim/memory_range.h"
#include "testing/sim/sim.h"

namespace conveyor {
namespace sim {
namespace {

using ::testing::ElementsAre;

#define ASSERT_CUDA(call) ASSERT_EQ(call, cudaSuccess)
#define EXPECT_CUDA(call) EXPECT_EQ(call, cudaSuccess)

constexpr size_t kBytes = 16 << 20;
constexpr size_t kHalf = kBytes / 2;
constexpr int kNone = cudaInvalidDeviceId;

cudaMemLocation OnDevice(int device) {
  return {cudaMemLocationTypeDevice, device};
}

constexpr cudaMemLocation kOnHost = {cudaMemLocationTypeHost, 0};

class ManagedTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_CUDA(cudaSetDevice(0));
    ASSERT_CUDA(cudaMallocManaged(&memory_, kBytes));
    ASSERT_CUDA(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    ASSERT_CUDA(cudaEventCreate(&start_));
    ASSERT_CUDA(cudaEventCreate(&end_));
  }

  void TearDown() override {
    EXPECT_CUDA(cudaEventDestroy(start_));
    EXPECT_CUDA(cudaEventDestroy(end_));
    EXPECT_CUDA(cudaStreamSynchronize(stream_));
    EXPECT_CUDA(cudaStreamDestroy(stream_));
    EXPECT_CUDA(cudaFree(memory_));
    cudaGetLastError();
  }

  cudaError_t Advise(cudaMemoryAdvise advice, cudaMemLocation location,
                     size_t offset = 0, size_t size = kBytes) {
    return cudaMemAdvise(memory_ + offset, size, advice, location);
  }

  cudaError_t Prefetch(cudaMemLocation location, size_t offset = 0,
                       size_t size = kBytes) {
    return cudaMemPrefetchAsync(memory_ + offset, size, location, 0, stream_);
  }

  int Attribute(cudaMemRangeAttribute attribute, size_t offset = 0,
                size_t size = kBytes) {
    int value = -99;
    EXPECT_CUDA(cudaMemRangeGetAttribute(&value, sizeof(value), attribute,
                                         memory_ + offset, size));
    return value;
  }

  std::vector<int> AccessedBy(size_t offset = 0, size_t size = kBytes) {
    std::vector<int> places(4);
    EXPECT_CUDA(cudaMemRangeGetAttribute(
        places.data(), places.size() * sizeof(int),
        cudaMemRangeAttributeAccessedBy, memory_ + offset, size));
    return places;
  }

  // GB/s of the work that `enqueue` puts in the stream.
  template <typename Enqueue>
  double Rate(Enqueue enqueue) {
    EXPECT_CUDA(cudaEventRecord(start_, stream_));
    enqueue();
    EXPECT_CUDA(cudaEventRecord(end_, stream_));
    EXPECT_CUDA(cudaEventSynchronize(end_));
    float ms = 0;
    EXPECT_CUDA(cudaEventElapsedTime(&ms, start_, end_));
    return kBytes / ms / 1e6;
  }

  void Read() {
    const MemoryRange range = {memory_, kBytes};
    ASSERT_CUDA(LaunchKernel(
        stream_, [] {}, &range, 1, nullptr, 0));
  }
  void Write() {
    const MemoryRange range = {memory_, kBytes};
    ASSERT_CUDA(LaunchKernel(
        stream_, [] {}, nullptr, 0, &range, 1));
  }

  char* memory_ = nullptr;
  cudaStream_t stream_ = nullptr;
  cudaEvent_t start_ = nullptr;
  cudaEvent_t end_ = nullptr;
};

TEST_F(ManagedTest, NothingIsAdvisedOfNewMemory) {
  EXPECT_EQ(Attribute(cudaMemRangeAttributeReadMostly), 0);
  EXPECT_EQ(Attribute(cudaMemRangeAttributePreferredLocation), kNone);
  EXPECT_EQ(Attribute(cudaMemRangeAttributePreferredLocationType),
            cudaMemLocationTypeInvalid);
  EXPECT_EQ(Attribute(cudaMemRangeAttributeLastPrefetchLocation), kNone);
  EXPECT_THAT(AccessedBy(), ElementsAre(kNone, kNone, kNone, kNone));
}

TEST_F(ManagedTest, APreferredLocationIsReadBackUntilItIsUnset) {
  for (int device = 0; device < 2; ++device) {
    ASSERT_CUDA(Advise(cudaMemAdviseSetPreferredLocation, OnDevice(device)));
    EXPECT_EQ(Attribute(cudaMemRangeAttributePreferredLocation), device);
    EXPECT_EQ(Attribute(cudaMemRangeAttributePreferredLocationType),
              cudaMemLocationTypeDevice);
    EXPECT_EQ(Attribute(cudaMemRangeAttributePreferredLocationId), device);
  }
  ASSERT_CUDA(Advise(cudaMemAdviseSetPreferredLocation, kOnHost));
  EXPECT_EQ(Attribute(cudaMemRangeAttributePreferredLocation), cudaCpuDeviceId);
  EXPECT_EQ(Attribute(cudaMemRangeAttributePreferredLocationType),
            cudaMemLocationTypeHost);
  ASSERT_CUDA(Advise(cudaMemAdviseSetPreferredLocation,
                     {cudaMemLocationTypeHostNumaCurrent, 7}));
  EXPECT_EQ(Attribute(cudaMemRangeAttributePreferredLocationType),
            cudaMemLocationTypeHost);
  ASSERT_CUDA(Advise(cudaMemAdviseSetPreferredLocation, OnDevice(1)));
  // The location does not matter here.
  ASSERT_CUDA(Advise(cudaMemAdviseUnsetPreferredLocation, OnDevice(99)));
  EXPECT_EQ(Attribute(cudaMemRangeAttributePreferredLocation), kNone);
}

TEST_F(ManagedTest, AccessedByIsASetOfPlaces) {
  ASSERT_CUDA(Advise(cudaMemAdviseSetAccessedBy, OnDevice(1)));
  EXPECT_THAT(AccessedBy(), ElementsAre(1, kNone, kNone, kNone));
  ASSERT_CUDA(Advise(cudaMemAdviseSetAccessedBy, kOnHost));
  ASSERT_CUDA(Advise(cudaMemAdviseSetAccessedBy, OnDevice(0)));
  EXPECT_THAT(AccessedBy(), ElementsAre(0, 1, cudaCpuDeviceId, kNone));
  ASSERT_CUDA(Advise(cudaMemAdviseUnsetAccessedBy, OnDevice(0)));
  EXPECT_THAT(AccessedBy(), ElementsAre(1, cudaCpuDeviceId, kNone, kNone));
  int one = 0;
  ASSERT_CUDA(cudaMemRangeGetAttribute(
      &one, sizeof(one), cudaMemRangeAttributeAccessedBy, memory_, kBytes));
  EXPECT_EQ(one, 1);
  ASSERT_CUDA(Advise(cudaMemAdviseUnsetAccessedBy, kOnHost));
  ASSERT_CUDA(Advise(cudaMemAdviseUnsetAccessedBy, OnDevice(1)));
  EXPECT_THAT(AccessedBy(), ElementsAre(kNone, kNone, kNone, kNone));
}

TEST_F(ManagedTest, ReadMostlyIsReadBackUntilItIsUnset) {
  ASSERT_CUDA(Advise(cudaMemAdviseSetReadMostly, OnDevice(0)));
  EXPECT_EQ(Attribute(cudaMemRangeAttributeReadMostly), 1);
  ASSERT_CUDA(Advise(cudaMemAdviseUnsetReadMostly, OnDevice(0)));
  EXPECT_EQ(Attribute(cudaMemRangeAttributeReadMostly), 0);
}

TEST_F(ManagedTest, AMixedRangeHasNothingInCommon) {
  ASSERT_CUDA(
      Advise(cudaMemAdviseSetPreferredLocation, OnDevice(1), kHalf, kHalf));
  ASSERT_CUDA(Advise(cudaMemAdviseSetAccessedBy, OnDevice(0), 0, kHalf));
  ASSERT_CUDA(Advise(cudaMemAdviseSetAccessedBy, OnDevice(1)));
  ASSERT_CUDA(Advise(cudaMemAdviseSetReadMostly, kOnHost, 0, kHalf));
  EXPECT_EQ(Attribute(cudaMemRangeAttributePreferredLocation), kNone);
  EXPECT_EQ(Attribute(cudaMemRangeAttributePreferredLocationType),
            cudaMemLocationTypeInvalid);
  EXPECT_EQ(Attribute(cudaMemRangeAttributePreferredLocation, kHalf, kHalf), 1);
  EXPECT_EQ(Attribute(cudaMemRangeAttributePreferredLocation, 0, kHalf), kNone);
  EXPECT_THAT(AccessedBy(), ElementsAre(1, kNone, kNone, kNone));
  EXPECT_THAT(AccessedBy(0, kHalf), ElementsAre(0, 1, kNone, kNone));
  EXPECT_EQ(Attribute(cudaMemRangeAttributeReadMostly), 0);
  EXPECT_EQ(Attribute(cudaMemRangeAttributeReadMostly, 0, kHalf), 1);
  // The whole has it in common again.
  ASSERT_CUDA(Advise(cudaMemAdviseSetPreferredLocation, OnDevice(1)));
  EXPECT_EQ(Attribute(cudaMemRangeAttributePreferredLocation), 1);
}

TEST_F(ManagedTest, AdviceIsOfWholePages) {
  ASSERT_CUDA(Advise(cudaMemAdviseSetReadMostly, kOnHost, 4097, 1));
  EXPECT_EQ(Attribute(cudaMemRangeAttributeReadMostly, 4096, 4096), 1);
  EXPECT_EQ(Attribute(cudaMemRangeAttributeReadMostly, 4095, 2), 0);
  EXPECT_EQ(Attribute(cudaMemRangeAttributeReadMostly, 8191, 2), 0);
}

TEST_F(ManagedTest, AdviceMovesNothing) {
  ASSERT_CUDA(Advise(cudaMemAdviseSetPreferredLocation, OnDevice(0)));
  ASSERT_CUDA(Advise(cudaMemAdviseSetAccessedBy, OnDevice(0)));
  EXPECT_EQ(ResidentBytes(memory_, kBytes, 0), 0u);
  EXPECT_EQ(ResidentBytes(memory_, kBytes, cudaCpuDeviceId), kBytes);
  EXPECT_EQ(Attribute(cudaMemRangeAttributeLastPrefetchLocation), kNone);
}

TEST_F(ManagedTest, SeveralAttributesAreReadAtOnce) {
  ASSERT_CUDA(Advise(cudaMemAdviseSetPreferredLocation, OnDevice(1)));
  ASSERT_CUDA(Advise(cudaMemAdviseSetReadMostly, kOnHost));
  int read_mostly = -1;
  int preferred = -1;
  int accessed[2] = {-1, -1};
  void* data[] = {&read_mostly, &preferred, accessed};
  size_t sizes[] = {sizeof(int), sizeof(int), sizeof(accessed)};
  cudaMemRangeAttribute attributes[] = {cudaMemRangeAttributeReadMostly,
                                        cudaMemRangeAttributePreferredLocation,
                                        cudaMemRangeAttributeAccessedBy};
  ASSERT_CUDA(
      cudaMemRangeGetAttributes(data, sizes, attributes, 3, memory_, kBytes));
  EXPECT_EQ(read_mostly, 1);
  EXPECT_EQ(preferred, 1);
  EXPECT_THAT(accessed, ElementsAre(kNone, kNone));
  sizes[1] = 8;
  EXPECT_EQ(
      cudaMemRangeGetAttributes(data, sizes, attributes, 3, memory_, kBytes),
      cudaErrorInvalidValue);
  EXPECT_EQ(
      cudaMemRangeGetAttributes(data, sizes, attributes, 0, memory_, kBytes),
      cudaErrorInvalidValue);
}

TEST_F(ManagedTest, WrongArgumentsAreRefused) {
  const auto advice = cudaMemAdviseSetPreferredLocation;
  EXPECT_EQ(cudaMemAdvise(nullptr, 1, advice, kOnHost), cudaErrorInvalidValue);
  EXPECT_EQ(Advise(advice, kOnHost, 0, 0), cudaErrorInvalidValue);
  EXPECT_EQ(Advise(advice, kOnHost, 1, kBytes), cudaErrorInvalidValue);
  EXPECT_EQ(Advise(static_cast<cudaMemoryAdvise>(7), kOnHost),
            cudaErrorInvalidValue);
  EXPECT_EQ(Advise(advice, OnDevice(2)), cudaErrorInvalidValue);
  EXPECT_EQ(Advise(advice, OnDevice(-1)), cudaErrorInvalidValue);
  EXPECT_EQ(Advise(advice, {cudaMemLocationTypeInvalid, 0}),
            cudaErrorInvalidValue);
  EXPECT_EQ(
      Advise(cudaMemAdviseSetAccessedBy, {cudaMemLocationTypeHostNuma, 0}),
      cudaErrorInvalidValue);
  char* device = nullptr;
  ASSERT_CUDA(cudaMalloc(&device, 64));
  EXPECT_EQ(cudaMemAdvise(device, 64, advice, kOnHost), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemPrefetchAsync(device, 64, kOnHost, 0, stream_),
            cudaErrorInvalidValue);
  ASSERT_CUDA(cudaFree(device));

  EXPECT_EQ(Prefetch(OnDevice(2)), cudaErrorInvalidDevice);
  EXPECT_EQ(Prefetch(kOnHost, 1, kBytes), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemPrefetchAsync(memory_, kBytes, kOnHost, 1, stream_),
            cudaErrorInvalidValue);
  int value = 0;
  EXPECT_EQ(cudaMemRangeGetAttribute(&value, 8, cudaMemRangeAttributeReadMostly,
                                     memory_, kBytes),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemRangeGetAttribute(&value, 0, cudaMemRangeAttributeAccessedBy,
                                     memory_, kBytes),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
}

TEST_F(ManagedTest, APrefetchMovesPagesAtTheRateOfItsDirection) {
  EXPECT_NEAR(Rate([&] { ASSERT_CUDA(Prefetch(OnDevice(0))); }), 44.0, 0.6);
  EXPECT_EQ(Attribute(cudaMemRangeAttributeLastPrefetchLocation), 0);
  EXPECT_EQ(Attribute(cudaMemRangeAttributeLastPrefetchLocationType),
            cudaMemLocationTypeDevice);
  EXPECT_EQ(ResidentBytes(memory_, kBytes, 0), kBytes);
  EXPECT_NEAR(Rate([&] { ASSERT_CUDA(Prefetch(kOnHost)); }), 11.1, 0.1);
  EXPECT_EQ(Attribute(cudaMemRangeAttributeLastPrefetchLocation),
            cudaCpuDeviceId);
  EXPECT_EQ(ResidentBytes(memory_, kBytes, 0), 0u);
}

TEST_F(ManagedTest, APrefetchMovesOnlyWhatIsElsewhere) {
  ASSERT_CUDA(Prefetch(OnDevice(0), 0, kHalf));
  EXPECT_EQ(ResidentBytes(memory_, kBytes, 0), kHalf);
  EXPECT_EQ(Attribute(cudaMemRangeAttributeLastPrefetchLocation), kNone);
  EXPECT_NEAR(Rate([&] { ASSERT_CUDA(Prefetch(OnDevice(0))); }), 88.0, 2.0);
  EXPECT_GT(Rate([&] { ASSERT_CUDA(Prefetch(OnDevice(0))); }), 1000.0);
}

TEST_F(ManagedTest, APrefetchBetweenDevicesTakesTheirLink) {
  ASSERT_CUDA(Prefetch(OnDevice(0)));
  EXPECT_NEAR(Rate([&] { ASSERT_CUDA(Prefetch(OnDevice(1))); }),
              kBytes / (kBytes / 393.0 + 2700), 2.0);
  EXPECT_EQ(ResidentBytes(memory_, kBytes, 1), kBytes);
}

TEST_F(ManagedTest, AKernelBringsPagesToItsDeviceOnce) {
  EXPECT_NEAR(Rate([&] { Read(); }), 44.0, 1.0);
  EXPECT_EQ(ResidentBytes(memory_, kBytes, 0), kBytes);
  EXPECT_GT(Rate([&] { Read(); }), 1000.0);
}

TEST_F(ManagedTest, AKernelReadsInPlaceWhatPrefersItsPlace) {
  ASSERT_CUDA(Advise(cudaMemAdviseSetPreferredLocation, kOnHost));
  EXPECT_NEAR(Rate([&] { Read(); }), 50.9, 1.0);
  EXPECT_EQ(ResidentBytes(memory_, kBytes, cudaCpuDeviceId), kBytes);
  ASSERT_CUDA(Advise(cudaMemAdviseSetPreferredLocation, OnDevice(1)));
  ASSERT_CUDA(Prefetch(OnDevice(1)));
  EXPECT_NEAR(Rate([&] { Read(); }), kBytes / (kBytes / 284.0 + 2000), 2.0);
  EXPECT_EQ(ResidentBytes(memory_, kBytes, 1), kBytes);
}

TEST_F(ManagedTest, AKernelReadsInPlaceWhatIsMappedForIt) {
  ASSERT_CUDA(Advise(cudaMemAdviseSetAccessedBy, OnDevice(0)));
  Read();
  EXPECT_EQ(ResidentBytes(memory_, kBytes, 0), 0u);
}

TEST_F(ManagedTest, WhatIsReadMostlyIsInSeveralPlacesUntilItIsWritten) {
  ASSERT_CUDA(Advise(cudaMemAdviseSetReadMostly, kOnHost));
  Read();
  ASSERT_CUDA(Prefetch(OnDevice(1)));
  EXPECT_EQ(ResidentBytes(memory_, kBytes, 0), kBytes);
  EXPECT_EQ(ResidentBytes(memory_, kBytes, 1), kBytes);
  EXPECT_EQ(ResidentBytes(memory_, kBytes, cudaCpuDeviceId), kBytes);
  Write();
  EXPECT_EQ(ResidentBytes(memory_, kBytes, 0), kBytes);
  EXPECT_EQ(ResidentBytes(memory_, kBytes, 1), 0u);
  EXPECT_EQ(ResidentBytes(memory_, kBytes, cudaCpuDeviceId), 0u);
}

TEST_F(ManagedTest, APrefetchChangesNoByte) {
  for (size_t i = 0; i < kBytes; ++i) memory_[i] = static_cast<char>(i * 7);
  ASSERT_CUDA(Prefetch(OnDevice(0)));
  ASSERT_CUDA(Prefetch(kOnHost));
  ASSERT_CUDA(cudaStreamSynchronize(stream_));
  for (size_t i = 0; i < kBytes; ++i) {
    ASSERT_EQ(memory_[i], static_cast<char>(i * 7));
  }
}

TEST_F(ManagedTest, APrefetchIsNotCaptured) {
  ASSERT_CUDA(
      cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
  EXPECT_EQ(Prefetch(OnDevice(0)), cudaErrorStreamCaptureUnsupported);
  cudaGraph_t graph = nullptr;
  EXPECT_EQ(cudaStreamEndCapture(stream_, &graph),
            cudaErrorStreamCaptureInvalidated);
  EXPECT_EQ(ResidentBytes(memory_, kBytes, 0), 0u);
}

// Unlike a machine without concurrent access.
TEST_F(ManagedTest, TheHostMayTouchItWhileAKernelRuns) {
  const MemoryRange range = {memory_, kBytes};
  ASSERT_CUDA(LaunchKernel(
      stream_, [] {}, &range, 1, nullptr, 0));
  memory_[0] = 3;
  EXPECT_EQ(memory_[0], 3);
  ASSERT_CUDA(cudaStreamSynchronize(stream_));
  TakeHazards();  // The kernel reads it.
}

}  // namespace
}  // namespace sim
}  // namespace conveyor
