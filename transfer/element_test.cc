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

#include "transfer/element.h"

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "testing/status_matchers.h"

namespace conveyor {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(SizeInBytesTest, Counts64BitBytes) {
  EXPECT_THAT(SizeInBytes<double>("count", 0), IsOkAndHolds(0u));
  EXPECT_THAT(SizeInBytes<double>("count", size_t{1} << 28),
              IsOkAndHolds(size_t{1} << 31));
  EXPECT_THAT(SizeInBytes<char>("count", (size_t{1} << 32) + 1),
              IsOkAndHolds((size_t{1} << 32) + 1));
  EXPECT_THAT(SizeInBytes<char>("count", INT64_MAX),
              IsOkAndHolds(static_cast<size_t>(INT64_MAX)));
}

TEST(SizeInBytesTest, OverflowNamesCountAndElementSize) {
  EXPECT_THAT(SizeInBytes<double>("count", size_t{1} << 60),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("count is 1152921504606846976 elements"),
                             HasSubstr("of 8 bytes"), HasSubstr("overflows"))));
  EXPECT_THAT(SizeInBytes<char>("count", SIZE_MAX),
              StatusIs(absl::StatusCode::kInvalidArgument));
}

}  // namespace
}  // namespace conveyor
