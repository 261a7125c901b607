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

#include "saxpy.h"

#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "testing/status_matchers.h"
#include "transfer/device.h"

namespace consumer {
namespace {

using ::conveyor::DeviceId;
using ::conveyor::StatusIs;
using ::testing::ElementsAre;

TEST(SaxpyTest, AddsTheProduct) {
  const std::vector<float> x = {1, 2, 3};
  std::vector<float> y = {10, 20, 30};

  ASSERT_OK(Saxpy(2, x, absl::MakeSpan(y), DeviceId(0)));

  EXPECT_THAT(y, ElementsAre(12, 24, 36));
}

TEST(SaxpyTest, PassesConveyorsErrorsOn) {
  std::vector<float> y;

  EXPECT_THAT(Saxpy(2, y, absl::MakeSpan(y), DeviceId(4711)),
              StatusIs(absl::StatusCode::kInvalidArgument));
}

}  // namespace
}  // namespace consumer
