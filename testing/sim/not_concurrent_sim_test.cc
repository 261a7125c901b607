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

// A machine where host and device may not use managed memory at once.

#include <cuda_runtime.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "testing/sim/memory_range.h"
#include "testing/sim/sim.h"

namespace conveyor {
namespace sim {
namespace {

#define ASSERT_CUDA(call) ASSERT_EQ(call, cudaSuccess)
#define EXPECT_CUDA(call) EXPECT_EQ(call, cudaSuccess)

constexpr size_t kBytes = 1 << 20;

int Attribute(cudaDeviceAttr attribute) {
  int value = -1;
  EXPECT_CUDA(cudaDeviceGetAttribute(&value, attribute, 0));
  return value;
}

TEST(NotConcurrentTest, SaysSo) {
  ASSERT_EQ(ProfileName(), "wsl2");
  EXPECT_EQ(Attribute(cudaDevAttrManagedMemory), 1);
  EXPECT_EQ(Attribute(cudaDevAttrConcurrentManagedAccess), 0);
  EXPECT_EQ(Attribute(cudaDevAttrCanUseHostPointerForRegisteredMem), 0);
}

// As if the device did not exist, which misleads people.
TEST(NotConcurrentTest, AdviceAndPrefetchingAreErrors) {
  char* memory = nullptr;
  ASSERT_CUDA(cudaMallocManaged(&memory, kBytes));
  for (const cudaMemLocation location :
       {cudaMemLocation{cudaMemLocationTypeDevice, 0},
        cudaMemLocation{cudaMemLocationTypeHost, 0}}) {
    EXPECT_EQ(cudaMemAdvise(memory, kBytes, cudaMemAdviseSetPreferredLocation,
                            location),
              cudaErrorInvalidDevice);
    EXPECT_EQ(cudaMemPrefetchAsync(memory, kBytes, location, 0, nullptr),
              cudaErrorInvalidDevice);
    EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDevice);
  }
  int preferred = 0;
  EXPECT_CUDA(cudaMemRangeGetAttribute(&preferred, sizeof(preferred),
                                       cudaMemRangeAttributePreferredLocation,
                                       memory, kBytes));
  EXPECT_EQ(preferred, cudaInvalidDeviceId);
  ASSERT_CUDA(cudaFree(memory));
}

TEST(NotConcurrentTest, ManagedMemoryCanBeCopied) {
  char* memory = nullptr;
  ASSERT_CUDA(cudaMallocManaged(&memory, kBytes));
  ASSERT_CUDA(cudaMemset(memory, 5, kBytes));
  ASSERT_CUDA(cudaDeviceSynchronize());
  EXPECT_EQ(memory[kBytes - 1], 5);
  ASSERT_CUDA(cudaFree(memory));
}

// A block, and a kernel that writes to it.
class HostAccessTest : public ::testing::Test {
 protected:
  void SetUp() override {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    ASSERT_CUDA(cudaMallocManaged(&block_, kBytes));
    ASSERT_CUDA(cudaMallocManaged(&other_, kBytes));
    for (cudaStream_t& stream : streams_) {
      ASSERT_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    }
    ASSERT_CUDA(cudaEventCreate(&event_));
  }

  void TearDown() override {
    ClearFaults();
    EXPECT_CUDA(cudaDeviceSynchronize());
    EXPECT_CUDA(cudaFree(block_));
    EXPECT_CUDA(cudaFree(other_));
    for (cudaStream_t stream : streams_) {
      EXPECT_CUDA(cudaStreamDestroy(stream));
    }
    EXPECT_CUDA(cudaEventDestroy(event_));
  }

  void Launch(cudaStream_t stream, char value = 1) {
    char* const block = block_;
    const MemoryRange written = {block, kBytes};
    ASSERT_CUDA(LaunchKernel(
        stream, [block, value] { std::memset(block, value, kBytes); }, nullptr,
        0, &written, 1));
  }

  static void Touch(volatile char* memory) { memory[kBytes - 1] = 7; }

  char* block_ = nullptr;
  char* other_ = nullptr;
  cudaStream_t streams_[2] = {};
  cudaEvent_t event_ = nullptr;
};

using HostAccessDeathTest = HostAccessTest;

// Not only to what the kernel uses.
TEST_F(HostAccessDeathTest, ToAnyBlockWhileAKernelMayRunIsReported) {
  for (char* memory : {block_, other_}) {
    EXPECT_DEATH(
        {
          Launch(streams_[0]);
          Touch(memory);
        },
        "The host touches managed memory at .*, byte 1048575 of a block of "
        "1048576 bytes .* while a kernel .*: operation 1 of stream [0-9]+\\. "
        ".*cudaDevAttrConcurrentManagedAccess is 0.*Synchronise the device");
  }
}

// The driver gives the memory back when it is waited for, not earlier.
TEST_F(HostAccessDeathTest, EndsTheProcessAlsoWhenTheKernelHasEnded) {
  EXPECT_DEATH(
      {
        Launch(streams_[0]);
        ChargeHostNs(1000000000);
        Touch(block_);
      },
      "touches managed memory");
}

TEST_F(HostAccessDeathTest, EndsTheProcessWhenAnotherStreamsKernelRuns) {
  EXPECT_DEATH(
      {
        DelayNthOperation(Operation::kKernel, 1000000000, 1);
        Launch(streams_[0]);
        Launch(streams_[1]);
        if (cudaStreamSynchronize(streams_[1]) == cudaSuccess) Touch(block_);
      },
      "a kernel may be running: operation 1 of stream");
}

TEST_F(HostAccessDeathTest, IsThePreviousHandlersToEnd) {
  EXPECT_EXIT(
      {
        std::signal(SIGSEGV, [](int) { _exit(42); });
        Launch(streams_[0]);
        Touch(block_);
      },
      ::testing::ExitedWithCode(42), "touches managed memory");
}

TEST_F(HostAccessDeathTest, ToOtherMemoryIsAnOrdinaryFault) {
  EXPECT_DEATH(
      {
        Launch(streams_[0]);
        volatile char* const nowhere = nullptr;
        *nowhere = 1;
      },
      ::testing::Not(::testing::HasSubstr("managed memory")));
}

TEST_F(HostAccessDeathTest, IsStillWatchedAfterAHostFunctionsAccess) {
  EXPECT_DEATH(
      {
        ASSERT_CUDA(cudaLaunchHostFunc(
            streams_[0],
            [](void* memory) { Touch(static_cast<char*>(memory)); }, other_));
        ASSERT_CUDA(cudaEventRecord(event_, streams_[0]));
        Launch(streams_[0]);
        // No kernel comes before the event, but one after it.
        DelayNthOperation(Operation::kKernel, 1000000000, 1);
        Launch(streams_[1]);
        ASSERT_CUDA(cudaEventSynchronize(event_));
        Touch(block_);
      },
      "touches managed memory");
}

TEST_F(HostAccessTest, IsFineAfterEveryWaitThatLeavesNoKernel) {
  Launch(streams_[0], 1);
  ASSERT_CUDA(cudaDeviceSynchronize());
  EXPECT_EQ(block_[0], 1);
  Touch(other_);
  Launch(streams_[0], 2);
  ASSERT_CUDA(cudaStreamSynchronize(streams_[0]));
  EXPECT_EQ(block_[0], 2);
  Launch(streams_[0], 3);
  ASSERT_CUDA(cudaEventRecord(event_, streams_[0]));
  ASSERT_CUDA(cudaEventSynchronize(event_));
  EXPECT_EQ(block_[0], 3);
  Launch(streams_[0], 4);
  while (cudaStreamQuery(streams_[0]) == cudaErrorNotReady) {
  }
  EXPECT_EQ(block_[0], 4);
  // By way of another stream.
  Launch(streams_[0], 5);
  ASSERT_CUDA(cudaEventRecord(event_, streams_[0]));
  ASSERT_CUDA(cudaStreamWaitEvent(streams_[1], event_, 0));
  ASSERT_CUDA(cudaStreamSynchronize(streams_[1]));
  EXPECT_EQ(block_[0], 5);
}

// Copies are no kernels.
TEST_F(HostAccessTest, IsFineWhileACopyRuns) {
  ASSERT_CUDA(cudaMemsetAsync(block_, 3, kBytes, streams_[0]));
  ASSERT_CUDA(
      cudaMemcpyAsync(other_, block_, 1, cudaMemcpyDefault, streams_[0]));
  Touch(other_);
}

TEST_F(HostAccessTest, IsFineToWhatIsAttachedToTheHost) {
  char* memory = nullptr;
  ASSERT_CUDA(cudaMallocManaged(&memory, kBytes, cudaMemAttachHost));
  Launch(streams_[0]);
  Touch(memory);
  EXPECT_EQ(memory[kBytes - 1], 7);
  ASSERT_CUDA(cudaFree(memory));
}

TEST_F(HostAccessTest, OfTheRuntimeItselfGoesOn) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    SetSeed(seed);
    const cudaStream_t stream = streams_[0];
    std::vector<char> pageable(kBytes, 5);
    char found = 0;
    Launch(stream, 1);
    ASSERT_CUDA(
        cudaMemcpyAsync(other_, block_, kBytes, cudaMemcpyDefault, stream));
    ASSERT_CUDA(cudaMemsetAsync(block_, 2, kBytes / 2, stream));
    ASSERT_CUDA(cudaMemcpyAsync(block_ + kBytes / 2, pageable.data(),
                                kBytes / 2, cudaMemcpyDefault, stream));
    // To the host, while the memory is not the host's.
    ASSERT_CUDA(cudaMemcpyAsync(&found, other_, 1, cudaMemcpyDefault, stream));
    EXPECT_EQ(found, 1);
    ASSERT_CUDA(cudaStreamSynchronize(stream));
    EXPECT_EQ(other_[kBytes - 1], 1);
    EXPECT_EQ(block_[0], 2);
    EXPECT_EQ(block_[kBytes - 1], 5);
  }
}

// Nothing runs beside it: the kernel comes after it.
TEST_F(HostAccessTest, OfAHostFunctionGoesOn) {
  ASSERT_CUDA(cudaLaunchHostFunc(
      streams_[0], [](void* memory) { Touch(static_cast<char*>(memory)); },
      other_));
  Launch(streams_[0]);
  ASSERT_CUDA(cudaStreamSynchronize(streams_[0]));
  EXPECT_EQ(other_[kBytes - 1], 7);
}

}  // namespace
}  // namespace sim
}  // namespace conveyor
