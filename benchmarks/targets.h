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
// File: targets.h
// -----------------------------------------------------------------------------
//
// What Conveyor must reach, as ratios against what is measured in the same run.

#ifndef CONVEYOR_BENCHMARKS_TARGETS_H_
#define CONVEYOR_BENCHMARKS_TARGETS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "benchmarks/row.h"

namespace conveyor {
namespace bench {

// A target and the row that decides it.
struct TargetSpec {
  enum class Kind {
    kRatioAtLeast,  // The row's ratio.
    kCostAtMost,    // Our time over the raw call's: the ratio's inverse.
  };

  absl::string_view id;
  absl::string_view group;
  absl::string_view row_name;
  int64_t bytes;
  Kind kind;
  double required;
  // What our rate must be of the link's as well; 0: no such condition.
  double min_limit_fraction = 0;
};

// How a target came out.
struct Target {
  std::string id;
  std::string row;                 // RowId of the row that decided.
  std::optional<double> measured;  // None if that row was not measured.
  double required = 0;
  bool at_most = false;  // Whether `measured` may not be above `required`.
  bool met = false;
};

// The targets of `group`, of all groups if it is empty. kInvalidArgument that
// lists the groups if there is no such group.
absl::StatusOr<std::vector<TargetSpec>> TargetsOf(absl::string_view group);

// Judges `targets` by `rows`. One whose row is absent, has no figures of ours
// or was not verified, is not met.
std::vector<Target> JudgeTargets(absl::Span<const TargetSpec> targets,
                                 absl::Span<const Row> rows);

// Those of `targets` whose row was measured.
std::vector<Target> OnlyMeasured(std::vector<Target> targets);

}  // namespace bench
}  // namespace conveyor

#endif  // CONVEYOR_BENCHMARKS_TARGETS_H_
