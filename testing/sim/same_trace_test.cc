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

// The same seed gives the same trace, byte for byte, however many threads the
// program has.

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "gtest/gtest.h"

namespace conveyor {
namespace {

// Runs the program and returns its trace; empty if it failed.
std::string TraceOf(int seed) {
  const std::string path = ::testing::TempDir() + "/trace.json";
  const std::string command =
      "CONVEYOR_SIM_SEED=" + std::to_string(seed) +
      " CONVEYOR_SIM_QUIET=1 CONVEYOR_SIM_TRACE=" + path +
      " testing/sim/four_threads";
  if (std::system(command.c_str()) != 0) return "";
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file),
          std::istreambuf_iterator<char>()};
}

TEST(SameTraceTest, AHundredTimes) {
  const std::string first = TraceOf(1);
  ASSERT_NE(first.find("HostCopy"), std::string::npos);
  for (int i = 1; i < 100; ++i) ASSERT_EQ(TraceOf(1), first) << "run " << i;
}

TEST(SameTraceTest, AnotherSeedIsAnotherOrder) {
  std::set<std::string> traces;
  for (int seed = 1; seed <= 10; ++seed) {
    const std::string trace = TraceOf(seed);
    ASSERT_NE(trace, "") << "seed " << seed;
    traces.insert(trace);
    EXPECT_EQ(TraceOf(seed), trace) << "seed " << seed;
  }
  EXPECT_EQ(traces.size(), 10u);
}

}  // namespace
}  // namespace conveyor
