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

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_replace.h"
#include "benchmarks/machine.h"
#include "benchmarks/row.h"
#include "benchmarks/targets.h"

namespace conveyor {
namespace bench {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

// 1,000,000,000 bytes in one second, against half of that.
Report OneRow() {
  Report run;
  run.machine.name = "1x \"Fast\" GPU";
  run.machine.gpus = {{"\"Fast\" GPU", "0000:01:00.0", "9.0", 1 << 30}};
  run.machine.links = {{"32.0 GT/s PCIe", "16", "32.0 GT/s PCIe", "16"}};
  run.machine.driver = "580.1 (CUDA 13.0)";
  run.machine.runtime = "13.0";
  run.machine.cores = 8;
  run.machine.cpu = "CPU";
  run.backend = "cuda";
  run.commit = "0123abc";
  run.date = "2026-01-02T03:04:05Z";
  Row row;
  row.name = "h2d_pinned";
  row.bytes = 1000000000;
  row.gb_per_s = GigabytesPerSecond(1e9, 1);
  row.baseline = "cudaMemcpyAsync";
  row.baseline_gb_per_s = GigabytesPerSecond(1e9, 2);
  row.ratio = 2;
  row.ratio_p10 = 1.875;
  row.ratio_p90 = 2.125;
  row.limit_gb_per_s = 2;
  row.repetitions = 20;
  row.verified = true;
  run.rows = {row};
  Target target;
  target.id = "h2d_pinned";
  target.row = "h2d_pinned/bytes:1000000000";
  target.measured = 2;
  target.required = 0.99;
  target.met = true;
  run.targets = {target};
  return run;
}

TEST(ReportTest, TableOfOneRow) {
  const std::string expected =
      R"table(1x "Fast" GPU, driver 580.1 (CUDA 13.0), CUDA runtime 13.0, 8 cores, commit 0123abc

path               size   GB/s  raw call          GB/s  ratio      p10 - p90  of link

h2d_pinned  953.674 MiB  1.000  cudaMemcpyAsync  0.500  2.000  1.875 - 2.125   50.0 %

GB/s: 10^9 bytes of payload a second. ratio: median over the pairs of raw time /
our time, above 1 ours is faster; p10 - p90 holds eight of ten pairs.
of link: our GB/s against the fastest raw copy over that link here, page-locked
if it is one from or to the host.

target      measured  required       row
h2d_pinned     2.000   >= 0.99  met  h2d_pinned/bytes:1000000000
)table";
  EXPECT_EQ(ToTable(OneRow()), expected);
}

TEST(ReportTest, JsonOfOneRow) {
  Report run = OneRow();
  const std::string expected = absl::StrReplaceAll(
      R"json({
  "machine": {
    "name": "1x \"Fast\" GPU",
    "gpus": [
      {
        "name": "\"Fast\" GPU",
        "pci_bus_id": "0000:01:00.0",
        "compute_capability": "9.0",
        "memory_bytes": 1073741824
      }
    ],
    "links": [
      {
        "kind": "pcie",
        "gpu": 0,
        "speed": "32.0 GT/s PCIe",
        "width": "16",
        "max_speed": "32.0 GT/s PCIe",
        "max_width": "16"
      }
    ],
    "driver": "580.1 (CUDA 13.0)",
    "runtime": "13.0",
    "nccl": null,
    "cores": 8,
    "cpu": "CPU",
    "fingerprint": "FINGERPRINT"
  },
  "backend": "cuda",
  "commit": "0123abc",
  "date": "2026-01-02T03:04:05Z",
  "rows": [
    {
      "name": "h2d_pinned",
      "bytes": 1000000000,
      "pieces": 1,
      "gb_per_s": 1,
      "baseline": "cudaMemcpyAsync",
      "baseline_gb_per_s": 0.5,
      "ratio": 2,
      "limit_gb_per_s": 2,
      "limit_fraction": 0.5,
      "repetitions": 20,
      "spread": [
        1.875,
        2.125
      ],
      "verified": true,
      "absent": null
    }
  ],
  "targets": [
    {
      "id": "h2d_pinned",
      "row": "h2d_pinned/bytes:1000000000",
      "measured": 2,
      "required": 0.99,
      "met": true
    }
  ]
}
)json",
      {{"FINGERPRINT", Fingerprint(run.machine, run.backend)}});
  EXPECT_EQ(ToJson(run), expected);
}

TEST(ReportTest, TheSimulatedMachineSaysSoFirst) {
  Report run = OneRow();
  EXPECT_THAT(ToTable(run), Not(HasSubstr("SIMULATED")));
  run.backend = "simulated";
  EXPECT_EQ(ToTable(run).find("SIMULATED"), 0u);
  EXPECT_THAT(ToJson(run), HasSubstr("\"backend\": \"simulated\""));
}

TEST(ReportTest, WhatIsUnknownIsADashAndNull) {
  Report run = OneRow();
  run.rows[0].limit_gb_per_s.reset();
  run.targets[0].measured.reset();
  run.targets[0].met = false;
  EXPECT_THAT(ToTable(run), Not(HasSubstr("of link:")));
  EXPECT_THAT(ToTable(run), HasSubstr("2.125        -\n"));
  EXPECT_THAT(ToTable(run), HasSubstr("not measured   >= 0.99  MISSED"));
  EXPECT_THAT(ToJson(run), HasSubstr("\"limit_gb_per_s\": null,\n"
                                     "      \"limit_fraction\": null"));
  EXPECT_THAT(ToJson(run), HasSubstr("\"measured\": null"));
}

TEST(ReportTest, WhatIsAbsentHasItsReasonAndNoFigures) {
  Report run = OneRow();
  Row& row = run.rows[0];
  row.gb_per_s = row.ratio = row.ratio_p10 = row.ratio_p90 = std::nullopt;
  row.absent = "not written yet";
  EXPECT_THAT(
      ToTable(run),
      ContainsRegex("-  cudaMemcpyAsync +0.500 +- +- +-  absent: not written"));
  EXPECT_THAT(ToJson(run), HasSubstr("\"gb_per_s\": null"));
  EXPECT_THAT(ToJson(run), HasSubstr("\"baseline_gb_per_s\": 0.5"));
  EXPECT_THAT(ToJson(run), HasSubstr("\"ratio\": null"));
  EXPECT_THAT(ToJson(run), HasSubstr("null,\n        null\n      ]"));
  EXPECT_THAT(ToJson(run), HasSubstr("\"absent\": \"not written yet\""));

  row.baseline_gb_per_s = std::nullopt;
  row.repetitions = 0;
  row.verified = false;
  EXPECT_THAT(ToTable(run), Not(HasSubstr("WRONG DATA")));
  EXPECT_THAT(ToTable(run), ContainsRegex("cudaMemcpyAsync +- +- +- +-  abs"));
}

TEST(ReportTest, WrongDataStandsOut) {
  Report run = OneRow();
  EXPECT_THAT(ToTable(run), Not(HasSubstr("WRONG DATA")));
  run.rows[0].verified = false;
  EXPECT_THAT(ToTable(run), HasSubstr("50.0 %  WRONG DATA\n"));
  EXPECT_THAT(ToJson(run), HasSubstr("\"verified\": false"));
}

TEST(ReportTest, IssueCostsAreAlsoGivenAsTimes) {
  Report run = OneRow();
  run.rows[0].name = "issue_cost_4k";
  run.rows[0].bytes = 4096;
  run.rows[0].gb_per_s = GigabytesPerSecond(4096, 1.5e-6);
  run.rows[0].baseline_gb_per_s = GigabytesPerSecond(4096, 1.25e-6);
  EXPECT_THAT(ToTable(run),
              HasSubstr("a call costs 1.500 us, the raw call 1.250 us"));
}

TEST(ReportTest, ACopyAndItsWaitAreAlsoGivenAsATime) {
  Report run = OneRow();
  run.rows[0].name = "peer_4k";
  run.rows[0].bytes = 4096;
  run.rows[0].gb_per_s.reset();
  run.rows[0].baseline_gb_per_s = GigabytesPerSecond(4096, 8.25e-6);
  EXPECT_THAT(ToTable(run),
              HasSubstr("a copy and its wait cost -, the raw call 8.250 us"));
}

TEST(ReportTest, CopiesWithinADeviceSayThatGbPerSIsPayload) {
  Report run = OneRow();
  EXPECT_THAT(ToTable(run), Not(HasSubstr("twice the payload")));
  run.rows[0].name = "d2d";
  EXPECT_THAT(ToTable(run), HasSubstr("twice the payload"));
}

}  // namespace
}  // namespace bench
}  // namespace conveyor
