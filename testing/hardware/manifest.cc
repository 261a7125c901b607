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

#include "testing/hardware/manifest.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace conveyor {
namespace {

using Fields = std::vector<std::string>;

// False if a field is missing or wrong.
bool ParseTest(const Fields& fields, BundledTest* test) {
  if (fields.size() < 5) return false;
  test->name = fields[1];
  test->file = fields[2];
  int seconds = 0;
  for (size_t i = 3; i < fields.size(); ++i) {
    const std::pair<std::string, std::string> field =
        absl::StrSplit(fields[i], absl::MaxSplits('=', 1));
    const auto& [name, value] = field;
    if (name == "gpus") {
      if (!absl::SimpleAtoi(value, &test->gpus)) return false;
    } else if (name == "seconds") {
      if (!absl::SimpleAtoi(value, &seconds)) return false;
    } else {
      test->env[name] = value;
    }
  }
  test->time_limit = absl::Seconds(seconds);
  return test->gpus > 0 && seconds > 0;
}

}  // namespace

absl::StatusOr<Manifest> ParseManifest(absl::string_view text) {
  Manifest manifest;
  int number = 0;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    if (line.empty()) continue;
    const Fields fields = absl::StrSplit(line, '\t');
    BundledTest test;
    if (fields[0] == "test" && ParseTest(fields, &test)) {
      manifest.tests.push_back(std::move(test));
    } else if (fields[0] == "program" && fields.size() == 3) {
      manifest.programs.push_back({fields[1], fields[2]});
    } else {
      return absl::InvalidArgumentError(
          absl::StrCat("line ", number, " is no test and no program: ", line));
    }
  }
  return manifest;
}

}  // namespace conveyor
