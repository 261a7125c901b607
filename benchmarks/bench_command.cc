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

#include "benchmarks/bench_command.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/status_macros.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "benchmarks/backend.h"
#include "benchmarks/bench_options.h"
#include "benchmarks/byte_size.h"
#include "benchmarks/copy_benchmark.h"
#include "benchmarks/copy_buffers.h"
#include "benchmarks/machine.h"
#include "benchmarks/peer.h"
#include "benchmarks/report.h"
#include "benchmarks/row.h"
#include "benchmarks/targets.h"
#include "transfer/device.h"

namespace conveyor {
namespace bench {
namespace {

constexpr int kBadCommandLine = 2;

// Real bytes are moved to find out virtual times: beyond this only patience is
// measured.
constexpr int64_t kSimulatedMaxBytes = int64_t{64} << 20;

#if defined(__OPTIMIZE__)
constexpr bool kOptimized = true;
#else
constexpr bool kOptimized = false;
#endif

// The line on a terminal that says what is being measured.
class Progress {
 public:
  Progress(const CommandContext& context, size_t total)
      : err_(context.err), shown_(context.err_is_terminal), total_(total) {}
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() { Show(""); }

  void Step(size_t index, absl::string_view what) {
    Show(absl::StrCat("[", index + 1, "/", total_, "] ",
                      kSimulated ? "SIMULATED " : "", what));
  }

 private:
  void Show(absl::string_view line) {
    // Back to the start of the line, and clear it.
    if (shown_) err_ << "\r\x1b[K" << line << std::flush;
  }

  std::ostream& err_;
  bool shown_;
  size_t total_;
};

// OK if the file can probably be written: to be told before measuring.
absl::Status CheckWritable(const std::string& path) {
  struct stat info;
  if (stat(path.c_str(), &info) == 0) {
    if (S_ISDIR(info.st_mode)) {
      return absl::InvalidArgumentError(
          absl::StrCat("--json: ", path, " is a directory"));
    }
    if (access(path.c_str(), W_OK) == 0) return absl::OkStatus();
  } else {
    const size_t slash = path.rfind('/');
    const std::string directory =
        slash == std::string::npos ? "." : path.substr(0, slash + 1);
    if (access(directory.c_str(), W_OK) == 0) return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("--json: cannot write ", path));
}

absl::Status WriteFile(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) {
    return absl::UnavailableError(absl::StrCat("cannot write ", path));
  }
  return absl::OkStatus();
}

int64_t MaxBytes(const BenchOptions& options) {
  // A target means its own size.
  return options.max_bytes.value_or(
      kSimulated && !options.targets ? kSimulatedMaxBytes : INT64_MAX);
}

// The rows that the command line asks for. kInvalidArgument if there are none.
absl::StatusOr<std::vector<PlannedRow>> ChooseRows(
    const BenchOptions& options, absl::Span<const TargetSpec> targets) {
  std::vector<int64_t> sizes = options.sizes;
  if (options.targets) {
    sizes.clear();
    for (const TargetSpec& target : targets) sizes.push_back(target.bytes);
    std::sort(sizes.begin(), sizes.end());
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  }
  std::vector<PlannedRow> chosen;
  for (const PlannedRow& row : PlanRows(sizes)) {
    if (row.bytes > MaxBytes(options)) continue;
    ABSL_ASSIGN_OR_RETURN(const bool matches,
                          Matches(options.filter, row.id()));
    const bool decides =
        std::any_of(targets.begin(), targets.end(), [&](const TargetSpec& t) {
          return RowId(t.row_name, t.bytes) == row.id();
        });
    if (matches && (decides || !options.targets)) chosen.push_back(row);
  }
  if (chosen.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "nothing to measure: no row has --filter='", options.filter,
        "' in its name, as h2d_pinned/bytes:4096, with one of --sizes and at "
        "most --max_bytes"));
  }
  return chosen;
}

// Memory for `rows`. While there is not enough, leaves out the largest rows,
// and says so.
absl::StatusOr<CopyBuffers> AllocateFor(std::vector<PlannedRow>& rows,
                                        DeviceId device,
                                        std::optional<DeviceId> peer,
                                        std::ostream& err) {
  for (;;) {
    absl::StatusOr<CopyBuffers> buffers =
        CopyBuffers::Create(device, SizesOf(rows), peer);
    if (!absl::IsResourceExhausted(buffers.status())) return buffers;
    int64_t largest = 0;
    for (const PlannedRow& row : rows) largest = std::max(largest, row.bytes);
    rows.erase(std::remove_if(
                   rows.begin(), rows.end(),
                   [&](const PlannedRow& row) { return row.bytes == largest; }),
               rows.end());
    if (rows.empty()) return buffers;
    err << "conveyor bench: leaving out rows of " << FormatByteSize(largest)
        << ": " << buffers.status().message() << "\n";
  }
}

int Fail(const CommandContext& context, const absl::Status& status, int code) {
  context.err << "conveyor bench: " << status.message() << "\n";
  if (code == kBadCommandLine) {
    context.err << "See: conveyor bench --help\n";
  }
  return code;
}

// Finds the other GPU, if `rows` need it, and gives the two access to each
// other. Where there is none, moves those rows to `absent`, one for each path.
absl::StatusOr<std::optional<DeviceId>> PrepareForPeer(
    DeviceId device, std::vector<PlannedRow>& rows, std::vector<Row>& absent) {
  const auto needs_peer = [](const PlannedRow& row) {
    return row.path->needs_peer();
  };
  if (std::none_of(rows.begin(), rows.end(), needs_peer)) return std::nullopt;
  const absl::StatusOr<DeviceId> peer = FindPeer(device);
  if (peer.ok()) {
    ABSL_RETURN_IF_ERROR(EnablePeerAccess(device, *peer));
    return *peer;
  }
  if (!absl::IsNotFound(peer.status())) return peer.status();
  for (const PlannedRow& planned : rows) {
    if (!needs_peer(planned)) continue;
    if (absent.empty() || absent.back().name != planned.path->name) {
      absent.emplace_back();
    }
    Row& row = absent.back();
    row.name = std::string(planned.path->name);
    row.bytes = planned.bytes;
    row.baseline = std::string(planned.path->baseline);
    row.absent = std::string(peer.status().message());
  }
  rows.erase(std::remove_if(rows.begin(), rows.end(), needs_peer), rows.end());
  return std::nullopt;
}

// Everything after the command line has been understood.
absl::StatusOr<Report> Measure(const BenchOptions& options,
                               absl::Span<const TargetSpec> targets,
                               std::vector<PlannedRow> rows,
                               const CommandContext& context) {
  const DeviceId device(options.device);
  // For the raw calls, which take the device that is current.
  ABSL_ASSIGN_OR_RETURN(const ScopedDevice scope, ScopedDevice::Bind(device));
  std::vector<Row> absent;
  ABSL_ASSIGN_OR_RETURN(const std::optional<DeviceId> peer,
                        PrepareForPeer(device, rows, absent));
  ABSL_ASSIGN_OR_RETURN(CopyBuffers buffers,
                        AllocateFor(rows, device, peer, context.err));
  Report run;
  {
    Progress progress(context, rows.size());
    ABSL_ASSIGN_OR_RETURN(run.rows,
                          MeasureRows(rows, buffers, options.pairs,
                                      [&](size_t index, absl::string_view id) {
                                        progress.Step(index, id);
                                      }));
  }
  SetLinkLimits(run.rows);
  run.rows.insert(run.rows.end(), absent.begin(), absent.end());
  run.targets = JudgeTargets(targets, run.rows);
  if (!options.targets) run.targets = OnlyMeasured(std::move(run.targets));
  // Last, while the links are awake.
  ABSL_ASSIGN_OR_RETURN(run.machine, DescribeMachine());
  run.backend = std::string(kBackend);
  run.commit = context.commit;
  run.date =
      absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", absl::Now(), absl::UTCTimeZone());
  return run;
}

// The exit status of a run that went through.
int Judge(const Report& run, const BenchOptions& options,
          const CommandContext& context) {
  const bool wrong = std::any_of(run.rows.begin(), run.rows.end(),
                                 [](const Row& row) { return row.wrong(); });
  if (wrong) {
    context.err << "conveyor bench: WRONG DATA arrived; see the table\n";
  }
  const bool met = std::all_of(run.targets.begin(), run.targets.end(),
                               [](const Target& target) { return target.met; });
  if (options.targets && !met) {
    context.err << "conveyor bench: a target was missed\n";
  }
  return !wrong && (met || !options.targets) ? 0 : 1;
}

}  // namespace

int BenchCommand(absl::Span<const absl::string_view> args,
                 const CommandContext& context) {
  const absl::StatusOr<BenchOptions> options = ParseBenchOptions(args);
  if (!options.ok()) return Fail(context, options.status(), kBadCommandLine);
  if (options->help) {
    context.out << BenchUsage();
    return 0;
  }
  const absl::StatusOr<std::vector<TargetSpec>> targets =
      TargetsOf(options->target_group);
  if (!targets.ok()) return Fail(context, targets.status(), kBadCommandLine);
  const absl::StatusOr<std::vector<PlannedRow>> rows =
      ChooseRows(*options, *targets);
  if (!rows.ok()) return Fail(context, rows.status(), kBadCommandLine);
  std::string json_path = options->json_path;
  if (!json_path.empty()) {
    if (!context.directory.empty() && !absl::StartsWith(json_path, "/")) {
      json_path = absl::StrCat(context.directory, "/", json_path);
    }
    const absl::Status writable = CheckWritable(json_path);
    if (!writable.ok()) return Fail(context, writable, kBadCommandLine);
  }

  const absl::StatusOr<int> devices = DeviceCount();
  if (!devices.ok()) return Fail(context, devices.status(), 1);
  if (*devices == 0) {
    return Fail(context,
                absl::NotFoundError(
                    "this machine has no CUDA device. Built with "
                    "--@conveyor//:backend=simulated, the simulated machine "
                    "answers."),
                1);
  }
  const absl::Status device = CheckDevice(DeviceId(options->device));
  if (!device.ok()) return Fail(context, device, kBadCommandLine);

  const absl::StatusOr<Report> run =
      Measure(*options, *targets, *rows, context);
  if (!run.ok()) return Fail(context, run.status(), 1);
  context.out << ToTable(*run);
  if (kSimulated && !options->targets && !options->max_bytes.has_value() &&
      options->sizes.back() > kSimulatedMaxBytes) {
    context.out << "Sizes above " << FormatByteSize(kSimulatedMaxBytes)
                << " were left out on the SIMULATED machine: "
                   "--max_bytes=1GiB measures all.\n";
  }
  if (!kSimulated && !kOptimized) {
    context.out << "Built without optimization: issue costs are too high. "
                   "Build with -c opt.\n";
  }
  if (!json_path.empty()) {
    const absl::Status written = WriteFile(json_path, ToJson(*run));
    if (!written.ok()) return Fail(context, written, 1);
  }
  return Judge(*run, *options, context);
}

}  // namespace bench
}  // namespace conveyor
