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
// File: timer.h
// -----------------------------------------------------------------------------
//
// Times work on a stream with events, on the device's clock. An asynchronous
// copy cannot be timed without waiting for it: the figure comes from Wait.
//
//   ABSL_ASSIGN_OR_RETURN(Timer timer, Timer::Create(stream));
//   ABSL_RETURN_IF_ERROR(timer.Start());
//   ABSL_RETURN_IF_ERROR(CopyAsync(dst, src, stream));
//   ABSL_RETURN_IF_ERROR(timer.Stop());
//   ABSL_ASSIGN_OR_RETURN(Throughput copied, timer.Wait(src.size_bytes()));
//   LOG(INFO) << copied << ", " << copied.PercentOf(55.4) << " % of the link";

#ifndef CONVEYOR_TRANSFER_TIMER_H_
#define CONVEYOR_TRANSFER_TIMER_H_

#include <cstdint>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "transfer/event.h"
#include "transfer/stream.h"

namespace conveyor {

// Bytes moved in a time. A value type.
struct Throughput {
  int64_t num_bytes = 0;
  absl::Duration elapsed;

  double Milliseconds() const { return absl::ToDoubleMilliseconds(elapsed); }

  // 10^9 bytes a second; 0 if no time passed.
  double GigabytesPerSecond() const;

  // Of a link that moves `link_gb_per_s` GB/s (10^9 bytes a second); 0 if that
  // is not positive.
  double PercentOf(double link_gb_per_s) const;

  // "1000000000 bytes in 20.000 ms, 50.000 GB/s".
  template <typename Sink>
  friend void AbslStringify(Sink& sink, const Throughput& t) {
    absl::Format(&sink, "%d bytes in %.3f ms, %.3f GB/s", t.num_bytes,
                 t.Milliseconds(), t.GigabytesPerSecond());
  }
};

// Times what is enqueued on one stream between Start and Stop; may be used
// again and again. Move-only. One thread at a time.
class Timer {
 public:
  // A timer for `stream`, which must outlive it. Leaves the current device
  // unchanged.
  static absl::StatusOr<Timer> Create(StreamRef stream);

  // Marks the beginning and the end on the stream. Do not block.
  // kFailedPrecondition on a capturing stream, whose capture stays valid; Stop
  // also if there was no Start.
  absl::Status Start();
  absl::Status Stop();

  // Waits until the work between Start and Stop is complete, and returns the
  // time it took for `num_bytes`.
  //
  // kFailedPrecondition if Start and Stop have not both been called;
  // kInvalidArgument if `num_bytes` is negative.
  absl::StatusOr<Throughput> Wait(int64_t num_bytes);

 private:
  enum class State { kIdle, kStarted, kStopped };

  Timer(StreamRef stream, Event start, Event stop)
      : stream_(stream), start_(std::move(start)), stop_(std::move(stop)) {}

  StreamRef stream_;
  Event start_;
  Event stop_;
  State state_ = State::kIdle;
};

}  // namespace conveyor

#endif  // CONVEYOR_TRANSFER_TIMER_H_
