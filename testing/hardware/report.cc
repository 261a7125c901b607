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

#include "testing/hardware/report.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

namespace conveyor {
namespace {

// How many cases of one test the summary names.
constexpr int kMaxShown = 10;

const char* ToString(TestCase::Result result) {
  switch (result) {
    case TestCase::Result::kPassed:
      return "passed";
    case TestCase::Result::kFailed:
      return "failed";
    case TestCase::Result::kSkipped:
      return "skipped";
  }
  return "";
}

// Bytes above ASCII become question marks: a crashed test may print anything,
// and a report with one broken character is read by nobody.
std::string Xml(absl::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '<') {
      result += "&lt;";
    } else if (c == '>') {
      result += "&gt;";
    } else if (c == '&') {
      result += "&amp;";
    } else if (c == '"') {
      result += "&quot;";
    } else if (c == '\n') {
      result += "&#10;";
    } else {
      result += (c >= ' ' && c <= '~') || c == '\t' ? c : '?';
    }
  }
  return result;
}

std::string Json(absl::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (c == '\n') {
      result += "\\n";
    } else if (c == '\t') {
      result += "\\t";
    } else {
      result += c >= ' ' && c <= '~' ? c : '?';
    }
  }
  return result + "\"";
}

std::string OneLine(absl::string_view text) {
  return absl::StrReplaceAll(absl::StripAsciiWhitespace(text), {{"\n", " "}});
}

// Which of JUnit's verdicts on a test as a whole its own cases do not show.
const char* WholeVerdict(const TestRun& test) {
  switch (test.result) {
    case TestResult::kPassed:
    case TestResult::kSkipped:
      return nullptr;
    case TestResult::kFailed:
      for (const TestCase& test_case : test.cases) {
        if (test_case.result == TestCase::Result::kFailed) return nullptr;
      }
      return "error";
    case TestResult::kTimedOut:
      return "error";
    case TestResult::kTooFewGpus:
    case TestResult::kNotRun:
      return "skipped";
  }
  return nullptr;
}

std::string JunitSuite(const TestRun& test) {
  std::map<std::string, int> counts;
  std::string cases;
  for (const TestCase& test_case : test.cases) {
    const char* verdict = nullptr;
    if (test_case.result == TestCase::Result::kFailed) verdict = "failure";
    if (test_case.result == TestCase::Result::kSkipped) verdict = "skipped";
    absl::StrAppendFormat(
        &cases, "    <testcase classname=\"%s\" name=\"%s\" time=\"%.3f\"",
        Xml(test_case.suite), Xml(test_case.name), test_case.seconds);
    if (verdict == nullptr) {
      cases += "/>\n";
      continue;
    }
    ++counts[verdict];
    absl::StrAppend(&cases, "><", verdict, " message=\"",
                    Xml(test_case.message), "\"/></testcase>\n");
  }
  const char* const verdict = WholeVerdict(test);
  if (verdict != nullptr) {
    ++counts[verdict];
    absl::StrAppendFormat(
        &cases,
        "    <testcase classname=\"%s\" name=\"%s\" time=\"%.3f\">"
        "<%s message=\"%s\"/></testcase>\n",
        Xml(test.name), Xml(test.name), test.seconds, verdict,
        Xml(test.reason));
  }
  std::string properties;
  for (const auto& [name, value] : test.facts) {
    absl::StrAppend(&properties, "      <property name=\"", Xml(name),
                    "\" value=\"", Xml(value), "\"/>\n");
  }
  return absl::StrFormat(
      "  <testsuite name=\"%s\" tests=\"%d\" failures=\"%d\" errors=\"%d\" "
      "skipped=\"%d\" time=\"%.3f\">\n    <properties>\n%s    </properties>\n"
      "%s  </testsuite>\n",
      Xml(test.name), test.cases.size() + (verdict != nullptr),
      counts["failure"], counts["error"], counts["skipped"], test.seconds,
      properties, cases);
}

std::string JsonCase(const TestCase& test_case) {
  return absl::StrFormat(
      "        {\"suite\": %s, \"name\": %s, \"result\": %s, \"seconds\": "
      "%.3f, "
      "\"message\": %s}",
      Json(test_case.suite), Json(test_case.name),
      Json(ToString(test_case.result)), test_case.seconds,
      Json(test_case.message));
}

std::string JsonTest(const TestRun& test) {
  const std::string gpus = absl::StrJoin(
      test.gpus, ", ",
      [](std::string* out, const std::string& gpu) { out->append(Json(gpu)); });
  const std::string facts =
      absl::StrJoin(test.facts, ", ", [](std::string* out, const auto& fact) {
        absl::StrAppend(out, Json(fact.first), ": ", Json(fact.second));
      });
  const std::string cases = absl::StrJoin(
      test.cases, ",\n", [](std::string* out, const TestCase& test_case) {
        out->append(JsonCase(test_case));
      });
  return absl::StrFormat(
      "    {\n      \"name\": %s,\n      \"result\": %s,\n"
      "      \"reason\": %s,\n      \"seconds\": %.3f,\n"
      "      \"gpus_needed\": %d,\n      \"gpus\": [%s],\n"
      "      \"facts\": {%s},\n      \"log\": %s,\n      \"cases\": [\n%s\n"
      "      ]\n    }",
      Json(test.name), Json(ToString(test.result)), Json(test.reason),
      test.seconds, test.gpus_needed, gpus, facts, Json(test.log), cases);
}

}  // namespace

const char* ToString(TestResult result) {
  switch (result) {
    case TestResult::kPassed:
      return "passed";
    case TestResult::kFailed:
      return "failed";
    case TestResult::kTimedOut:
      return "timed out";
    case TestResult::kSkipped:
      return "skipped";
    case TestResult::kTooFewGpus:
      return "too few GPUs";
    case TestResult::kNotRun:
      return "not run";
  }
  return "";
}

std::vector<std::pair<std::string, std::string>> FactsIn(
    const std::string& output) {
  std::vector<std::pair<std::string, std::string>> facts;
  for (absl::string_view line : absl::StrSplit(output, '\n')) {
    if (!absl::ConsumePrefix(&line, "[conveyor] ")) continue;
    std::pair<std::string, std::string> fact =
        absl::StrSplit(line, absl::MaxSplits(": ", 1));
    // Only the first of a name: a death test prints them all again.
    const bool known =
        std::any_of(facts.begin(), facts.end(),
                    [&](const auto& f) { return f.first == fact.first; });
    if (!known) facts.push_back(std::move(fact));
  }
  return facts;
}

std::string ToJunit(const RunReport& report) {
  std::string xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  absl::StrAppend(&xml, "<testsuites name=\"hardware tests on ",
                  Xml(report.host), "\" timestamp=\"", Xml(report.date),
                  "\">\n");
  for (const TestRun& test : report.tests) xml += JunitSuite(test);
  return xml + "</testsuites>\n";
}

std::string ToJson(const RunReport& report) {
  const std::string tests = absl::StrJoin(
      report.tests, ",\n", [](std::string* out, const TestRun& test) {
        out->append(JsonTest(test));
      });
  return absl::StrFormat(
      "{\n  \"commit\": %s,\n  \"date\": %s,\n  \"host\": %s,\n"
      "  \"gpus\": %d,\n  \"exit_code\": %d,\n  \"tests\": [\n%s\n  ]\n}\n",
      Json(report.commit), Json(report.date), Json(report.host), report.gpus,
      report.exit_code, tests);
}

std::string ToSummary(const RunReport& report) {
  std::map<TestResult, int> tests;
  std::map<TestCase::Result, int> cases;
  std::string summary;
  for (const TestRun& test : report.tests) {
    ++tests[test.result];
    for (const TestCase& test_case : test.cases) ++cases[test_case.result];
    if (test.result == TestResult::kPassed) continue;
    absl::StrAppend(&summary, test.name, ": ", ToString(test.result), ": ",
                    test.reason, "\n");
    int shown = 0;
    for (const TestCase& test_case : test.cases) {
      if (test_case.result == TestCase::Result::kPassed) continue;
      if (++shown > kMaxShown) {
        summary += "  ... the rest is in its log\n";
        break;
      }
      absl::StrAppend(&summary, "  ", ToString(test_case.result), " ",
                      test_case.suite, ".", test_case.name, ": ",
                      OneLine(test_case.message), "\n");
    }
  }
  absl::StrAppend(&summary, "\n", report.tests.size(), " tests");
  for (const auto& [result, count] : tests) {
    absl::StrAppend(&summary, ", ", count, " ", ToString(result));
  }
  summary += "; cases";
  const char* separator = ": ";
  for (const auto& [result, count] : cases) {
    absl::StrAppend(&summary, separator, count, " ", ToString(result));
    separator = ", ";
  }
  absl::StrAppend(&summary, cases.empty() ? ": none" : "", "; ", report.gpus,
                  report.gpus == 1 ? " GPU\n" : " GPUs\n");
  return summary;
}

}  // namespace conveyor
