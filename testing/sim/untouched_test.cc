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

#include "testing/sim/untouched.h"

#include <sys/mman.h>

#include <cstddef>

#include "gtest/gtest.h"

namespace conveyor {
namespace sim {
namespace {

constexpr size_t kMiB = size_t{1} << 20;

// New memory of 16 MiB.
class UntouchedTest : public ::testing::Test {
 protected:
  void SetUp() override {
    void* const made = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(made, MAP_FAILED);
    memory_ = static_cast<char*>(made);
  }
  void TearDown() override { munmap(memory_, kBytes); }

  static constexpr size_t kBytes = 16 * kMiB;
  char* memory_ = nullptr;
};

TEST_F(UntouchedTest, NewMemoryIs) {
  EXPECT_TRUE(IsUntouched(memory_, kBytes));
  EXPECT_TRUE(IsUntouched(memory_ + 100, 4 * kMiB));
}

TEST_F(UntouchedTest, WhatHasBeenWrittenIsNot) {
  for (size_t i = 0; i < kBytes; i += 4096) memory_[i] = 1;
  EXPECT_FALSE(IsUntouched(memory_, kBytes));
}

TEST_F(UntouchedTest, OneTouchInTheMiddleIsEnough) {
  memory_[kBytes / 2] = 1;
  EXPECT_FALSE(IsUntouched(memory_, kBytes));
}

// With huge pages, too, which bring in more than what was touched.
TEST_F(UntouchedTest, TouchesOutsideDoNotCount) {
  madvise(memory_, kBytes, MADV_HUGEPAGE);
  memory_[0] = 1;
  memory_[6 * kMiB - 1] = 1;
  memory_[12 * kMiB] = 1;
  EXPECT_TRUE(IsUntouched(memory_ + 6 * kMiB, 6 * kMiB));
  EXPECT_FALSE(IsUntouched(memory_, kBytes));
}

TEST_F(UntouchedTest, ALittleMemoryCountsAsTouched) {
  EXPECT_FALSE(IsUntouched(memory_, 4 * kMiB - 1));
  EXPECT_FALSE(IsUntouched(nullptr, 0));
}

}  // namespace
}  // namespace sim
}  // namespace conveyor
