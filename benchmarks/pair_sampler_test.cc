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

#include "benchmarks/pair_sampler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "absl/status/status.h"
#include "absl/status/status_matchers.h"
#include "absl/status/statusor.h"

namespace conveyor {
namespace bench {
namespace {

using ::absl_testing::IsOk;
using ::absl_testing::IsOkAndHolds;
using ::absl_testing::StatusIs;

TEST(QuantileTest, InterpolatesBetweenNeighbours) {
  EXPECT_DOUBLE_EQ(Quantile({3}, 0.5), 3);
  EXPECT_DOUBLE_EQ(Quantile({4, 1, 2}, 0.5), 2);
  EXPECT_DOUBLE_EQ(Quantile({4, 1, 2, 3}, 0.5), 2.5);
  EXPECT_DOUBLE_EQ(Quantile({0, 10, 20, 30, 40}, 0.1), 4);
  EXPECT_DOUBLE_EQ(Quantile({0, 10, 20, 30, 40}, 0.9), 36);
  EXPECT_DOUBLE_EQ(Quantile({1, 2}, 0), 1);
  EXPECT_DOUBLE_EQ(Quantile({1, 2}, 1), 2);
}

TEST(QuantileTest, OfNothingIsNotANumber) {
  EXPECT_TRUE(std::isnan(Quantile({}, 0.5)));
}

TEST(PairSamplerTest, OrderAlternatesBetweenPairs) {
  std::string order;
  const auto raw = [&]() -> absl::StatusOr<double> {
    order += 'r';
    return 1;
  };
  const auto ours = [&]() -> absl::StatusOr<double> {
    order += 'o';
    return 1;
  };
  PairSampler sampler;
  for (int i = 0; i < 4; ++i) ASSERT_THAT(sampler.Measure(raw, ours), IsOk());
  EXPECT_EQ(order, "roorroor");
}

TEST(PairSamplerTest, RatioIsTheMedianOfThePairsNotTheRatioOfTheMedians) {
  // The machine slows down by half for the last pair.
  const double raw_seconds[] = {1, 2, 30};
  const double our_seconds[] = {2, 2, 10};
  int pair = 0;
  const auto raw = [&]() -> absl::StatusOr<double> {
    return raw_seconds[pair];
  };
  const auto ours = [&]() -> absl::StatusOr<double> {
    return our_seconds[pair];
  };
  PairSampler sampler;
  for (; pair < 3; ++pair) {
    EXPECT_THAT(sampler.Measure(raw, ours), IsOkAndHolds(our_seconds[pair]));
  }
  const PairSummary summary = sampler.Summarize();
  EXPECT_EQ(summary.pairs, 3u);
  EXPECT_DOUBLE_EQ(summary.raw_seconds, 2);
  EXPECT_DOUBLE_EQ(summary.our_seconds, 2);
  EXPECT_DOUBLE_EQ(summary.ratio, 1);        // Of 0.5, 1, 3.
  EXPECT_DOUBLE_EQ(summary.ratio_p10, 0.6);  // A fifth of the way to 1.
  EXPECT_DOUBLE_EQ(summary.ratio_p90, 2.6);
}

TEST(PairSamplerTest, SlowFirstCallsStayOutOfTheFigures) {
  int raw_calls = 0;
  int our_calls = 0;
  const auto raw = [&]() -> absl::StatusOr<double> {
    return raw_calls++ == 0 ? 0.1 : 0.001;
  };
  const auto ours = [&]() -> absl::StatusOr<double> {
    return our_calls++ == 0 ? 0.1 : 0.002;
  };
  PairSampler sampler;
  ASSERT_THAT(sampler.Warm(raw, ours, 1), IsOk());
  for (int i = 0; i < 20; ++i) ASSERT_THAT(sampler.Measure(raw, ours), IsOk());
  const PairSummary summary = sampler.Summarize();
  EXPECT_EQ(summary.pairs, 20u);
  EXPECT_DOUBLE_EQ(summary.ratio, 0.5);
  EXPECT_DOUBLE_EQ(summary.ratio_p10, 0.5);
  EXPECT_DOUBLE_EQ(summary.ratio_p90, 0.5);
}

TEST(PairSamplerTest, AFailingSampleCountsForNothing) {
  const auto good = []() -> absl::StatusOr<double> { return 1; };
  const auto bad = []() -> absl::StatusOr<double> {
    return absl::InternalError("lost");
  };
  PairSampler sampler;
  EXPECT_THAT(sampler.Warm(bad, good, 1),
              StatusIs(absl::StatusCode::kInternal, "lost"));
  EXPECT_THAT(sampler.Measure(good, bad),
              StatusIs(absl::StatusCode::kInternal, "lost"));
  EXPECT_EQ(sampler.Summarize().pairs, 0u);
}

TEST(PairSamplerTest, ATimeOfZeroIsRefused) {
  const auto good = []() -> absl::StatusOr<double> { return 1; };
  const auto stopped = []() -> absl::StatusOr<double> { return 0; };
  PairSampler sampler;
  EXPECT_THAT(sampler.Measure(good, stopped),
              StatusIs(absl::StatusCode::kInternal));
  EXPECT_EQ(sampler.Summarize().pairs, 0u);
}

}  // namespace
}  // namespace bench
}  // namespace conveyor
