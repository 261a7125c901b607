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

#include "benchmarks/targets.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "benchmarks/row.h"

namespace conveyor {
namespace bench {
namespace {

constexpr int64_t kGiB = int64_t{1} << 30;
constexpr auto kRatioAtLeast = TargetSpec::Kind::kRatioAtLeast;
constexpr auto kCostAtMost = TargetSpec::Kind::kCostAtMost;

constexpr TargetSpec kTargets[] = {
    {"h2d_pinned", "one_gpu", "h2d_pinned", kGiB, kRatioAtLeast, 0.99},
    {"d2h_pinned", "one_gpu", "d2h_pinned", kGiB, kRatioAtLeast, 0.99},
    {"h2d_pageable", "one_gpu", "h2d_pageable", kGiB, kRatioAtLeast, 6.0, 0.94},
    {"d2h_pageable", "one_gpu", "d2h_pageable", kGiB, kRatioAtLeast, 3.3, 0.95},
    {"d2h_fresh", "one_gpu", "d2h_fresh", kGiB, kRatioAtLeast, 6.0},
    {"issue_cost_4k", "one_gpu", "issue_cost_4k", 4096, kCostAtMost, 1.05},
    {"peer_one_way", "one_host", "peer_one_way", kGiB, kRatioAtLeast, 0.99},
    {"peer_both_ways", "one_host", "peer_both_ways", kGiB, kRatioAtLeast, 0.99},
    {"peer_4k", "one_host", "peer_4k", 4096, kCostAtMost, 1.05},
};

}  // namespace

absl::StatusOr<std::vector<TargetSpec>> TargetsOf(absl::string_view group) {
  std::vector<TargetSpec> targets;
  std::vector<absl::string_view> groups;
  for (const TargetSpec& target : kTargets) {
    if (group.empty() || target.group == group) targets.push_back(target);
    if (std::find(groups.begin(), groups.end(), target.group) == groups.end()) {
      groups.push_back(target.group);
    }
  }
  if (targets.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--targets: no group '", group,
                     "'; the groups are: ", absl::StrJoin(groups, ", ")));
  }
  return targets;
}

std::vector<Target> JudgeTargets(absl::Span<const TargetSpec> targets,
                                 absl::Span<const Row> rows) {
  std::vector<Target> judged;
  for (const TargetSpec& spec : targets) {
    Target target;
    target.id = std::string(spec.id);
    target.row = RowId(spec.row_name, spec.bytes);
    target.required = spec.required;
    target.at_most = spec.kind == TargetSpec::Kind::kCostAtMost;
    for (const Row& row : rows) {
      if (row.name != spec.row_name || row.bytes != spec.bytes ||
          !row.ratio.has_value()) {
        continue;
      }
      const double measured = target.at_most ? 1 / *row.ratio : *row.ratio;
      target.measured = measured;
      target.met = row.verified &&
                   (target.at_most ? measured <= spec.required
                                   : measured >= spec.required) &&
                   row.limit_fraction().value_or(0) >= spec.min_limit_fraction;
    }
    judged.push_back(std::move(target));
  }
  return judged;
}

std::vector<Target> OnlyMeasured(std::vector<Target> targets) {
  targets.erase(std::remove_if(targets.begin(), targets.end(),
                               [](const Target& target) {
                                 return !target.measured.has_value();
                               }),
                targets.end());
  return targets;
}

}  // namespace bench
}  // namespace conveyor
