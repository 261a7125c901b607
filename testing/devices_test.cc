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

#include "testing/devices.h"

#include <cstdlib>

#include "gmock/gmock.h"
#include "gtest/gtest-spi.h"
#include "gtest/gtest.h"

namespace conveyor {
namespace {

using ::testing::HasSubstr;
using ::testing::ScopedFakeTestPartResultReporter;
using ::testing::TestPartResultArray;

// More than any machine has.
constexpr int kTooMany = 100000;

class RequireDevicesTest : public ::testing::Test {
 protected:
  ~RequireDevicesTest() override { unsetenv("CONVEYOR_FAIL_ON_SKIP"); }

  // The body of a test that requires `count` devices.
  void Require(int count) {
    CONVEYOR_REQUIRE_DEVICES(count);
    went_on_ = true;
  }

  // What such a test reports that needs more devices than there are.
  void RequireTooMany(TestPartResultArray* results) {
    ScopedFakeTestPartResultReporter reporter(
        ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD,
        results);
    Require(kTooMany);
  }

  bool went_on_ = false;
};

TEST_F(RequireDevicesTest, GoesOnWithEnoughDevices) {
  setenv("CONVEYOR_FAIL_ON_SKIP", "1", 1);
  Require(1);
  EXPECT_TRUE(went_on_);
  EXPECT_EQ(MissingDevices(1), "");
}

TEST_F(RequireDevicesTest, SkipsWithAReasonWhenDevicesAreMissing) {
  setenv("CONVEYOR_FAIL_ON_SKIP", "0", 1);
  TestPartResultArray results;
  RequireTooMany(&results);
  ASSERT_EQ(results.size(), 1);
  EXPECT_TRUE(results.GetTestPartResult(0).skipped());
  EXPECT_THAT(results.GetTestPartResult(0).message(),
              HasSubstr("needs 100000 devices"));
  EXPECT_FALSE(went_on_);
}

TEST_F(RequireDevicesTest, FailsInsteadOfSkippingWhereThatIsAsked) {
  setenv("CONVEYOR_FAIL_ON_SKIP", "1", 1);
  TestPartResultArray results;
  RequireTooMany(&results);
  ASSERT_EQ(results.size(), 1);
  EXPECT_TRUE(results.GetTestPartResult(0).fatally_failed());
  EXPECT_THAT(results.GetTestPartResult(0).message(),
              HasSubstr("needs 100000 devices"));
  EXPECT_FALSE(went_on_);
}

}  // namespace
}  // namespace conveyor
