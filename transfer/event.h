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
// File: event.h
// -----------------------------------------------------------------------------
//
// Events: a point in a stream that other streams and the host can wait for.
//
//   ABSL_ASSIGN_OR_RETURN(Event copied, Event::Create(device));
//   ABSL_RETURN_IF_ERROR(copied.Record(copy_stream));
//   ABSL_RETURN_IF_ERROR(StreamWaitEvent(compute_stream, copied));

#ifndef CONVEYOR_TRANSFER_EVENT_H_
#define CONVEYOR_TRANSFER_EVENT_H_

#include <cuda_runtime_api.h>

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "transfer/device.h"
#include "transfer/stream.h"

namespace conveyor {

// Owns an event. Move-only; moved-from it is empty, and only to be destroyed or
// assigned to. One thread at a time may record it; waiting for it is
// thread-safe.
class Event {
 public:
  // Whether the event notes the time at which it completes. Without, recording
  // and waiting cost less.
  enum class Timing { kDisabled, kEnabled };

  // A new event of `device`, not recorded. Leaves the current device unchanged.
  // kInvalidArgument if there is no such device. Thread-safe.
  static absl::StatusOr<Event> Create(DeviceId device,
                                      Timing timing = Timing::kDisabled);

  Event(Event&& other) noexcept;
  Event& operator=(Event&& other) noexcept;

  // Returns at once, also if what was recorded is not complete.
  ~Event();

  // Records all work enqueued on `stream` so far; replaces what was recorded
  // before. Does not block. kInvalidArgument if `stream` is on another device.
  absl::Status Record(StreamRef stream);

  // Waits until what was recorded is complete.
  //
  // kFailedPrecondition if the event was never recorded (CUDA would return at
  // once, and what is thought complete is not) or was last recorded in a
  // stream capture. Errors of earlier work surface here.
  absl::Status Synchronize() const;

  // Whether what was recorded is complete. Does not block, and leaves the
  // thread's last error as it was. Errors as Synchronize.
  absl::StatusOr<bool> Ready() const;

  // The time from `start`'s completion to this event's. Waits for both.
  // Resolution about half a microsecond (CUDA's cudaEventElapsedTime).
  // kFailedPrecondition as Synchronize, or if one was created without timing.
  absl::StatusOr<absl::Duration> ElapsedSince(const Event& start) const;

  cudaEvent_t native() const { return event_; }
  DeviceId device() const { return device_; }
  bool recorded() const { return state_ != State::kNotRecorded; }

  // Hands the event to the caller, who destroys it with cudaEventDestroy.
  [[nodiscard]] cudaEvent_t release() { return std::exchange(event_, nullptr); }

 private:
  enum class State { kNotRecorded, kRecorded, kCaptured };

  Event(cudaEvent_t event, DeviceId device, Timing timing)
      : event_(event), device_(device), timing_(timing) {}

  // OK if the host can wait for this event.
  absl::Status CheckRecorded() const;

  cudaEvent_t event_;
  DeviceId device_;
  Timing timing_;
  State state_ = State::kNotRecorded;
};

// Makes later work on `stream` wait for what `event` has recorded. Does not
// block. The event may be of another device. kFailedPrecondition if it was
// never recorded: CUDA would not wait at all. Thread-safe.
absl::Status StreamWaitEvent(StreamRef stream, const Event& event);

}  // namespace conveyor

#endif  // CONVEYOR_TRANSFER_EVENT_H_
