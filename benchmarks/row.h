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
// File: row.h
// -----------------------------------------------------------------------------
//
// What one row of a run says: one path at one size, beside the raw call.

#ifndef CONVEYOR_BENCHMARKS_ROW_H_
#define CONVEYOR_BENCHMARKS_ROW_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace conveyor {
namespace bench {

struct Row {
  std::string name;    // The path, as "h2d_pinned".
  int64_t bytes = 0;   // Of payload, in all pieces together.
  int64_t pieces = 1;  // Of which the payload consists.
  // Payload over the median time; 10^9 bytes a second.
  std::optional<double> gb_per_s;
  std::string baseline;  // The raw call it is held against.
  std::optional<double> baseline_gb_per_s;
  // Median of the pairs' ratios; above 1, ours is faster.
  std::optional<double> ratio;
  std::optional<double> ratio_p10;  // Eight of ten pairs lie between these two.
  std::optional<double> ratio_p90;
  std::optional<double> limit_gb_per_s;  // What the link can do, where known.
  int64_t repetitions = 0;               // Pairs.
  bool verified = false;                 // Ours and raw delivered every byte.
  // Why there are no figures of ours, or none at all; empty if there are.
  std::string absent;

  // Whether it was measured, and bytes were wrong.
  bool wrong() const { return repetitions > 0 && !verified; }

  // Of the limit; none where that is unknown.
  std::optional<double> limit_fraction() const;
};

// How a row is called on the command line and in a target:
// "h2d_pinned/bytes:4096".
std::string RowId(absl::string_view name, int64_t bytes);

// Payload over time in GB/s, 10^9 bytes a second; 0 if no time passed.
double GigabytesPerSecond(double bytes, double seconds);

// Sets the limit of every row over a link: the fastest raw copy over it among
// `rows`, from or to the host the fastest page-locked one of that direction.
// Without one the limit stays unknown. Rows of small costs have no limit, and
// neither have copies within a device, whose limit no copy in the run tells.
void SetLinkLimits(std::vector<Row>& rows);

}  // namespace bench
}  // namespace conveyor

#endif  // CONVEYOR_BENCHMARKS_ROW_H_
