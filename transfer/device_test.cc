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

#include "transfer/device.h"

#include <cuda_runtime_api.h>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "testing/devices.h"
#include "testing/status_matchers.h"

namespace conveyor {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class DeviceTest : public ::testing::Test {
 protected:
  void SetUp() override { CONVEYOR_REQUIRE_DEVICES(1); }
};

TEST_F(DeviceTest, PrintsAsWords) {
  EXPECT_EQ(absl::StrCat(DeviceId(3)), "device 3");
}

TEST_F(DeviceTest, CountIsWhatCudaSays) {
  int count = 0;
  ASSERT_EQ(cudaGetDeviceCount(&count), cudaSuccess);
  EXPECT_THAT(DeviceCount(), IsOkAndHolds(count));
}

TEST_F(DeviceTest, AnUnknownDeviceIsNamedWithTheCount) {
  ASSERT_OK_AND_ASSIGN(const int count, DeviceCount());
  for (const int ordinal : {-1, count}) {
    EXPECT_THAT(
        CheckDevice(DeviceId(ordinal)),
        StatusIs(absl::StatusCode::kInvalidArgument,
                 AllOf(HasSubstr(absl::StrCat("device ", ordinal, " does not")),
                       HasSubstr(absl::StrCat("sees ", count)))));
  }
}

TEST_F(DeviceTest, BindingAnUnknownDeviceChangesNothing) {
  ASSERT_OK_AND_ASSIGN(const DeviceId before, CurrentDevice());
  EXPECT_THAT(ScopedDevice::Bind(DeviceId(1 << 20)),
              StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(CurrentDevice(), IsOkAndHolds(before));
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
}

TEST_F(DeviceTest, BindingTheCurrentDeviceIsFine) {
  ASSERT_OK_AND_ASSIGN(const DeviceId before, CurrentDevice());
  { ASSERT_OK_AND_ASSIGN(ScopedDevice scope, ScopedDevice::Bind(before)); }
  EXPECT_THAT(CurrentDevice(), IsOkAndHolds(before));
}

}  // namespace
}  // namespace conveyor
