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
// File: test_runner.h
// -----------------------------------------------------------------------------
//
// RunTest: runs one test of a bundle and tells what came of it.

#ifndef CONVEYOR_TESTING_HARDWARE_TEST_RUNNER_H_
#define CONVEYOR_TESTING_HARDWARE_TEST_RUNNER_H_

#include <functional>
#include <string>
#include <vector>

#include "testing/hardware/manifest.h"
#include "testing/hardware/report.h"

namespace conveyor {

struct RunnerOptions {
  std::string bundle;             // Its directory. Absolute, as all paths here.
  std::string out;                // Gets the logs and GoogleTest's reports.
  std::vector<std::string> gpus;  // Those that may be used.
  std::function<bool()> stop;     // True interrupts the run.
};

// Runs `test` with GPUs of its own, waiting while others have them. It is in
// its runfiles directory, as under Bazel, and sees no other GPU.
//
// It has passed only if it exited with 0, reported at least one case that
// passed, none that failed, and said that it ran on the real CUDA runtime.
TestRun RunTest(const BundledTest& test, const RunnerOptions& options);

}  // namespace conveyor

#endif  // CONVEYOR_TESTING_HARDWARE_TEST_RUNNER_H_
