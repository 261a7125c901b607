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

#include "testing/status_matchers.h"

#include <map>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gmock/gmock.h"
#include "gtest/gtest-spi.h"
#include "gtest/gtest.h"

namespace conveyor {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

absl::StatusOr<std::unique_ptr<int>> Seven() {
  return std::make_unique<int>(7);
}

absl::StatusOr<int> Missing() { return absl::NotFoundError("no such number"); }

TEST(StatusMatchersTest, MatchersTellCodesAndMessagesApart) {
  EXPECT_THAT(absl::OkStatus(), IsOk());
  EXPECT_THAT(Missing(), Not(IsOk()));
  EXPECT_THAT(absl::StatusOr<int>(3), IsOkAndHolds(3));
  EXPECT_THAT(absl::StatusOr<int>(3), Not(IsOkAndHolds(4)));
  EXPECT_THAT(Missing(), StatusIs(absl::StatusCode::kNotFound));
  EXPECT_THAT(Missing(), Not(StatusIs(absl::StatusCode::kInternal)));
  EXPECT_THAT(Missing(), StatusIs(absl::StatusCode::kNotFound,
                                  HasSubstr("no such number")));
  EXPECT_THAT(Missing(),
              Not(StatusIs(absl::StatusCode::kNotFound, HasSubstr("another"))));
}

TEST(StatusMatchersTest, AssignsAMoveOnlyValue) {
  ASSERT_OK_AND_ASSIGN(std::unique_ptr<int> seven, Seven());
  EXPECT_EQ(*seven, 7);
}

TEST(StatusMatchersTest, AssignsToWhatExists) {
  int number = 0;
  ASSERT_OK_AND_ASSIGN(number, absl::StatusOr<int>(5));
  EXPECT_EQ(number, 5);
}

TEST(StatusMatchersTest, TheExpressionMayHoldCommas) {
  ASSERT_OK_AND_ASSIGN(const auto pairs,
                       absl::StatusOr<std::map<int, int>>({{1, 2}, {3, 4}}));
  EXPECT_EQ(pairs.size(), 2);
}

// gtest evaluates these statements in a function of their own.
void AssignWhatIsMissing() {
  ASSERT_OK_AND_ASSIGN(const int number, Missing());
  FAIL() << "went on with " << number;
}

TEST(StatusMatchersTest, AMissingValueFailsWithTheStatusAndReturns) {
  EXPECT_FATAL_FAILURE(AssignWhatIsMissing(), "no such number");
}

TEST(StatusMatchersTest, FailedExpectationsNameTheStatus) {
  EXPECT_NONFATAL_FAILURE(EXPECT_OK(absl::NotFoundError("lost")), "lost");
  EXPECT_FATAL_FAILURE(ASSERT_OK(absl::NotFoundError("lost")), "lost");
}

}  // namespace
}  // namespace conveyor
