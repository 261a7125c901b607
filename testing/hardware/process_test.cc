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

#include "testing/hardware/process.h"

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "testing/status_matchers.h"

namespace conveyor {
namespace {

using ::testing::HasSubstr;

class RunProcessTest : public ::testing::Test {
 protected:
  RunProcessTest() {
    std::string name = ::testing::TempDir() + "/processXXXXXX";
    directory_ = mkdtemp(name.data());
  }

  ProcessOptions Shell(const std::string& script) {
    ProcessOptions options;
    options.argv = {"/bin/sh", "-c", script};
    options.directory = directory_;
    options.output_file = directory_ + "/output";
    return options;
  }

  std::string Read(const std::string& name) {
    std::ifstream file(directory_ + "/" + name);
    return std::string((std::istreambuf_iterator<char>(file)),
                       std::istreambuf_iterator<char>());
  }

  // Whether the process lives whose id is in the file `name`.
  bool Lives(const std::string& name) {
    pid_t pid = 0;
    EXPECT_TRUE(absl::SimpleAtoi(Read(name), &pid)) << name;
    return kill(pid, 0) == 0;
  }

  std::string directory_;
};

TEST_F(RunProcessTest, TellsExitCodeAndOutput) {
  ProcessOptions options =
      Shell("echo $COLOUR; ls -d output; echo wrong >&2; exit 7");
  options.env["COLOUR"] = "green";
  ASSERT_OK_AND_ASSIGN(const ProcessResult result, RunProcess(options));
  EXPECT_EQ(result.exit_code, 7);
  EXPECT_EQ(result.signal, 0);
  EXPECT_FALSE(result.timed_out);
  EXPECT_EQ(Read("output"), "green\noutput\nwrong\n");
}

TEST_F(RunProcessTest, AddedVariablesReplaceInheritedOnes) {
  setenv("COLOUR", "red", 1);
  ProcessOptions options = Shell("env | grep -c ^COLOUR=; echo $COLOUR");
  options.env["COLOUR"] = "green";
  ASSERT_OK(RunProcess(options));
  EXPECT_EQ(Read("output"), "1\ngreen\n");
}

TEST_F(RunProcessTest, TellsTheSignal) {
  ASSERT_OK_AND_ASSIGN(const ProcessResult result,
                       RunProcess(Shell("kill -SEGV $$")));
  EXPECT_EQ(result.exit_code, -1);
  EXPECT_EQ(result.signal, SIGSEGV);
}

TEST_F(RunProcessTest, AProgramThatIsNotThereIsAnError) {
  ProcessOptions options = Shell("");
  options.argv = {directory_ + "/none"};
  EXPECT_THAT(RunProcess(options),
              StatusIs(absl::StatusCode::kInternal, HasSubstr("/none")));
}

TEST_F(RunProcessTest, TheTimeLimitEndsTheWholeTree) {
  // The last has a session of its own, and its parent has ended.
  ProcessOptions options = Shell(
      "sleep 1000 & echo $! >child\n"
      "(setsid sh -c 'echo $$ >orphan; exec sleep 1000' &)\n"
      "wait");
  // As long as it takes the tree to grow on a slow machine.
  options.time_limit = absl::Seconds(5);
  ASSERT_OK_AND_ASSIGN(const ProcessResult result, RunProcess(options));
  EXPECT_TRUE(result.timed_out);
  EXPECT_EQ(result.signal, SIGKILL);
  EXPECT_FALSE(Lives("child"));
  EXPECT_FALSE(Lives("orphan"));
}

TEST_F(RunProcessTest, WhatAProgramLeavesBehindIsEnded) {
  ASSERT_OK_AND_ASSIGN(
      const ProcessResult result,
      RunProcess(Shell("setsid sleep 1000 & echo $! >child; exit 0")));
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_FALSE(Lives("child"));
}

TEST_F(RunProcessTest, StopsWhenToldTo) {
  ProcessOptions options = Shell("sleep 1000");
  options.stop = [] { return true; };
  ASSERT_OK_AND_ASSIGN(const ProcessResult result, RunProcess(options));
  EXPECT_TRUE(result.stopped);
  EXPECT_FALSE(result.timed_out);
  EXPECT_EQ(result.signal, SIGKILL);
}

}  // namespace
}  // namespace conveyor
