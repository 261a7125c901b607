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

#include "testing/hardware/gpu_lease.h"

#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/status_macros.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "testing/hardware/file_lock.h"

namespace conveyor {
namespace {

constexpr absl::Duration kPoll = absl::Milliseconds(20);

std::string LockFile(absl::string_view name) {
  const char* const directory = std::getenv("CONVEYOR_GPU_LOCK_DIR");
  return absl::StrCat(directory == nullptr ? "/dev/shm" : directory,
                      "/conveyor-", name, ".lock");
}

// Locks `path`; empty if `deadline` came first.
absl::StatusOr<std::optional<FileLock>> LockUntil(const std::string& path,
                                                  absl::Time deadline) {
  while (true) {
    ABSL_ASSIGN_OR_RETURN(std::optional<FileLock> lock,
                          FileLock::TryLock(path));
    if (lock.has_value() || absl::Now() >= deadline) return lock;
    absl::SleepFor(kPoll);
  }
}

}  // namespace

absl::StatusOr<GpuLease> GpuLease::Take(int count,
                                        const std::vector<std::string>& uuids,
                                        absl::Duration max_wait, Heirs heirs) {
  if (count > static_cast<int>(uuids.size())) {
    return absl::ResourceExhaustedError(
        absl::StrCat(count, " GPUs are needed, and there are ", uuids.size()));
  }
  std::vector<std::string> taken;
  std::vector<FileLock> locks;
  if (count <= 0) return GpuLease(std::move(taken), std::move(locks));

  const absl::Time deadline = absl::Now() + max_wait;
  const absl::Status busy = absl::DeadlineExceededError(
      absl::StrCat("no ", count, " of ", uuids.size(), " GPUs came free in ",
                   absl::FormatDuration(max_wait), ": others hold the locks ",
                   LockFile("gpu-*")));
  // Only one may gather GPUs at a time, so no two wait for each other's.
  ABSL_ASSIGN_OR_RETURN(const std::optional<FileLock> turn,
                        LockUntil(LockFile("gpus"), deadline));
  if (!turn.has_value()) return busy;
  while (true) {
    for (const std::string& uuid : uuids) {
      ABSL_ASSIGN_OR_RETURN(
          std::optional<FileLock> lock,
          FileLock::TryLock(LockFile(absl::StrCat("gpu-", uuid))));
      if (!lock.has_value()) continue;
      if (heirs == Heirs::kAll) lock->KeepOnExec();
      taken.push_back(uuid);
      locks.push_back(*std::move(lock));
      if (static_cast<int>(taken.size()) == count) {
        return GpuLease(std::move(taken), std::move(locks));
      }
    }
    if (absl::Now() >= deadline) return busy;
    taken.clear();
    locks.clear();
    absl::SleepFor(kPoll);
  }
}

std::string GpuLease::VisibleDevices() const {
  return absl::StrJoin(uuids_, ",");
}

}  // namespace conveyor
