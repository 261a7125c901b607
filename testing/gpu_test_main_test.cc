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

// Runs gpu_test_main_fixture, a program whose main() is gpu_test_main, as one
// that passes and skips, with and without devices.

#include <cuda_runtime_api.h>

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

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class GpuTestMainTest : public ::testing::Test {
 protected:
  GpuTestMainTest() {
    std::string name = ::testing::TempDir() + "/mainXXXXXX";
    directory_ = mkdtemp(name.data());
    // So that it leaves this test's own report alone.
    unsetenv("XML_OUTPUT_FILE");
    unsetenv("GTEST_OUTPUT");
  }

  // Runs the cases of the fixture that `filter` chooses, on hardware without a
  // device. The exit code.
  int Run(const std::string& filter, const std::string& fail_on_skip) {
    ProcessOptions options;
    options.argv = {"testing/gpu_test_main_fixture"};
    options.env = {{"GTEST_FILTER", filter},
                   {"CONVEYOR_FAIL_ON_SKIP", fail_on_skip},
                   {"CONVEYOR_TEST_GPUS", "1"},
                   {"CUDA_VISIBLE_DEVICES", "-1"}};
    options.output_file = directory_ + "/output";
    options.time_limit = absl::Minutes(2);
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

TEST_F(GpuTestMainTest, NothingRunFailsWhereSkipsDo) {
  EXPECT_EQ(Run("*.NoSuchCase", "0"), 0);
  EXPECT_EQ(Run("*.NoSuchCase", "1"), 1);
}

#ifdef CONVEYOR_SIMULATED_CUDART

TEST_F(GpuTestMainTest, SaysThatTheMachineIsSimulated) {
  EXPECT_EQ(Run("*.Passes", "1"), 0);
  EXPECT_THAT(Output(), HasSubstr("[conveyor] backend: SIMULATED\n"));
}

TEST_F(GpuTestMainTest, ASkippedCaseFailsWhereThatIsAsked) {
  EXPECT_EQ(Run("*.Passes:*.Skips", "0"), 0);
  EXPECT_EQ(Run("*.Passes:*.Skips", "1"), 1);
  EXPECT_THAT(Output(), HasSubstr("FAILED: 1 tests were skipped"));
}

#else

TEST_F(GpuTestMainTest, WithoutDevicesEveryCaseIsSkippedWithTheReason) {
  EXPECT_EQ(Run("*.Passes", "0"), 0);
  EXPECT_THAT(Output(), AllOf(HasSubstr("[conveyor] backend: cuda\n"),
                              HasSubstr("[conveyor] runtime: CUDA "),
                              HasSubstr("[conveyor] driver: "),
                              HasSubstr("[conveyor] MISSING: needs 1 device"),
                              HasSubstr("[  SKIPPED ] 1 test,"),
                              Not(HasSubstr("[       OK ]"))));
}

TEST_F(GpuTestMainTest, WithoutDevicesItFailsWhereSkipsDo) {
  EXPECT_EQ(Run("*.Passes", "1"), 1);
  EXPECT_THAT(Output(), AllOf(HasSubstr("needs 1 device"),
                              Not(HasSubstr("[       OK ]"))));
}

#endif  // CONVEYOR_SIMULATED_CUDART

}  // namespace
}  // namespace conveyor
