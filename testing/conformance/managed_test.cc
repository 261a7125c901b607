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

// Managed memory: what may be advised of it, where it is moved, and what is
// read back.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "testing/conformance/cuda_test.h"
#include "testing/pattern.h"
#include "testing/status_matchers.h"

namespace conveyor {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

constexpr size_t kBytes = size_t{8} << 20;
constexpr size_t kHalf = kBytes / 2;
constexpr int kNone = cudaInvalidDeviceId;
constexpr int kCpu = cudaCpuDeviceId;

constexpr cudaStreamCaptureMode kGlobal = cudaStreamCaptureModeGlobal;
constexpr cudaMemLocation kOnHost = {cudaMemLocationTypeHost, 0};
constexpr cudaMemLocation kOnDevice = {cudaMemLocationTypeDevice, 0};

class ManagedTest : public CudaTest {
 protected:
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(CudaTest::SetUp());
    if (IsSkipped()) return;
    int concurrent = 0;
    ASSERT_CUDA(cudaDeviceGetAttribute(&concurrent,
                                       cudaDevAttrConcurrentManagedAccess, 0));
    if (concurrent == 0) {
      GTEST_SKIP() << "host and device may not use managed memory at once";
    }
    ASSERT_CUDA(cudaDeviceGetAttribute(&node_, cudaDevAttrHostNumaId, 0));
    stream_ = NonBlockingStream();
    memory_ = Managed(kBytes);
  }

  cudaError_t Advise(cudaMemoryAdvise advice, cudaMemLocation location,
                     size_t offset = 0, size_t size = kBytes) {
    return cudaMemAdvise(memory_ + offset, size, advice, location);
  }

  cudaError_t Prefetch(cudaMemLocation location, size_t offset = 0,
                       size_t size = kBytes, unsigned flags = 0) {
    return cudaMemPrefetchAsync(memory_ + offset, size, location, flags,
                                stream_);
  }

  int Attribute(cudaMemRangeAttribute attribute, size_t offset = 0,
                size_t size = kBytes) {
    int value = -99;
    EXPECT_CUDA(cudaMemRangeGetAttribute(&value, sizeof(value), attribute,
                                         memory_ + offset, size));
    return value;
  }

  std::vector<int> AccessedBy(size_t places = 4) {
    std::vector<int> found(places, -99);
    EXPECT_CUDA(cudaMemRangeGetAttribute(found.data(), places * sizeof(int),
                                         cudaMemRangeAttributeAccessedBy,
                                         memory_, kBytes));
    return found;
  }

  // Ends the capture of the stream, and says how.
  cudaError_t EndCapture() {
    cudaGraph_t graph = nullptr;
    const cudaError_t error = cudaStreamEndCapture(stream_, &graph);
    if (graph != nullptr) {
      EXPECT_CUDA(cudaGraphDestroy(graph));
    }
    return error;
  }

  // The NUMA node of the device; -1 if the machine does not say.
  cudaMemLocation OnNode() const {
    return {cudaMemLocationTypeHostNuma, node_ < 0 ? 0 : node_};
  }

  int node_ = -1;
  cudaStream_t stream_ = nullptr;
  char* memory_ = nullptr;
};

TEST_F(ManagedTest, NothingIsAdvisedOfNewMemory) {
  EXPECT_EQ(Attribute(cudaMemRangeAttributeReadMostly), 0);
  EXPECT_EQ(Attribute(cudaMemRangeAttributePreferredLocation), kNone);
  EXPECT_EQ(Attribute(cudaMemRangeAttributePreferredLocationType),
            cudaMemLocationTypeInvalid);
  EXPECT_EQ(Attribute(cudaMemRangeAttributeLastPrefetchLocation), kNone);
  EXPECT_EQ(Attribute(cudaMemRangeAttributeLastPrefetchLocationType),
            cudaMemLocationTypeInvalid);
  EXPECT_THAT(AccessedBy(), ElementsAre(kNone, kNone, kNone, kNone));
}

TEST_F(ManagedTest, APreferredDeviceIsReadBack) {
  ASSERT_CUDA(Advise(cudaMemAdviseSetPreferredLocation, kOnDevice));
  EXPECT_EQ(Attribute(cudaMemRangeAttributePreferredLocation), 0);
  EXPECT_EQ(Attribute(cudaMemRangeAttributePreferredLocationType),
            cudaMemLocationTypeDevice);
  EXPECT_EQ(Attribute(cudaMemRangeAttributePreferredLocationId), 0);
}

TEST_F(ManagedTest, APreferredHostIsReadBack) {
  ASSERT_CUDA(Advise(cudaMemAdviseSetPreferredLocation, kOnHost));
  EXPECT_EQ(Attribute(cudaMemRangeAttributePreferredLocation), kCpu);
  EXPECT_EQ(Attribute(cudaMemRangeAttributePreferredLocationType),
            cudaMemLocationTypeHost);
}

TEST_F(ManagedTest, TheNumberOfTheHostDoesNotMatter) {
  EXPECT_CUDA(
      Advise(cudaMemAdviseSetPreferredLocation, {cudaMemLocationTypeHost, 77}));
  EXPECT_EQ(Attribute(cudaMemRangeAttributePreferredLocation), kCpu);
}

// The advice is taken, but unlike what CUDA's documentation says, it changes
// nothing.
TEST_F(ManagedTest, APreferredNodeIsAcceptedAndNotReadBack) {
  for (const cudaMemLocation node :
       {OnNode(), cudaMemLocation{cudaMemLocationTypeHostNumaCurrent, 0}}) {
    EXPECT_CUDA(Advise(cudaMemAdviseSetPreferredLocation, node));
    EXPECT_EQ(Attribute(cudaMemRangeAttributePreferredLocationType),
              cudaMemLocationTypeInvalid);
    EXPECT_EQ(Attribute(cudaMemRangeAttributePreferredLocationId), kNone);
    EXPECT_EQ(Attribute(cudaMemRangeAttributePreferredLocation), kNone);
  }
}

TEST_F(ManagedTest, APreferredNodeLeavesAPreferredDevice) {
  ASSERT_CUDA(Advise(cudaMemAdviseSetPreferredLocation, kOnDevice));
  ASSERT_CUDA(Advise(cudaMemAdviseSetPreferredLocation, OnNode()));
  EXPECT_EQ(Attribute(cudaMemRangeAttributePreferredLocation), 0);
}

TEST_F(ManagedTest, ANodeThatIsNotThereIsRefused) {
  EXPECT_EQ(Advise(cudaMemAdviseSetPreferredLocation,
                   {cudaMemLocationTypeHostNuma, 999}),
            cudaErrorInvalidValue);
}

TEST_F(ManagedTest, WhatIsUnsetIsNoLongerPreferred) {
  ASSERT_CUDA(Advise(cudaMemAdviseSetPreferredLocation, kOnDevice));
  ASSERT_CUDA(Advise(cudaMemAdviseUnsetPreferredLocation, kOnDevice));
  EXPECT_EQ(Attribute(cudaMemRangeAttributePreferredLocation), kNone);
}

TEST_F(ManagedTest, UnsettingTakesNoNoticeOfTheLocation) {
  ASSERT_CUDA(Advise(cudaMemAdviseSetPreferredLocation, kOnDevice));
  EXPECT_CUDA(Advise(cudaMemAdviseUnsetPreferredLocation,
                     {cudaMemLocationTypeDevice, 99}));
  EXPECT_EQ(Attribute(cudaMemRangeAttributePreferredLocation), kNone);
}

TEST_F(ManagedTest, WhatWasNotSetMayBeUnset) {
  EXPECT_CUDA(Advise(cudaMemAdviseUnsetReadMostly, kOnDevice));
  EXPECT_CUDA(Advise(cudaMemAdviseUnsetPreferredLocation, kOnDevice));
  EXPECT_CUDA(Advise(cudaMemAdviseUnsetAccessedBy, kOnDevice));
}

TEST_F(ManagedTest, AMixedRangePrefersNothing) {
  ASSERT_CUDA(
      Advise(cudaMemAdviseSetPreferredLocation, kOnDevice, kHalf, kHalf));
  EXPECT_EQ(Attribute(cudaMemRangeAttributePreferredLocation), kNone);
  EXPECT_EQ(Attribute(cudaMemRangeAttributePreferredLocationType),
            cudaMemLocationTypeInvalid);
  EXPECT_EQ(Attribute(cudaMemRangeAttributePreferredLocation, kHalf, kHalf), 0);
}

TEST_F(ManagedTest, ReadMostlyIsOfTheWholeRange) {
  ASSERT_CUDA(Advise(cudaMemAdviseSetReadMostly, kOnDevice, 0, kHalf));
  EXPECT_EQ(Attribute(cudaMemRangeAttributeReadMostly), 0);
  EXPECT_EQ(Attribute(cudaMemRangeAttributeReadMostly, 0, kHalf), 1);
}

TEST_F(ManagedTest, AdviceIsOfWholePages) {
  ASSERT_CUDA(Advise(cudaMemAdviseSetReadMostly, kOnDevice, 4097, 1));
  EXPECT_EQ(Attribute(cudaMemRangeAttributeReadMostly, 4096, 4096), 1);
  EXPECT_EQ(Attribute(cudaMemRangeAttributeReadMostly, 0, 4096), 0);
  EXPECT_EQ(Attribute(cudaMemRangeAttributeReadMostly, 8192, 4096), 0);
}

TEST_F(ManagedTest, AccessorsAreReadBackOnceEach) {
  ASSERT_CUDA(Advise(cudaMemAdviseSetAccessedBy, kOnDevice));
  ASSERT_CUDA(Advise(cudaMemAdviseSetAccessedBy, kOnDevice));
  EXPECT_THAT(AccessedBy(), ElementsAre(0, kNone, kNone, kNone));
}

TEST_F(ManagedTest, TheHostMayBeAnAccessor) {
  ASSERT_CUDA(Advise(cudaMemAdviseSetAccessedBy, kOnHost));
  EXPECT_THAT(AccessedBy(), ElementsAre(kCpu, kNone, kNone, kNone));
}

TEST_F(ManagedTest, AllAccessorsAreReadBack) {
  ASSERT_CUDA(Advise(cudaMemAdviseSetAccessedBy, kOnDevice));
  ASSERT_CUDA(Advise(cudaMemAdviseSetAccessedBy, kOnHost));
  EXPECT_THAT(AccessedBy(), UnorderedElementsAre(kCpu, 0, kNone, kNone));
}

TEST_F(ManagedTest, TheHostIsTheLastAccessor) {
  ASSERT_CUDA(Advise(cudaMemAdviseSetAccessedBy, kOnDevice));
  ASSERT_CUDA(Advise(cudaMemAdviseSetAccessedBy, kOnHost));
  EXPECT_THAT(AccessedBy(), ElementsAre(0, kCpu, kNone, kNone));
}

TEST_F(ManagedTest, TheOrderOfAdviceIsNotThatOfAccessors) {
  ASSERT_CUDA(Advise(cudaMemAdviseSetAccessedBy, kOnHost));
  ASSERT_CUDA(Advise(cudaMemAdviseSetAccessedBy, kOnDevice));
  EXPECT_THAT(AccessedBy(), ElementsAre(0, kCpu, kNone, kNone));
}

TEST_F(ManagedTest, AsManyAccessorsAreReadBackAsThereIsRoomFor) {
  ASSERT_CUDA(Advise(cudaMemAdviseSetAccessedBy, kOnDevice));
  ASSERT_CUDA(Advise(cudaMemAdviseSetAccessedBy, kOnHost));
  EXPECT_THAT(AccessedBy(/*places=*/1), ElementsAre(0));
}

TEST_F(ManagedTest, ANodeIsNoAccessor) {
  EXPECT_EQ(Advise(cudaMemAdviseSetAccessedBy, OnNode()),
            cudaErrorInvalidValue);
}

TEST_F(ManagedTest, AnUnknownAdviceIsRefused) {
  EXPECT_EQ(Advise(static_cast<cudaMemoryAdvise>(0), kOnDevice),
            cudaErrorInvalidValue);
  EXPECT_EQ(Advise(static_cast<cudaMemoryAdvise>(7), kOnDevice),
            cudaErrorInvalidValue);
}

// With another error than a prefetch.
TEST_F(ManagedTest, AdviceOfADeviceThatIsNotThereIsRefused) {
  for (const cudaMemoryAdvise advice :
       {cudaMemAdviseSetPreferredLocation, cudaMemAdviseSetAccessedBy}) {
    EXPECT_EQ(Advise(advice, {cudaMemLocationTypeDevice, 99}),
              cudaErrorInvalidValue);
    EXPECT_EQ(Advise(advice, {cudaMemLocationTypeDevice, -1}),
              cudaErrorInvalidValue);
  }
}

TEST_F(ManagedTest, ADeviceThatIsNotThereCannotBeUnsetAsAnAccessor) {
  EXPECT_EQ(
      Advise(cudaMemAdviseUnsetAccessedBy, {cudaMemLocationTypeDevice, 99}),
      cudaErrorInvalidValue);
}

TEST_F(ManagedTest, APlaceOfNoKnownTypeIsRefused) {
  EXPECT_EQ(Advise(cudaMemAdviseSetPreferredLocation,
                   {cudaMemLocationTypeInvalid, 0}),
            cudaErrorInvalidValue);
  EXPECT_EQ(Advise(cudaMemAdviseSetAccessedBy, {cudaMemLocationTypeInvalid, 0}),
            cudaErrorInvalidValue);
  EXPECT_EQ(Prefetch({cudaMemLocationTypeInvalid, 0}), cudaErrorInvalidValue);
}

TEST_F(ManagedTest, ReadMostlyTakesNoNoticeOfTheDevice) {
  EXPECT_CUDA(
      Advise(cudaMemAdviseSetReadMostly, {cudaMemLocationTypeDevice, 99}));
}

TEST_F(ManagedTest, ReadMostlyNeedsAPlaceOfAKnownType) {
  EXPECT_EQ(Advise(cudaMemAdviseSetReadMostly, {cudaMemLocationTypeInvalid, 0}),
            cudaErrorInvalidValue);
}

TEST_F(ManagedTest, UnsettingNeedsAPlaceOfAKnownTypeToo) {
  for (const cudaMemoryAdvise advice :
       {cudaMemAdviseUnsetReadMostly, cudaMemAdviseUnsetPreferredLocation,
        cudaMemAdviseUnsetAccessedBy}) {
    EXPECT_EQ(Advise(advice, {cudaMemLocationTypeInvalid, 0}),
              cudaErrorInvalidValue)
        << advice;
  }
}

TEST_F(ManagedTest, AnEmptyRangeIsRefused) {
  EXPECT_EQ(Advise(cudaMemAdviseSetReadMostly, kOnDevice, 0, 0),
            cudaErrorInvalidValue);
  EXPECT_EQ(Prefetch(kOnDevice, 0, 0), cudaErrorInvalidValue);
}

TEST_F(ManagedTest, ARangePastTheEndIsRefused) {
  EXPECT_EQ(Advise(cudaMemAdviseSetReadMostly, kOnDevice, kHalf, kBytes),
            cudaErrorInvalidValue);
  EXPECT_EQ(Prefetch(kOnDevice, kHalf, kBytes), cudaErrorInvalidValue);
}

TEST_F(ManagedTest, NullIsRefused) {
  EXPECT_EQ(
      cudaMemAdvise(nullptr, kBytes, cudaMemAdviseSetReadMostly, kOnDevice),
      cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemPrefetchAsync(nullptr, kBytes, kOnDevice, 0, stream_),
            cudaErrorInvalidValue);
}

TEST_F(ManagedTest, OtherMemoryTakesNoAdvice) {
  EXPECT_EQ(cudaMemAdvise(Device(kBytes), kBytes, cudaMemAdviseSetReadMostly,
                          kOnDevice),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemAdvise(Pinned(kBytes), kBytes, cudaMemAdviseSetReadMostly,
                          kOnDevice),
            cudaErrorInvalidValue);
}

TEST_F(ManagedTest, OtherMemoryIsNotPrefetched) {
  EXPECT_EQ(cudaMemPrefetchAsync(Device(kBytes), kBytes, kOnDevice, 0, stream_),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemPrefetchAsync(Pinned(kBytes), kBytes, kOnDevice, 0, stream_),
            cudaErrorInvalidValue);
}

TEST_F(ManagedTest, PageableMemoryTakesAdviceWhereDevicesReachIt) {
  int reached = 0;
  ASSERT_CUDA(
      cudaDeviceGetAttribute(&reached, cudaDevAttrPageableMemoryAccess, 0));
  EXPECT_EQ(cudaMemAdvise(Pageable(kBytes), kBytes, cudaMemAdviseSetReadMostly,
                          kOnDevice),
            reached != 0 ? cudaSuccess : cudaErrorInvalidValue);
}

TEST_F(ManagedTest, APrefetchKeepsTheBytesAndIsReadBack) {
  FillPattern(memory_, kBytes, /*seed=*/1);
  ASSERT_CUDA(Prefetch(kOnDevice));
  EXPECT_EQ(Attribute(cudaMemRangeAttributeLastPrefetchLocation), 0);
  EXPECT_EQ(Attribute(cudaMemRangeAttributeLastPrefetchLocationType),
            cudaMemLocationTypeDevice);
  EXPECT_EQ(Attribute(cudaMemRangeAttributeLastPrefetchLocationId), 0);
  ASSERT_CUDA(Prefetch(kOnHost));
  EXPECT_EQ(Attribute(cudaMemRangeAttributeLastPrefetchLocation), kCpu);
  ASSERT_CUDA(cudaStreamSynchronize(stream_));
  EXPECT_OK(VerifyPattern(memory_, kBytes, /*seed=*/1));
}

TEST_F(ManagedTest, APrefetchToANodeIsReadBackAsANode) {
  ASSERT_CUDA(Prefetch(OnNode()));
  EXPECT_EQ(Attribute(cudaMemRangeAttributeLastPrefetchLocationType),
            cudaMemLocationTypeHostNuma);
  EXPECT_EQ(Attribute(cudaMemRangeAttributeLastPrefetchLocationId),
            OnNode().id);
}

TEST_F(ManagedTest, APrefetchOfAPartIsNotOneOfTheWhole) {
  ASSERT_CUDA(Prefetch(kOnDevice, 0, kHalf));
  EXPECT_EQ(Attribute(cudaMemRangeAttributeLastPrefetchLocation), kNone);
  EXPECT_EQ(Attribute(cudaMemRangeAttributeLastPrefetchLocation, 0, kHalf), 0);
}

TEST_F(ManagedTest, APrefetchToADeviceReturnsWhileItsStreamIsHeld) {
  EXPECT_TRUE(ReturnsWhileHeld(stream_, [&] { return Prefetch(kOnDevice); }));
}

TEST_F(ManagedTest, APrefetchToTheHostReturnsWhileItsStreamIsHeld) {
  EXPECT_TRUE(ReturnsWhileHeld(stream_, [&] { return Prefetch(kOnHost); }));
}

TEST_F(ManagedTest, TheLegacyStreamPrefetchesToo) {
  EXPECT_CUDA(cudaMemPrefetchAsync(memory_, kBytes, kOnDevice, 0, nullptr));
  EXPECT_CUDA(cudaDeviceSynchronize());
}

TEST_F(ManagedTest, APrefetchHasNoFlags) {
  EXPECT_EQ(Prefetch(kOnDevice, 0, kBytes, /*flags=*/1), cudaErrorInvalidValue);
}

TEST_F(ManagedTest, APrefetchToADeviceThatIsNotThereIsRefused) {
  EXPECT_EQ(Prefetch({cudaMemLocationTypeDevice, 99}), cudaErrorInvalidDevice);
  EXPECT_EQ(Prefetch({cudaMemLocationTypeDevice, -1}), cudaErrorInvalidDevice);
}

TEST_F(ManagedTest, APrefetchIsNotCapturedAndInvalidates) {
  ASSERT_CUDA(cudaStreamBeginCapture(stream_, kGlobal));
  EXPECT_EQ(Prefetch(kOnDevice), cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(EndCapture(), cudaErrorStreamCaptureInvalidated);
}

TEST_F(ManagedTest, APrefetchBesideACaptureLeavesItValid) {
  const cudaStream_t beside = NonBlockingStream();
  ASSERT_CUDA(cudaStreamBeginCapture(stream_, kGlobal));
  EXPECT_CUDA(cudaMemPrefetchAsync(memory_, kBytes, kOnDevice, 0, beside));
  EXPECT_CUDA(EndCapture());
  EXPECT_CUDA(cudaStreamSynchronize(beside));
}

TEST_F(ManagedTest, AdviceInvalidatesAGlobalCapture) {
  ASSERT_CUDA(cudaStreamBeginCapture(stream_, kGlobal));
  EXPECT_EQ(Advise(cudaMemAdviseSetReadMostly, kOnDevice),
            cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(EndCapture(), cudaErrorStreamCaptureInvalidated);
}

TEST_F(ManagedTest, AdviceInvalidatesTheThreadsOwnCaptureUnlessRelaxed) {
  ASSERT_CUDA(
      cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
  EXPECT_EQ(Advise(cudaMemAdviseSetReadMostly, kOnDevice),
            cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(EndCapture(), cudaErrorStreamCaptureInvalidated);
  ASSERT_CUDA(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed));
  EXPECT_CUDA(Advise(cudaMemAdviseSetReadMostly, kOnDevice));
  EXPECT_CUDA(EndCapture());
}

TEST_F(ManagedTest, AnotherThreadsAdviceInvalidatesAGlobalCaptureOnly) {
  const auto advise_elsewhere = [&] {
    cudaError_t error = cudaErrorUnknown;
    std::thread([&] {
      error = Advise(cudaMemAdviseSetReadMostly, kOnDevice);
    }).join();
    return error;
  };
  ASSERT_CUDA(cudaStreamBeginCapture(stream_, kGlobal));
  EXPECT_EQ(advise_elsewhere(), cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(EndCapture(), cudaErrorStreamCaptureInvalidated);
  ASSERT_CUDA(
      cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
  EXPECT_CUDA(advise_elsewhere());
  EXPECT_CUDA(EndCapture());
}

TEST_F(ManagedTest, AllocatingInvalidatesACapture) {
  ASSERT_CUDA(cudaStreamBeginCapture(stream_, kGlobal));
  void* memory = nullptr;
  EXPECT_EQ(cudaMallocManaged(&memory, kBytes, cudaMemAttachGlobal),
            cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(EndCapture(), cudaErrorStreamCaptureInvalidated);
}

TEST_F(ManagedTest, AskingForAnAttributeLeavesACaptureValid) {
  ASSERT_CUDA(cudaStreamBeginCapture(stream_, kGlobal));
  EXPECT_EQ(Attribute(cudaMemRangeAttributeReadMostly), 0);
  EXPECT_CUDA(EndCapture());
}

TEST_F(ManagedTest, AnAttributeHasItsSize) {
  int values[2] = {};
  EXPECT_EQ(cudaMemRangeGetAttribute(values, 2 * sizeof(int),
                                     cudaMemRangeAttributeReadMostly, memory_,
                                     kBytes),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemRangeGetAttribute(values, 0, cudaMemRangeAttributeAccessedBy,
                                     memory_, kBytes),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemRangeGetAttribute(values, 6, cudaMemRangeAttributeAccessedBy,
                                     memory_, kBytes),
            cudaErrorInvalidValue);
}

TEST_F(ManagedTest, OtherMemoryHasNoAttributes) {
  int value = 0;
  EXPECT_EQ(cudaMemRangeGetAttribute(&value, sizeof(value),
                                     cudaMemRangeAttributeReadMostly,
                                     Device(kBytes), kBytes),
            cudaErrorInvalidValue);
}

}  // namespace
}  // namespace conveyor
