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
// File: device.h
// -----------------------------------------------------------------------------
//
// Devices: a strong type for their ordinals, and the current device, bound only
// where CUDA needs it and always restored.

#ifndef CONVEYOR_TRANSFER_DEVICE_H_
#define CONVEYOR_TRANSFER_DEVICE_H_

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"

namespace conveyor {

// A device's ordinal, as CUDA counts them in this process: 0 is the first
// device that CUDA_VISIBLE_DEVICES shows. A value type.
class DeviceId {
 public:
  explicit constexpr DeviceId(int ordinal) : ordinal_(ordinal) {}

  constexpr int ordinal() const { return ordinal_; }

  friend constexpr bool operator==(DeviceId a, DeviceId b) {
    return a.ordinal_ == b.ordinal_;
  }
  friend constexpr bool operator!=(DeviceId a, DeviceId b) { return !(a == b); }
  friend constexpr bool operator<(DeviceId a, DeviceId b) {
    return a.ordinal_ < b.ordinal_;
  }
  template <typename H>
  friend H AbslHashValue(H h, DeviceId id) {
    return H::combine(std::move(h), id.ordinal_);
  }
  // "device 0".
  template <typename Sink>
  friend void AbslStringify(Sink& sink, DeviceId id) {
    absl::Format(&sink, "device %d", id.ordinal_);
  }

 private:
  int ordinal_;
};

// How many devices this process sees; 0 where there is none.
// kFailedPrecondition if the driver is missing or too old. Thread-safe.
absl::StatusOr<int> DeviceCount();

// The calling thread's current device.
absl::StatusOr<DeviceId> CurrentDevice();

// OK if `device` exists; else kInvalidArgument that says how many there are.
// Thread-safe.
absl::Status CheckDevice(DeviceId device);

// Makes a device current for the calling thread, until it is destroyed.
//
//   ABSL_ASSIGN_OR_RETURN(ScopedDevice scope, ScopedDevice::Bind(device));
//
// Movable; moved-from it restores nothing. To be destroyed by the thread that
// made it.
class [[nodiscard]] ScopedDevice {
 public:
  // kInvalidArgument if `device` does not exist.
  static absl::StatusOr<ScopedDevice> Bind(DeviceId device);

  ScopedDevice(ScopedDevice&& other) noexcept
      : previous_(std::exchange(other.previous_, kNone)) {}
  ScopedDevice& operator=(ScopedDevice&&) = delete;

  // Restores the device that was current before; logs if CUDA refuses.
  ~ScopedDevice();

 private:
  static constexpr int kNone = -1;

  explicit ScopedDevice(int previous) : previous_(previous) {}

  int previous_;  // kNone: nothing to restore.
};

}  // namespace conveyor

#endif  // CONVEYOR_TRANSFER_DEVICE_H_
