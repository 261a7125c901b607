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

// main() of tests that use GPUs, instead of gtest's.
//
// Before the tests it prints, one fact a line after "[conveyor] ", which CUDA
// runtime and which driver library this process uses and which devices it sees:
// a stub of libcuda, or another build's runtime, is then plain to see. On real
// hardware with fewer devices than CONVEYOR_TEST_GPUS it skips every test and
// says why. With CONVEYOR_FAIL_ON_SKIP=1 anything skipped, or nothing run, is a
// failure.
//
// On the simulated machine, work that lacks an order fails the test in which it
// is found (testing/sim/README.md), unless the test takes the report.
//
// It has called CUDA before the tests begin, so a test that needs a second
// process starts a program, and does not only fork.

#include <cuda_runtime_api.h>
#include <link.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "testing/devices.h"

#ifdef CONVEYOR_SIMULATED_CUDART
#include "testing/sim/sim.h"
#endif

namespace conveyor {
namespace {

using ::testing::TestInfo;
using ::testing::TestSuite;
using ::testing::UnitTest;

void PrintFact(absl::string_view fact) {
  absl::PrintF("[conveyor] %s\n", fact);
  std::fflush(stdout);
}

#ifdef CONVEYOR_SIMULATED_CUDART

// Fails each test in which hazards were reported, if that is asked for.
class FailOnHazards : public ::testing::EmptyTestEventListener {
 public:
  void OnTestEnd(const TestInfo&) override {
    const std::string hazards = sim::TakeHazards();
    EXPECT_TRUE(hazards.empty()) << hazards;
  }
};

void CheckHazards() {
  const char* const mode = std::getenv("CONVEYOR_SIM_HAZARDS");
  if (mode == nullptr || absl::string_view(mode) != "fail") return;
  UnitTest::GetInstance()->listeners().Append(new FailOnHazards);
}

std::string PrintMachine() {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) cudaGetLastError();
  PrintFact("backend: SIMULATED");
  PrintFact(absl::StrCat("devices: ", count));
  // How many devices a simulated machine has is each test's own choice.
  return "";
}

#else

void CheckHazards() {}

// The file, links resolved, of the first library loaded into this process whose
// name begins with `name`; empty if there is none.
std::string LoadedLibrary(absl::string_view name) {
  struct Search {
    const std::string prefix;
    std::string path;
  } search = {absl::StrCat("/", name), ""};
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* data) {
        Search& search = *static_cast<Search*>(data);
        const absl::string_view path = info->dlpi_name;
        const size_t slash = path.rfind('/');
        if (slash == absl::string_view::npos ||
            !absl::StartsWith(path.substr(slash), search.prefix)) {
          return 0;
        }
        const std::unique_ptr<char, decltype(&std::free)> real(
            realpath(info->dlpi_name, nullptr), &std::free);
        search.path = real != nullptr ? real.get() : info->dlpi_name;
        return 1;
      },
      &search);
  return search.path;
}

// How many devices the test was declared to need.
int DeclaredDevices() {
  const char* const value = std::getenv("CONVEYOR_TEST_GPUS");
  int count = 0;
  if (value == nullptr || !absl::SimpleAtoi(value, &count)) return 1;
  return count;
}

std::string Version(int version) {
  return absl::StrCat(version / 1000, ".", version % 1000 / 10);
}

std::string Uuid(const cudaUUID_t& uuid) {
  std::string text = "GPU-";
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    absl::StrAppendFormat(&text, "%02x",
                          static_cast<unsigned char>(uuid.bytes[i]));
  }
  return text;
}

// Prints what this process runs on. Empty, or the reason if that has not the
// devices which the test was declared to need.
std::string PrintMachine() {
  PrintFact("backend: cuda");
  std::string missing = MissingDevices(DeclaredDevices());

  int version = 0;
  if (cudaRuntimeGetVersion(&version) != cudaSuccess) cudaGetLastError();
  const std::string runtime = LoadedLibrary("libcudart.so");
  PrintFact(absl::StrCat("runtime: CUDA ", Version(version), ", ",
                         runtime.empty() ? "static" : runtime));
  const std::string driver = LoadedLibrary("libcuda.so");
  if (driver.empty()) {
    PrintFact("driver: none loaded");
  } else {
    int driver_version = 0;
    if (cudaDriverGetVersion(&driver_version) != cudaSuccess) {
      cudaGetLastError();
    }
    PrintFact(absl::StrCat("driver: CUDA ", Version(driver_version), ", ",
                           driver,
                           absl::StrContains(driver, "/stubs/")
                               ? " (a stub, which answers every call with an "
                                 "error: take it off the library path)"
                               : ""));
  }
  const std::string nccl = LoadedLibrary("libnccl.so");
  if (!nccl.empty()) PrintFact(absl::StrCat("nccl: ", nccl));

  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) cudaGetLastError();
  for (int device = 0; device < count; ++device) {
    cudaDeviceProp properties;
    const cudaError_t error = cudaGetDeviceProperties(&properties, device);
    if (error != cudaSuccess) {
      cudaGetLastError();
      PrintFact(absl::StrCat("device ", device, ": ", cudaGetErrorName(error)));
      continue;
    }
    PrintFact(absl::StrCat("device ", device, ": ", properties.name, ", ",
                           Uuid(properties.uuid)));
  }
  if (!missing.empty()) PrintFact(absl::StrCat("MISSING: ", missing));
  return missing;
}

#endif  // CONVEYOR_SIMULATED_CUDART

// Skips every test with `reason`, before its fixture is made.
class SkipAll : public ::testing::EmptyTestEventListener {
 public:
  explicit SkipAll(std::string reason) : reason_(std::move(reason)) {}

  // The whole suite, so that none of its tests is constructed.
  void OnTestSuiteStart(const TestSuite&) override { Skip(); }
  // The test, so that its own report has the reason.
  void OnTestStart(const TestInfo&) override { Skip(); }

 private:
  void Skip() { GTEST_SKIP() << reason_; }

  const std::string reason_;
};

// Fails the run before the first test; gtest then marks all as skipped.
class FailAll : public ::testing::Environment {
 public:
  explicit FailAll(std::string reason) : reason_(std::move(reason)) {}

  void SetUp() override { GTEST_FAIL() << reason_; }

 private:
  const std::string reason_;
};

// Whether something that should have run did not. Says what.
bool DidNotRun(const UnitTest& unit_test) {
  if (unit_test.skipped_test_count() > 0) {
    PrintFact(absl::StrCat("FAILED: ", unit_test.skipped_test_count(),
                           " tests were skipped, and CONVEYOR_FAIL_ON_SKIP=1"));
    return true;
  }
  if (unit_test.test_to_run_count() == 0) {
    PrintFact("FAILED: no test was run, and CONVEYOR_FAIL_ON_SKIP=1");
    return true;
  }
  return false;
}

int Main(int argc, char** argv) {
  ::testing::InitGoogleMock(&argc, argv);
  if (GTEST_FLAG_GET(list_tests)) return RUN_ALL_TESTS();

  // Once: tests change the environment.
  const bool fail_on_skip = FailOnSkip();
  const std::string missing = PrintMachine();
  CheckHazards();
  if (!missing.empty()) {
    if (fail_on_skip) {
      ::testing::AddGlobalTestEnvironment(new FailAll(missing));
    } else {
      UnitTest::GetInstance()->listeners().Append(new SkipAll(missing));
    }
  }
  const int result = RUN_ALL_TESTS();
  if (result != 0) return result;
  return fail_on_skip && DidNotRun(*UnitTest::GetInstance()) ? 1 : 0;
}

}  // namespace
}  // namespace conveyor

int main(int argc, char** argv) { return conveyor::Main(argc, argv); }
