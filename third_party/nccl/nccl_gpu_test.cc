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

// The NCCL that is loaded. It may be older than the header that was built
// against: that is so wherever a newer toolkit meets an older system.

#include <nccl.h>

#include "gtest/gtest.h"

namespace conveyor {
namespace {

TEST(NcclTest, LibraryIsOneThatWeSupport) {
  int version = 0;
  ASSERT_EQ(ncclGetVersion(&version), ncclSuccess);

  EXPECT_GE(version, NCCL_VERSION(2, 18, 0));
  // 2.29.1 is 22901: another major version has another ABI.
  EXPECT_EQ(version / 10000, NCCL_VERSION_CODE / 10000);
}

TEST(NcclTest, NamesItsErrors) {
  EXPECT_STREQ(ncclGetErrorString(ncclSuccess), "no error");
}

}  // namespace
}  // namespace conveyor
