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

// The real command, on the simulated machine.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status_matchers.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "benchmarks/json_reader.h"

namespace conveyor {
namespace bench {
namespace {

using ::absl_testing::IsOk;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

struct Outcome {
  int status;
  std::string out;
  std::string err;
};

std::string ReadFile(const std::string& path) {
  std::ifstream file(path);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

std::string TempPath(const std::string& name) {
  return absl::StrCat(::testing::TempDir(), "/", name);
}

// Runs the command with `args`, words of the shell.
Outcome Conveyor(const std::string& args) {
  const std::string out = TempPath("out.txt");
  const std::string err = TempPath("err.txt");
  const int status = std::system(absl::StrCat("\"$CONVEYOR\" ", args, " >'",
                                              out, "' 2>'", err, "' </dev/null")
                                     .c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, ReadFile(out),
          ReadFile(err)};
}

std::vector<std::string> Keys(const JsonValue& object) {
  std::vector<std::string> keys;
  for (const auto& member : object.members) keys.push_back(member.first);
  return keys;
}

double NumberOf(const JsonValue& object, const std::string& key) {
  const JsonValue* value = object.Find(key);
  EXPECT_NE(value, nullptr) << key;
  if (value == nullptr) return 0;
  EXPECT_EQ(value->type, JsonValue::Type::kNumber) << key;
  return value->number;
}

TEST(ConveyorTest, BenchMeasuresVerifiesAndWritesJson) {
  const std::string path = TempPath("run.json");
  const Outcome run =
      Conveyor(absl::StrCat("bench --sizes=4KiB,256KiB --json='", path, "'"));
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("SIMULATED"));
  EXPECT_THAT(run.out, Not(HasSubstr("WRONG DATA")));
  EXPECT_THAT(run.err, Not(HasSubstr("[1/")));  // No progress in a file.

  const absl::StatusOr<JsonValue> json = ParseJson(ReadFile(path));
  ASSERT_THAT(json, IsOk());
  EXPECT_THAT(Keys(*json), ElementsAre("machine", "backend", "commit", "date",
                                       "rows", "targets"));
  EXPECT_EQ(json->Find("backend")->string, "simulated");
  EXPECT_EQ(json->Find("commit")->string, "unknown");
  const JsonValue& machine = *json->Find("machine");
  EXPECT_THAT(Keys(machine),
              ElementsAre("name", "gpus", "links", "driver", "runtime", "nccl",
                          "cores", "cpu", "fingerprint"));
  EXPECT_THAT(machine.Find("name")->string, HasSubstr("simulated"));
  EXPECT_EQ(machine.Find("gpus")->elements.size(),
            machine.Find("links")->elements.size());

  const std::vector<JsonValue>& rows = json->Find("rows")->elements;
  // Nine paths at two sizes, and two small costs.
  ASSERT_EQ(rows.size(), 20u);
  for (const JsonValue& row : rows) {
    EXPECT_THAT(Keys(row),
                ElementsAre("name", "bytes", "pieces", "gb_per_s", "baseline",
                            "baseline_gb_per_s", "ratio", "limit_gb_per_s",
                            "limit_fraction", "repetitions", "spread",
                            "verified", "absent"));
    const std::string& name = row.Find("name")->string;
    SCOPED_TRACE(name);
    EXPECT_TRUE(row.Find("verified")->boolean);
    EXPECT_GT(NumberOf(row, "baseline_gb_per_s"), 0);
    EXPECT_GE(NumberOf(row, "repetitions"), 20);
    // Between devices there is the raw copy only.
    if (name.rfind("peer_", 0) == 0) {
      EXPECT_EQ(row.Find("gb_per_s")->type, JsonValue::Type::kNull);
      EXPECT_EQ(row.Find("absent")->type, JsonValue::Type::kString);
      continue;
    }
    EXPECT_EQ(row.Find("absent")->type, JsonValue::Type::kNull);
    EXPECT_GT(NumberOf(row, "gb_per_s"), 0);
    const std::vector<JsonValue>& spread = row.Find("spread")->elements;
    ASSERT_EQ(spread.size(), 2u);
    EXPECT_GT(spread[0].number, 0);
    EXPECT_LE(spread[0].number, NumberOf(row, "ratio"));
    EXPECT_GE(spread[1].number, NumberOf(row, "ratio"));
    const bool on_link = name.rfind("h2d_", 0) == 0 ||
                         name.rfind("d2h_", 0) == 0 || name == "duplex";
    EXPECT_EQ(row.Find("limit_gb_per_s")->type,
              on_link ? JsonValue::Type::kNumber : JsonValue::Type::kNull);
  }
  const std::vector<JsonValue>& targets = json->Find("targets")->elements;
  ASSERT_EQ(targets.size(), 1u);  // The one whose row was measured.
  EXPECT_EQ(targets[0].Find("id")->string, "issue_cost_4k");
}

TEST(ConveyorTest, FilterChoosesRows) {
  const Outcome run = Conveyor("bench --sizes=4K --filter='^d2h_pinned/'");
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("d2h_pinned"));
  EXPECT_THAT(run.out, Not(HasSubstr("h2d_pinned")));
  EXPECT_THAT(run.out, Not(HasSubstr("pageable")));
}

TEST(ConveyorTest, ATargetThatWasNotMeasuredIsMissed) {
  const std::string path = TempPath("targets.json");
  const Outcome run = Conveyor(absl::StrCat(
      "bench --targets=one_gpu --max_bytes=4K --json='", path, "'"));
  EXPECT_EQ(run.status, 1);
  EXPECT_THAT(run.out, AllOf(HasSubstr("SIMULATED"), HasSubstr("MISSED")));
  EXPECT_THAT(run.err, HasSubstr("a target was missed"));
  const absl::StatusOr<JsonValue> json = ParseJson(ReadFile(path));
  ASSERT_THAT(json, IsOk());
  EXPECT_EQ(json->Find("rows")->elements.size(), 1u);
  const std::vector<JsonValue>& targets = json->Find("targets")->elements;
  ASSERT_EQ(targets.size(), 6u);
  for (const JsonValue& target : targets) {
    EXPECT_THAT(Keys(target),
                ElementsAre("id", "row", "measured", "required", "met"));
  }
  EXPECT_EQ(targets[0].Find("measured")->type, JsonValue::Type::kNull);
  EXPECT_FALSE(targets[0].Find("met")->boolean);
  EXPECT_EQ(targets[5].Find("id")->string, "issue_cost_4k");
  EXPECT_GT(NumberOf(targets[5], "measured"), 0);
}

TEST(ConveyorTest, WhatTheMachineLacksIsAbsentWithItsReason) {
  for (const auto& [profile, reason] :
       {std::pair<const char*, const char*>{"h200x1", "has one GPU"},
        {"pcie4x2", "no other GPU can be reached directly from device 0"}}) {
    ASSERT_EQ(setenv("CONVEYOR_SIM_PROFILE", profile, 1), 0);
    const std::string path = TempPath("absent.json");
    const Outcome all = Conveyor(absl::StrCat(
        "bench --sizes=4K,64K --filter='h2d_pinned|peer' --json='", path, "'"));
    const Outcome targets = Conveyor("bench --targets=one_host --max_bytes=4K");
    unsetenv("CONVEYOR_SIM_PROFILE");
    EXPECT_EQ(all.status, 0) << all.err;
    EXPECT_THAT(all.out, HasSubstr(reason));
    const absl::StatusOr<JsonValue> json = ParseJson(ReadFile(path));
    ASSERT_THAT(json, IsOk());
    const std::vector<JsonValue>& rows = json->Find("rows")->elements;
    ASSERT_EQ(rows.size(), 5u);  // Two that were measured, three that are not.
    for (size_t i = 2; i < rows.size(); ++i) {
      EXPECT_THAT(rows[i].Find("absent")->string, HasSubstr(reason));
      for (const char* key : {"gb_per_s", "baseline_gb_per_s", "ratio"}) {
        EXPECT_EQ(rows[i].Find(key)->type, JsonValue::Type::kNull) << key;
      }
    }
    // What was not measured is not reached.
    EXPECT_EQ(targets.status, 1);
    EXPECT_THAT(targets.out, AllOf(HasSubstr(reason), HasSubstr("MISSED")));
  }
}

TEST(ConveyorTest, JsonIsRelativeToWhereTheUserIs) {
  ASSERT_EQ(setenv("BUILD_WORKING_DIRECTORY", ::testing::TempDir().c_str(), 1),
            0);
  const Outcome run =
      Conveyor("bench --sizes=4K --filter=d2d --json=relative.json");
  unsetenv("BUILD_WORKING_DIRECTORY");
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(ParseJson(ReadFile(TempPath("relative.json"))), IsOk());
}

TEST(ConveyorTest, HelpAndVersion) {
  EXPECT_EQ(Conveyor("--help").status, 0);
  EXPECT_THAT(Conveyor("--help").out,
              AllOf(HasSubstr("bench"), HasSubstr("SIMULATED")));
  EXPECT_EQ(Conveyor("bench --help").status, 0);
  EXPECT_THAT(Conveyor("bench --help").out, HasSubstr("--json=FILE"));
  EXPECT_EQ(Conveyor("--version").status, 0);
  EXPECT_THAT(Conveyor("--version").out,
              AllOf(HasSubstr("conveyor 0.1.0"), HasSubstr("SIMULATED")));
}

TEST(ConveyorTest, ABadCommandLineIsNamedBeforeAnythingIsMeasured) {
  const auto refuses = [](const std::string& args, const std::string& why) {
    const Outcome run = Conveyor(args);
    EXPECT_EQ(run.status, 2) << args;
    EXPECT_EQ(run.out, "") << args;
    EXPECT_THAT(run.err, HasSubstr(why)) << args;
  };
  refuses("", "usage");
  refuses("bnech", "unknown command 'bnech'");
  refuses("bench --nonsense", "unknown flag --nonsense");
  refuses("bench --targets=nonsense", "the groups are: one_gpu, one_host");
  refuses("bench --filter=nonsense", "nothing to measure");
  refuses("bench --max_bytes=1K --filter=pinned", "nothing to measure");
  refuses("bench --device=99", "99");
  refuses("bench --json=/nonexistent/run.json", "cannot write");
  refuses("bench --json=/", "is a directory");
}

}  // namespace
}  // namespace bench
}  // namespace conveyor
