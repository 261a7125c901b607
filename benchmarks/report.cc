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

#include "benchmarks/report.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "benchmarks/byte_size.h"
#include "benchmarks/json_writer.h"
#include "benchmarks/machine.h"
#include "benchmarks/row.h"
#include "benchmarks/targets.h"

namespace conveyor {
namespace bench {
namespace {

using Cells = std::vector<std::string>;

// Lines up columns: those in `left` to the left, the others to the right. A
// line without cells stays empty.
std::string Align(absl::Span<const Cells> lines,
                  absl::Span<const size_t> left) {
  std::vector<size_t> widths;
  for (const Cells& cells : lines) {
    widths.resize(std::max(widths.size(), cells.size()));
    for (size_t i = 0; i < cells.size(); ++i) {
      widths[i] = std::max(widths[i], cells[i].size());
    }
  }
  std::string text;
  for (const Cells& cells : lines) {
    std::string line;
    for (size_t i = 0; i < cells.size(); ++i) {
      const std::string padding(widths[i] - cells[i].size(), ' ');
      const bool to_left = std::find(left.begin(), left.end(), i) != left.end();
      absl::StrAppend(&line, i == 0 ? "" : "  ", to_left ? "" : padding,
                      cells[i], to_left ? padding : "");
    }
    line.erase(line.find_last_not_of(' ') + 1);
    absl::StrAppend(&text, line, "\n");
  }
  return text;
}

std::string Heading(const Report& run) {
  std::string text;
  if (run.backend == "simulated") {
    text =
        "SIMULATED machine: real bytes are moved, but times are virtual and "
        "say\nnothing about any hardware.\n";
  }
  absl::StrAppend(&text, run.machine.name, ", driver ", run.machine.driver,
                  ", CUDA runtime ", run.machine.runtime, ", ",
                  run.machine.cores, " cores, commit ", run.commit, "\n");
  return text;
}

std::string Figure(std::optional<double> value) {
  return value.has_value() ? absl::StrFormat("%.3f", *value) : "-";
}

std::string RowTable(const std::vector<Row>& rows) {
  std::vector<Cells> lines = {{"path", "size", "GB/s", "raw call", "GB/s",
                               "ratio", "p10 - p90", "of link"}};
  const Row* previous = nullptr;
  for (const Row& row : rows) {
    if (previous == nullptr || previous->name != row.name) lines.emplace_back();
    previous = &row;
    const std::optional<double> fraction = row.limit_fraction();
    lines.push_back(
        {row.name, FormatByteSize(row.bytes), Figure(row.gb_per_s),
         row.baseline, Figure(row.baseline_gb_per_s), Figure(row.ratio),
         row.ratio.has_value()
             ? absl::StrCat(Figure(row.ratio_p10), " - ", Figure(row.ratio_p90))
             : "-",
         fraction.has_value() ? absl::StrFormat("%.1f %%", *fraction * 100)
                              : "-",
         row.wrong()          ? "WRONG DATA"
         : row.absent.empty() ? ""
                              : absl::StrCat("absent: ", row.absent)});
  }
  return Align(lines, {0, 3, 8});
}

std::string Legend(const std::vector<Row>& rows) {
  std::string text =
      "GB/s: 10^9 bytes of payload a second. ratio: median over the pairs of "
      "raw time /\nour time, above 1 ours is faster; p10 - p90 holds eight of "
      "ten pairs.\n";
  const auto any = [&](auto predicate) {
    return std::any_of(rows.begin(), rows.end(), predicate);
  };
  if (any([](const Row& row) { return row.limit_gb_per_s.has_value(); })) {
    absl::StrAppend(
        &text,
        "of link: our GB/s against the fastest raw copy over that link here, "
        "page-locked\nif it is one from or to the host.\n");
  }
  if (any([](const Row& row) { return row.name == "d2d"; })) {
    absl::StrAppend(
        &text,
        "d2d: the device's memory moves twice the payload, read and "
        "written.\n");
  }
  if (any([](const Row& row) {
        return row.name == "duplex" || row.name == "peer_both_ways";
      })) {
    absl::StrAppend(&text,
                    "duplex, peer_both_ways: both directions at once, half of "
                    "the payload each.\n");
  }
  for (const Row& row : rows) {
    const bool issue = absl::StartsWith(row.name, "issue_cost");
    if (!issue && row.name != "peer_4k") continue;
    const auto microseconds = [&](std::optional<double> gb_per_s) {
      return gb_per_s.has_value()
                 ? absl::StrFormat("%.3f us", static_cast<double>(row.bytes) /
                                                  *gb_per_s / 1e3)
                 : "-";
    };
    absl::StrAppend(&text, row.name, ": ",
                    issue ? "a call costs " : "a copy and its wait cost ",
                    microseconds(row.gb_per_s), ", the raw call ",
                    microseconds(row.baseline_gb_per_s), ".\n");
  }
  return text;
}

std::string TargetTable(const std::vector<Target>& targets) {
  std::vector<Cells> lines = {{"target", "measured", "required", "", "row"}};
  for (const Target& target : targets) {
    lines.push_back(
        {target.id,
         target.measured.has_value() ? absl::StrFormat("%.3f", *target.measured)
                                     : "not measured",
         absl::StrFormat("%s %.2f",
                         target.at_most ? "<=" : ">=", target.required),
         target.met ? "met" : "MISSED", target.row});
  }
  return Align(lines, {0, 3, 4});
}

void WriteOptional(JsonWriter& json, std::optional<double> value) {
  if (value.has_value()) {
    json.Number(*value);
  } else {
    json.Null();
  }
}

void WriteString(JsonWriter& json, absl::string_view key,
                 absl::string_view value) {
  json.Key(key);
  json.String(value);
}

void WriteMachine(JsonWriter& json, const Report& run) {
  const Machine& machine = run.machine;
  json.BeginObject();
  WriteString(json, "name", machine.name);
  json.Key("gpus");
  json.BeginArray();
  for (const Gpu& gpu : machine.gpus) {
    json.BeginObject();
    WriteString(json, "name", gpu.name);
    WriteString(json, "pci_bus_id", gpu.pci_bus_id);
    WriteString(json, "compute_capability", gpu.compute_capability);
    json.Key("memory_bytes");
    json.Integer(gpu.memory_bytes);
    json.EndObject();
  }
  json.EndArray();
  json.Key("links");
  json.BeginArray();
  for (size_t i = 0; i < machine.links.size(); ++i) {
    const PcieLink& link = machine.links[i];
    json.BeginObject();
    WriteString(json, "kind", "pcie");
    json.Key("gpu");
    json.Integer(static_cast<int64_t>(i));
    WriteString(json, "speed", link.speed);
    WriteString(json, "width", link.width);
    WriteString(json, "max_speed", link.max_speed);
    WriteString(json, "max_width", link.max_width);
    json.EndObject();
  }
  json.EndArray();
  WriteString(json, "driver", machine.driver);
  WriteString(json, "runtime", machine.runtime);
  json.Key("nccl");
  if (machine.nccl.has_value()) {
    json.String(*machine.nccl);
  } else {
    json.Null();
  }
  json.Key("cores");
  json.Integer(machine.cores);
  WriteString(json, "cpu", machine.cpu);
  WriteString(json, "fingerprint", Fingerprint(machine, run.backend));
  json.EndObject();
}

void WriteRow(JsonWriter& json, const Row& row) {
  json.BeginObject();
  WriteString(json, "name", row.name);
  json.Key("bytes");
  json.Integer(row.bytes);
  json.Key("pieces");
  json.Integer(row.pieces);
  json.Key("gb_per_s");
  WriteOptional(json, row.gb_per_s);
  WriteString(json, "baseline", row.baseline);
  json.Key("baseline_gb_per_s");
  WriteOptional(json, row.baseline_gb_per_s);
  json.Key("ratio");
  WriteOptional(json, row.ratio);
  json.Key("limit_gb_per_s");
  WriteOptional(json, row.limit_gb_per_s);
  json.Key("limit_fraction");
  WriteOptional(json, row.limit_fraction());
  json.Key("repetitions");
  json.Integer(row.repetitions);
  json.Key("spread");
  json.BeginArray();
  WriteOptional(json, row.ratio_p10);
  WriteOptional(json, row.ratio_p90);
  json.EndArray();
  json.Key("verified");
  json.Bool(row.verified);
  json.Key("absent");
  if (row.absent.empty()) {
    json.Null();
  } else {
    json.String(row.absent);
  }
  json.EndObject();
}

void WriteTarget(JsonWriter& json, const Target& target) {
  json.BeginObject();
  WriteString(json, "id", target.id);
  WriteString(json, "row", target.row);
  json.Key("measured");
  WriteOptional(json, target.measured);
  json.Key("required");
  json.Number(target.required);
  json.Key("met");
  json.Bool(target.met);
  json.EndObject();
}

}  // namespace

std::string ToTable(const Report& run) {
  std::string text = absl::StrCat(Heading(run), "\n", RowTable(run.rows), "\n",
                                  Legend(run.rows));
  if (!run.targets.empty()) {
    absl::StrAppend(&text, "\n", TargetTable(run.targets));
  }
  return text;
}

std::string ToJson(const Report& run) {
  JsonWriter json;
  json.BeginObject();
  json.Key("machine");
  WriteMachine(json, run);
  WriteString(json, "backend", run.backend);
  WriteString(json, "commit", run.commit);
  WriteString(json, "date", run.date);
  json.Key("rows");
  json.BeginArray();
  for (const Row& row : run.rows) WriteRow(json, row);
  json.EndArray();
  json.Key("targets");
  json.BeginArray();
  for (const Target& target : run.targets) WriteTarget(json, target);
  json.EndArray();
  json.EndObject();
  return absl::StrCat(json.text(), "\n");
}

}  // namespace bench
}  // namespace conveyor
