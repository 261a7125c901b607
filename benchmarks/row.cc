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

#include "benchmarks/row.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace conveyor {
namespace bench {

std::optional<double> Row::limit_fraction() const {
  if (!gb_per_s.has_value() || limit_gb_per_s.value_or(0) <= 0) {
    return std::nullopt;
  }
  return *gb_per_s / *limit_gb_per_s;
}

std::string RowId(absl::string_view name, int64_t bytes) {
  return absl::StrCat(name, "/bytes:", bytes);
}

double GigabytesPerSecond(double bytes, double seconds) {
  return seconds > 0 ? bytes / seconds / 1e9 : 0;
}

void SetLinkLimits(std::vector<Row>& rows) {
  // What begins with the first is limited by the second.
  constexpr std::pair<absl::string_view, absl::string_view> kLimits[] = {
      {"h2d_", "h2d_pinned"},
      {"d2h_", "d2h_pinned"},
      {"duplex", "duplex"},
      {"peer_one_way", "peer_one_way"},
      {"peer_both_ways", "peer_both_ways"},
  };
  for (const auto& [prefix, limiting] : kLimits) {
    std::optional<double> limit;
    for (const Row& row : rows) {
      if (row.name == limiting) limit = std::max(limit, row.baseline_gb_per_s);
    }
    for (Row& row : rows) {
      if (absl::StartsWith(row.name, prefix)) row.limit_gb_per_s = limit;
    }
  }
}

}  // namespace bench
}  // namespace conveyor
