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
// File: pair_sampler.h
// -----------------------------------------------------------------------------
//
// Two ways to do the same, measured in pairs: whatever drifts in the machine
// meets both members of a pair, so the ratio of a pair is steadier than either
// time, and the order within the pair alternates so that neither profits.

#ifndef CONVEYOR_BENCHMARKS_PAIR_SAMPLER_H_
#define CONVEYOR_BENCHMARKS_PAIR_SAMPLER_H_

#include <cstddef>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace conveyor {
namespace bench {

// The value below which `fraction` of the sorted `values` lie, interpolated
// between neighbours: 0.5 is the median. NaN without values.
double Quantile(absl::Span<const double> values, double fraction);

// What was found. Times are medians; `ratio` is the median of the pairs'
// ratios raw / ours: above 1, ours is the faster.
struct PairSummary {
  size_t pairs = 0;
  double raw_seconds = 0;
  double our_seconds = 0;
  double ratio = 0;
  // Eight of ten pairs' ratios lie between these.
  double ratio_p10 = 0;
  double ratio_p90 = 0;
};

// Collects pairs of samples. One thread at a time.
class PairSampler {
 public:
  // Does the work once and returns the seconds it took.
  using Sample = absl::FunctionRef<absl::StatusOr<double>()>;

  // Runs both, in alternating order, without counting them.
  absl::Status Warm(Sample raw, Sample ours, int pairs);

  // Runs both once and counts them; returns the seconds of ours. The raw call
  // goes first in the first counted pair, ours in the second, and so on.
  //
  // kInternal if a sample took no time: nothing can be told from it.
  absl::StatusOr<double> Measure(Sample raw, Sample ours);

  PairSummary Summarize() const;

 private:
  std::vector<double> raw_seconds_;
  std::vector<double> our_seconds_;
};

}  // namespace bench
}  // namespace conveyor

#endif  // CONVEYOR_BENCHMARKS_PAIR_SAMPLER_H_
