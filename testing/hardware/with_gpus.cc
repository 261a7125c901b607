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

// with_gpus PROGRAM [ARGUMENT...]
//
// Becomes PROGRAM with CONVEYOR_TEST_GPUS GPUs of its own: takes them under
// locks, waiting while others have them, and shows PROGRAM no other. For
//   bazel test --run_under=//testing/hardware:with_gpus
// since Bazel counts GPUs but assigns none.
//
// Where that variable is not set or 0, PROGRAM is run as it is. Where the
// machine has too few GPUs, PROGRAM sees them all and is left to report that.

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/time/time.h"
#include "testing/hardware/gpu_lease.h"
#include "testing/hardware/gpu_list.h"

namespace conveyor {
namespace {

// Bazel's own time limit ends the wait.
constexpr absl::Duration kMaxWait = absl::Hours(24);
constexpr int kCannotRun = 126;

void Say(const std::string& text) {
  std::fprintf(stderr, "with_gpus: %s\n", text.c_str());
}

// Takes `count` GPUs for the program that this process becomes. False if they
// exist and cannot be locked.
bool TakeGpus(int count) {
  const absl::StatusOr<std::vector<std::string>> gpus = ListGpus();
  if (!gpus.ok()) {
    Say(std::string(gpus.status().message()));
    return true;
  }
  absl::StatusOr<GpuLease> lease =
      GpuLease::Take(count, *gpus, absl::ZeroDuration(), GpuLease::Heirs::kAll);
  if (absl::IsDeadlineExceeded(lease.status())) {
    Say("waiting for GPUs that others hold");
    lease = GpuLease::Take(count, *gpus, kMaxWait, GpuLease::Heirs::kAll);
  }
  if (!lease.ok()) {
    Say(std::string(lease.status().message()));
    return absl::IsResourceExhausted(lease.status());
  }
  // Kept beyond this function, for the program to inherit.
  static GpuLease* const held = new GpuLease(*std::move(lease));
  setenv("CUDA_VISIBLE_DEVICES", held->VisibleDevices().c_str(), 1);
  return true;
}

int Main(int argc, char** argv) {
  if (argc < 2) {
    Say("usage: with_gpus PROGRAM [ARGUMENT...]");
    return 2;
  }
  const char* const wanted = getenv("CONVEYOR_TEST_GPUS");
  int count = 0;
  if (wanted != nullptr && (!absl::SimpleAtoi(wanted, &count) || count < 0)) {
    Say(std::string("CONVEYOR_TEST_GPUS is no number: ") + wanted);
    return 2;
  }
  if (count > 0 && !TakeGpus(count)) return kCannotRun;
  execvp(argv[1], argv + 1);
  Say(std::string(argv[1]) + ": " + std::strerror(errno));
  return kCannotRun;
}

}  // namespace
}  // namespace conveyor

int main(int argc, char** argv) { return conveyor::Main(argc, argv); }
