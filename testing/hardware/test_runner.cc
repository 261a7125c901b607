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

#include "testing/hardware/test_runner.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "testing/hardware/gpu_lease.h"
#include "testing/hardware/gtest_xml.h"
#include "testing/hardware/manifest.h"
#include "testing/hardware/process.h"
#include "testing/hardware/report.h"

namespace conveyor {
namespace {

// How long others may hold the GPUs.
constexpr absl::Duration kMaxWait = absl::Hours(1);
constexpr absl::Duration kStopPoll = absl::Seconds(1);

std::string ReadFile(const std::string& path) {
  std::ifstream file(path);
  return std::string((std::istreambuf_iterator<char>(file)),
                     std::istreambuf_iterator<char>());
}

// "//transfer:copy_test_gpu" as a file name.
std::string FileName(absl::string_view label) {
  absl::ConsumePrefix(&label, "//");
  return absl::StrReplaceAll(label, {{"/", "_"}, {":", "_"}, {"@", "_"}});
}

// The case that was running when the test ended; empty if none was.
std::string LastCase(const std::string& output) {
  constexpr absl::string_view kRun = "[ RUN      ] ";
  const size_t begin = output.rfind(kRun);
  if (begin == std::string::npos) return "";
  const std::string name = output.substr(
      begin + kRun.size(), output.find('\n', begin) - begin - kRun.size());
  for (const char* const end :
       {"[       OK ] ", "[  FAILED  ] ", "[  SKIPPED ] "}) {
    if (output.find(end + name, begin) != std::string::npos) return "";
  }
  return absl::StrCat(" in ", name);
}

// What a test that ended before its first case said, as the loader does of a
// missing library; empty if it said nothing.
std::string LastWords(const std::string& output) {
  if (absl::StrContains(output, "[ RUN      ] ")) return "";
  const absl::string_view text = absl::StripAsciiWhitespace(output);
  const size_t line = text.rfind('\n');
  return text.empty()
             ? ""
             : absl::StrCat(": ",
                            text.substr(line == text.npos ? 0 : line + 1));
}

absl::StatusOr<GpuLease> TakeGpus(int count, const RunnerOptions& options) {
  absl::StatusOr<GpuLease> lease = absl::DeadlineExceededError("");
  for (absl::Duration waited; waited < kMaxWait && !options.stop();
       waited += kStopPoll) {
    lease = GpuLease::Take(count, options.gpus, kStopPoll);
    if (!absl::IsDeadlineExceeded(lease.status())) break;
  }
  return lease;
}

ProcessOptions Process(const BundledTest& test, const RunnerOptions& options,
                       const GpuLease& lease, const std::string& scratch,
                       const std::string& xml, const std::string& log) {
  const std::string runfiles = options.bundle + "/runfiles";
  ProcessOptions process;
  process.argv = {absl::StrCat(options.bundle, "/", test.file)};
  process.env = test.env;
  process.env["CUDA_VISIBLE_DEVICES"] = lease.VisibleDevices();
  process.env["CONVEYOR_TEST_GPUS"] = absl::StrCat(test.gpus);
  // A skipped case is to be seen as skipped; the runner fails for it.
  process.env["CONVEYOR_FAIL_ON_SKIP"] = "0";
  process.env["GTEST_OUTPUT"] = absl::StrCat("xml:", xml);
  process.env["TEST_TMPDIR"] = scratch;
  process.env["TEST_SRCDIR"] = runfiles;
  process.env["RUNFILES_DIR"] = runfiles;
  process.env["TEST_WORKSPACE"] = "_main";
  process.directory = runfiles + "/_main";
  process.output_file = log;
  process.time_limit = test.time_limit;
  process.stop = options.stop;
  return process;
}

// What is wrong with a test that has ended by itself; empty if nothing is.
std::string Failure(const ProcessResult& process, const TestRun& run,
                    const absl::Status& report, const std::string& output) {
  if (process.signal != 0) {
    return absl::StrCat("ended by signal ", process.signal, " (",
                        strsignal(process.signal), ")", LastCase(output));
  }
  const auto count = [&](TestCase::Result result) {
    return std::count_if(
        run.cases.begin(), run.cases.end(),
        [&](const TestCase& test_case) { return test_case.result == result; });
  };
  const auto failed = count(TestCase::Result::kFailed);
  if (failed > 0) return absl::StrCat(failed, " cases failed");
  if (process.exit_code != 0) {
    return absl::StrCat("exited with ", process.exit_code, LastCase(output),
                        LastWords(output));
  }
  if (!report.ok()) {
    return absl::StrCat("exited with 0 without a whole report: ",
                        report.message());
  }
  if (run.cases.empty()) return "ran no case";
  const auto backend =
      std::find_if(run.facts.begin(), run.facts.end(),
                   [](const auto& fact) { return fact.first == "backend"; });
  if (backend == run.facts.end()) {
    return "did not say what it ran on: it lacks //testing:gpu_test_main";
  }
  if (backend->second != "cuda") {
    return absl::StrCat("did not run on hardware: backend ", backend->second);
  }
  return "";
}

void Judge(const ProcessResult& process, const absl::Status& report,
           const std::string& output, const BundledTest& test, TestRun* run) {
  if (process.stopped) {
    run->result = TestResult::kFailed;
    run->reason = absl::StrCat("interrupted", LastCase(output));
    return;
  }
  if (process.timed_out) {
    run->result = TestResult::kTimedOut;
    run->reason =
        absl::StrCat("still ran after ", absl::FormatDuration(test.time_limit),
                     LastCase(output));
    return;
  }
  run->reason = Failure(process, *run, report, output);
  if (!run->reason.empty()) {
    run->result = TestResult::kFailed;
    return;
  }
  int skipped = 0;
  for (const TestCase& test_case : run->cases) {
    skipped += test_case.result == TestCase::Result::kSkipped;
  }
  if (skipped > 0) {
    run->result = TestResult::kSkipped;
    run->reason =
        absl::StrCat(skipped, " of ", run->cases.size(), " cases skipped");
    return;
  }
  run->result = TestResult::kPassed;
}

}  // namespace

TestRun RunTest(const BundledTest& test, const RunnerOptions& options) {
  TestRun run;
  run.name = test.name;
  run.gpus_needed = test.gpus;
  if (options.stop()) return run;
  if (test.gpus > static_cast<int>(options.gpus.size())) {
    run.result = TestResult::kTooFewGpus;
    run.reason =
        absl::StrCat("needs ", test.gpus, ", there are ", options.gpus.size());
    return run;
  }
  const absl::StatusOr<GpuLease> lease = TakeGpus(test.gpus, options);
  if (!lease.ok()) {
    run.result = TestResult::kFailed;
    run.reason = std::string(lease.status().message());
    return run;
  }
  run.gpus = lease->uuids();

  const std::string file = absl::StrCat(options.out, "/", FileName(test.name));
  run.log = file + ".log";
  const std::string xml = file + ".xml";
  const std::string scratch = file + ".tmp";
  std::error_code ignored;
  for (const std::string& old : {run.log, xml, scratch}) {
    std::filesystem::remove_all(old, ignored);
  }
  std::filesystem::create_directory(scratch, ignored);
  const absl::StatusOr<ProcessResult> process =
      RunProcess(Process(test, options, *lease, scratch, xml, run.log));
  std::filesystem::remove_all(scratch, ignored);
  if (!process.ok()) {
    run.result = TestResult::kFailed;
    run.reason = std::string(process.status().message());
    return run;
  }
  run.seconds = absl::ToDoubleSeconds(process->elapsed);
  const std::string output = ReadFile(run.log);
  run.facts = FactsIn(output);
  absl::StatusOr<std::vector<TestCase>> cases = ParseGtestXml(ReadFile(xml));
  if (cases.ok()) run.cases = *cases;
  Judge(*process, cases.status(), output, test, &run);
  return run;
}

}  // namespace conveyor
