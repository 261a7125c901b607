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
// File: bench_options.h
// -----------------------------------------------------------------------------
//
// The command line of `conveyor bench`.

#ifndef CONVEYOR_BENCHMARKS_BENCH_OPTIONS_H_
#define CONVEYOR_BENCHMARKS_BENCH_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace conveyor {
namespace bench {

inline constexpr int kMinPairs = 20;

struct BenchOptions {
  bool help = false;
  std::string json_path;     // Empty: no JSON.
  bool targets = false;      // Measure the targets alone.
  std::string target_group;  // Empty: of all groups.
  std::string filter;        // An extended regular expression; empty: all rows.
  std::vector<int64_t> sizes;        // Ascending; powers of four unless given.
  std::optional<int64_t> max_bytes;  // None: what the backend is good for.
  int device = 0;
  int pairs = kMinPairs;
};

// What `conveyor bench --help` prints.
absl::string_view BenchUsage();

// kInvalidArgument, naming the flag and what it takes, for what is unknown or
// malformed.
absl::StatusOr<BenchOptions> ParseBenchOptions(
    absl::Span<const absl::string_view> args);

// Whether `text` contains a match of the extended regular expression `pattern`.
// kInvalidArgument that says what is wrong with `pattern`.
absl::StatusOr<bool> Matches(const std::string& pattern,
                             const std::string& text);

}  // namespace bench
}  // namespace conveyor

#endif  // CONVEYOR_BENCHMARKS_BENCH_OPTIONS_H_
