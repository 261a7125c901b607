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
// File: manifest.h
// -----------------------------------------------------------------------------
//
// What a bundle of hardware tests holds: the file MANIFEST at its top. One line
// an entry, fields separated by tabs:
//
//   test     //transfer:copy_test_gpu  FILE  gpus=1  seconds=300  NAME=VALUE...
//   program  //benchmarks:conveyor     FILE
//
// FILE is relative to the bundle. NAME=VALUE fields are environment variables.

#ifndef CONVEYOR_TESTING_HARDWARE_MANIFEST_H_
#define CONVEYOR_TESTING_HARDWARE_MANIFEST_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace conveyor {

struct BundledTest {
  std::string name;
  std::string file;
  int gpus = 0;
  absl::Duration time_limit;
  std::map<std::string, std::string> env;
};

// Carried along, and not run by the runner.
struct BundledProgram {
  std::string name;
  std::string file;
};

struct Manifest {
  std::vector<BundledTest> tests;
  std::vector<BundledProgram> programs;
};

// kInvalidArgument, with the line's number, if a line says nothing known.
absl::StatusOr<Manifest> ParseManifest(absl::string_view text);

}  // namespace conveyor

#endif  // CONVEYOR_TESTING_HARDWARE_MANIFEST_H_
