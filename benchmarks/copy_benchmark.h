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
// File: copy_benchmark.h
// -----------------------------------------------------------------------------
//
// Measures copy paths: plans the rows, and runs them through Google Benchmark.

#ifndef CONVEYOR_BENCHMARKS_COPY_BENCHMARK_H_
#define CONVEYOR_BENCHMARKS_COPY_BENCHMARK_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "benchmarks/copy_buffers.h"
#include "benchmarks/copy_path.h"
#include "benchmarks/row.h"

namespace conveyor {
namespace bench {

// A row to be measured.
struct PlannedRow {
  const CopyPath* path;
  int64_t bytes;

  std::string id() const { return RowId(path->name, bytes); }
};

// Every path at every of `sizes`, or at its only size. In the order of the
// report.
std::vector<PlannedRow> PlanRows(absl::Span<const int64_t> sizes);

// The memory that `rows` need.
PlaceSizes SizesOf(absl::Span<const PlannedRow> rows);

// Measures `rows` in `buffers`, with `pairs` pairs each (ten times as many for
// what is a matter of microseconds), and returns what was found, in order.
// `begin_row` is told each row before it is measured.
//
// The first CUDA error ends the run and is returned, naming the row. Data that
// arrived wrong is no error: the row says `verified = false`. Uses the global
// registry of Google Benchmark: one call at a time in a process.
absl::StatusOr<std::vector<Row>> MeasureRows(
    absl::Span<const PlannedRow> rows, CopyBuffers& buffers, int pairs,
    absl::FunctionRef<void(size_t index, absl::string_view id)> begin_row);

}  // namespace bench
}  // namespace conveyor

#endif  // CONVEYOR_BENCHMARKS_COPY_BENCHMARK_H_
