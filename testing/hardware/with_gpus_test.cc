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

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "testing/hardware/process.h"
#include "testing/status_matchers.h"

namespace conveyor {
namespace {

using ::testing::HasSubstr;

constexpr char kWithGpus[] = "testing/hardware/with_gpus";
constexpr char kShowDevices[] = "echo devices: $CUDA_VISIBLE_DEVICES.";

class WithGpusTest : public ::testing::Test {
 protected:
  WithGpusTest() {
    std::string name = ::testing::TempDir() + "/withgpusXXXXXX";
    directory_ = mkdtemp(name.data());
    unsetenv("CUDA_VISIBLE_DEVICES");
    unsetenv("CONVEYOR_TEST_GPUS");
  }

  // Runs a shell script under with_gpus. Its exit code.
  int Run(const std::string& script, const std::string& count) {
    ProcessOptions options;
    options.argv = {kWithGpus, "/bin/sh", "-c", script};
    options.env = {{"CONVEYOR_GPU_LOCK_DIR", directory_},
                   {"CONVEYOR_GPU_UUIDS", "GPU-a,GPU-b"}};
    if (!count.empty()) options.env["CONVEYOR_TEST_GPUS"] = count;
    options.time_limit = absl::Seconds(60);
    options.output_file = directory_ + "/output";
    const auto result = RunProcess(options);
    EXPECT_OK(result);
    return result.ok() ? result->exit_code : -1;
  }

  std::string Output() {
    std::ifstream file(directory_ + "/output");
    return std::string((std::istreambuf_iterator<char>(file)),
                       std::istreambuf_iterator<char>());
  }

  std::string directory_;
};

TEST_F(WithGpusTest, ShowsAsManyGpusAsAreNeeded) {
  EXPECT_EQ(Run(kShowDevices, "1"), 0);
  EXPECT_EQ(Output(), "devices: GPU-a.\n");
}

TEST_F(WithGpusTest, TwoProgramsAtOnceGetDifferentGpus) {
  // The outer holds its GPU when it becomes the inner, which may see both.
  EXPECT_EQ(Run(std::string("exec env -u CUDA_VISIBLE_DEVICES ") + kWithGpus +
                    " /bin/sh -c '" + kShowDevices + "'",
                "1"),
            0);
  EXPECT_THAT(Output(), HasSubstr("devices: GPU-b."));
}

TEST_F(WithGpusTest, WhatNeedsNoGpuIsRunAsItIs) {
  EXPECT_EQ(Run(kShowDevices, ""), 0);
  EXPECT_EQ(Run(kShowDevices, "0"), 0);
  EXPECT_EQ(Output(), "devices: .\ndevices: .\n");
}

TEST_F(WithGpusTest, LeavesItToTheProgramToReportTooFewGpus) {
  EXPECT_EQ(Run(kShowDevices, "3"), 0);
  EXPECT_EQ(Output(),
            "with_gpus: 3 GPUs are needed, and there are 2\ndevices: .\n");
}

TEST_F(WithGpusTest, TheExitCodeIsTheProgramsOwn) {
  EXPECT_EQ(Run("exit 5", "1"), 5);
}

TEST_F(WithGpusTest, RefusesANumberThatIsNone) {
  EXPECT_EQ(Run(kShowDevices, "two"), 2);
  EXPECT_THAT(Output(), HasSubstr("CONVEYOR_TEST_GPUS is no number: two"));
}

}  // namespace
}  // namespace conveyor
