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

// Many copies in one call.

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "gtest/gtest.h"
#include "testing/sim/sim.h"

namespace conveyor {
namespace sim {
namespace {

#define ASSERT_CUDA(call) ASSERT_EQ(call, cudaSuccess)
#define EXPECT_CUDA(call) EXPECT_EQ(call, cudaSuccess)

constexpr size_t kPiece = 4096;
constexpr size_t kPieces = 8;
constexpr size_t kBytes = kPiece * kPieces;
constexpr int kSeeds = 40;

cudaMemcpyAttributes Ordered(cudaMemcpySrcAccessOrder order) {
  cudaMemcpyAttributes attributes = {};
  attributes.srcAccessOrder = order;
  return attributes;
}

class BatchTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_CUDA(cudaSetDevice(0));
    ASSERT_CUDA(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    ASSERT_CUDA(cudaMalloc(&device_, kBytes));
    ASSERT_CUDA(cudaMallocHost(&pinned_, kBytes));
    for (size_t i = 0; i < kPieces; ++i) {
      std::memset(pinned_ + i * kPiece, static_cast<int>(i + 1), kPiece);
      dsts_.push_back(device_ + i * kPiece);
      srcs_.push_back(pinned_ + i * kPiece);
      sizes_.push_back(kPiece);
    }
  }

  void TearDown() override {
    EXPECT_CUDA(cudaStreamSynchronize(stream_));
    EXPECT_CUDA(cudaStreamDestroy(stream_));
    EXPECT_CUDA(cudaFree(device_));
    EXPECT_CUDA(cudaFreeHost(pinned_));
    SetSeed(1);
    cudaGetLastError();
  }

  cudaError_t Run(std::vector<cudaMemcpyAttributes> attributes = {Ordered(
                      cudaMemcpySrcAccessOrderStream)},
                  std::vector<size_t> first = {0}) {
    return cudaMemcpyBatchAsync(dsts_.data(), srcs_.data(), sizes_.data(),
                                sizes_.size(), attributes.data(), first.data(),
                                attributes.size(), stream_);
  }

  // The device's bytes, piece by piece, once all is done.
  std::vector<int> Result() {
    std::vector<char> bytes(kBytes);
    EXPECT_CUDA(cudaStreamSynchronize(stream_));
    EXPECT_CUDA(
        cudaMemcpy(bytes.data(), device_, kBytes, cudaMemcpyDeviceToHost));
    std::vector<int> values;
    for (size_t i = 0; i < kPieces; ++i) {
      values.push_back(bytes[(i + 1) * kPiece - 1]);
    }
    return values;
  }

  cudaStream_t stream_ = nullptr;
  char* device_ = nullptr;
  char* pinned_ = nullptr;
  std::vector<void*> dsts_;
  std::vector<const void*> srcs_;
  std::vector<size_t> sizes_;
};

TEST_F(BatchTest, CopiesAllPieces) {
  ASSERT_CUDA(Run());
  EXPECT_EQ(Result(), (std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8}));
}

TEST_F(BatchTest, TakesPiecesOfEveryKindAndSize) {
  std::vector<char> pageable(kPiece, 21);
  srcs_[1] = pageable.data();
  srcs_[2] = device_ + 5 * kPiece;
  ASSERT_CUDA(cudaMemset(device_, 22, kBytes));
  ASSERT_CUDA(cudaDeviceSynchronize());
  dsts_.resize(3);
  srcs_.resize(3);
  sizes_ = {1, kPiece, kPiece};
  ASSERT_CUDA(Run());
  EXPECT_EQ(Result(), (std::vector<int>{22, 21, 22, 22, 22, 22, 22, 22}));
}

TEST_F(BatchTest, ASourceOfStreamOrderIsReadLate) {
  bool late = false;
  for (int seed = 1; seed < kSeeds; ++seed) {
    SetSeed(static_cast<uint64_t>(seed));
    std::memset(pinned_, 1, kBytes);
    ASSERT_CUDA(Run());
    std::memset(pinned_, 99, kBytes);
    for (const int value : Result()) late = late || value == 99;
  }
  EXPECT_TRUE(late);
  EXPECT_NE(TakeHazards(), "");
}

TEST_F(BatchTest, APageableSourceOfStreamOrderIsReadLateToo) {
  std::vector<char> pageable(kBytes);
  for (size_t i = 0; i < kPieces; ++i) srcs_[i] = &pageable[i * kPiece];
  bool late = false;
  for (int seed = 1; seed < kSeeds; ++seed) {
    SetSeed(static_cast<uint64_t>(seed));
    std::memset(pageable.data(), 1, kBytes);
    ASSERT_CUDA(Run());
    std::memset(pageable.data(), 99, kBytes);
    for (const int value : Result()) late = late || value == 99;
  }
  EXPECT_TRUE(late);
}

TEST_F(BatchTest, ASourceOfTheCallIsReadBeforeItReturns) {
  for (int seed = 1; seed < kSeeds; ++seed) {
    SetSeed(static_cast<uint64_t>(seed));
    std::memset(pinned_, 1, kBytes);
    ASSERT_CUDA(Run({Ordered(cudaMemcpySrcAccessOrderDuringApiCall)}));
    std::memset(pinned_, 99, kBytes);
    ASSERT_EQ(Result(), std::vector<int>(kPieces, 1)) << seed;
  }
}

TEST_F(BatchTest, ASourceOfAnyOrderIsReadNowOrLate) {
  bool now = false;
  bool late = false;
  for (int seed = 1; seed < kSeeds; ++seed) {
    SetSeed(static_cast<uint64_t>(seed));
    std::memset(pinned_, 1, kBytes);
    ASSERT_CUDA(Run({Ordered(cudaMemcpySrcAccessOrderAny)}));
    std::memset(pinned_, 99, kBytes);
    for (const int value : Result()) {
      now = now || value == 1;
      late = late || value == 99;
    }
  }
  EXPECT_TRUE(now);
  EXPECT_TRUE(late);
  EXPECT_NE(TakeHazards(), "");
}

TEST_F(BatchTest, AttributesAreOfThePiecesFromTheirFirstOn) {
  for (int seed = 1; seed < kSeeds; ++seed) {
    SetSeed(static_cast<uint64_t>(seed));
    std::memset(pinned_, 1, kBytes);
    ASSERT_CUDA(Run({Ordered(cudaMemcpySrcAccessOrderDuringApiCall),
                     Ordered(cudaMemcpySrcAccessOrderStream)},
                    {0, 3}));
    std::memset(pinned_, 99, 3 * kPiece);
    const std::vector<int> result = Result();
    ASSERT_EQ(result, std::vector<int>(kPieces, 1)) << seed;
  }
}

TEST_F(BatchTest, PiecesHaveNoOrderAmongThemselves) {
  for (void*& dst : dsts_) dst = device_;
  bool first_wins = false;
  bool last_wins = false;
  for (int seed = 1; seed < 8 * kSeeds; ++seed) {
    SetSeed(static_cast<uint64_t>(seed));
    ASSERT_CUDA(Run());
    const int winner = Result()[0];
    first_wins = first_wins || winner == 1;
    last_wins = last_wins || winner == static_cast<int>(kPieces);
  }
  EXPECT_TRUE(first_wins);
  EXPECT_TRUE(last_wins);
  EXPECT_NE(TakeHazards(), "");
}

TEST_F(BatchTest, IsOrderedInItsStream) {
  for (int seed = 1; seed < kSeeds; ++seed) {
    SetSeed(static_cast<uint64_t>(seed));
    ASSERT_CUDA(cudaMemsetAsync(device_, 77, kBytes, stream_));
    ASSERT_CUDA(Run());
    ASSERT_CUDA(cudaMemsetAsync(device_, 55, kPiece, stream_));
    ASSERT_EQ(Result(), (std::vector<int>{55, 2, 3, 4, 5, 6, 7, 8})) << seed;
  }
}

TEST_F(BatchTest, OneSetOfAttributesIsTheShortForm) {
  std::vector<char*> dsts(kPieces);
  std::vector<char*> srcs(kPieces);
  for (size_t i = 0; i < kPieces; ++i) {
    dsts[i] = device_ + i * kPiece;
    srcs[i] = pinned_ + i * kPiece;
  }
  ASSERT_CUDA(
      cudaMemcpyBatchAsync(dsts.data(), srcs.data(), sizes_.data(), kPieces,
                           Ordered(cudaMemcpySrcAccessOrderStream), stream_));
  EXPECT_EQ(Result()[7], 8);
}

TEST_F(BatchTest, WrongArgumentsDoNothing) {
  ASSERT_CUDA(cudaMemset(device_, 33, kBytes));
  ASSERT_CUDA(cudaDeviceSynchronize());
  const cudaMemcpyAttributes good = Ordered(cudaMemcpySrcAccessOrderStream);
  EXPECT_EQ(Run({}, {}), cudaErrorInvalidValue);
  EXPECT_EQ(Run({good}, {1}), cudaErrorInvalidValue);
  EXPECT_EQ(Run({good, good}, {0, 0}), cudaErrorInvalidValue);
  EXPECT_EQ(Run({good, good}, {0, kPieces}), cudaErrorInvalidValue);
  EXPECT_EQ(Run({Ordered(cudaMemcpySrcAccessOrderInvalid)}),
            cudaErrorInvalidValue);
  cudaMemcpyAttributes flagged = good;
  flagged.flags = 2;
  EXPECT_EQ(Run({flagged}), cudaErrorInvalidValue);
  size_t first = 0;
  cudaMemcpyAttributes attributes = good;
  EXPECT_EQ(cudaMemcpyBatchAsync(nullptr, srcs_.data(), sizes_.data(), kPieces,
                                 &attributes, &first, 1, stream_),
            cudaErrorInvalidValue);
  // The legacy default stream is not allowed.
  EXPECT_EQ(cudaMemcpyBatchAsync(dsts_.data(), srcs_.data(), sizes_.data(),
                                 kPieces, &attributes, &first, 1, nullptr),
            cudaErrorInvalidValue);
  EXPECT_EQ(Result(), std::vector<int>(kPieces, 33));
}

TEST_F(BatchTest, ARefusedPieceEndsTheCallAfterThoseBeforeIt) {
  const auto expect_three = [&] {
    ASSERT_CUDA(cudaMemset(device_, 33, kBytes));
    ASSERT_CUDA(cudaDeviceSynchronize());
    EXPECT_EQ(Run(), cudaErrorInvalidValue);
    EXPECT_EQ(Result(), (std::vector<int>{1, 2, 3, 33, 33, 33, 33, 33}));
  };
  sizes_[3] = kBytes;
  expect_three();
  sizes_[3] = 0;
  expect_three();
  sizes_[3] = kPiece;
  srcs_[3] = nullptr;
  expect_three();
}

// GB/s of `pieces` pieces of `size` bytes.
double Rate(size_t size, size_t pieces) {
  char* pinned = nullptr;
  char* device = nullptr;
  cudaStream_t stream = nullptr;
  EXPECT_CUDA(cudaMallocHost(&pinned, size * pieces));
  EXPECT_CUDA(cudaMalloc(&device, size * pieces));
  EXPECT_CUDA(cudaStreamCreate(&stream));
  std::vector<void*> dsts;
  std::vector<const void*> srcs;
  for (size_t i = 0; i < pieces; ++i) {
    dsts.push_back(device + i * size);
    srcs.push_back(pinned + i * size);
  }
  const std::vector<size_t> sizes(pieces, size);
  cudaMemcpyAttributes attributes = Ordered(cudaMemcpySrcAccessOrderStream);
  size_t first = 0;
  const int64_t start = HostNowNs();
  EXPECT_CUDA(cudaMemcpyBatchAsync(dsts.data(), srcs.data(), sizes.data(),
                                   pieces, &attributes, &first, 1, stream));
  EXPECT_CUDA(cudaStreamSynchronize(stream));
  const double ns = static_cast<double>(HostNowNs() - start);
  EXPECT_CUDA(cudaStreamDestroy(stream));
  EXPECT_CUDA(cudaFree(device));
  EXPECT_CUDA(cudaFreeHost(pinned));
  return static_cast<double>(size * pieces) / ns;
}

// Measured on an H200, for 2048 pieces.
TEST(BatchTimeTest, CostsWhatItsPiecesCost) {
  EXPECT_NEAR(Rate(4 << 10, 2048), 3.75, 0.2);
  EXPECT_NEAR(Rate(16 << 10, 2048), 4.6, 0.2);
  EXPECT_NEAR(Rate(64 << 10, 2048), 40.7, 2.0);
}

}  // namespace
}  // namespace sim
}  // namespace conveyor
