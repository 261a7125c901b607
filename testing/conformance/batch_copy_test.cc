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

// One call with many copies: cudaMemcpyBatchAsync.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstring>
#include <vector>

#include "gtest/gtest.h"
#include "testing/conformance/cuda_test.h"
#include "testing/pattern.h"
#include "testing/status_matchers.h"
#include "testing/stream_gate.h"

namespace conveyor {
namespace {

constexpr size_t kPiece = 4096;
constexpr size_t kPieces = 4;
constexpr size_t kBytes = kPiece * kPieces;

cudaMemcpyAttributes Ordered(cudaMemcpySrcAccessOrder order) {
  cudaMemcpyAttributes attributes = {};
  attributes.srcAccessOrder = order;
  return attributes;
}

// A batch of four pieces, from pinned memory to the device unless a test
// changes them.
class BatchCopyTest : public CudaTest {
 protected:
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(CudaTest::SetUp());
    if (IsSkipped()) return;
    stream_ = NonBlockingStream();
    device_ = Device(kBytes);
    other_ = Device(kBytes);
    pinned_ = Pinned(kBytes);
    pageable_ = Pageable(kBytes);
    result_ = Pageable(kBytes);
    FillPattern(pinned_, kBytes, /*seed=*/1);
    FillPattern(pageable_, kBytes, /*seed=*/2);
    std::memset(result_, 0, kBytes);
    ASSERT_CUDA(cudaMemset(device_, 0, kBytes));
    ASSERT_CUDA(cudaDeviceSynchronize());
    From(pinned_);
    To(device_);
    sizes_.assign(kPieces, kPiece);
  }

  void From(const char* src) {
    srcs_.clear();
    for (size_t i = 0; i < kPieces; ++i) srcs_.push_back(src + i * kPiece);
  }
  void To(char* dst) {
    dsts_.clear();
    for (size_t i = 0; i < kPieces; ++i) dsts_.push_back(dst + i * kPiece);
  }

  cudaError_t Run(cudaStream_t stream,
                  std::vector<cudaMemcpyAttributes> attributes = {Ordered(
                      cudaMemcpySrcAccessOrderStream)},
                  std::vector<size_t> first = {0}) {
    return cudaMemcpyBatchAsync(dsts_.data(), srcs_.data(), sizes_.data(),
                                sizes_.size(), attributes.data(), first.data(),
                                attributes.size(), stream);
  }
  cudaError_t Run() { return Run(stream_); }

  // The device's bytes, once the stream is done.
  const char* Result() {
    EXPECT_CUDA(cudaStreamSynchronize(stream_));
    EXPECT_CUDA(cudaMemcpy(result_, device_, kBytes, cudaMemcpyDeviceToHost));
    return result_;
  }

  // Ends the capture of the stream, which is valid.
  void ExpectEndsWithAGraph() {
    cudaGraph_t graph = nullptr;
    EXPECT_CUDA(cudaStreamEndCapture(stream_, &graph));
    if (graph != nullptr) {
      EXPECT_CUDA(cudaGraphDestroy(graph));
    }
  }

  cudaStream_t stream_ = nullptr;
  char* device_ = nullptr;
  char* other_ = nullptr;
  char* pinned_ = nullptr;
  char* pageable_ = nullptr;
  char* result_ = nullptr;
  std::vector<void*> dsts_;
  std::vector<const void*> srcs_;
  std::vector<size_t> sizes_;
};

TEST_F(BatchCopyTest, CopiesAllPieces) {
  ASSERT_CUDA(Run());
  EXPECT_OK(VerifyPattern(Result(), kBytes, /*seed=*/1));
}

TEST_F(BatchCopyTest, TakesPageableSources) {
  From(pageable_);
  ASSERT_CUDA(Run());
  EXPECT_OK(VerifyPattern(Result(), kBytes, /*seed=*/2));
}

TEST_F(BatchCopyTest, TakesPageableDestinations) {
  ASSERT_CUDA(Run());
  From(device_);
  To(result_);
  ASSERT_CUDA(Run());
  ASSERT_CUDA(cudaStreamSynchronize(stream_));
  EXPECT_OK(VerifyPattern(result_, kBytes, /*seed=*/1));
}

TEST_F(BatchCopyTest, TakesCopiesWithinADevice) {
  ASSERT_CUDA(cudaMemcpyAsync(other_, pinned_, kBytes, cudaMemcpyHostToDevice,
                              stream_));
  From(other_);
  ASSERT_CUDA(Run());
  EXPECT_OK(VerifyPattern(Result(), kBytes, /*seed=*/1));
}

TEST_F(BatchCopyTest, TakesCopiesWithinTheHost) {
  To(result_);
  ASSERT_CUDA(Run());
  ASSERT_CUDA(cudaStreamSynchronize(stream_));
  EXPECT_OK(VerifyPattern(result_, kBytes, /*seed=*/1));
}

TEST_F(BatchCopyTest, TakesPiecesOfSeveralKinds) {
  srcs_[1] = pageable_ + kPiece;
  ASSERT_CUDA(Run());
  Result();
  EXPECT_EQ(std::memcmp(result_, pinned_, kPiece), 0);
  EXPECT_EQ(std::memcmp(result_ + kPiece, pageable_ + kPiece, kPiece), 0);
  EXPECT_EQ(std::memcmp(result_ + 2 * kPiece, pinned_ + 2 * kPiece, 2 * kPiece),
            0);
}

TEST_F(BatchCopyTest, IsOrderedInItsStream) {
  ASSERT_OK_AND_ASSIGN(StreamGate gate, StreamGate::Hold(stream_));
  ASSERT_CUDA(cudaMemsetAsync(device_, 7, kBytes, stream_));
  ASSERT_CUDA(Run());
  ASSERT_CUDA(cudaMemsetAsync(device_, 9, kPiece, stream_));
  EXPECT_FALSE(gate.timed_out());
  gate.Open();
  Result();
  EXPECT_EQ(result_[0], 9);
  EXPECT_EQ(result_[kPiece - 1], 9);
  EXPECT_EQ(std::memcmp(result_ + kPiece, pinned_ + kPiece, kBytes - kPiece),
            0);
}

TEST_F(BatchCopyTest, ReturnsWhileItsStreamIsHeld) {
  EXPECT_TRUE(ReturnsWhileHeld(stream_, [&] { return Run(); }));
}

// The driver cannot read it in the order of the stream by itself.
TEST_F(BatchCopyTest, WaitsWhileHeldFromPageableMemory) {
  From(pageable_);
  EXPECT_TRUE(WaitsWhileHeld(stream_, [&] { return Run(); }));
}

TEST_F(BatchCopyTest, OnePieceFromPageableMemoryMakesTheCallWait) {
  srcs_[kPieces - 1] = pageable_;
  EXPECT_TRUE(WaitsWhileHeld(stream_, [&] { return Run(); }));
}

TEST_F(BatchCopyTest, ReturnsWhileHeldToPageableMemoryToo) {
  From(device_);
  To(result_);
  EXPECT_TRUE(ReturnsWhileHeld(stream_, [&] { return Run(); }));
}

TEST_F(BatchCopyTest, APinnedSourceOfTheCallIsReadBeforeItReturns) {
  ASSERT_CUDA(
      Run(stream_, {Ordered(cudaMemcpySrcAccessOrderDuringApiCall)}, {0}));
  std::memset(pinned_, 0, kBytes);
  EXPECT_OK(VerifyPattern(Result(), kBytes, /*seed=*/1));
}

TEST_F(BatchCopyTest, WaitsWhileHeldForAPinnedSourceOfTheCall) {
  EXPECT_TRUE(WaitsWhileHeld(stream_, [&] {
    return Run(stream_, {Ordered(cudaMemcpySrcAccessOrderDuringApiCall)}, {0});
  }));
}

TEST_F(BatchCopyTest, APageableSourceOfTheCallIsReadBeforeItReturns) {
  From(pageable_);
  ASSERT_OK_AND_ASSIGN(StreamGate gate, StreamGate::Hold(stream_));
  ASSERT_CUDA(
      Run(stream_, {Ordered(cudaMemcpySrcAccessOrderDuringApiCall)}, {0}));
  EXPECT_FALSE(gate.timed_out());
  std::memset(pageable_, 0, kBytes);
  gate.Open();
  EXPECT_OK(VerifyPattern(Result(), kBytes, /*seed=*/2));
}

TEST_F(BatchCopyTest, ASourceOfAnyOrderIsAccepted) {
  ASSERT_CUDA(Run(stream_, {Ordered(cudaMemcpySrcAccessOrderAny)}, {0}));
  EXPECT_OK(VerifyPattern(Result(), kBytes, /*seed=*/1));
}

TEST_F(BatchCopyTest, ReturnsWhileHeldFromSourcesOfAnyOrder) {
  for (const char* const src : {pinned_, pageable_}) {
    From(src);
    EXPECT_TRUE(ReturnsWhileHeld(stream_, [&] {
      return Run(stream_, {Ordered(cudaMemcpySrcAccessOrderAny)}, {0});
    }));
  }
}

TEST_F(BatchCopyTest, ASourceOfStreamOrderMayBeWrittenByEarlierWork) {
  ASSERT_CUDA(cudaMemcpyAsync(other_, pinned_, kBytes, cudaMemcpyHostToDevice,
                              stream_));
  std::memset(result_, 0, kBytes);
  char* const landed = Pinned(kBytes);
  ASSERT_CUDA(
      cudaMemcpyAsync(landed, other_, kBytes, cudaMemcpyDeviceToHost, stream_));
  From(landed);
  ASSERT_CUDA(Run());
  EXPECT_OK(VerifyPattern(Result(), kBytes, /*seed=*/1));
}

// One of them is seen, whole.
TEST_F(BatchCopyTest, TakesPiecesWithOneDestination) {
  for (void*& dst : dsts_) dst = device_;
  ASSERT_CUDA(Run());
  Result();
  int matches = 0;
  for (size_t i = 0; i < kPieces; ++i) {
    matches += std::memcmp(result_, pinned_ + i * kPiece, kPiece) == 0 ? 1 : 0;
  }
  EXPECT_EQ(matches, 1);
}

TEST_F(BatchCopyTest, TakesAPieceThatReadsWhatAnotherWrites) {
  srcs_[1] = device_;
  ASSERT_CUDA(Run());
  EXPECT_CUDA(cudaStreamSynchronize(stream_));
}

// Unlike an empty copy of its own.
TEST_F(BatchCopyTest, AnEmptyPieceIsRefused) {
  sizes_[1] = 0;
  EXPECT_EQ(Run(), cudaErrorInvalidValue);
  srcs_[1] = nullptr;
  dsts_[1] = nullptr;
  EXPECT_EQ(Run(), cudaErrorInvalidValue);
}

TEST_F(BatchCopyTest, EmptyPiecesAloneAreRefused) {
  sizes_.assign(kPieces, 0);
  EXPECT_EQ(Run(), cudaErrorInvalidValue);
}

TEST_F(BatchCopyTest, APieceBeforeAnEmptyOneIsCopied) {
  sizes_[kPieces - 1] = 0;
  EXPECT_EQ(Run(), cudaErrorInvalidValue);
  EXPECT_EQ(std::memcmp(Result(), pinned_, kPiece), 0);
}

TEST_F(BatchCopyTest, NoPiecesAreRefused) {
  cudaMemcpyAttributes attributes = Ordered(cudaMemcpySrcAccessOrderStream);
  size_t first = 0;
  EXPECT_EQ(cudaMemcpyBatchAsync(dsts_.data(), srcs_.data(), sizes_.data(),
                                 /*count=*/0, &attributes, &first, 1, stream_),
            cudaErrorInvalidValue);
}

TEST_F(BatchCopyTest, NoPiecesAndNoAttributesAreRefused) {
  EXPECT_EQ(cudaMemcpyBatchAsync(dsts_.data(), srcs_.data(), sizes_.data(),
                                 /*count=*/0, nullptr, nullptr, 0, stream_),
            cudaErrorInvalidValue);
}

TEST_F(BatchCopyTest, PiecesWithoutAttributesAreRefused) {
  EXPECT_EQ(Run(stream_, {}, {}), cudaErrorInvalidValue);
}

TEST_F(BatchCopyTest, MissingAttributesAreRefused) {
  size_t first = 0;
  EXPECT_EQ(cudaMemcpyBatchAsync(dsts_.data(), srcs_.data(), sizes_.data(),
                                 kPieces, nullptr, &first, 1, stream_),
            cudaErrorInvalidValue);
}

TEST_F(BatchCopyTest, TheFirstAttributesAreOfTheFirstPiece) {
  EXPECT_EQ(Run(stream_, {Ordered(cudaMemcpySrcAccessOrderStream)}, {1}),
            cudaErrorInvalidValue);
}

TEST_F(BatchCopyTest, AttributesAscend) {
  const cudaMemcpyAttributes each = Ordered(cudaMemcpySrcAccessOrderStream);
  EXPECT_EQ(Run(stream_, {each, each, each}, {0, 2, 1}), cudaErrorInvalidValue);
  EXPECT_EQ(Run(stream_, {each, each}, {0, 0}), cudaErrorInvalidValue);
}

TEST_F(BatchCopyTest, AttributesOfNoPieceAreRefused) {
  const cudaMemcpyAttributes each = Ordered(cudaMemcpySrcAccessOrderStream);
  EXPECT_EQ(Run(stream_, {each, each}, {0, kPieces}), cudaErrorInvalidValue);
}

TEST_F(BatchCopyTest, AnUnknownOrderIsRefused) {
  EXPECT_EQ(Run(stream_, {Ordered(cudaMemcpySrcAccessOrderInvalid)}, {0}),
            cudaErrorInvalidValue);
  EXPECT_EQ(
      Run(stream_, {Ordered(static_cast<cudaMemcpySrcAccessOrder>(4))}, {0}),
      cudaErrorInvalidValue);
}

TEST_F(BatchCopyTest, AnUnknownFlagIsRefused) {
  cudaMemcpyAttributes flagged = Ordered(cudaMemcpySrcAccessOrderStream);
  flagged.flags = 2;
  EXPECT_EQ(Run(stream_, {flagged}, {0}), cudaErrorInvalidValue);
}

TEST_F(BatchCopyTest, OverlapWithComputeMayBePreferred) {
  cudaMemcpyAttributes flagged = Ordered(cudaMemcpySrcAccessOrderStream);
  flagged.flags = cudaMemcpyFlagPreferOverlapWithCompute;
  EXPECT_CUDA(Run(stream_, {flagged}, {0}));
}

// Hints are for memory whose place is not known from its address.
TEST_F(BatchCopyTest, AHintThatIsNotNeededIsAccepted) {
  cudaMemcpyAttributes hinted = Ordered(cudaMemcpySrcAccessOrderStream);
  hinted.srcLocHint = {cudaMemLocationTypeDevice, 0};
  EXPECT_CUDA(Run(stream_, {hinted}, {0}));
  hinted.srcLocHint = {cudaMemLocationTypeHost, 0};
  EXPECT_CUDA(Run(stream_, {hinted}, {0}));
  EXPECT_OK(VerifyPattern(Result(), kBytes, /*seed=*/1));
}

// It is looked at even if it is not needed.
TEST_F(BatchCopyTest, AHintOfADeviceThatIsNotThereIsRefused) {
  cudaMemcpyAttributes hinted = Ordered(cudaMemcpySrcAccessOrderStream);
  hinted.srcLocHint = {cudaMemLocationTypeDevice, 99};
  EXPECT_EQ(Run(stream_, {hinted}, {0}), cudaErrorInvalidValue);
}

TEST_F(BatchCopyTest, AHintForADestinationIsLookedAtToo) {
  cudaMemcpyAttributes hinted = Ordered(cudaMemcpySrcAccessOrderStream);
  hinted.dstLocHint = {cudaMemLocationTypeDevice, 99};
  EXPECT_EQ(Run(stream_, {hinted}, {0}), cudaErrorInvalidValue);
}

TEST_F(BatchCopyTest, ANullPieceIsRefusedAndTheFirstIsCopied) {
  srcs_[kPieces - 1] = nullptr;
  EXPECT_EQ(Run(), cudaErrorInvalidValue);
  EXPECT_EQ(Result()[0], pinned_[0]);
}

TEST_F(BatchCopyTest, APiecePastTheEndIsRefusedAndTheFirstIsCopied) {
  sizes_[kPieces - 1] = kPiece + 1;
  EXPECT_EQ(Run(), cudaErrorInvalidValue);
  EXPECT_EQ(Result()[0], pinned_[0]);
}

TEST_F(BatchCopyTest, PiecesBeforeARefusedOneAreCopiedAndThoseAfterItAreNot) {
  srcs_[2] = nullptr;
  EXPECT_EQ(Run(), cudaErrorInvalidValue);
  Result();
  EXPECT_EQ(std::memcmp(result_, pinned_, 2 * kPiece), 0);
  for (size_t i = 2 * kPiece; i < kBytes; ++i) ASSERT_EQ(result_[i], 0) << i;
}

TEST_F(BatchCopyTest, TheLegacyStreamIsRefused) {
  EXPECT_EQ(Run(nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(Run(cudaStreamLegacy), cudaErrorInvalidValue);
}

TEST_F(BatchCopyTest, TheStreamOfAThreadIsAccepted) {
  EXPECT_CUDA(Run(cudaStreamPerThread));
  EXPECT_CUDA(cudaStreamSynchronize(cudaStreamPerThread));
}

TEST_F(BatchCopyTest, IsNotCapturedAndLeavesTheCaptureValid) {
  ASSERT_CUDA(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
  EXPECT_EQ(Run(), cudaErrorStreamCaptureUnsupported);
  ExpectEndsWithAGraph();
}

TEST_F(BatchCopyTest, IsNotCapturedInARelaxedCaptureEither) {
  ASSERT_CUDA(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed));
  EXPECT_EQ(Run(), cudaErrorStreamCaptureUnsupported);
  ExpectEndsWithAGraph();
}

TEST_F(BatchCopyTest, IsAllowedBesideACapture) {
  const cudaStream_t beside = NonBlockingStream();
  ASSERT_CUDA(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
  EXPECT_CUDA(Run(beside));
  ExpectEndsWithAGraph();
  EXPECT_CUDA(cudaStreamSynchronize(beside));
}

TEST_F(BatchCopyTest, MissingArraysAreRefused) {
  cudaMemcpyAttributes attributes = Ordered(cudaMemcpySrcAccessOrderStream);
  size_t first = 0;
  EXPECT_EQ(cudaMemcpyBatchAsync(nullptr, srcs_.data(), sizes_.data(), kPieces,
                                 &attributes, &first, 1, stream_),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpyBatchAsync(dsts_.data(), nullptr, sizes_.data(), kPieces,
                                 &attributes, &first, 1, stream_),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpyBatchAsync(dsts_.data(), srcs_.data(), nullptr, kPieces,
                                 &attributes, &first, 1, stream_),
            cudaErrorInvalidValue);
}

}  // namespace
}  // namespace conveyor
