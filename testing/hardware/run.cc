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

// Runs the hardware tests of the bundle that it lies in. Needs nothing on the
// machine but NVIDIA's driver. See README.md.

#include <unistd.h>

#include <algorithm>
#include <climits>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "testing/hardware/gpu_list.h"
#include "testing/hardware/manifest.h"
#include "testing/hardware/report.h"
#include "testing/hardware/test_runner.h"

namespace conveyor {
namespace {

enum ExitCode { kOk = 0, kFailures = 1, kUsage = 2, kTooFewGpus = 3 };

constexpr char kHelp[] =
    R"(usage: run [--list] [--filter=TEXT] [--gpus=N] [--allow_skips] [--out=DIR]

Runs the hardware tests of this bundle, each with GPUs of its own.

  --list         Only lists what the bundle holds.
  --filter=TEXT  Only the tests whose name contains TEXT.
  --gpus=N       Uses N GPUs. Tests that need more are not run, and not missed.
  --allow_skips  Skipped cases do not fail the run.
  --out=DIR      Where results.xml (JUnit), results.json and each test's log
                 go; conveyor-results if not given.
  --bundle=DIR   The bundle, if it is not where this program is.

Exit code: 0 all ran and passed; 1 something failed, or was skipped; 2 wrong
usage, or a broken bundle; 3 nothing failed, but there are too few GPUs for a
test, or for any.
)";

constexpr int kAllGpus = 0;

struct Options {
  bool help = false;
  bool list = false;
  bool allow_skips = false;
  int gpus = kAllGpus;
  std::string filter;
  std::string out = "conveyor-results";
  std::string bundle;
};

volatile sig_atomic_t interrupted = 0;

void Interrupt(int) { interrupted = 1; }

bool ParseOptions(int argc, char** argv, Options* options) {
  for (int i = 1; i < argc; ++i) {
    absl::string_view argument = argv[i];
    if (argument == "--help") {
      options->help = true;
    } else if (argument == "--list") {
      options->list = true;
    } else if (argument == "--allow_skips") {
      options->allow_skips = true;
    } else if (absl::ConsumePrefix(&argument, "--filter=")) {
      options->filter = std::string(argument);
    } else if (absl::ConsumePrefix(&argument, "--out=")) {
      options->out = std::string(argument);
    } else if (absl::ConsumePrefix(&argument, "--bundle=")) {
      options->bundle = std::string(argument);
    } else if (!absl::ConsumePrefix(&argument, "--gpus=") ||
               !absl::SimpleAtoi(argument, &options->gpus) ||
               options->gpus <= 0) {
      absl::FPrintF(stderr, "run: what is %s?\n%s", argv[i], kHelp);
      return false;
    }
  }
  return true;
}

// The contents of the file; kNotFound if it cannot be read.
absl::StatusOr<std::string> ReadFile(const std::string& path) {
  std::ifstream file(path);
  if (!file) return absl::NotFoundError("cannot read " + path);
  return std::string((std::istreambuf_iterator<char>(file)),
                     std::istreambuf_iterator<char>());
}

bool WriteFile(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  file.close();
  if (!file) absl::FPrintF(stderr, "run: cannot write %s\n", path);
  return !file.fail();
}

void PrintEnd(const std::string& text, int lines) {
  const std::vector<std::string> all = absl::StrSplit(text, '\n');
  const size_t begin =
      all.size() > static_cast<size_t>(lines) ? all.size() - lines : 0;
  for (size_t i = begin; i < all.size(); ++i) {
    absl::PrintF("    | %s\n", all[i]);
  }
}

void PrintList(const Manifest& manifest) {
  for (const BundledTest& test : manifest.tests) {
    absl::PrintF("test     %-45s %d GPUs, at most %s\n", test.name, test.gpus,
                 absl::FormatDuration(test.time_limit));
  }
  for (const BundledProgram& program : manifest.programs) {
    absl::PrintF("program  %-45s %s\n", program.name, program.file);
  }
}

std::vector<TestRun> RunTests(const std::vector<BundledTest>& tests,
                              const RunnerOptions& options) {
  std::vector<TestRun> runs;
  for (const BundledTest& test : tests) {
    absl::PrintF("[%d/%d] %s ", runs.size() + 1, tests.size(), test.name);
    std::fflush(stdout);
    runs.push_back(RunTest(test, options));
    const TestRun& run = runs.back();
    absl::PrintF("%s, %.1f s\n", ToString(run.result), run.seconds);
    if (run.result == TestResult::kFailed ||
        run.result == TestResult::kTimedOut) {
      const absl::StatusOr<std::string> log = ReadFile(run.log);
      if (log.ok()) PrintEnd(*log, 40);
    }
    std::fflush(stdout);
  }
  return runs;
}

ExitCode Verdict(const std::vector<TestRun>& runs, const Options& options) {
  bool any_ran = false;
  bool any_missed = false;
  for (const TestRun& run : runs) {
    switch (run.result) {
      case TestResult::kPassed:
        any_ran = true;
        break;
      case TestResult::kSkipped:
        if (!options.allow_skips) return kFailures;
        any_ran = true;
        break;
      case TestResult::kTooFewGpus:
        // With --gpus it was not asked for.
        if (options.gpus == kAllGpus) any_missed = true;
        break;
      case TestResult::kFailed:
      case TestResult::kTimedOut:
      case TestResult::kNotRun:
        return kFailures;
    }
  }
  return any_ran && !any_missed ? kOk : kTooFewGpus;
}

// The GPUs to use: all, or the first --gpus. False if there are not so many.
bool ChooseGpus(const Options& options, std::vector<std::string>* gpus) {
  absl::StatusOr<std::vector<std::string>> all = ListGpus();
  if (!all.ok()) absl::PrintF("%s\n", all.status().message());
  if (all.ok()) *gpus = *std::move(all);
  if (options.gpus == kAllGpus) return true;
  if (options.gpus > static_cast<int>(gpus->size())) {
    absl::FPrintF(stderr, "run: --gpus=%d, and there are %d\n", options.gpus,
                  gpus->size());
    return false;
  }
  gpus->resize(options.gpus);
  return true;
}

std::string HostName() {
  char name[HOST_NAME_MAX + 1] = {};
  return gethostname(name, HOST_NAME_MAX) == 0 ? name : "";
}

int Main(int argc, char** argv) {
  Options options;
  if (!ParseOptions(argc, argv, &options)) return kUsage;
  if (options.help) {
    std::fputs(kHelp, stdout);
    return kOk;
  }
  std::error_code error;
  if (options.bundle.empty()) {
    options.bundle =
        std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  }
  const std::string bundle = std::filesystem::absolute(options.bundle, error);
  const std::string out = std::filesystem::absolute(options.out, error);

  const absl::StatusOr<std::string> text = ReadFile(bundle + "/MANIFEST");
  const absl::StatusOr<Manifest> manifest =
      text.ok() ? ParseManifest(*text) : text.status();
  if (!manifest.ok()) {
    absl::FPrintF(stderr, "run: broken bundle: %s\n",
                  manifest.status().message());
    return kUsage;
  }
  if (options.list) {
    PrintList(*manifest);
    return kOk;
  }
  std::vector<BundledTest> tests;
  std::copy_if(manifest->tests.begin(), manifest->tests.end(),
               std::back_inserter(tests), [&](const BundledTest& test) {
                 return absl::StrContains(test.name, options.filter);
               });
  if (tests.empty()) {
    absl::FPrintF(stderr, "run: no test's name contains \"%s\"\n",
                  options.filter);
    return kUsage;
  }
  std::filesystem::create_directories(out, error);
  // Also tells now, and not after an hour, that nothing can be written there.
  if (!WriteFile(out + "/results.json", "")) return kUsage;

  RunReport report;
  report.date =
      absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", absl::Now(), absl::UTCTimeZone());
  report.host = HostName();
  const absl::StatusOr<std::string> commit = ReadFile(bundle + "/COMMIT");
  if (commit.ok()) report.commit = absl::StripAsciiWhitespace(*commit);

  RunnerOptions runner;
  runner.bundle = bundle;
  runner.out = out;
  runner.stop = [] { return interrupted != 0; };
  if (!ChooseGpus(options, &runner.gpus)) return kTooFewGpus;
  report.gpus = runner.gpus.size();
  signal(SIGINT, Interrupt);
  signal(SIGTERM, Interrupt);
  report.tests = RunTests(tests, runner);
  report.exit_code = Verdict(report.tests, options);

  const bool written = WriteFile(out + "/results.xml", ToJunit(report)) &&
                       WriteFile(out + "/results.json", ToJson(report));
  absl::PrintF("\n%sResults and logs: %s\n", ToSummary(report), out);
  return written ? report.exit_code : kFailures;
}

}  // namespace
}  // namespace conveyor

int main(int argc, char** argv) { return conveyor::Main(argc, argv); }
