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

// Stands in for a hardware test where there is no GPU. Its environment chooses
// which case runs: GTEST_FILTER, and what it says of its backend: FAKE_BACKEND.

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "gtest/gtest.h"

namespace {

TEST(FakeTest, Passes) {}

TEST(FakeTest, Fails) { EXPECT_EQ(1, 2) << "one is not two"; }

TEST(FakeTest, Skips) { GTEST_SKIP() << "needs a <second> device"; }

TEST(FakeTest, Hangs) {
  while (true) pause();
}

TEST(FakeTest, Crashes) { std::abort(); }

TEST(FakeTest, ExitsEarly) { std::_Exit(0); }

}  // namespace

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  const char* const backend = std::getenv("FAKE_BACKEND");
  std::printf("[conveyor] backend: %s\n[conveyor] driver: CUDA 13.0, %s\n",
              backend == nullptr ? "cuda" : backend, "/fake/libcuda.so.1");
  const char* const devices = std::getenv("CUDA_VISIBLE_DEVICES");
  std::printf("[conveyor] visible: %s\n", devices == nullptr ? "" : devices);
  std::fflush(stdout);
  return RUN_ALL_TESTS();
}
