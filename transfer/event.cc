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

#include "transfer/event.h"

#include <cuda_runtime_api.h>

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/status_macros.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "transfer/cuda_status.h"
#include "transfer/device.h"
#include "transfer/internal/capture.h"
#include "transfer/internal/release.h"
#include "transfer/stream.h"

namespace conveyor {

absl::StatusOr<Event> Event::Create(DeviceId device, Timing timing) {
  ABSL_ASSIGN_OR_RETURN(ScopedDevice scope, ScopedDevice::Bind(device));
  cudaEvent_t event = nullptr;
  const unsigned flags =
      timing == Timing::kEnabled ? cudaEventDefault : cudaEventDisableTiming;
  ABSL_RETURN_IF_ERROR(
      CallCuda([&] { return cudaEventCreateWithFlags(&event, flags); },
               [&] { return absl::StrCat("creating an event of ", device); }));
  return Event(event, device, timing);
}

Event::Event(Event&& other) noexcept
    : event_(other.release()),
      device_(other.device_),
      timing_(other.timing_),
      state_(std::exchange(other.state_, State::kNotRecorded)) {}

Event& Event::operator=(Event&& other) noexcept {
  std::swap(event_, other.event_);
  std::swap(device_, other.device_);
  std::swap(timing_, other.timing_);
  std::swap(state_, other.state_);
  if (this != &other) Event(std::move(other));  // Destroys what this one owned.
  return *this;
}

Event::~Event() {
  if (event_ == nullptr) return;
  internal::LogIfFailed(cudaEventDestroy(event_), "cudaEventDestroy");
}

absl::Status Event::Record(StreamRef stream) {
  if (stream.device() != device_) {
    return absl::InvalidArgumentError(
        absl::StrCat("stream is on ", stream.device(), ", but the event is of ",
                     device_, "; an event is recorded on its own device"));
  }
  ABSL_ASSIGN_OR_RETURN(const bool capturing,
                        internal::IsCapturing(stream.native()));
  ABSL_RETURN_IF_ERROR(CallCuda(
      [&] { return cudaEventRecord(event_, stream.native()); },
      [&] { return absl::StrCat("cudaEventRecord (", device_, ")"); }));
  state_ = capturing ? State::kCaptured : State::kRecorded;
  return absl::OkStatus();
}

absl::Status Event::CheckRecorded() const {
  switch (state_) {
    case State::kNotRecorded:
      return absl::FailedPreconditionError(
          "event was never recorded: waiting for it would wait for nothing");
    case State::kCaptured:
      return absl::FailedPreconditionError(
          "event was recorded in a stream capture: it is a node of the graph, "
          "and never completes by itself");
    case State::kRecorded:
      break;
  }
  return absl::OkStatus();
}

absl::Status Event::Synchronize() const {
  ABSL_RETURN_IF_ERROR(CheckRecorded());
  return CallCuda(
      [&] { return cudaEventSynchronize(event_); },
      [&] { return absl::StrCat("cudaEventSynchronize (", device_, ")"); });
}

absl::StatusOr<bool> Event::Ready() const {
  ABSL_RETURN_IF_ERROR(CheckRecorded());
  const cudaError_t error =
      CallKeepingLastError([&] { return cudaEventQuery(event_); });
  if (error == cudaErrorNotReady) return false;
  ABSL_RETURN_IF_ERROR(ToStatus(error, "cudaEventQuery"));
  return true;
}

absl::StatusOr<absl::Duration> Event::ElapsedSince(const Event& start) const {
  for (const Event* event : {&start, this}) {
    if (event->timing_ == Timing::kDisabled) {
      return absl::FailedPreconditionError(
          absl::StrCat(event == this ? "the end" : "the start",
                       " event was created without Event::Timing::kEnabled"));
    }
    ABSL_RETURN_IF_ERROR(event->Synchronize());
  }
  float milliseconds = 0;
  ABSL_RETURN_IF_ERROR(CallCuda(
      [&] { return cudaEventElapsedTime(&milliseconds, start.event_, event_); },
      [&] {
        return absl::StrCat("cudaEventElapsedTime (start of ", start.device_,
                            ", end of ", device_, ")");
      }));
  return absl::Milliseconds(milliseconds);
}

absl::Status StreamWaitEvent(StreamRef stream, const Event& event) {
  if (!event.recorded()) {
    return absl::FailedPreconditionError(
        "event was never recorded: a stream that waits for it would not wait");
  }
  return CallCuda(
      [&] { return cudaStreamWaitEvent(stream.native(), event.native(), 0); },
      [&] {
        return absl::StrCat("cudaStreamWaitEvent(stream on ", stream.device(),
                            ", event of ", event.device(), ")");
      });
}

}  // namespace conveyor
