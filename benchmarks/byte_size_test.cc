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

#include "benchmarks/byte_size.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/status_matchers.h"
#include "absl/strings/string_view.h"

namespace conveyor {
namespace bench {
namespace {

using ::absl_testing::IsOkAndHolds;
using ::absl_testing::StatusIs;
using ::testing::HasSubstr;

TEST(ParseByteSizeTest, UnitsAreBinary) {
  EXPECT_THAT(ParseByteSize("4096"), IsOkAndHolds(4096));
  EXPECT_THAT(ParseByteSize("7B"), IsOkAndHolds(7));
  EXPECT_THAT(ParseByteSize("4KiB"), IsOkAndHolds(4096));
  EXPECT_THAT(ParseByteSize("64M"), IsOkAndHolds(64 << 20));
  EXPECT_THAT(ParseByteSize("1GiB"), IsOkAndHolds(1 << 30));
  EXPECT_THAT(ParseByteSize("8G"), IsOkAndHolds(int64_t{8} << 30));
}

TEST(ParseByteSizeTest, WhatIsNoSizeIsNamed) {
  for (absl::string_view text : {"", "0", "-4K", "K", "4 KiB", "4KB", "1.5G",
                                 "9000000000000G", "99999999999999999999"}) {
    EXPECT_THAT(ParseByteSize(text),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(text)))
        << text;
  }
}

TEST(FormatByteSizeTest, UsesTheLargestUnit) {
  EXPECT_EQ(FormatByteSize(0), "0 B");
  EXPECT_EQ(FormatByteSize(1000), "1000 B");
  EXPECT_EQ(FormatByteSize(4096), "4 KiB");
  EXPECT_EQ(FormatByteSize(3 << 19), "1.5 MiB");
  EXPECT_EQ(FormatByteSize(1 << 30), "1 GiB");
}

}  // namespace
}  // namespace bench
}  // namespace conveyor
