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

#include "benchmarks/pair_sampler.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/status_macros.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "absl/types/span.h"

namespace conveyor {
namespace bench {
namespace {

struct Pair {
  double raw_seconds;
  double our_seconds;
};

absl::StatusOr<Pair> RunPair(PairSampler::Sample raw, PairSampler::Sample ours,
                             bool raw_first) {
  Pair pair{};
  if (raw_first) {
    ABSL_ASSIGN_OR_RETURN(pair.raw_seconds, raw());
  }
  ABSL_ASSIGN_OR_RETURN(pair.our_seconds, ours());
  if (!raw_first) {
    ABSL_ASSIGN_OR_RETURN(pair.raw_seconds, raw());
  }
  return pair;
}

}  // namespace

double Quantile(absl::Span<const double> values, double fraction) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const double position = fraction * static_cast<double>(sorted.size() - 1);
  const double below = std::floor(position);
  const size_t index = static_cast<size_t>(below);
  if (index + 1 >= sorted.size()) return sorted.back();
  return sorted[index] +
         (position - below) * (sorted[index + 1] - sorted[index]);
}

absl::Status PairSampler::Warm(Sample raw, Sample ours, int pairs) {
  for (int i = 0; i < pairs; ++i) {
    ABSL_RETURN_IF_ERROR(RunPair(raw, ours, i % 2 == 0).status());
  }
  return absl::OkStatus();
}

absl::StatusOr<double> PairSampler::Measure(Sample raw, Sample ours) {
  ABSL_ASSIGN_OR_RETURN(const Pair pair,
                        RunPair(raw, ours, raw_seconds_.size() % 2 == 0));
  if (!(pair.raw_seconds > 0) || !(pair.our_seconds > 0)) {
    return absl::InternalError(
        absl::StrFormat("the clock did not advance: raw took %g s, ours %g s",
                        pair.raw_seconds, pair.our_seconds));
  }
  raw_seconds_.push_back(pair.raw_seconds);
  our_seconds_.push_back(pair.our_seconds);
  return pair.our_seconds;
}

PairSummary PairSampler::Summarize() const {
  std::vector<double> ratios(raw_seconds_.size());
  for (size_t i = 0; i < ratios.size(); ++i) {
    ratios[i] = raw_seconds_[i] / our_seconds_[i];
  }
  PairSummary summary;
  summary.pairs = ratios.size();
  summary.raw_seconds = Quantile(raw_seconds_, 0.5);
  summary.our_seconds = Quantile(our_seconds_, 0.5);
  summary.ratio = Quantile(ratios, 0.5);
  summary.ratio_p10 = Quantile(ratios, 0.1);
  summary.ratio_p90 = Quantile(ratios, 0.9);
  return summary;
}

}  // namespace bench
}  // namespace conveyor
