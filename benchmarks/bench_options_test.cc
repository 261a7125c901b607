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

#include "benchmarks/bench_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/status_matchers.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace conveyor {
namespace bench {
namespace {

using ::absl_testing::IsOk;
using ::absl_testing::IsOkAndHolds;
using ::absl_testing::StatusIs;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

absl::StatusOr<BenchOptions> Parse(std::vector<absl::string_view> args) {
  return ParseBenchOptions(args);
}

TEST(BenchOptionsTest, DefaultsAreTheWholeSuite) {
  const absl::StatusOr<BenchOptions> options = Parse({});
  ASSERT_THAT(options, IsOk());
  EXPECT_FALSE(options->help);
  EXPECT_FALSE(options->targets);
  EXPECT_EQ(options->sizes.size(), 10u);
  EXPECT_EQ(options->sizes.front(), 4096);
  EXPECT_EQ(options->sizes.back(), 1 << 30);
  EXPECT_FALSE(options->max_bytes.has_value());
  EXPECT_EQ(options->device, 0);
  EXPECT_EQ(options->pairs, 20);
}

TEST(BenchOptionsTest, TakesEveryFlag) {
  const absl::StatusOr<BenchOptions> options =
      Parse({"--json=a=b.json", "--filter=^h2d", "--max_bytes=1MiB",
             "--device=1", "--pairs=50", "--sizes=1M,4K,4096"});
  ASSERT_THAT(options, IsOk());
  EXPECT_EQ(options->json_path, "a=b.json");
  EXPECT_EQ(options->filter, "^h2d");
  EXPECT_EQ(options->max_bytes, 1 << 20);
  EXPECT_EQ(options->device, 1);
  EXPECT_EQ(options->pairs, 50);
  EXPECT_THAT(options->sizes, ElementsAre(4096, 1 << 20));
}

TEST(BenchOptionsTest, PowersOfTwoAreTwiceAsDense) {
  const absl::StatusOr<BenchOptions> options = Parse({"--sizes=pow2"});
  ASSERT_THAT(options, IsOk());
  EXPECT_EQ(options->sizes.size(), 19u);
  EXPECT_EQ(options->sizes[1], 8192);
}

TEST(BenchOptionsTest, TargetsWithAndWithoutAGroup) {
  ASSERT_THAT(Parse({"--targets"}), IsOk());
  EXPECT_TRUE(Parse({"--targets"})->targets);
  EXPECT_EQ(Parse({"--targets"})->target_group, "");
  EXPECT_TRUE(Parse({"--targets=one_gpu"})->targets);
  EXPECT_EQ(Parse({"--targets=one_gpu"})->target_group, "one_gpu");
}

TEST(BenchOptionsTest, WhatIsWrongIsNamed) {
  const auto refuses = [](absl::string_view arg, absl::string_view why) {
    EXPECT_THAT(Parse({arg}), StatusIs(absl::StatusCode::kInvalidArgument,
                                       HasSubstr(std::string(why))))
        << arg;
  };
  refuses("--jsn=x", "unknown flag --jsn");
  refuses("--jsn", "unknown flag --jsn");
  refuses("pinned", "unexpected argument 'pinned'");
  refuses("--json", "--json needs a value");
  refuses("--json=", "--json needs a value");
  refuses("--device", "--device needs a value");
  refuses("--device=-1", "--device: '-1'");
  refuses("--device=one", "--device: 'one'");
  refuses("--pairs=19", "at least 20");
  refuses("--max_bytes=big", "--max_bytes: 'big'");
  refuses("--sizes=4K,,1M", "--sizes: ''");
  refuses("--filter=(", "--filter: '(' is no regular expression");
}

TEST(BenchOptionsTest, TargetsChooseTheirOwnRows) {
  EXPECT_THAT(Parse({"--targets", "--filter=h2d"}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("--targets"), HasSubstr("--filter"))));
  EXPECT_THAT(Parse({"--sizes=4K", "--targets"}),
              StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST(MatchesTest, SearchesAnywhere) {
  EXPECT_THAT(Matches("pinned/bytes:4096$", "h2d_pinned/bytes:4096"),
              IsOkAndHolds(true));
  EXPECT_THAT(Matches("^pinned", "h2d_pinned/bytes:4096"), IsOkAndHolds(false));
  EXPECT_THAT(Matches("h2d_(pinned|pageable)", "h2d_pageable/bytes:1"),
              IsOkAndHolds(true));
  EXPECT_THAT(Matches("[", "x"), StatusIs(absl::StatusCode::kInvalidArgument));
}

}  // namespace
}  // namespace bench
}  // namespace conveyor
