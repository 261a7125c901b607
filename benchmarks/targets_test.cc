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

#include "benchmarks/targets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/status_matchers.h"
#include "absl/status/statusor.h"
#include "benchmarks/row.h"

namespace conveyor {
namespace bench {
namespace {

using ::absl_testing::IsOk;
using ::absl_testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr int64_t kGiB = int64_t{1} << 30;
constexpr TargetSpec kFast = {
    "fast", "group", "h2d_pinned", kGiB, TargetSpec::Kind::kRatioAtLeast, 0.99};
constexpr TargetSpec kCheap = {
    "cheap", "group", "issue", 4096, TargetSpec::Kind::kCostAtMost, 1.25};

Row MakeRow(const std::string& name, int64_t bytes, double ratio) {
  Row row;
  row.name = name;
  row.bytes = bytes;
  row.ratio = ratio;
  row.verified = true;
  return row;
}

TEST(TargetsOfTest, GroupsAndAll) {
  ASSERT_THAT(TargetsOf("one_gpu"), IsOk());
  EXPECT_EQ(TargetsOf("one_gpu")->size(), 6u);
  EXPECT_EQ(TargetsOf("one_host")->size(), 3u);
  EXPECT_EQ(TargetsOf("")->size(), 9u);
}

TEST(TargetsOfTest, AnUnknownGroupListsTheGroups) {
  EXPECT_THAT(TargetsOf("two_gpus"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("two_gpus"), HasSubstr("one_gpu"))));
}

TEST(JudgeTargetsTest, ARatioMayNotBeBelow) {
  const std::vector<TargetSpec> specs = {kFast};
  std::vector<Target> judged =
      JudgeTargets(specs, {MakeRow("h2d_pinned", kGiB, 0.99)});
  ASSERT_EQ(judged.size(), 1u);
  EXPECT_EQ(judged[0].id, "fast");
  EXPECT_EQ(judged[0].row, "h2d_pinned/bytes:1073741824");
  EXPECT_EQ(judged[0].measured, 0.99);
  EXPECT_EQ(judged[0].required, 0.99);
  EXPECT_TRUE(judged[0].met);
  judged = JudgeTargets(specs, {MakeRow("h2d_pinned", kGiB, 0.98)});
  EXPECT_FALSE(judged[0].met);
}

TEST(JudgeTargetsTest, ACostIsTheInverseAndMayNotBeAbove) {
  const std::vector<TargetSpec> specs = {kCheap};
  std::vector<Target> judged =
      JudgeTargets(specs, {MakeRow("issue", 4096, 0.8)});
  EXPECT_EQ(judged[0].measured, 1.25);
  EXPECT_TRUE(judged[0].at_most);
  EXPECT_TRUE(judged[0].met);
  judged = JudgeTargets(specs, {MakeRow("issue", 4096, 0.5)});
  EXPECT_EQ(judged[0].measured, 2);
  EXPECT_FALSE(judged[0].met);
}

TEST(JudgeTargetsTest, AnotherSizeDecidesNothing) {
  const std::vector<TargetSpec> specs = {kFast, kCheap};
  const std::vector<Target> judged = JudgeTargets(
      specs, {MakeRow("h2d_pinned", 4096, 1), MakeRow("issue", 4096, 1)});
  ASSERT_EQ(judged.size(), 2u);
  EXPECT_FALSE(judged[0].measured.has_value());
  EXPECT_FALSE(judged[0].met);
  EXPECT_TRUE(judged[1].met);
  const std::vector<Target> measured = OnlyMeasured(judged);
  ASSERT_EQ(measured.size(), 1u);
  EXPECT_EQ(measured[0].id, "cheap");
}

TEST(JudgeTargetsTest, ARowWithoutFiguresOfOursIsNotMeasured) {
  Row row = MakeRow("h2d_pinned", kGiB, 1);
  row.ratio.reset();
  const std::vector<Target> judged =
      JudgeTargets(std::vector<TargetSpec>{kFast}, {row});
  EXPECT_FALSE(judged[0].measured.has_value());
  EXPECT_FALSE(judged[0].met);
}

TEST(JudgeTargetsTest, WrongDataMeetsNoTarget) {
  Row row = MakeRow("h2d_pinned", kGiB, 2);
  row.verified = false;
  const std::vector<Target> judged =
      JudgeTargets(std::vector<TargetSpec>{kFast}, {row});
  EXPECT_EQ(judged[0].measured, 2);
  EXPECT_FALSE(judged[0].met);
}

TEST(JudgeTargetsTest, AConditionOnTheLinkMustHoldAsWell) {
  const TargetSpec specs[] = {{"fast", "one_gpu", "h2d", kGiB,
                               TargetSpec::Kind::kRatioAtLeast, 6.0, 0.94}};
  Row row = MakeRow("h2d", kGiB, 7.0);
  row.gb_per_s = 52;
  row.limit_gb_per_s = 55;
  EXPECT_TRUE(JudgeTargets(specs, {row})[0].met);
  row.gb_per_s = 51;
  EXPECT_FALSE(JudgeTargets(specs, {row})[0].met);
}

}  // namespace
}  // namespace bench
}  // namespace conveyor
