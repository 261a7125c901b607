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

// The order of effects: what a program may and may not rely on.

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "testing/sim/sim.h"

namespace conveyor {
namespace sim {
namespace {

constexpr size_t kBytes = 4096;
constexpr int kSeeds = 64;

#define ASSERT_CUDA(call) ASSERT_EQ(call, cudaSuccess)
#define EXPECT_CUDA(call) EXPECT_EQ(call, cudaSuccess)

class OrderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_CUDA(cudaSetDevice(0));
    ASSERT_CUDA(cudaStreamCreateWithFlags(&a_, cudaStreamNonBlocking));
    ASSERT_CUDA(cudaStreamCreateWithFlags(&b_, cudaStreamNonBlocking));
    ASSERT_CUDA(cudaStreamCreate(&blocking_));
    ASSERT_CUDA(cudaMalloc(&device_, kBytes));
    ASSERT_CUDA(cudaMalloc(&other_, kBytes));
    ASSERT_CUDA(cudaHostAlloc(&pinned_, kBytes, 0));
    ASSERT_CUDA(cudaHostAlloc(&result_, kBytes, 0));
  }

  void TearDown() override {
    EXPECT_CUDA(cudaDeviceSynchronize());
    EXPECT_CUDA(cudaStreamDestroy(a_));
    EXPECT_CUDA(cudaStreamDestroy(b_));
    EXPECT_CUDA(cudaStreamDestroy(blocking_));
    EXPECT_CUDA(cudaFree(device_));
    EXPECT_CUDA(cudaFree(other_));
    EXPECT_CUDA(cudaFreeHost(pinned_));
    EXPECT_CUDA(cudaFreeHost(result_));
  }

  static unsigned char First(const void* memory) {
    return *static_cast<const unsigned char*>(memory);
  }

  // Fills `memory` with `value` and waits.
  void Fill(void* memory, int value) {
    ASSERT_CUDA(cudaMemsetAsync(memory, value, kBytes, a_));
    ASSERT_CUDA(cudaStreamSynchronize(a_));
  }

  // What device memory holds now.
  unsigned char Read(const void* memory) {
    EXPECT_CUDA(cudaDeviceSynchronize());
    unsigned char value = 0;
    EXPECT_CUDA(cudaMemcpy(&value, memory, 1, cudaMemcpyDeviceToHost));
    return value;
  }

  // How often `program` leaves `value` behind, over many streams' worth of
  // decisions.
  template <typename Program>
  int Count(unsigned char value, Program program) {
    int count = 0;
    for (int i = 0; i < kSeeds; ++i) {
      SetSeed(static_cast<uint64_t>(i));
      if (program() == value) ++count;
      if (HasFatalFailure()) break;
    }
    SetSeed(1);
    return count;
  }

  cudaStream_t a_ = nullptr;
  cudaStream_t b_ = nullptr;
  cudaStream_t blocking_ = nullptr;
  void* device_ = nullptr;
  void* other_ = nullptr;
  void* pinned_ = nullptr;
  void* result_ = nullptr;
};

TEST_F(OrderTest, DeviceCopiesMoveTheirBytes) {
  std::vector<unsigned char> source(kBytes);
  for (size_t i = 0; i < kBytes; ++i) {
    source[i] = static_cast<unsigned char>(i * 7 + i / 256);
  }
  std::vector<unsigned char> result(kBytes);
  ASSERT_CUDA(
      cudaMemcpy(device_, source.data(), kBytes, cudaMemcpyHostToDevice));
  ASSERT_CUDA(cudaMemcpy(other_, device_, kBytes, cudaMemcpyDeviceToDevice));
  ASSERT_CUDA(
      cudaMemcpy(result.data(), other_, kBytes, cudaMemcpyDeviceToHost));
  EXPECT_EQ(result, source);
}

TEST_F(OrderTest, AMissingStreamWaitShowsForSomeSeedsOnly) {
  const auto program = [&](bool wait) {
    Fill(device_, 1);
    EXPECT_CUDA(cudaMemsetAsync(device_, 2, kBytes, a_));
    cudaEvent_t event;
    EXPECT_CUDA(cudaEventCreate(&event));
    EXPECT_CUDA(cudaEventRecord(event, a_));
    if (wait) {
      EXPECT_CUDA(cudaStreamWaitEvent(b_, event, 0));
    }
    EXPECT_CUDA(
        cudaMemcpyAsync(other_, device_, kBytes, cudaMemcpyDeviceToDevice, b_));
    EXPECT_CUDA(cudaEventDestroy(event));
    return Read(other_);
  };
  EXPECT_EQ(Count(2, [&] { return program(true); }), kSeeds);
  EXPECT_EQ(TakeHazards(), "");
  const int lucky = Count(2, [&] { return program(false); });
  EXPECT_GT(lucky, 0);
  EXPECT_LT(lucky, kSeeds);
  EXPECT_NE(TakeHazards(), "");
}

TEST_F(OrderTest, PinnedSourcesAreReadLate) {
  const int stale = Count(1, [&] {
    std::memset(pinned_, 1, kBytes);
    EXPECT_CUDA(
        cudaMemcpyAsync(device_, pinned_, kBytes, cudaMemcpyHostToDevice, a_));
    std::memset(pinned_, 2, kBytes);  // Too early.
    return Read(device_);
  });
  EXPECT_GT(stale, 0);
  EXPECT_LT(stale, kSeeds);
  EXPECT_NE(TakeHazards(), "");
}

TEST_F(OrderTest, PinnedDestinationsAreWrittenLate) {
  const int early = Count(3, [&] {
    Fill(device_, 3);
    std::memset(result_, 0, kBytes);
    EXPECT_CUDA(
        cudaMemcpyAsync(result_, device_, kBytes, cudaMemcpyDeviceToHost, a_));
    const unsigned char seen = First(result_);  // Too early.
    EXPECT_CUDA(cudaStreamSynchronize(a_));
    EXPECT_EQ(First(result_), 3);
    return seen;
  });
  EXPECT_GT(early, 0);
  EXPECT_LT(early, kSeeds);
}

TEST_F(OrderTest, PageableSourcesAreReadAtTheCall) {
  for (const size_t bytes : {kBytes, size_t{1} << 20}) {
    void* device = nullptr;
    ASSERT_CUDA(cudaMalloc(&device, bytes));
    EXPECT_EQ(Count(1,
                    [&] {
                      std::vector<char> source(bytes, 1);
                      EXPECT_CUDA(cudaMemcpyAsync(device, source.data(), bytes,
                                                  cudaMemcpyHostToDevice, a_));
                      std::fill(source.begin(), source.end(), 2);
                      EXPECT_CUDA(cudaStreamSynchronize(a_));
                      return Read(static_cast<char*>(device) + bytes - 1);
                    }),
              kSeeds)
        << bytes;
    ASSERT_CUDA(cudaFree(device));
  }
}

// cudaMemcpy has read the source when it returns, and not yet written all of
// the destination: the rest is ordered by the legacy default stream, which
// non-blocking streams do not heed.
TEST_F(OrderTest, ABlockingPageableUploadEndsLateForNonBlockingStreams) {
  constexpr size_t kLarge = 1 << 20;
  void* device = nullptr;
  ASSERT_CUDA(cudaMalloc(&device, kLarge));
  const std::vector<char> source(kLarge, 5);
  const auto program = [&](cudaStream_t reader) {
    EXPECT_CUDA(cudaMemsetAsync(device, 4, kLarge, a_));
    EXPECT_CUDA(cudaStreamSynchronize(a_));
    EXPECT_CUDA(
        cudaMemcpy(device, source.data(), kLarge, cudaMemcpyHostToDevice));
    EXPECT_CUDA(cudaMemcpyAsync(result_,
                                static_cast<char*>(device) + kLarge - 1, 1,
                                cudaMemcpyDeviceToHost, reader));
    EXPECT_CUDA(cudaStreamSynchronize(reader));
    return First(result_);
  };
  const int right = Count(5, [&] { return program(b_); });
  EXPECT_GT(right, 0);
  EXPECT_LT(right, kSeeds);
  EXPECT_NE(TakeHazards(), "");
  EXPECT_EQ(Count(5, [&] { return program(blocking_); }), kSeeds);
  ASSERT_CUDA(cudaDeviceSynchronize());
  ASSERT_CUDA(cudaFree(device));
}

TEST_F(OrderTest, APageableDownloadIsCompleteOnReturn) {
  EXPECT_EQ(Count(6,
                  [&] {
                    Fill(device_, 1);
                    EXPECT_CUDA(cudaMemsetAsync(device_, 6, kBytes, a_));
                    std::vector<unsigned char> result(kBytes, 0);
                    EXPECT_CUDA(cudaMemcpyAsync(result.data(), device_, kBytes,
                                                cudaMemcpyDeviceToHost, a_));
                    return *std::min_element(result.begin(), result.end());
                  }),
            kSeeds);
}

TEST_F(OrderTest, ABlockingCopyBetweenDeviceRangesIsNot) {
  const int early = Count(7, [&] {
    Fill(device_, 7);
    Fill(other_, 0);
    EXPECT_CUDA(cudaMemcpy(other_, device_, kBytes, cudaMemcpyDeviceToDevice));
    EXPECT_CUDA(
        cudaMemcpyAsync(result_, other_, kBytes, cudaMemcpyDeviceToHost, b_));
    EXPECT_CUDA(cudaStreamSynchronize(b_));
    return First(result_);
  });
  EXPECT_GT(early, 0);
  EXPECT_LT(early, kSeeds);
  EXPECT_NE(TakeHazards(), "");
}

TEST_F(OrderTest, TheLegacyStreamAndBlockingStreamsWaitForEachOther) {
  EXPECT_EQ(
      Count(9,
            [&] {
              Fill(device_, 8);
              EXPECT_CUDA(cudaMemsetAsync(device_, 9, kBytes, nullptr));
              EXPECT_CUDA(cudaMemcpyAsync(other_, device_, kBytes,
                                          cudaMemcpyDeviceToDevice, blocking_));
              EXPECT_CUDA(cudaMemcpyAsync(result_, other_, kBytes,
                                          cudaMemcpyDeviceToHost,
                                          cudaStreamLegacy));
              EXPECT_CUDA(cudaStreamSynchronize(nullptr));
              return First(result_);
            }),
      kSeeds);
  EXPECT_EQ(TakeHazards(), "");
  const int lucky = Count(9, [&] {
    Fill(device_, 8);
    EXPECT_CUDA(cudaMemsetAsync(device_, 9, kBytes, nullptr));
    EXPECT_CUDA(
        cudaMemcpyAsync(result_, device_, kBytes, cudaMemcpyDeviceToHost, b_));
    EXPECT_CUDA(cudaStreamSynchronize(b_));
    return First(result_);
  });
  EXPECT_LT(lucky, kSeeds);
  EXPECT_NE(TakeHazards(), "");
}

TEST_F(OrderTest, AnEventOnTheLegacyStreamCoversBlockingStreams) {
  cudaEvent_t event;
  ASSERT_CUDA(cudaEventCreate(&event));
  const auto program = [&](cudaStream_t writer) {
    Fill(device_, 1);
    EXPECT_CUDA(cudaMemsetAsync(device_, 2, kBytes, writer));
    EXPECT_CUDA(cudaEventRecord(event, nullptr));
    EXPECT_CUDA(cudaStreamWaitEvent(b_, event, 0));
    EXPECT_CUDA(
        cudaMemcpyAsync(result_, device_, kBytes, cudaMemcpyDeviceToHost, b_));
    EXPECT_CUDA(cudaStreamSynchronize(b_));
    return First(result_);
  };
  EXPECT_EQ(Count(2, [&] { return program(blocking_); }), kSeeds);
  EXPECT_EQ(TakeHazards(), "");
  EXPECT_LT(Count(2, [&] { return program(a_); }), kSeeds);
  EXPECT_NE(TakeHazards(), "");
  ASSERT_CUDA(cudaEventDestroy(event));
}

TEST_F(OrderTest, AWaitTakesTheEventAsItIsThen) {
  cudaEvent_t event;
  ASSERT_CUDA(cudaEventCreate(&event));
  const int right = Count(2, [&] {
    Fill(device_, 1);
    EXPECT_CUDA(cudaEventRecord(event, a_));
    EXPECT_CUDA(cudaStreamWaitEvent(b_, event, 0));
    // Recorded again: the wait above does not cover this.
    EXPECT_CUDA(cudaMemsetAsync(device_, 2, kBytes, a_));
    EXPECT_CUDA(cudaEventRecord(event, a_));
    EXPECT_CUDA(
        cudaMemcpyAsync(result_, device_, kBytes, cudaMemcpyDeviceToHost, b_));
    EXPECT_CUDA(cudaStreamSynchronize(b_));
    return First(result_);
  });
  EXPECT_LT(right, kSeeds);
  EXPECT_NE(TakeHazards(), "");
  ASSERT_CUDA(cudaEventDestroy(event));
}

TEST_F(OrderTest, AnEventNeverRecordedIsComplete) {
  cudaEvent_t event;
  ASSERT_CUDA(cudaEventCreate(&event));
  EXPECT_CUDA(cudaEventQuery(event));
  EXPECT_CUDA(cudaEventSynchronize(event));
  EXPECT_CUDA(cudaStreamWaitEvent(a_, event, 0));
  ASSERT_CUDA(cudaEventDestroy(event));
}

TEST_F(OrderTest, ADestroyedStreamStillDoesItsWork) {
  EXPECT_EQ(Count(4,
                  [&] {
                    Fill(device_, 1);
                    cudaStream_t stream;
                    EXPECT_CUDA(cudaStreamCreateWithFlags(
                        &stream, cudaStreamNonBlocking));
                    EXPECT_CUDA(cudaMemsetAsync(device_, 4, kBytes, stream));
                    EXPECT_CUDA(cudaStreamDestroy(stream));
                    return Read(device_);
                  }),
            kSeeds);
}

// What a program of one thread sees is the seed's choice alone.
TEST_F(OrderTest, ASeedReproducesTheOrder) {
  const auto order = [&](uint64_t seed) {
    SetSeed(seed);
    cudaStream_t streams[2];
    std::string seen;
    for (cudaStream_t& stream : streams) {
      EXPECT_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    }
    volatile auto* const flags = static_cast<volatile unsigned char*>(result_);
    for (int i = 0; i < 40; ++i) {
      flags[0] = 0;
      EXPECT_CUDA(cudaMemsetAsync(result_, 1, 1, streams[i % 2]));
      seen += static_cast<char>('0' + flags[0]);
    }
    for (cudaStream_t stream : streams) {
      EXPECT_CUDA(cudaStreamSynchronize(stream));
      EXPECT_CUDA(cudaStreamDestroy(stream));
    }
    return seen;
  };
  const std::string first = order(11);
  EXPECT_EQ(order(11), first);
  EXPECT_NE(order(12), first);
  EXPECT_NE(TakeHazards(), "");
  SetSeed(1);
}

}  // namespace
}  // namespace sim
}  // namespace conveyor
