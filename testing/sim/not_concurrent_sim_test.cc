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

#include <cstddef>

#include "gtest/gtest.h"
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

}  // namespace
}  // namespace sim
}  // namespace conveyor
