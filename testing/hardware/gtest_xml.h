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
// File: gtest_xml.h
// -----------------------------------------------------------------------------
//
// Reads the report that GoogleTest writes with --gtest_output=xml.

#ifndef CONVEYOR_TESTING_HARDWARE_GTEST_XML_H_
#define CONVEYOR_TESTING_HARDWARE_GTEST_XML_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace conveyor {

struct TestCase {
  enum class Result { kPassed, kFailed, kSkipped };

  std::string suite;
  std::string name;  // Empty for what failed outside a test case.
  Result result = Result::kPassed;
  double seconds = 0;
  std::string message;  // Why it failed or was skipped.
};

// The cases that ran or were skipped; not those that a filter left out or that
// are disabled. kInvalidArgument if `xml` is no whole report.
absl::StatusOr<std::vector<TestCase>> ParseGtestXml(absl::string_view xml);

}  // namespace conveyor

#endif  // CONVEYOR_TESTING_HARDWARE_GTEST_XML_H_
