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

// Virtual time: what things cost on the simulated machine. All exact, on any
// machine that runs the test.

#include <cuda_runtime.h>
#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "testing/sim/memory_range.h"
#include "testing/sim/sim.h"

namespace conveyor {
namespace sim {
namespace {

#define ASSERT_CUDA(call) ASSERT_EQ(call, cudaSuccess)
#define EXPECT_CUDA(call) EXPECT_EQ(call, cudaSuccess)

constexpr size_t kLarge = 16 << 20;

// Measured on two H200; see profiles/h200x2.txt.
class VirtualTimeTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(ProfileName(), "h200x2");
    for (int device = 1; device >= 0; --device) {
      ASSERT_CUDA(cudaSetDevice(device));
      ASSERT_CUDA(cudaMalloc(&device_[device], kLarge));
    }
    for (cudaStream_t& stream : streams_) {
      ASSERT_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    }
    for (char*& pinned : pinned_) ASSERT_CUDA(cudaMallocHost(&pinned, kLarge));
    ASSERT_CUDA(cudaEventCreate(&start_));
    ASSERT_CUDA(cudaEventCreate(&end_));
  }

  void TearDown() override {
    for (char* device : device_) EXPECT_CUDA(cudaFree(device));
    for (cudaStream_t stream : streams_) {
      EXPECT_CUDA(cudaStreamDestroy(stream));
    }
    for (char* pinned : pinned_) EXPECT_CUDA(cudaFreeHost(pinned));
    EXPECT_CUDA(cudaEventDestroy(start_));
    EXPECT_CUDA(cudaEventDestroy(end_));
  }

  // GB/s by events around the copies of `enqueue` in stream 0.
  template <typename Enqueue>
  double Rate(double bytes, Enqueue enqueue) {
    EXPECT_CUDA(cudaEventRecord(start_, streams_[0]));
    enqueue();
    EXPECT_CUDA(cudaEventRecord(end_, streams_[0]));
    EXPECT_CUDA(cudaEventSynchronize(end_));
    float ms = 0;
    EXPECT_CUDA(cudaEventElapsedTime(&ms, start_, end_));
    return bytes / ms / 1e6;
  }

  // GB/s by the host's clock, until all is done.
  template <typename Enqueue>
  double HostRate(double bytes, Enqueue enqueue) {
    EXPECT_CUDA(cudaDeviceSynchronize());
    const int64_t start = HostNowNs();
    enqueue();
    EXPECT_CUDA(cudaDeviceSynchronize());
    return bytes / static_cast<double>(HostNowNs() - start);
  }

  void Upload(int stream, size_t bytes) {
    ASSERT_CUDA(cudaMemcpyAsync(device_[0], pinned_[0], bytes,
                                cudaMemcpyHostToDevice, streams_[stream]));
  }
  void Download(int stream, size_t bytes) {
    ASSERT_CUDA(cudaMemcpyAsync(pinned_[1], device_[0], bytes,
                                cudaMemcpyDeviceToHost, streams_[stream]));
  }

  char* device_[2] = {};
  char* pinned_[2] = {};
  cudaStream_t streams_[2] = {};
  cudaEvent_t start_ = nullptr;
  cudaEvent_t end_ = nullptr;
};

TEST_F(VirtualTimeTest, OnePinnedCopyRunsAtTheLinksRate) {
  EXPECT_NEAR(Rate(kLarge, [&] { Upload(0, kLarge); }), 55.0, 0.8);
  EXPECT_NEAR(Rate(kLarge, [&] { Download(0, kLarge); }), 55.3, 0.8);
}

TEST_F(VirtualTimeTest, BothDirectionsShareTheLink) {
  const double sum = HostRate(2.0 * kLarge, [&] {
    Upload(0, kLarge);
    Download(1, kLarge);
  });
  EXPECT_NEAR(sum, 94.5, 2.5);
}

TEST_F(VirtualTimeTest, CopiesOfOneDirectionTakeTurns) {
  const double sum = HostRate(2.0 * kLarge, [&] {
    // The first has the link to itself, whatever comes behind it.
    EXPECT_NEAR(Rate(kLarge,
                     [&] {
                       Upload(0, kLarge);
                       Upload(1, kLarge);
                     }),
                55.0, 0.8);
  });
  EXPECT_NEAR(sum, 55.0, 1.5);
}

TEST_F(VirtualTimeTest, TwoDevicesHaveLinksOfTheirOwn) {
  EXPECT_NEAR(HostRate(2.0 * kLarge,
                       [&] {
                         Upload(0, kLarge);
                         ASSERT_CUDA(cudaMemcpyAsync(
                             device_[1], pinned_[1], kLarge,
                             cudaMemcpyHostToDevice, streams_[1]));
                       }),
              109.0, 3.0);
}

TEST_F(VirtualTimeTest, SmallCopiesCostWhatTheirStartsCost) {
  constexpr int kPieces = 2048;
  for (const auto& [bytes, rate] : std::vector<std::pair<size_t, double>>{
           {4 << 10, 1.55}, {16 << 10, 5.3}, {64 << 10, 15.9}}) {
    EXPECT_NEAR(Rate(static_cast<double>(bytes) * kPieces,
                     [&, bytes = bytes] {
                       for (int i = 0; i < kPieces; ++i) Upload(0, bytes);
                     }),
                rate, rate * 0.1)
        << bytes;
  }
}

TEST_F(VirtualTimeTest, SmallCopiesToTheHostStartSooner) {
  constexpr int kPieces = 256;
  for (const auto& [bytes, rate] : std::vector<std::pair<size_t, double>>{
           {4 << 10, 1.86}, {16 << 10, 7.37}, {64 << 10, 22.4}}) {
    EXPECT_NEAR(Rate(static_cast<double>(bytes) * kPieces,
                     [&, bytes = bytes] {
                       for (int i = 0; i < kPieces; ++i) Download(0, bytes);
                     }),
                rate, rate * 0.1)
        << bytes;
  }
}

TEST_F(VirtualTimeTest, PageableCopiesCostTheHostsTime) {
  std::vector<char> pageable(kLarge);
  EXPECT_NEAR(
      HostRate(kLarge,
               [&] {
                 ASSERT_CUDA(cudaMemcpy(device_[0], pageable.data(), kLarge,
                                        cudaMemcpyHostToDevice));
               }),
      7.75, 0.1);
  EXPECT_NEAR(
      HostRate(kLarge,
               [&] {
                 ASSERT_CUDA(cudaMemcpy(pageable.data(), device_[0], kLarge,
                                        cudaMemcpyDeviceToHost));
               }),
      15.4, 0.2);
}

TEST_F(VirtualTimeTest, ADestinationThatNobodyTouchedCostsItsPages) {
  void* const fresh = mmap(nullptr, kLarge, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(fresh, MAP_FAILED);
  const auto download = [&] {
    ASSERT_CUDA(cudaMemcpy(fresh, device_[0], kLarge, cudaMemcpyDeviceToHost));
  };
  EXPECT_NEAR(HostRate(kLarge, download), 1.5, 0.02);
  EXPECT_NEAR(HostRate(kLarge, download), 15.4, 0.2);
  munmap(fresh, kLarge);
}

TEST_F(VirtualTimeTest, ASmallPageableDownloadCostsItsStartAndItsWait) {
  char byte = 0;
  const int64_t start = HostNowNs();
  ASSERT_CUDA(cudaMemcpy(&byte, device_[0], 1, cudaMemcpyDeviceToHost));
  EXPECT_NEAR(static_cast<double>(HostNowNs() - start), 7500, 200);
}

TEST_F(VirtualTimeTest, ACopyWithinTheHostIsThatOfOneThread) {
  const std::vector<char> source(kLarge);
  std::vector<char> touched(kLarge);
  EXPECT_NEAR(HostRate(kLarge,
                       [&] {
                         ASSERT_CUDA(cudaMemcpy(touched.data(), source.data(),
                                                kLarge, cudaMemcpyHostToHost));
                       }),
              8.8, 0.1);
}

TEST_F(VirtualTimeTest, PageLockedMemoryIsDear) {
  int64_t start = HostNowNs();
  void* pinned = nullptr;
  ASSERT_CUDA(cudaMallocHost(&pinned, kLarge));
  // 195 to 260 ms for 512 MiB.
  EXPECT_NEAR(static_cast<double>(HostNowNs() - start), 227e6 / 32, 0.2e6);
  EXPECT_CUDA(cudaFreeHost(pinned));

  std::vector<char> touched(kLarge);
  start = HostNowNs();
  ASSERT_CUDA(cudaHostRegister(touched.data(), kLarge, 0));
  EXPECT_NEAR(static_cast<double>(HostNowNs() - start), 31e6 / 32, 0.05e6);
  EXPECT_CUDA(cudaHostUnregister(touched.data()));

  void* const fresh = mmap(nullptr, kLarge, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(fresh, MAP_FAILED);
  start = HostNowNs();
  ASSERT_CUDA(cudaHostRegister(fresh, kLarge, 0));
  EXPECT_NEAR(static_cast<double>(HostNowNs() - start), 227e6 / 32, 0.2e6);
  EXPECT_CUDA(cudaHostUnregister(fresh));
  munmap(fresh, kLarge);
}

TEST_F(VirtualTimeTest, AGraphOfSmallCopiesIsNoFasterThanTheCopies) {
  constexpr int kPieces = 2048;
  constexpr size_t kPiece = 4096;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  ASSERT_CUDA(
      cudaStreamBeginCapture(streams_[0], cudaStreamCaptureModeThreadLocal));
  for (int i = 0; i < kPieces; ++i) Upload(0, kPiece);
  ASSERT_CUDA(cudaStreamEndCapture(streams_[0], &graph));
  ASSERT_CUDA(cudaGraphInstantiate(&executable, graph, 0));
  const double rate = HostRate(static_cast<double>(kPiece) * kPieces, [&] {
    ASSERT_CUDA(cudaGraphLaunch(executable, streams_[0]));
  });
  EXPECT_NEAR(rate, 1.59, 0.159);
  EXPECT_CUDA(cudaGraphExecDestroy(executable));
  EXPECT_CUDA(cudaGraphDestroy(graph));
}

// Its start and its issuing are timed too.
TEST_F(VirtualTimeTest, PeersAreJoinedByTheirOwnLinks) {
  ASSERT_CUDA(cudaDeviceEnablePeerAccess(1, 0));
  EXPECT_NEAR(Rate(kLarge,
                   [&] {
                     ASSERT_CUDA(cudaMemcpyPeerAsync(device_[1], 1, device_[0],
                                                     0, kLarge, streams_[0]));
                   }),
              kLarge / (kLarge / 393.0 + 4070), 2.0);
  ASSERT_CUDA(cudaDeviceDisablePeerAccess(1));
}

TEST_F(VirtualTimeTest, WithoutPeerAccessACopyGoesByWayOfTheHost) {
  EXPECT_NEAR(Rate(kLarge,
                   [&] {
                     ASSERT_CUDA(cudaMemcpyPeerAsync(device_[1], 1, device_[0],
                                                     0, kLarge, streams_[0]));
                   }),
              55.0, 0.8);
}

TEST_F(VirtualTimeTest, ASmallCopyAndItsWaitCostMicroseconds) {
  const int64_t start = HostNowNs();
  Upload(0, 4096);
  const int64_t issued = HostNowNs();
  EXPECT_NEAR(static_cast<double>(issued - start), 1370, 40);
  ASSERT_CUDA(cudaStreamSynchronize(streams_[0]));
  EXPECT_NEAR(static_cast<double>(HostNowNs() - start), 8200, 200);
}

// The order of effects differs, the times do not.
TEST_F(VirtualTimeTest, DoesNotDependOnTheSeed) {
  double first = 0;
  for (uint64_t seed = 1; seed < 20; ++seed) {
    SetSeed(seed);
    const double rate = HostRate(5e6, [&] {
      for (int i = 0; i < 5; ++i) {
        Upload(i % 2, 1000000);
        ASSERT_CUDA(cudaEventRecord(start_, streams_[i % 2]));
        ASSERT_CUDA(cudaStreamWaitEvent(streams_[1 - i % 2], start_, 0));
        Download(1 - i % 2, 500000);
      }
    });
    if (first == 0) first = rate;
    EXPECT_NEAR(rate, first, first * 3e-5) << seed;
  }
  SetSeed(1);
}

TEST_F(VirtualTimeTest, AnEventIsNotDoneBeforeItsTimeHasCome) {
  Upload(0, kLarge);
  ASSERT_CUDA(cudaEventRecord(end_, streams_[0]));
  const int64_t start = HostNowNs();
  EXPECT_EQ(cudaEventQuery(end_), cudaErrorNotReady);
  EXPECT_EQ(cudaStreamQuery(streams_[0]), cudaErrorNotReady);
  cudaGetLastError();
  // Polling takes time, so that it ends, and ends when the copy does.
  while (cudaEventQuery(end_) == cudaErrorNotReady) {
  }
  EXPECT_NEAR(static_cast<double>(HostNowNs() - start), kLarge / 55.0, 10000);
  EXPECT_CUDA(cudaStreamQuery(streams_[0]));
  cudaGetLastError();
}

TEST_F(VirtualTimeTest, TheHostsOwnWorkOverlapsTheDevices) {
  const int64_t start = HostNowNs();
  Upload(0, 550000);
  ChargeHostNs(9000000);
  const int64_t before = HostNowNs();
  ASSERT_CUDA(cudaStreamSynchronize(streams_[0]));
  EXPECT_LT(HostNowNs() - before, 200);
  EXPECT_GE(HostNowNs() - start, 9000000);
}

TEST_F(VirtualTimeTest, KernelsOfAllStreamsShareTheMemory) {
  constexpr size_t kHuge = size_t{1} << 30;
  constexpr size_t kStreams = 100;
  constexpr double kMemory = 4260;  // GB/s.
  char* memory = nullptr;
  ASSERT_CUDA(cudaMalloc(&memory, kHuge));
  std::vector<cudaStream_t> streams(kStreams);
  for (cudaStream_t& stream : streams) {
    ASSERT_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  }
  StartTrace();
  double bytes = 0;
  for (size_t i = 0; i < kStreams; ++i) {
    // The first is twice as long as the others.
    const MemoryRange range = {memory, i == 0 ? kHuge : kHuge / 2};
    bytes += static_cast<double>(range.num_bytes);
    EXPECT_CUDA(LaunchKernel(
        streams[i], [] {}, &range, 1, nullptr, 0));
  }
  ASSERT_CUDA(cudaDeviceSynchronize());
  StopTrace();
  const std::vector<TracedOperation> ended = TracedOperations();
  ASSERT_EQ(ended.size(), kStreams);
  const auto ns_until = [&ended](size_t i) {
    return static_cast<double>(ended[i].end_ns - ended.back().start_ns);
  };
  // Together at the memory's rate: all others first, at about the same time
  // (they did not begin at the same), and then what is left of the first.
  EXPECT_EQ(ended.back().bytes, kHuge);
  EXPECT_NEAR(ns_until(kStreams - 1), bytes / kMemory, 0.01 * bytes / kMemory);
  EXPECT_NEAR(ns_until(0), ns_until(kStreams - 2), 0.1 * ns_until(0));
  EXPECT_NEAR(ns_until(kStreams - 1) - ns_until(kStreams - 2),
              kHuge / 2 / kMemory, 0.1 * kHuge / 2 / kMemory);
  for (cudaStream_t stream : streams) ASSERT_CUDA(cudaStreamDestroy(stream));
  ASSERT_CUDA(cudaFree(memory));
}

TEST_F(VirtualTimeTest, AFullStreamHoldsTheHost) {
  const int64_t start = HostNowNs();
  // The device needs 4.7 microseconds for each, the host 1.4.
  for (int i = 0; i < 2000; ++i) Upload(0, 110000);
  EXPECT_GT(HostNowNs() - start, 4400000);
  ASSERT_CUDA(cudaStreamSynchronize(streams_[0]));
}

}  // namespace
}  // namespace sim
}  // namespace conveyor
