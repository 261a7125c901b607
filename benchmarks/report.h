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
// A run as people and programs read it.

#ifndef CONVEYOR_BENCHMARKS_REPORT_H_
#define CONVEYOR_BENCHMARKS_REPORT_H_

#include <string>
#include <vector>

#include "benchmarks/machine.h"
#include "benchmarks/row.h"
#include "benchmarks/targets.h"

namespace conveyor {
namespace bench {

struct Report {
  Machine machine;
  std::string backend;  // "cuda" or "simulated"
  std::string commit;   // Of the build, or "unknown".
  std::string date;     // Of the run, RFC 3339 in UTC.
  std::vector<Row> rows;
  std::vector<Target> targets;
};

// A table for the terminal, in ASCII, with its legend; the word SIMULATED above
// it where the backend is.
std::string ToTable(const Report& run);

// The JSON that README.md describes, ended by a line feed.
std::string ToJson(const Report& run);

}  // namespace bench
}  // namespace conveyor

#endif  // CONVEYOR_BENCHMARKS_REPORT_H_
