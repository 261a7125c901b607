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

// Host functions, kernels, and progress without calls.

#include <cuda_runtime.h>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "testing/sim/launch.h"
#include "testing/sim/sim.h"

namespace conveyor {
namespace sim {
namespace {

#define ASSERT_CUDA(call) ASSERT_EQ(call, cudaSuccess)
#define EXPECT_CUDA(call) EXPECT_EQ(call, cudaSuccess)

class ProgressTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_CUDA(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
  }
  void TearDown() override {
    EXPECT_CUDA(cudaStreamSynchronize(stream_));
    EXPECT_CUDA(cudaStreamDestroy(stream_));
  }

  cudaStream_t stream_ = nullptr;
};

struct Gate {
  std::mutex mutex;
  std::condition_variable changed;
  bool reached = false;
  bool open = false;

  static void Wait(void* data) {
    Gate& gate = *static_cast<Gate*>(data);
    std::unique_lock<std::mutex> lock(gate.mutex);
    gate.reached = true;
    gate.changed.notify_all();
    gate.changed.wait(lock, [&] { return gate.open; });
  }
  void Open() {
    std::lock_guard<std::mutex> lock(mutex);
    open = true;
    changed.notify_all();
  }
};

TEST_F(ProgressTest, AHostThatOnlySpinsSeesTheFlag) {
  void* memory = nullptr;
  ASSERT_CUDA(cudaHostAlloc(&memory, sizeof(std::atomic<int>), 0));
  auto* const flag = new (memory) std::atomic<int>(0);
  for (int i = 1; i <= 8; ++i) {
    ASSERT_CUDA(LaunchKernel(
        stream_, [flag, i] { flag->store(i); }, nullptr, 0, nullptr, 0));
    while (flag->load() != i) {
    }
  }
  ASSERT_CUDA(cudaFreeHost(memory));
}

TEST_F(ProgressTest, AHostFunctionRunsThoughNobodyWaitsByACall) {
  Gate gate;
  ASSERT_CUDA(cudaLaunchHostFunc(stream_, &Gate::Wait, &gate));
  {
    std::unique_lock<std::mutex> lock(gate.mutex);
    gate.changed.wait(lock, [&] { return gate.reached; });
  }
  EXPECT_EQ(cudaStreamQuery(stream_), cudaErrorNotReady);
  gate.Open();
  ASSERT_CUDA(cudaStreamSynchronize(stream_));
  EXPECT_CUDA(cudaStreamQuery(stream_));
  cudaGetLastError();
}

TEST_F(ProgressTest, WorkBehindAHostFunctionWaitsForIt) {
  char* pinned = nullptr;
  ASSERT_CUDA(cudaMallocHost(&pinned, 1));
  *pinned = 0;
  Gate gate;
  ASSERT_CUDA(cudaLaunchHostFunc(stream_, &Gate::Wait, &gate));
  ASSERT_CUDA(cudaMemsetAsync(pinned, 1, 1, stream_));
  for (int i = 0; i < 100000; ++i) {
    ASSERT_EQ(cudaStreamQuery(stream_), cudaErrorNotReady);
  }
  EXPECT_EQ(*pinned, 0);
  gate.Open();
  ASSERT_CUDA(cudaStreamSynchronize(stream_));
  EXPECT_EQ(*pinned, 1);
  ASSERT_CUDA(cudaFreeHost(pinned));
  cudaGetLastError();
}

// A query must not run it here: this thread holds what it takes.
TEST_F(ProgressTest, AQueryNeverRunsAHostFunction) {
  static std::mutex mutex;
  std::unique_lock<std::mutex> held(mutex);
  ASSERT_CUDA(cudaLaunchHostFunc(
      stream_, [](void*) { std::lock_guard<std::mutex> lock(mutex); },
      nullptr));
  for (int i = 0; i < 10000; ++i) {
    ASSERT_EQ(cudaStreamQuery(stream_), cudaErrorNotReady);
  }
  held.unlock();
  while (cudaStreamQuery(stream_) == cudaErrorNotReady) {
  }
  cudaGetLastError();
}

TEST_F(ProgressTest, AHostFunctionMayMakeNoCudaCall) {
  static cudaError_t seen;
  seen = cudaSuccess;
  ASSERT_CUDA(cudaLaunchHostFunc(
      stream_,
      [](void*) {
        void* memory = nullptr;
        seen = cudaMalloc(&memory, 1);
      },
      nullptr));
  ASSERT_CUDA(cudaStreamSynchronize(stream_));
  EXPECT_EQ(seen, cudaErrorNotPermitted);
}

TEST_F(ProgressTest, HostFunctionsRunInTheOrderOfTheirStream) {
  static std::vector<int>* order;
  std::vector<int> seen;
  order = &seen;
  static int numbers[50];
  for (int i = 0; i < 50; ++i) {
    numbers[i] = i;
    ASSERT_CUDA(cudaLaunchHostFunc(
        stream_,
        [](void* number) { order->push_back(*static_cast<int*>(number)); },
        &numbers[i]));
  }
  ASSERT_CUDA(cudaStreamSynchronize(stream_));
  ASSERT_EQ(seen.size(), 50u);
  for (int i = 0; i < 50; ++i) EXPECT_EQ(seen[static_cast<size_t>(i)], i);
}

TEST_F(ProgressTest, AHostFunctionsTimeIsTheStreams) {
  cudaEvent_t start;
  cudaEvent_t end;
  ASSERT_CUDA(cudaEventCreate(&start));
  ASSERT_CUDA(cudaEventCreate(&end));
  ASSERT_CUDA(cudaEventRecord(start, stream_));
  ASSERT_CUDA(cudaLaunchHostFunc(
      stream_, [](void*) { ChargeHostNs(3000000); }, nullptr));
  ASSERT_CUDA(cudaEventRecord(end, stream_));
  ASSERT_CUDA(cudaEventSynchronize(end));
  float ms = 0;
  ASSERT_CUDA(cudaEventElapsedTime(&ms, start, end));
  EXPECT_NEAR(ms, 3.0, 0.1);
  ASSERT_CUDA(cudaEventDestroy(start));
  ASSERT_CUDA(cudaEventDestroy(end));
}

// Many threads, each with a stream of its own and one shared event.
TEST(ThreadsTest, WorkSideBySide) {
  constexpr int kThreads = 4;
  constexpr size_t kBytes = 1 << 16;
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      cudaStream_t stream;
      EXPECT_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
      char* pinned = nullptr;
      char* device = nullptr;
      EXPECT_CUDA(cudaMallocHost(&pinned, kBytes));
      EXPECT_CUDA(cudaMalloc(&device, kBytes));
      for (int i = 0; i < 200; ++i) {
        const char value = static_cast<char>(i + t);
        pinned[0] = pinned[kBytes - 1] = value;
        EXPECT_CUDA(cudaMemcpyAsync(device, pinned, kBytes,
                                    cudaMemcpyHostToDevice, stream));
        EXPECT_CUDA(cudaStreamSynchronize(stream));
        pinned[0] = pinned[kBytes - 1] = 0;
        EXPECT_CUDA(cudaMemcpyAsync(pinned, device, kBytes,
                                    cudaMemcpyDeviceToHost, stream));
        EXPECT_CUDA(cudaStreamSynchronize(stream));
        if (pinned[0] == value && pinned[kBytes - 1] == value) ++right;
      }
      EXPECT_CUDA(cudaFree(device));
      EXPECT_CUDA(cudaFreeHost(pinned));
      EXPECT_CUDA(cudaStreamDestroy(stream));
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, kThreads * 200);
}

}  // namespace
}  // namespace sim
}  // namespace conveyor
