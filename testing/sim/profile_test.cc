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

#include "testing/sim/profile.h"

#include "gtest/gtest.h"

namespace conveyor {
namespace sim {
namespace {

TEST(RateOfThreadsTest, IsThatOfTheProfileAtItsCounts) {
  const Profile profile = LoadProfile("h200x2");
  const PerThreads& rates = profile.host_copy_gb_per_s;
  int threads = 1;
  for (const double rate : rates) {
    EXPECT_EQ(RateOfThreads(rates, threads), rate) << threads;
    threads *= 2;
  }
}

TEST(RateOfThreadsTest, IsInProportionBetweenThem) {
  const PerThreads rates = {10, 20, 30, 50, 50, 90};
  EXPECT_EQ(RateOfThreads(rates, 3), 25);
  EXPECT_EQ(RateOfThreads(rates, 7), 45);
  EXPECT_EQ(RateOfThreads(rates, 24), 70);
}

TEST(RateOfThreadsTest, IsThatOfTheEndsBeyondThem) {
  const PerThreads rates = {10, 20, 30, 50, 50, 90};
  EXPECT_EQ(RateOfThreads(rates, 0), 10);
  EXPECT_EQ(RateOfThreads(rates, 33), 90);
  EXPECT_EQ(RateOfThreads(rates, 1000), 90);
}

TEST(LoadProfileTest, EveryProfileIsComplete) {
  for (const char* name :
       {"h200x1", "h200x2", "h200x4", "h200x8", "pcie4x2", "wsl2"}) {
    EXPECT_GT(LoadProfile(name).streaming_copy_gb_per_s[5], 0) << name;
  }
}

TEST(LoadProfileTest, AnUnknownNameListsTheNames) {
  EXPECT_EXIT(LoadProfile("nonsense"), ::testing::ExitedWithCode(1),
              "h200x1 h200x2 h200x4");
}

}  // namespace
}  // namespace sim
}  // namespace conveyor
