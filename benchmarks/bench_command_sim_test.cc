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

// What `conveyor bench` does when the machine fails it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "benchmarks/bench_command.h"
#include "testing/sim/sim.h"

namespace conveyor {
namespace bench {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class BenchCommandTest : public ::testing::Test {
 protected:
  ~BenchCommandTest() override { sim::ClearFaults(); }

  int Run(std::vector<absl::string_view> args, bool err_is_terminal = false) {
    std::ostringstream out;
    std::ostringstream err;
    const int status =
        BenchCommand(args, {out, err, err_is_terminal, "0123abc", ""});
    out_ = out.str();
    err_ = err.str();
    return status;
  }

  std::string out_;
  std::string err_;
};

TEST_F(BenchCommandTest, ATerminalShowsProgressAndClearsIt) {
  EXPECT_EQ(Run({"--sizes=4K", "--filter=pinned"}, /*err_is_terminal=*/true),
            0);
  EXPECT_THAT(err_, AllOf(HasSubstr("[1/2] SIMULATED h2d_pinned/bytes:4096"),
                          HasSubstr("[2/2] SIMULATED d2h_pinned/bytes:4096")));
  EXPECT_THAT(err_, ::testing::EndsWith("\r\x1b[K"));
  EXPECT_THAT(out_, HasSubstr("commit 0123abc"));
}

TEST_F(BenchCommandTest, ACudaErrorIsAMessageAndLeavesNothing) {
  ASSERT_EQ(Run({"--sizes=4K", "--filter=h2d_pinned"}), 0);
  const int live = sim::LiveHandles();
  sim::FailNth("cudaMemcpyAsync", cudaErrorUnknown, 30);
  EXPECT_EQ(Run({"--sizes=4K", "--filter=h2d_pinned"}), 1);
  EXPECT_THAT(
      err_, AllOf(HasSubstr("h2d_pinned/bytes:4096"),
                  HasSubstr("cudaMemcpyAsync"), HasSubstr("cudaErrorUnknown")));
  EXPECT_EQ(out_, "");
  EXPECT_EQ(sim::LiveHandles(), live) << sim::DescribeLiveHandles();
}

TEST_F(BenchCommandTest, NoDriverIsAMessage) {
  sim::FailNth("cudaGetDeviceCount", cudaErrorInsufficientDriver, 1);
  EXPECT_EQ(Run({}), 1);
  EXPECT_THAT(err_, HasSubstr("cudaErrorInsufficientDriver"));
}

TEST_F(BenchCommandTest, WithTooLittleMemoryTheLargestRowsAreLeftOut) {
  sim::SetFreeMemory(0, size_t{1} << 20);
  EXPECT_EQ(Run({"--sizes=4K,4M", "--filter=h2d_pinned"}), 0) << err_;
  EXPECT_THAT(err_, HasSubstr("leaving out rows of 4 MiB"));
  EXPECT_THAT(out_, AllOf(HasSubstr("4 KiB"), Not(HasSubstr("4 MiB"))));
}

TEST_F(BenchCommandTest, WithNoMemoryAtAllItFails) {
  sim::SetFreeMemory(0, 0);
  EXPECT_EQ(Run({"--sizes=4K,4M", "--filter=h2d_pinned"}), 1);
  EXPECT_THAT(err_, HasSubstr("cudaMalloc"));
  EXPECT_EQ(out_, "");
}

}  // namespace
}  // namespace bench
}  // namespace conveyor
