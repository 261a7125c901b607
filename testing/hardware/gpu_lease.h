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
//
// -----------------------------------------------------------------------------
// File: gpu_lease.h
// -----------------------------------------------------------------------------
//
// GpuLease: GPUs of this machine that nobody else who asks here has.
//
//   ABSL_ASSIGN_OR_RETURN(std::vector<std::string> gpus, ListGpus());
//   ABSL_ASSIGN_OR_RETURN(GpuLease lease,
//                         GpuLease::Take(2, gpus, absl::Minutes(5)));
//   setenv("CUDA_VISIBLE_DEVICES", lease.VisibleDevices().c_str(), 1);
//
// A lease is a lock on one file per GPU, conveyor-gpu-UUID.lock, which all
// users of the machine share. The kernel drops it when the last process that
// holds it ends, however it ends. The files stay.

#ifndef CONVEYOR_TESTING_HARDWARE_GPU_LEASE_H_
#define CONVEYOR_TESTING_HARDWARE_GPU_LEASE_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "testing/hardware/file_lock.h"

namespace conveyor {

// Movable; moved-from it holds nothing. The destructor gives the GPUs back.
class [[nodiscard]] GpuLease {
 public:
  // Whether programs that this process starts, or becomes by exec, hold the
  // GPUs too. A GPU is free again when all its holders have ended.
  enum class Heirs { kNone, kAll };

  // Takes `count` of the GPUs `uuids`. Blocks until so many are free, at most
  // for `max_wait`. Those who ask for several never wait for one another in a
  // circle, and are not overtaken by those who ask for one. None is fine.
  //
  // The files are in CONVEYOR_GPU_LOCK_DIR, or /dev/shm. Containers that share
  // GPUs must share that directory.
  //
  // kResourceExhausted if `uuids` are too few; kDeadlineExceeded if not enough
  // of them came free; kInternal if a file cannot be locked. Thread-safe.
  static absl::StatusOr<GpuLease> Take(int count,
                                       const std::vector<std::string>& uuids,
                                       absl::Duration max_wait,
                                       Heirs heirs = Heirs::kNone);

  const std::vector<std::string>& uuids() const { return uuids_; }

  // The value of CUDA_VISIBLE_DEVICES that shows these GPUs and no other.
  std::string VisibleDevices() const;

 private:
  GpuLease(std::vector<std::string> uuids, std::vector<FileLock> locks)
      : uuids_(std::move(uuids)), locks_(std::move(locks)) {}

  std::vector<std::string> uuids_;
  std::vector<FileLock> locks_;
};

}  // namespace conveyor

#endif  // CONVEYOR_TESTING_HARDWARE_GPU_LEASE_H_
