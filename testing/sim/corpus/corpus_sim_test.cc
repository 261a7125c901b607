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

// Every program of the corpus, under several seeds: what is found is what its
// table says, and nothing else.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "testing/sim/corpus/bench.h"
#include "testing/sim/corpus/program.h"
#include "testing/sim/sim.h"

#ifdef __SANITIZE_THREAD__

static std::atomic<int> g_races{0};

extern "C" {

// Thread sanitizer calls it with each report.
void __tsan_on_report(const void*) { ++g_races; }

// Each program uses the same memory.
const char* __tsan_default_options() {
  return "exitcode=0:suppress_equal_addresses=0";
}

}  // extern "C"

#endif

namespace conveyor {
namespace sim {

// For gtest.
void PrintTo(const Program& program, std::ostream* out) {
  *out << program.name;
}

namespace {

using ::testing::HasSubstr;

// What the seeds of a sweep gave.
struct Outcome {
  int wrong = 0;
  int reported = 0;
  std::string reports;
};

Outcome Sweep(const Program& program, uint64_t seeds) {
  Outcome outcome;
  for (uint64_t seed = 1; seed <= seeds; ++seed) {
    SetSeed(seed);
    {
      Bench bench;
      if (!program.run(bench)) ++outcome.wrong;
    }
    const std::string reports = TakeHazards();
    if (!reports.empty()) ++outcome.reported;
    outcome.reports += reports;
  }
  return outcome;
}

class CorpusTest : public ::testing::TestWithParam<Program> {};

#ifdef __SANITIZE_THREAD__

// Under thread sanitizer every mistake is found at once, whatever the seed. Of
// what is no race, because a stream's own order makes it wrong, the report is
// the detector's.
TEST_P(CorpusTest, IsFoundIfItIsWrong) {
  const Program& program = GetParam();
  g_races = 0;
  const Outcome outcome = Sweep(program, 1);
  const int races = g_races;
  if (program.verdict == Verdict::kRight) {
    EXPECT_EQ(outcome.wrong, 0) << "wrong bytes";
    EXPECT_EQ(races, 0);
    EXPECT_EQ(outcome.reports, "");
  } else if (program.in_order) {
    EXPECT_NE(outcome.reports, "");
  } else {
    EXPECT_GT(races, 0);
  }
}

#else

constexpr uint64_t kSeeds = 16;

TEST_P(CorpusTest, IsFoundAsItsTableSays) {
  const Program& program = GetParam();
  const Outcome outcome = Sweep(program, kSeeds);
  switch (program.verdict) {
    case Verdict::kRight:
    case Verdict::kFibers:
      EXPECT_EQ(outcome.wrong, 0) << "wrong bytes";
      EXPECT_EQ(outcome.reports, "");
      break;
    case Verdict::kHazard:
      EXPECT_GT(outcome.reported, 0) << "no report";
      EXPECT_THAT(outcome.reports,
                  HasSubstr("1. " + std::string(program.first) + " "));
      EXPECT_THAT(outcome.reports,
                  HasSubstr("2. " + std::string(program.second) + " "));
      break;
    case Verdict::kData:
      EXPECT_GT(outcome.wrong, 0) << "right bytes under every seed";
      EXPECT_EQ(outcome.reports, "");
      break;
  }
}

#endif

INSTANTIATE_TEST_SUITE_P(Programs, CorpusTest,
                         ::testing::ValuesIn(AllPrograms()),
                         [](const ::testing::TestParamInfo<Program>& info) {
                           return std::string(info.param.name);
                         });

TEST(CorpusSizeTest, HasFortyOfEachKind) {
  const std::vector<Program> all = AllPrograms();
  const auto right =
      std::count_if(all.begin(), all.end(), [](const Program& program) {
        return program.verdict == Verdict::kRight;
      });
  EXPECT_GE(right, 40);
  EXPECT_GE(static_cast<std::ptrdiff_t>(all.size()) - right, 40);
}

}  // namespace
}  // namespace sim
}  // namespace conveyor
