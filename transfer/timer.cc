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

#include "transfer/timer.h"

#include <cstdint>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/status_macros.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "transfer/event.h"
#include "transfer/internal/capture.h"
#include "transfer/stream.h"

namespace conveyor {

double Throughput::GigabytesPerSecond() const {
  const double seconds = absl::ToDoubleSeconds(elapsed);
  return seconds > 0 ? static_cast<double>(num_bytes) / seconds / 1e9 : 0;
}

double Throughput::PercentOf(double link_gb_per_s) const {
  return link_gb_per_s > 0 ? GigabytesPerSecond() / link_gb_per_s * 100 : 0;
}

absl::StatusOr<Timer> Timer::Create(StreamRef stream) {
  ABSL_ASSIGN_OR_RETURN(
      Event start, Event::Create(stream.device(), Event::Timing::kEnabled));
  ABSL_ASSIGN_OR_RETURN(
      Event stop, Event::Create(stream.device(), Event::Timing::kEnabled));
  return Timer(stream, std::move(start), std::move(stop));
}

absl::Status Timer::Start() {
  ABSL_RETURN_IF_ERROR(
      internal::RefuseIfCapturing(stream_.native(), "timing a stream"));
  ABSL_RETURN_IF_ERROR(start_.Record(stream_));
  state_ = State::kStarted;
  return absl::OkStatus();
}

absl::Status Timer::Stop() {
  if (state_ != State::kStarted) {
    return absl::FailedPreconditionError("Timer::Stop without Timer::Start");
  }
  ABSL_RETURN_IF_ERROR(
      internal::RefuseIfCapturing(stream_.native(), "timing a stream"));
  ABSL_RETURN_IF_ERROR(stop_.Record(stream_));
  state_ = State::kStopped;
  return absl::OkStatus();
}

absl::StatusOr<Throughput> Timer::Wait(int64_t num_bytes) {
  if (state_ != State::kStopped) {
    return absl::FailedPreconditionError(
        state_ == State::kIdle ? "Timer::Wait without Timer::Start"
                               : "Timer::Wait without Timer::Stop");
  }
  if (num_bytes < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("num_bytes is ", num_bytes, "; it should be at least 0"));
  }
  ABSL_ASSIGN_OR_RETURN(const absl::Duration elapsed,
                        stop_.ElapsedSince(start_));
  return Throughput{num_bytes, elapsed};
}

}  // namespace conveyor
