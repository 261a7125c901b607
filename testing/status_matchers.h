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
//
// -----------------------------------------------------------------------------
// File: status_matchers.h
// -----------------------------------------------------------------------------
//
// Abseil's matchers of absl::Status and absl::StatusOr under the names that
// Conveyor's tests use, and the macros that Abseil does not define:
//
//   EXPECT_THAT(Copy(dst, src), IsOk());
//   EXPECT_THAT(Parse("7"), IsOkAndHolds(7));
//   EXPECT_THAT(Copy(dst, null),
//               StatusIs(absl::StatusCode::kInvalidArgument,
//                        HasSubstr("src is null")));
//   ASSERT_OK(Copy(dst, src));
//   ASSERT_OK_AND_ASSIGN(Stream stream, Stream::Create(device));

#ifndef CONVEYOR_TESTING_STATUS_MATCHERS_H_
#define CONVEYOR_TESTING_STATUS_MATCHERS_H_

#include <utility>

#include "absl/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace conveyor {

using ::absl_testing::IsOk;
using ::absl_testing::IsOkAndHolds;
using ::absl_testing::StatusIs;

}  // namespace conveyor

// `expression` is an absl::Status or an absl::StatusOr.
#ifndef EXPECT_OK
#define EXPECT_OK(expression) EXPECT_THAT(expression, ::absl_testing::IsOk())
#endif
#ifndef ASSERT_OK
#define ASSERT_OK(expression) ASSERT_THAT(expression, ::absl_testing::IsOk())
#endif

// Assigns the value of `expression`, an absl::StatusOr, to `lhs`, which may
// declare a variable. If there is none, the test fails with the status and
// returns. `lhs` must hold no comma outside parentheses.
#define ASSERT_OK_AND_ASSIGN(lhs, ...)                                      \
  CONVEYOR_ASSERT_OK_AND_ASSIGN_IMPL_(                                      \
      CONVEYOR_STATUS_MATCHERS_CONCAT_(conveyor_status_or_, __LINE__), lhs, \
      __VA_ARGS__)

#define CONVEYOR_ASSERT_OK_AND_ASSIGN_IMPL_(status_or, lhs, ...) \
  auto status_or = (__VA_ARGS__);                                \
  ASSERT_THAT(status_or, ::absl_testing::IsOk());                \
  lhs = *std::move(status_or)

#define CONVEYOR_STATUS_MATCHERS_CONCAT_(a, b) \
  CONVEYOR_STATUS_MATCHERS_CONCAT_IMPL_(a, b)
#define CONVEYOR_STATUS_MATCHERS_CONCAT_IMPL_(a, b) a##b

#endif  // CONVEYOR_TESTING_STATUS_MATCHERS_H_
