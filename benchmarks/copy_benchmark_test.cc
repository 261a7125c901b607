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

#include "benchmarks/copy_benchmark.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/status_macros.h"
#include "absl/status/status_matchers.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "benchmarks/copy_buffers.h"
#include "benchmarks/copy_path.h"
#include "benchmarks/row.h"
#include "transfer/copy.h"
#include "transfer/device.h"

namespace conveyor {
namespace bench {
namespace {

using ::absl_testing::IsOk;
using ::absl_testing::IsOkAndHolds;
using ::absl_testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

absl::StatusOr<CopyBuffers> BuffersFor(const std::vector<PlannedRow>& rows) {
  return CopyBuffers::Create(DeviceId(0), SizesOf(rows));
}

absl::Status Upload(CopyBuffers& buffers, size_t num_bytes, int count) {
  for (int i = 0; i < count; ++i) {
    ABSL_RETURN_IF_ERROR(Copy(buffers.Device(num_bytes),
                              buffers.PageableSource(num_bytes),
                              buffers.stream()));
  }
  return absl::OkStatus();
}

absl::Status UploadAllButTheLastByte(CopyBuffers& buffers, size_t num_bytes,
                                     int count) {
  return Upload(buffers, num_bytes - 1, count);
}

absl::Status Break(CopyBuffers&, size_t, int) {
  return absl::InternalError("broken");
}

CopyPath MakePath(absl::string_view name, CopyPath::Copies ours) {
  return {name,
          "raw call",
          Place::kDevice,
          Place::kPageableSource,
          CopyPath::Timing::kHost,
          0,
          Upload,
          ours};
}

TEST(PlanRowsTest, EveryPathAtEverySizeAndIssueCostsOnce) {
  const std::vector<PlannedRow> rows = PlanRows({4096, 65536});
  std::vector<std::string> ids;
  for (const PlannedRow& row : rows) ids.push_back(row.id());
  EXPECT_THAT(
      ids, ElementsAre("h2d_pinned/bytes:4096", "h2d_pinned/bytes:65536",
                       "d2h_pinned/bytes:4096", "d2h_pinned/bytes:65536",
                       "h2d_pageable/bytes:4096", "h2d_pageable/bytes:65536",
                       "d2h_pageable/bytes:4096", "d2h_pageable/bytes:65536",
                       "d2h_fresh/bytes:4096", "d2h_fresh/bytes:65536",
                       "duplex/bytes:4096", "duplex/bytes:65536",
                       "d2d/bytes:4096", "d2d/bytes:65536",
                       "issue_cost_4k/bytes:4096", "peer_one_way/bytes:4096",
                       "peer_one_way/bytes:65536", "peer_both_ways/bytes:4096",
                       "peer_both_ways/bytes:65536", "peer_4k/bytes:4096"));
}

TEST(SizesOfTest, OnlyWhatTheRowsNeed) {
  const CopyPath path = MakePath("upload", Upload);
  const PlaceSizes sizes =
      SizesOf(std::vector<PlannedRow>{{&path, 4096}, {&path, 1000}});
  EXPECT_EQ(sizes[static_cast<size_t>(Place::kDevice)], 4096u);
  EXPECT_EQ(sizes[static_cast<size_t>(Place::kPageableSource)], 4096u);
  EXPECT_EQ(sizes[static_cast<size_t>(Place::kPinned)], 0u);
  EXPECT_EQ(sizes[static_cast<size_t>(Place::kOtherDeviceRange)], 0u);
}

TEST(SizesOfTest, EachWayHasHalfOfTheBytes) {
  CopyPath path = MakePath("both", Upload);
  path.back = CopyPath::Route{Place::kPinned, Place::kOtherDeviceRange};
  const PlaceSizes sizes = SizesOf(std::vector<PlannedRow>{{&path, 4096}});
  for (const Place place : {Place::kDevice, Place::kPageableSource,
                            Place::kPinned, Place::kOtherDeviceRange}) {
    EXPECT_EQ(sizes[static_cast<size_t>(place)], 2048u);
  }
}

TEST(MeasureRowsTest, MeasuresInOrderAndVerifies) {
  const CopyPath path = MakePath("upload", Upload);
  const std::vector<PlannedRow> rows = {{&path, 4096}, {&path, 1 << 20}};
  absl::StatusOr<CopyBuffers> buffers = BuffersFor(rows);
  ASSERT_THAT(buffers, IsOk());
  std::vector<std::string> begun;
  const absl::StatusOr<std::vector<Row>> measured = MeasureRows(
      rows, *buffers, 20,
      [&](size_t, absl::string_view id) { begun.emplace_back(id); });
  ASSERT_THAT(measured, IsOk());
  EXPECT_THAT(begun, ElementsAre("upload/bytes:4096", "upload/bytes:1048576"));
  ASSERT_EQ(measured->size(), 2u);
  const Row& row = (*measured)[1];
  EXPECT_EQ(row.name, "upload");
  EXPECT_EQ(row.bytes, 1 << 20);
  EXPECT_EQ(row.baseline, "raw call");
  EXPECT_EQ(row.repetitions, 20);
  EXPECT_GT(row.gb_per_s, 0);
  EXPECT_GT(row.ratio, 0);
  EXPECT_TRUE(row.verified);
}

TEST(MeasureRowsTest, OneMissingByteIsSeen) {
  const CopyPath path = MakePath("forgetful", UploadAllButTheLastByte);
  const std::vector<PlannedRow> rows = {{&path, 4096}};
  absl::StatusOr<CopyBuffers> buffers = BuffersFor(rows);
  ASSERT_THAT(buffers, IsOk());
  const absl::StatusOr<std::vector<Row>> measured =
      MeasureRows(rows, *buffers, 20, [](size_t, absl::string_view) {});
  ASSERT_THAT(measured, IsOk());
  ASSERT_EQ(measured->size(), 1u);
  EXPECT_FALSE((*measured)[0].verified);
}

TEST(MeasureRowsTest, TheWayBackIsVerifiedToo) {
  CopyPath path = MakePath("one way only", Upload);
  path.back = CopyPath::Route{Place::kPinned, Place::kOtherDeviceRange};
  const std::vector<PlannedRow> rows = {{&path, 4096}};
  absl::StatusOr<CopyBuffers> buffers = BuffersFor(rows);
  ASSERT_THAT(buffers, IsOk());
  const absl::StatusOr<std::vector<Row>> measured =
      MeasureRows(rows, *buffers, 20, [](size_t, absl::string_view) {});
  ASSERT_THAT(measured, IsOk());
  EXPECT_TRUE((*measured)[0].wrong());
}

TEST(MeasureRowsTest, WithoutACopyOfOursTheRawOneIsMeasured) {
  const CopyPath path = MakePath("raw only", nullptr);
  const std::vector<PlannedRow> rows = {{&path, 4096}};
  absl::StatusOr<CopyBuffers> buffers = BuffersFor(rows);
  ASSERT_THAT(buffers, IsOk());
  const absl::StatusOr<std::vector<Row>> measured =
      MeasureRows(rows, *buffers, 20, [](size_t, absl::string_view) {});
  ASSERT_THAT(measured, IsOk());
  const Row& row = (*measured)[0];
  EXPECT_GT(row.baseline_gb_per_s, 0);
  EXPECT_TRUE(row.verified);
  EXPECT_FALSE(row.gb_per_s.has_value());
  EXPECT_FALSE(row.ratio.has_value());
  EXPECT_NE(row.absent, "");
}

TEST(MeasureRowsTest, EveryPathOfOneDeviceArrivesInWhole) {
  std::vector<PlannedRow> rows = PlanRows({100000});
  rows.erase(std::remove_if(
                 rows.begin(), rows.end(),
                 [](const PlannedRow& row) { return row.path->needs_peer(); }),
             rows.end());
  absl::StatusOr<CopyBuffers> buffers = BuffersFor(rows);
  ASSERT_THAT(buffers, IsOk());
  const absl::StatusOr<std::vector<Row>> measured =
      MeasureRows(rows, *buffers, 20, [](size_t, absl::string_view) {});
  ASSERT_THAT(measured, IsOk());
  ASSERT_EQ(measured->size(), rows.size());
  for (const Row& row : *measured) EXPECT_TRUE(row.verified) << row.name;
}

TEST(MeasureRowsTest, TheFirstErrorEndsTheRunAndNamesItsRow) {
  const CopyPath broken = MakePath("broken", Break);
  const CopyPath path = MakePath("upload", Upload);
  const std::vector<PlannedRow> rows = {{&broken, 4096}, {&path, 4096}};
  absl::StatusOr<CopyBuffers> buffers = BuffersFor(rows);
  ASSERT_THAT(buffers, IsOk());
  std::vector<size_t> begun;
  EXPECT_THAT(
      MeasureRows(rows, *buffers, 20,
                  [&](size_t i, absl::string_view) { begun.push_back(i); }),
      StatusIs(absl::StatusCode::kInternal, "broken/bytes:4096: broken"));
  EXPECT_THAT(begun, ElementsAre(0));
}

TEST(CopyBuffersTest, KnowsItsData) {
  const std::vector<PlannedRow> rows = PlanRows({10000});
  absl::StatusOr<CopyBuffers> buffers = BuffersFor(rows);
  ASSERT_THAT(buffers, IsOk());
  for (const Place place : {Place::kPageable, Place::kPinned, Place::kDevice,
                            Place::kOtherDeviceRange, Place::kFresh}) {
    ASSERT_THAT(buffers->FillSource(place, 10000), IsOk());
    EXPECT_THAT(buffers->HoldsData(place, 10000), IsOkAndHolds(true));
    ASSERT_THAT(buffers->Poison(place, 1), IsOk());
    EXPECT_THAT(buffers->HoldsData(place, 10000), IsOkAndHolds(false));
  }
  EXPECT_THAT(buffers->HoldsData(Place::kPageableSource, 10000),
              IsOkAndHolds(true));
}

}  // namespace
}  // namespace bench
}  // namespace conveyor
