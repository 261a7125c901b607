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

#include "testing/hardware/gpu_list.h"

#include <cstdlib>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "testing/status_matchers.h"

namespace conveyor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(ParseNvidiaSmiTest, TakesGpusAndLeavesMigSlicesOut) {
  EXPECT_THAT(
      ParseNvidiaSmi("GPU 0: NVIDIA H200 (UUID: GPU-11111111-aaaa)\n"
                     "  MIG 1g.18gb     Device  0: (UUID: MIG-22222222)\n"
                     "GPU 1: NVIDIA H200 (UUID: GPU-33333333-bbbb)\n"),
      ElementsAre("GPU-11111111-aaaa", "GPU-33333333-bbbb"));
}

TEST(ParseNvidiaSmiTest, FindsNothingInAnErrorMessage) {
  EXPECT_THAT(ParseNvidiaSmi("NVIDIA-SMI has failed because it couldn't "
                             "communicate with the NVIDIA driver.\n"),
              IsEmpty());
  EXPECT_THAT(ParseNvidiaSmi("sh: nvidia-smi: not found\n"), IsEmpty());
}

TEST(SelectVisibleTest, TakesIndicesUuidsAndTheirBeginnings) {
  const std::vector<std::string> gpus = {"GPU-11", "GPU-22", "GPU-33"};
  EXPECT_THAT(SelectVisible(gpus, "2,0"), ElementsAre("GPU-33", "GPU-11"));
  EXPECT_THAT(SelectVisible(gpus, "GPU-22"), ElementsAre("GPU-22"));
  EXPECT_THAT(SelectVisible(gpus, " GPU-3 , 1"),
              ElementsAre("GPU-33", "GPU-22"));
}

TEST(SelectVisibleTest, EndsAtTheFirstThatNamesNoGpu) {
  const std::vector<std::string> gpus = {"GPU-11", "GPU-22"};
  EXPECT_THAT(SelectVisible(gpus, "1,-1,0"), ElementsAre("GPU-22"));
  EXPECT_THAT(SelectVisible(gpus, "7,0"), IsEmpty());
  EXPECT_THAT(SelectVisible(gpus, "GPU-9,0"), IsEmpty());
  EXPECT_THAT(SelectVisible(gpus, ""), IsEmpty());
  EXPECT_THAT(SelectVisible(gpus, "none"), IsEmpty());
}

class ListGpusTest : public ::testing::Test {
 protected:
  ListGpusTest() { unsetenv("CUDA_VISIBLE_DEVICES"); }
  ~ListGpusTest() override {
    unsetenv("CONVEYOR_GPU_UUIDS");
    unsetenv("CUDA_VISIBLE_DEVICES");
  }
};

TEST_F(ListGpusTest, TakesWhatTheEnvironmentNames) {
  setenv("CONVEYOR_GPU_UUIDS", "GPU-a,GPU-b", 1);
  EXPECT_THAT(ListGpus(), IsOkAndHolds(ElementsAre("GPU-a", "GPU-b")));
}

TEST_F(ListGpusTest, NoneIsAnErrorWithAReason) {
  setenv("CONVEYOR_GPU_UUIDS", "", 1);
  EXPECT_THAT(ListGpus(), StatusIs(absl::StatusCode::kNotFound,
                                   HasSubstr("CONVEYOR_GPU_UUIDS is empty")));
}

TEST_F(ListGpusTest, CudaVisibleDevicesHidesGpus) {
  setenv("CONVEYOR_GPU_UUIDS", "GPU-a,GPU-b", 1);
  setenv("CUDA_VISIBLE_DEVICES", "1", 1);
  EXPECT_THAT(ListGpus(), IsOkAndHolds(ElementsAre("GPU-b")));
  setenv("CUDA_VISIBLE_DEVICES", "", 1);
  EXPECT_THAT(ListGpus(), StatusIs(absl::StatusCode::kNotFound,
                                   HasSubstr("hides all 2 GPUs")));
}

}  // namespace
}  // namespace conveyor
