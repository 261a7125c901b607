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
// File: devices.h
// -----------------------------------------------------------------------------
//
// The devices that a test needs:
//
//   TEST(PeerCopyTest, CopiesBothWays) {
//     CONVEYOR_REQUIRE_DEVICES(2);
//     ...
//
// A test that lacks devices is skipped with a reason. Where
// CONVEYOR_FAIL_ON_SKIP=1 is set, as on machines whose job is to run the test,
// it fails instead: a test that did not run must not look passed.

#ifndef CONVEYOR_TESTING_DEVICES_H_
#define CONVEYOR_TESTING_DEVICES_H_

#include <string>

#include "gtest/gtest.h"

// Skips or fails the test, and returns from the enclosing void function, if
// fewer than `count` devices are visible. For the body of a test or SetUp().
#define CONVEYOR_REQUIRE_DEVICES(count)             \
  GTEST_AMBIGUOUS_ELSE_BLOCKER_                     \
  if (const ::std::string conveyor_missing =        \
          ::conveyor::MissingDevices(count);        \
      conveyor_missing.empty()) {                   \
  } else if (::conveyor::FailOnSkip()) /* NOLINT */ \
    GTEST_FAIL() << conveyor_missing;               \
  else                                              \
    GTEST_SKIP() << conveyor_missing

namespace conveyor {

// Empty if at least `count` devices are visible, else the reason in words, with
// CUDA's error if there is one. Leaves the thread's last CUDA error at
// cudaSuccess where CUDA cannot count its devices. Thread-safe.
std::string MissingDevices(int count);

// Whether CONVEYOR_FAIL_ON_SKIP=1 is set.
bool FailOnSkip();

}  // namespace conveyor

#endif  // CONVEYOR_TESTING_DEVICES_H_
