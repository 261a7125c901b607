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
// File: report.h
// -----------------------------------------------------------------------------
//
// What a run of hardware tests found, for people, for CI and for programs.

#ifndef CONVEYOR_TESTING_HARDWARE_REPORT_H_
#define CONVEYOR_TESTING_HARDWARE_REPORT_H_

#include <string>
#include <utility>
#include <vector>

#include "testing/hardware/gtest_xml.h"

namespace conveyor {

enum class TestResult {
  kPassed,
  kFailed,      // Also a crash, a broken report, the wrong runtime.
  kTimedOut,    // Ended at its time limit, with all its processes.
  kSkipped,     // Passed what it ran, and skipped some of its cases.
  kTooFewGpus,  // Not run.
  kNotRun,      // The run was interrupted before it.
};

struct TestRun {
  std::string name;
  int gpus_needed = 0;
  TestResult result = TestResult::kNotRun;
  std::string reason;  // Empty if it passed.
  double seconds = 0;
  std::vector<std::string> gpus;  // The UUIDs of those it saw.
  // What it said about itself: backend, runtime, driver, device 0...
  std::vector<std::pair<std::string, std::string>> facts;
  std::vector<TestCase> cases;
  std::string log;  // The file with its output.
};

struct RunReport {
  std::string commit;  // Of the bundle; may be empty.
  std::string date;    // When the run began.
  std::string host;
  int gpus = 0;  // How many there were.
  int exit_code = 0;
  std::vector<TestRun> tests;
};

// "passed", "failed"...
const char* ToString(TestResult result);

// The facts among a test's output: lines "[conveyor] NAME: VALUE".
std::vector<std::pair<std::string, std::string>> FactsIn(
    const std::string& output);

// JUnit XML: one suite a test, one case a case. What concerns a test as a whole
// is a case named after the test.
std::string ToJunit(const RunReport& report);

std::string ToJson(const RunReport& report);

// A few lines for people: what did not pass and why, and the counts.
std::string ToSummary(const RunReport& report);

}  // namespace conveyor

#endif  // CONVEYOR_TESTING_HARDWARE_REPORT_H_
