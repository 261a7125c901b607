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
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
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

constexpr char kRunner[] = "testing/hardware/run";

class RunTest : public ::testing::Test {
 protected:
  RunTest() {
    std::string name = ::testing::TempDir() + "/runXXXXXX";
    directory_ = mkdtemp(name.data());
    unsetenv("CUDA_VISIBLE_DEVICES");
    const std::string runfiles = directory_ + "/runfiles/_main";
    std::filesystem::create_directories(runfiles);
    std::filesystem::copy_file("testing/hardware/fake_test",
                               runfiles + "/fake_test");
    std::ofstream(directory_ + "/COMMIT") << "0123abc\n";
  }

  // Adds a test that runs one case of fake_test.
  void Add(const std::string& name, const std::string& fake_case, int gpus = 1,
           int seconds = 60, const std::string& env = "A=B") {
    std::ofstream manifest(directory_ + "/MANIFEST", std::ios::app);
    manifest << "test\t" << name << "\trunfiles/_main/fake_test\tgpus=" << gpus
             << "\tseconds=" << seconds << "\tGTEST_FILTER=" << fake_case
             << "\t" << env << "\n";
  }

  // Runs the bundle on a machine with these GPUs. The exit code.
  int Run(const std::string& flag = "--gpus=1",
          const std::string& gpus = "GPU-a") {
    return RunCommand({kRunner, "--bundle=" + directory_,
                       "--out=" + directory_ + "/out", flag},
                      gpus);
  }

  int RunCommand(const std::vector<std::string>& argv,
                 const std::string& gpus) {
    ProcessOptions options;
    options.argv = argv;
    options.env = {{"CONVEYOR_GPU_LOCK_DIR", directory_},
                   {"CONVEYOR_GPU_UUIDS", gpus}};
    options.output_file = directory_ + "/output";
    options.time_limit = absl::Minutes(2);
    const auto result = RunProcess(options);
    EXPECT_OK(result);
    return result.ok() ? result->exit_code : -1;
  }

  std::string Read(const std::string& name) {
    std::ifstream file(directory_ + "/" + name);
    return std::string((std::istreambuf_iterator<char>(file)),
                       std::istreambuf_iterator<char>());
  }

  std::string directory_;
};

TEST_F(RunTest, PassedTestsGiveZero) {
  Add("//a:one", "*.Passes");
  Add("//a:two", "*.Passes", /*gpus=*/2);
  EXPECT_EQ(Run("--gpus=2", "GPU-a,GPU-b,GPU-c"), 0);
  EXPECT_THAT(Read("output"),
              HasSubstr("2 tests, 2 passed; cases: 2 passed; 2 GPUs"));
  EXPECT_THAT(
      Read("out/results.json"),
      AllOf(HasSubstr("\"commit\": \"0123abc\""), HasSubstr("\"exit_code\": 0"),
            HasSubstr("\"driver\": \"CUDA 13.0, /fake/libcuda.so.1\""),
            HasSubstr("\"gpus\": [\"GPU-a\"]"),
            HasSubstr("\"gpus\": [\"GPU-a\", \"GPU-b\"]")));
  EXPECT_THAT(
      Read("out/results.xml"),
      HasSubstr("<testsuite name=\"//a:two\" tests=\"1\" failures=\"0\" "
                "errors=\"0\" skipped=\"0\""));
}

TEST_F(RunTest, ATestSeesItsOwnGpusAlone) {
  Add("//a:one", "*.Passes");
  Add("//a:two", "*.Passes", /*gpus=*/2);
  ASSERT_EQ(Run("--gpus=3", "GPU-a,GPU-b,GPU-c"), 0);
  EXPECT_THAT(Read("out/a_one.log"), HasSubstr("[conveyor] visible: GPU-a\n"));
  EXPECT_THAT(Read("out/a_two.log"),
              HasSubstr("[conveyor] visible: GPU-a,GPU-b\n"));
}

TEST_F(RunTest, AFailedCaseGivesOneAndTheOthersRun) {
  Add("//a:fails", "*.Fails:*.Passes");
  Add("//a:passes", "*.Passes");
  EXPECT_EQ(Run(), 1);
  EXPECT_THAT(Read("output"),
              AllOf(HasSubstr("one is not two"),
                    HasSubstr("2 tests, 1 passed, 1 failed; cases: 2 passed, "
                              "1 failed; 1 GPU\n")));
  EXPECT_THAT(Read("out/results.xml"),
              AllOf(HasSubstr("tests=\"2\" failures=\"1\" errors=\"0\""),
                    HasSubstr("name=\"Fails\""), HasSubstr("<failure ")));
}

TEST_F(RunTest, AHangEndsAtTheTimeLimitAndNamesTheCase) {
  Add("//a:hangs", "*.Hangs", /*gpus=*/1, /*seconds=*/2);
  EXPECT_EQ(Run(), 1);
  EXPECT_THAT(Read("output"),
              HasSubstr("timed out: still ran after 2s in FakeTest.Hangs"));
  EXPECT_THAT(Read("out/results.xml"),
              HasSubstr("<error message=\"still ran after 2s"));
}

TEST_F(RunTest, ACrashNamesSignalAndCase) {
  Add("//a:crashes", "*.Crashes");
  EXPECT_EQ(Run(), 1);
  EXPECT_THAT(Read("output"), HasSubstr("failed: ended by signal 6 (Aborted) "
                                        "in FakeTest.Crashes"));
}

TEST_F(RunTest, ExitingWithZeroBeforeTheReportIsNoPass) {
  Add("//a:exits", "*.ExitsEarly");
  EXPECT_EQ(Run(), 1);
  EXPECT_THAT(Read("output"),
              HasSubstr("failed: exited with 0 without a whole report"));
}

TEST_F(RunTest, RunningNoCaseIsNoPass) {
  Add("//a:none", "*.NoSuchCase");
  EXPECT_EQ(Run(), 1);
  EXPECT_THAT(Read("output"), HasSubstr("failed: ran no case"));
}

TEST_F(RunTest, ASimulatedTestIsNoPass) {
  Add("//a:simulated", "*.Passes", 1, 60, "FAKE_BACKEND=SIMULATED");
  EXPECT_EQ(Run(), 1);
  EXPECT_THAT(Read("output"),
              HasSubstr("did not run on hardware: backend SIMULATED"));
}

TEST_F(RunTest, SkippedCasesAreShownAndFailTheRun) {
  Add("//a:skips", "*.Skips:*.Passes");
  EXPECT_EQ(Run(), 1);
  EXPECT_THAT(Read("output"),
              AllOf(HasSubstr("//a:skips: skipped: 1 of 2 cases skipped"),
                    HasSubstr("skipped FakeTest.Skips:"),
                    HasSubstr("needs a <second> device")));
  EXPECT_THAT(
      Read("out/results.xml"),
      AllOf(HasSubstr("skipped=\"1\""), HasSubstr("&lt;second&gt; device")));
}

TEST_F(RunTest, SkippedCasesAreAllowedOnRequest) {
  Add("//a:skips", "*.Skips:*.Passes");
  EXPECT_EQ(Run("--allow_skips"), 0);
  EXPECT_THAT(Read("output"), HasSubstr("1 tests, 1 skipped"));
}

TEST_F(RunTest, TooFewGpusGivesThreeAndTheOthersRun) {
  Add("//a:one", "*.Passes");
  Add("//a:two", "*.Passes", /*gpus=*/2);
  EXPECT_EQ(Run("--filter="), 3);
  EXPECT_THAT(Read("output"),
              AllOf(HasSubstr("//a:two: too few GPUs: needs 2, there are 1"),
                    HasSubstr("2 tests, 1 passed, 1 too few GPUs")));
  EXPECT_THAT(Read("out/results.xml"),
              HasSubstr("<skipped message=\"needs 2, there are 1\""));
}

TEST_F(RunTest, NoGpuGivesThreeAndTheReason) {
  Add("//a:one", "*.Passes");
  EXPECT_EQ(Run("--filter=", ""), 3);
  EXPECT_THAT(Read("output"), HasSubstr("CONVEYOR_GPU_UUIDS is empty"));
}

TEST_F(RunTest, WithGpusNamedWhatNeedsMoreIsNotMissed) {
  Add("//a:one", "*.Passes");
  Add("//a:two", "*.Passes", /*gpus=*/2);
  EXPECT_EQ(Run("--gpus=1", "GPU-a,GPU-b"), 0);
  EXPECT_THAT(Read("output"), HasSubstr("1 too few GPUs"));
}

TEST_F(RunTest, NothingRunGivesThreeWithGpusNamedToo) {
  Add("//a:two", "*.Passes", /*gpus=*/2);
  EXPECT_EQ(Run("--gpus=1"), 3);
}

TEST_F(RunTest, FewerGpusThanNamedGivesThree) {
  Add("//a:one", "*.Passes");
  EXPECT_EQ(Run("--gpus=2"), 3);
  EXPECT_THAT(Read("output"), HasSubstr("--gpus=2, and there are 1"));
}

TEST_F(RunTest, FailuresOutweighTooFewGpus) {
  Add("//a:fails", "*.Fails");
  Add("//a:two", "*.Passes", /*gpus=*/2);
  EXPECT_EQ(Run("--filter="), 1);
}

TEST_F(RunTest, FilterChoosesByName) {
  Add("//a:fails", "*.Fails");
  Add("//b:passes", "*.Passes");
  EXPECT_EQ(Run("--filter=//b"), 0);
  EXPECT_THAT(Read("output"), Not(HasSubstr("//a:fails")));
  EXPECT_EQ(Run("--filter=nothing"), 2);
}

TEST_F(RunTest, ListRunsNothing) {
  Add("//a:fails", "*.Fails", /*gpus=*/2);
  EXPECT_EQ(Run("--list"), 0);
  EXPECT_THAT(Read("output"), HasSubstr("//a:fails"));
  EXPECT_FALSE(std::filesystem::exists(directory_ + "/out"));
}

TEST_F(RunTest, WrongUseAndBrokenBundlesGiveTwo) {
  EXPECT_EQ(Run(), 2);  // No MANIFEST.
  Add("//a:one", "*.Passes");
  EXPECT_EQ(Run("--gpu=1"), 2);
  EXPECT_EQ(Run("--gpus=0"), 2);
  EXPECT_EQ(Run("--out=/proc/none"), 2);
  std::ofstream(directory_ + "/MANIFEST", std::ios::app) << "nonsense\n";
  EXPECT_EQ(Run(), 2);
}

TEST_F(RunTest, AnInterruptedRunEndsItsTestAndReports) {
  Add("//a:hangs", "*.Hangs");
  Add("//a:passes", "*.Passes");
  const std::string script = absl::StrCat(
      kRunner, " --bundle=", directory_, " --out=", directory_, "/out &\n",
      "until grep -qs Hangs ", directory_, "/out/a_hangs.log; do sleep 0.1; ",
      "done\nkill -TERM $!; wait $!");
  EXPECT_EQ(RunCommand({"/bin/sh", "-c", script}, "GPU-a"), 1);
  EXPECT_THAT(Read("output"),
              AllOf(HasSubstr("failed: interrupted in FakeTest.Hangs"),
                    HasSubstr("2 tests, 1 failed, 1 not run")));
  EXPECT_THAT(Read("out/results.json"), HasSubstr("\"exit_code\": 1"));
}

TEST_F(RunTest, AMissingBinaryFailsItsTest) {
  std::filesystem::remove(directory_ + "/runfiles/_main/fake_test");
  Add("//a:one", "*.Passes");
  EXPECT_EQ(Run(), 1);
  EXPECT_THAT(Read("output"), HasSubstr("cannot start "));
}

}  // namespace
}  // namespace conveyor
