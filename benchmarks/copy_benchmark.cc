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

#include "benchmarks/copy_benchmark.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/status_macros.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "benchmark/benchmark.h"
#include "benchmarks/copy_buffers.h"
#include "benchmarks/copy_path.h"
#include "benchmarks/pair_sampler.h"
#include "benchmarks/row.h"
#include "third_party/cuda/host_clock.h"
#include "transfer/timer.h"

namespace conveyor {
namespace bench {
namespace {

constexpr int kWarmPairs = 2;
constexpr char kNotOurs[] = "Conveyor has no such copy yet";
// The time of a few microseconds is noisy, and cheap to take again.
constexpr int kSmallPairsFactor = 10;

// How many copies make one sample, so that neither the clock's resolution nor
// what the first copy waits for is seen. Never as many as a stream's queue
// holds (about a thousand), lest the host wait for the device.
int CopiesPerSample(const CopyPath& path, int64_t bytes) {
  constexpr int64_t kSampleBytes = int64_t{16} << 20;
  // The second copy would find touched pages.
  if (path.dst == Place::kFresh) return 1;
  switch (path.timing) {
    case CopyPath::Timing::kIssue:
      return 256;
    case CopyPath::Timing::kHost:
      return static_cast<int>(std::clamp<int64_t>(kSampleBytes / bytes, 1, 64));
    case CopyPath::Timing::kEvents:
      break;
  }
  // Between and within devices a copy is many times as fast as with the host.
  const bool fast = path.src == Place::kDevice &&
                    (path.dst == Place::kOtherDeviceRange || OnPeer(path.dst));
  const int64_t least = fast ? 4 : 1;
  return static_cast<int>(
      std::clamp<int64_t>(kSampleBytes / bytes, least, 256));
}

// Takes samples of one path at one size.
class CopySamples {
 public:
  static absl::StatusOr<CopySamples> Create(const CopyPath& path, int64_t bytes,
                                            CopyBuffers& buffers) {
    ABSL_ASSIGN_OR_RETURN(Timer timer, Timer::Create(buffers.stream()));
    return CopySamples(path, bytes, buffers, std::move(timer));
  }

  absl::StatusOr<double> Raw() { return Sample(path_.raw); }
  absl::StatusOr<double> Ours() { return Sample(path_.ours); }

  // Whether both deliver every byte.
  absl::StatusOr<bool> Verify() {
    std::vector<CopyPath::Route> routes = {{path_.dst, path_.src}};
    if (path_.back.has_value()) routes.push_back(*path_.back);
    for (const CopyPath::Route& route : routes) {
      ABSL_RETURN_IF_ERROR(buffers_.FillSource(route.src, num_bytes_));
    }
    for (CopyPath::Copies copies : {path_.raw, path_.ours}) {
      if (copies == nullptr) continue;
      for (const CopyPath::Route& route : routes) {
        ABSL_RETURN_IF_ERROR(buffers_.Poison(route.dst, num_bytes_));
      }
      ABSL_RETURN_IF_ERROR(copies(buffers_, num_bytes_, 1));
      for (const CopyPath::Route& route : routes) {
        ABSL_ASSIGN_OR_RETURN(const bool right,
                              buffers_.HoldsData(route.dst, num_bytes_));
        if (!right) return false;
      }
    }
    return true;
  }

 private:
  CopySamples(const CopyPath& path, int64_t bytes, CopyBuffers& buffers,
              Timer timer)
      : path_(path),
        num_bytes_(static_cast<size_t>(bytes / path.ways())),
        count_(CopiesPerSample(path, bytes)),
        buffers_(buffers),
        timer_(std::move(timer)) {}

  // The seconds of one copy. The stream is idle before and after.
  absl::StatusOr<double> Sample(CopyPath::Copies copies) {
    const absl::StatusOr<double> seconds = TimeCopies(copies);
    // The buffers may be freed next.
    if (!seconds.ok()) buffers_.stream().Synchronize().IgnoreError();
    return seconds;
  }

  absl::StatusOr<double> TimeCopies(CopyPath::Copies copies) {
    if (path_.dst == Place::kFresh) {
      ABSL_RETURN_IF_ERROR(buffers_.RenewFresh());
    }
    if (path_.timing == CopyPath::Timing::kEvents) {
      ABSL_RETURN_IF_ERROR(timer_.Start());
      ABSL_RETURN_IF_ERROR(copies(buffers_, num_bytes_, count_));
      ABSL_RETURN_IF_ERROR(timer_.Stop());
      ABSL_ASSIGN_OR_RETURN(const Throughput all, timer_.Wait(0));
      return absl::ToDoubleSeconds(all.elapsed) / count_;
    }
    const int64_t begin = HostNowNs();
    ABSL_RETURN_IF_ERROR(copies(buffers_, num_bytes_, count_));
    const int64_t end = HostNowNs();
    ABSL_RETURN_IF_ERROR(buffers_.stream().Synchronize());
    return static_cast<double>(end - begin) / 1e9 / count_;
  }

  const CopyPath& path_;
  size_t num_bytes_;  // Each way.
  int count_;
  CopyBuffers& buffers_;
  Timer timer_;
};

// One benchmark of Google Benchmark: an iteration is a pair, its time ours.
absl::Status RunRow(const PlannedRow& row, CopyBuffers& buffers,
                    benchmark::State& state) {
  ABSL_ASSIGN_OR_RETURN(CopySamples samples,
                        CopySamples::Create(*row.path, row.bytes, buffers));
  const auto raw = [&] { return samples.Raw(); };
  const auto ours = [&] { return samples.Ours(); };
  ABSL_ASSIGN_OR_RETURN(const bool verified, samples.Verify());
  const double bytes = static_cast<double>(row.bytes);
  state.counters["bytes"] = bytes;
  state.counters["verified"] = verified ? 1 : 0;
  state.SetLabel(std::string(row.path->baseline));
  if (row.path->ours == nullptr) {
    for (int i = 0; i < kWarmPairs; ++i) {
      ABSL_RETURN_IF_ERROR(raw().status());
    }
    std::vector<double> seconds;
    while (state.KeepRunning()) {
      ABSL_ASSIGN_OR_RETURN(const double taken, raw());
      seconds.push_back(taken);
      state.SetIterationTime(seconds.back());
    }
    state.counters["baseline_gb_per_s"] =
        GigabytesPerSecond(bytes, Quantile(seconds, 0.5));
    return absl::OkStatus();
  }
  PairSampler sampler;
  ABSL_RETURN_IF_ERROR(sampler.Warm(raw, ours, kWarmPairs));
  while (state.KeepRunning()) {
    ABSL_ASSIGN_OR_RETURN(const double seconds, sampler.Measure(raw, ours));
    state.SetIterationTime(seconds);
  }
  const PairSummary summary = sampler.Summarize();
  state.counters["gb_per_s"] = GigabytesPerSecond(bytes, summary.our_seconds);
  state.counters["baseline_gb_per_s"] =
      GigabytesPerSecond(bytes, summary.raw_seconds);
  state.counters["ratio"] = summary.ratio;
  state.counters["ratio_p10"] = summary.ratio_p10;
  state.counters["ratio_p90"] = summary.ratio_p90;
  return absl::OkStatus();
}

// Turns what Google Benchmark reports into rows. Writes nothing.
class RowReporter : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }

  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.skipped != benchmark::internal::NotSkipped) continue;
      const auto counter = [&](const char* name) -> std::optional<double> {
        const auto found = run.counters.find(name);
        if (found == run.counters.end()) return std::nullopt;
        return found->second.value;
      };
      Row row;
      const std::string& id = run.run_name.function_name;
      row.name = id.substr(0, id.find('/'));
      row.bytes = static_cast<int64_t>(counter("bytes").value_or(0));
      row.gb_per_s = counter("gb_per_s");
      row.baseline = run.report_label;
      row.baseline_gb_per_s = counter("baseline_gb_per_s");
      row.ratio = counter("ratio");
      row.ratio_p10 = counter("ratio_p10");
      row.ratio_p90 = counter("ratio_p90");
      row.repetitions = run.iterations;
      row.verified = counter("verified").value_or(0) != 0;
      if (!row.gb_per_s.has_value()) row.absent = kNotOurs;
      rows_.push_back(std::move(row));
    }
  }

  std::vector<Row> TakeRows() { return std::move(rows_); }

 private:
  std::vector<Row> rows_;
};

}  // namespace

std::vector<PlannedRow> PlanRows(absl::Span<const int64_t> sizes) {
  std::vector<PlannedRow> rows;
  for (const CopyPath& path : CopyPaths()) {
    if (path.only_bytes != 0) {
      rows.push_back({&path, path.only_bytes});
      continue;
    }
    for (const int64_t bytes : sizes) rows.push_back({&path, bytes});
  }
  return rows;
}

PlaceSizes SizesOf(absl::Span<const PlannedRow> rows) {
  PlaceSizes sizes{};
  for (const PlannedRow& row : rows) {
    const CopyPath& path = *row.path;
    const auto need = [&](Place place) {
      size_t& size = sizes[static_cast<size_t>(place)];
      size = std::max(size, static_cast<size_t>(row.bytes / path.ways()));
    };
    need(path.src);
    need(path.dst);
    if (path.back.has_value()) {
      need(path.back->src);
      need(path.back->dst);
    }
  }
  return sizes;
}

absl::StatusOr<std::vector<Row>> MeasureRows(
    absl::Span<const PlannedRow> rows, CopyBuffers& buffers, int pairs,
    absl::FunctionRef<void(size_t index, absl::string_view id)> begin_row) {
  absl::Status first_error;
  for (size_t i = 0; i < rows.size(); ++i) {
    const PlannedRow& row = rows[i];
    const bool small = row.path->only_bytes != 0;
    benchmark::RegisterBenchmark(
        row.id(),
        [&, i](benchmark::State& state) {
          if (first_error.ok()) {
            begin_row(i, rows[i].id());
            const absl::Status status = RunRow(rows[i], buffers, state);
            if (!status.ok()) {
              first_error = absl::Status(
                  status.code(),
                  absl::StrCat(rows[i].id(), ": ", status.message()));
            }
          }
          if (!first_error.ok()) {
            state.SkipWithError(std::string(first_error.message()));
          }
        })
        ->UseManualTime()
        ->Iterations(small ? pairs * kSmallPairsFactor : pairs);
  }
  if (rows.empty()) return std::vector<Row>();
  RowReporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter, nullptr, "all");
  benchmark::ClearRegisteredBenchmarks();
  ABSL_RETURN_IF_ERROR(first_error);
  return reporter.TakeRows();
}

}  // namespace bench
}  // namespace conveyor
