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
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace conveyor {
namespace bench {

std::optional<double> Row::limit_fraction() const {
  if (!limit_gb_per_s.has_value() || *limit_gb_per_s <= 0) return std::nullopt;
  return gb_per_s / *limit_gb_per_s;
}

std::string RowId(absl::string_view name, int64_t bytes) {
  return absl::StrCat(name, "/bytes:", bytes);
}

double GigabytesPerSecond(double bytes, double seconds) {
  return seconds > 0 ? bytes / seconds / 1e9 : 0;
}

void SetLinkLimits(std::vector<Row>& rows) {
  for (absl::string_view direction : {"h2d_", "d2h_"}) {
    const std::string pinned = absl::StrCat(direction, "pinned");
    std::optional<double> limit;
    for (const Row& row : rows) {
      if (row.name != pinned) continue;
      limit = std::max(limit.value_or(0), row.baseline_gb_per_s);
    }
    for (Row& row : rows) {
      if (absl::StartsWith(row.name, direction)) row.limit_gb_per_s = limit;
    }
  }
}

}  // namespace bench
}  // namespace conveyor
