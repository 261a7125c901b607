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

// The simulated H200s against what the real ones were measured to do, at the
// middle of the range that was seen: within 10 %, with everything that is
// composed of a profile's figures left to the model. Times are virtual, so the
// machine that runs the test does not matter.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "absl/status/status_matchers.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "benchmarks/json_reader.h"

namespace conveyor {
namespace bench {
namespace {

using ::absl_testing::IsOk;

struct Limit {
  const char* row;
  double gb_per_s;      // Of the raw call.
  bool faster = false;  // Ours need not be as slow.
};

// GB/s of 4 KiB that take so long.
constexpr double OfMicroseconds(double us) { return 4.096 / us; }

constexpr Limit kOneGpu[] = {
    {"h2d_pinned", 55.0},
    {"d2h_pinned", 55.3},
    {"h2d_pageable", 7.75, true},
    {"d2h_pageable", 15.4, true},
    {"d2h_fresh", 1.5, true},
    {"duplex", 94.5},
    {"issue_cost_4k", OfMicroseconds(1.37)},
};
constexpr Limit kTwoGpus[] = {
    {"peer_one_way", 393},
    {"peer_both_ways", 776},
    {"peer_4k", OfMicroseconds(8.2)},
};

// What `conveyor bench` with `args` says of the machine of `profile`.
absl::StatusOr<JsonValue> Bench(const std::string& profile,
                                const std::string& args) {
  const std::string path =
      absl::StrCat(::testing::TempDir(), "/", profile, ".json");
  EXPECT_EQ(setenv("CONVEYOR_SIM_PROFILE", profile.c_str(), 1), 0);
  EXPECT_EQ(std::system(absl::StrCat("\"$CONVEYOR\" bench ", args, " --json='",
                                     path, "' >/dev/null")
                            .c_str()),
            0);
  unsetenv("CONVEYOR_SIM_PROFILE");
  std::ifstream file(path);
  return ParseJson(std::string(std::istreambuf_iterator<char>(file), {}));
}

const JsonValue* FindRow(const JsonValue& run, const std::string& name) {
  for (const JsonValue& row : run.Find("rows")->elements) {
    if (row.Find("name")->string == name) return &row;
  }
  return nullptr;
}

void ExpectWithinTenPercent(const JsonValue& row, const char* figure,
                            double limit) {
  const JsonValue& value = *row.Find(figure);
  ASSERT_EQ(value.type, JsonValue::Type::kNumber) << figure;
  EXPECT_LE(std::abs(value.number / limit - 1), 0.1)
      << figure << " is " << value.number << " and not " << limit;
}

void ExpectReached(const JsonValue& run, const Limit& limit) {
  SCOPED_TRACE(limit.row);
  const JsonValue* const row = FindRow(run, limit.row);
  ASSERT_NE(row, nullptr);
  EXPECT_TRUE(row->Find("verified")->boolean);
  ExpectWithinTenPercent(*row, "baseline_gb_per_s", limit.gb_per_s);
  if (row->Find("absent")->type == JsonValue::Type::kNull) {
    if (limit.faster) {
      EXPECT_GE(row->Find("gb_per_s")->number, 0.9 * limit.gb_per_s);
    } else {
      ExpectWithinTenPercent(*row, "gb_per_s", limit.gb_per_s);
    }
  }
}

void ExpectOneGpuReached(const std::string& profile) {
  const absl::StatusOr<JsonValue> run =
      Bench(profile, "--sizes=16MiB --filter='^(h2d|d2h|duplex|issue)'");
  ASSERT_THAT(run, IsOk());
  for (const Limit& limit : kOneGpu) ExpectReached(*run, limit);
}

TEST(LimitsTest, OneH200) { ExpectOneGpuReached("h200x1"); }

TEST(LimitsTest, OneOfTwoH200s) { ExpectOneGpuReached("h200x2"); }

TEST(LimitsTest, BetweenTwoH200s) {
  const absl::StatusOr<JsonValue> run =
      Bench("h200x2", "--sizes=64MiB --filter='^peer'");
  ASSERT_THAT(run, IsOk());
  for (const Limit& limit : kTwoGpus) ExpectReached(*run, limit);
}

}  // namespace
}  // namespace bench
}  // namespace conveyor
