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
// File: process.h
// -----------------------------------------------------------------------------
//
// RunProcess: runs a program to its end, and ends whatever it leaves behind.

#ifndef CONVEYOR_TESTING_HARDWARE_PROCESS_H_
#define CONVEYOR_TESTING_HARDWARE_PROCESS_H_

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace conveyor {

struct ProcessOptions {
  std::vector<std::string> argv;           // argv[0] is the program's path.
  std::map<std::string, std::string> env;  // Added to this process's own.
  std::string directory = ".";             // Where it starts.
  std::string output_file;  // Gets its standard output and error.
  absl::Duration time_limit = absl::InfiniteDuration();
  // Asked again and again meanwhile: true ends the program at once.
  std::function<bool()> stop = [] { return false; };
};

struct ProcessResult {
  int exit_code = -1;  // -1 if a signal ended it.
  int signal = 0;      // 0 if it exited.
  bool timed_out = false;
  bool stopped = false;
  absl::Duration elapsed;
};

// Runs a program and waits for it. When it has ended, or at its time limit,
// kills it and all its descendants, those too that have left its session or
// whose parents have ended: this process adopts them.
//
// Takes every child of this process for a descendant of the program, so only
// one call may run at a time, in a process without other children.
//
// kInternal, with errno's words, if the program cannot be started.
absl::StatusOr<ProcessResult> RunProcess(const ProcessOptions& options);

}  // namespace conveyor

#endif  // CONVEYOR_TESTING_HARDWARE_PROCESS_H_
