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

#include "benchmarks/row.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace conveyor {
namespace bench {
namespace {

Row MakeRow(const std::string& name, double gb_per_s, double baseline) {
  Row row;
  row.name = name;
  row.gb_per_s = gb_per_s;
  row.baseline_gb_per_s = baseline;
  return row;
}

TEST(RowTest, GigabytesAreDecimal) {
  EXPECT_DOUBLE_EQ(GigabytesPerSecond(1e9, 1), 1);
  EXPECT_DOUBLE_EQ(GigabytesPerSecond(1 << 30, 1), 1.073741824);
  EXPECT_DOUBLE_EQ(GigabytesPerSecond(1e9, 0), 0);
}

TEST(RowTest, TheLimitIsTheFastestRawPinnedCopyOfTheDirection) {
  std::vector<Row> rows = {
      MakeRow("h2d_pinned", 30, 31),   MakeRow("h2d_pinned", 56, 50),
      MakeRow("d2h_pinned", 39, 40),   MakeRow("h2d_pageable", 25, 12),
      MakeRow("d2h_pageable", 20, 15), MakeRow("d2d", 1500, 1500),
      MakeRow("issue_cost_4k", 3, 3),
  };
  SetLinkLimits(rows);
  EXPECT_EQ(rows[0].limit_gb_per_s, 50);
  EXPECT_EQ(rows[1].limit_gb_per_s, 50);
  EXPECT_EQ(rows[2].limit_gb_per_s, 40);
  EXPECT_EQ(rows[3].limit_gb_per_s, 50);
  EXPECT_EQ(rows[4].limit_gb_per_s, 40);
  EXPECT_EQ(rows[5].limit_gb_per_s, std::nullopt);
  EXPECT_EQ(rows[6].limit_gb_per_s, std::nullopt);
  EXPECT_EQ(rows[3].limit_fraction(), 0.5);
  EXPECT_EQ(rows[5].limit_fraction(), std::nullopt);
}

TEST(RowTest, TheLimitOfALinkBetweenDevicesIsItsFastestRawCopy) {
  std::vector<Row> rows = {
      MakeRow("duplex", 90, 91),         MakeRow("duplex", 93, 95),
      MakeRow("peer_one_way", 380, 390), MakeRow("peer_both_ways", 770, 760),
      MakeRow("peer_4k", 1, 1),          MakeRow("h2d_pinned", 50, 55),
  };
  rows[2].gb_per_s = std::nullopt;
  SetLinkLimits(rows);
  EXPECT_EQ(rows[0].limit_gb_per_s, 95);
  EXPECT_EQ(rows[2].limit_gb_per_s, 390);
  EXPECT_EQ(rows[2].limit_fraction(), std::nullopt);
  EXPECT_EQ(rows[3].limit_gb_per_s, 760);
  EXPECT_EQ(rows[4].limit_gb_per_s, std::nullopt);
  EXPECT_EQ(rows[5].limit_gb_per_s, 55);
}

TEST(RowTest, WhatWasNotMeasuredIsNotWrong) {
  Row row;
  EXPECT_FALSE(row.wrong());
  row.repetitions = 20;
  EXPECT_TRUE(row.wrong());
  row.verified = true;
  EXPECT_FALSE(row.wrong());
}

TEST(RowTest, WithoutAPinnedRowTheLimitIsUnknown) {
  std::vector<Row> rows = {MakeRow("h2d_pageable", 25, 12),
                           MakeRow("d2h_pinned", 39, 40)};
  SetLinkLimits(rows);
  EXPECT_EQ(rows[0].limit_gb_per_s, std::nullopt);
  EXPECT_EQ(rows[0].limit_fraction(), std::nullopt);
  EXPECT_EQ(rows[1].limit_gb_per_s, 40);
}

}  // namespace
}  // namespace bench
}  // namespace conveyor
