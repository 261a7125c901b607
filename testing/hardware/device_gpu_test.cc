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

// Whether this machine can run the other tests: it has a real driver and as
// many devices as were promised, and bytes survive the way there and back. Raw
// CUDA calls only, so that a failure here is the machine's and not ours.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "testing/pattern.h"
#include "testing/status_matchers.h"

namespace conveyor {
namespace {

int DeviceCount() {
  int count = 0;
  EXPECT_EQ(cudaGetDeviceCount(&count), cudaSuccess);
  return count;
}

TEST(DeviceTest, TheDriverIsRealAndNotOlderThanTheRuntime) {
  int driver = 0;
  int runtime = 0;
  ASSERT_EQ(cudaDriverGetVersion(&driver), cudaSuccess);
  ASSERT_EQ(cudaRuntimeGetVersion(&runtime), cudaSuccess);
  // A stub has none.
  EXPECT_GT(driver, 0);
  // Minor versions of the same major are compatible both ways.
  EXPECT_GE(driver / 1000, runtime / 1000);
}

TEST(DeviceTest, SeesItsOwnDevicesAlone) {
  const char* const promised = std::getenv("CONVEYOR_TEST_GPUS");
  ASSERT_NE(promised, nullptr);
  const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES");
  ASSERT_NE(visible, nullptr) << "run it by the runner or by with_gpus";
  EXPECT_EQ(absl::StrCat(DeviceCount()), promised)
      << "CUDA_VISIBLE_DEVICES=" << visible;
}

TEST(DeviceTest, DevicesAreDifferentOnes) {
  std::set<std::string> uuids;
  const int count = DeviceCount();
  for (int device = 0; device < count; ++device) {
    cudaDeviceProp properties;
    ASSERT_EQ(cudaGetDeviceProperties(&properties, device), cudaSuccess);
    EXPECT_GT(properties.totalGlobalMem, 0);
    uuids.emplace(properties.uuid.bytes, sizeof(properties.uuid.bytes));
  }
  EXPECT_EQ(uuids.size(), count);
}

TEST(DeviceTest, BytesSurviveTheRoundTripThroughEachDevice) {
  constexpr size_t kBytes = (8 << 20) + 13;
  const int count = DeviceCount();
  ASSERT_GT(count, 0);
  for (int device = 0; device < count; ++device) {
    SCOPED_TRACE(absl::StrCat("device ", device));
    ASSERT_EQ(cudaSetDevice(device), cudaSuccess);
    std::vector<uint8_t> sent(kBytes);
    FillPattern(absl::MakeSpan(sent), /*seed=*/device);
    std::vector<uint8_t> received(kBytes);
    void* memory = nullptr;
    ASSERT_EQ(cudaMalloc(&memory, kBytes), cudaSuccess);
    EXPECT_EQ(cudaMemcpy(memory, sent.data(), kBytes, cudaMemcpyHostToDevice),
              cudaSuccess);
    EXPECT_EQ(
        cudaMemcpy(received.data(), memory, kBytes, cudaMemcpyDeviceToHost),
        cudaSuccess);
    EXPECT_EQ(cudaFree(memory), cudaSuccess);
    EXPECT_OK(VerifyPattern(absl::MakeConstSpan(received), /*seed=*/device));
  }
}

}  // namespace
}  // namespace conveyor
