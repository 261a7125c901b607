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
// File: transfer_stats.h
// -----------------------------------------------------------------------------
//
// The share of a window of time that one device spends in transfers, and how
// much of that is hidden behind compute.
//
//   ABSL_ASSIGN_OR_RETURN(auto stats, TransferStats::Create(copy_stream));
//   ABSL_ASSIGN_OR_RETURN(auto load, stats.BeginTransfer(copy_stream));
//   ABSL_RETURN_IF_ERROR(CopyAsync(dst, src, copy_stream));
//   ABSL_RETURN_IF_ERROR(stats.End(load));
//   ...
//   ABSL_ASSIGN_OR_RETURN(TransferShares shares, stats.Wait());
//   // shares.exposed / shares.window is what better overlap would gain.

#ifndef CONVEYOR_TRANSFER_TRANSFER_STATS_H_
#define CONVEYOR_TRANSFER_TRANSFER_STATS_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "transfer/event.h"
#include "transfer/stream.h"

namespace conveyor {

// How a window of time was spent. overlapped + exposed == transfer.
struct TransferShares {
  absl::Duration window;      // From Create to the end of the last interval.
  absl::Duration transfer;    // At least one transfer ran.
  absl::Duration compute;     // At least one piece of compute ran.
  absl::Duration overlapped;  // A transfer and compute ran at once.
  absl::Duration exposed;     // A transfer ran, and no compute.

  // Of the window; 0 if that is empty.
  double TransferFraction() const;
  double ExposedFraction() const;
};

// Collects intervals on the streams of one device. Move-only. One thread at a
// time. Two events are created an interval: measure a window, not a whole run.
class TransferStats {
 public:
  // Names an interval that was begun.
  class Interval {
   private:
    friend class TransferStats;
    Interval(uint64_t owner, size_t index) : owner_(owner), index_(index) {}
    uint64_t owner_;
    size_t index_;
  };

  // Opens the window now, at the work enqueued so far on `stream`.
  // kFailedPrecondition on a capturing stream, whose capture stays valid; also
  // in the functions below.
  static absl::StatusOr<TransferStats> Create(StreamRef stream);

  // The work enqueued on `stream` until End is a transfer, or compute. Do not
  // block. kInvalidArgument if `stream` is on another device than the window's.
  absl::StatusOr<Interval> BeginTransfer(StreamRef stream);
  absl::StatusOr<Interval> BeginCompute(StreamRef stream);

  // Ends an interval, on its stream. Does not block. kFailedPrecondition if it
  // has ended already; kInvalidArgument if it was begun in other TransferStats.
  absl::Status End(Interval interval);

  // Waits for all intervals, and says how the window was spent. May be called
  // again after more intervals. kFailedPrecondition if one has not ended.
  absl::StatusOr<TransferShares> Wait();

 private:
  enum class Kind { kTransfer, kCompute };
  struct Entry {
    Kind kind;
    StreamRef stream;
    Event begin;
    Event end;
    bool ended = false;
  };

  explicit TransferStats(Event origin);

  absl::StatusOr<Interval> Begin(Kind kind, StreamRef stream);

  uint64_t id_;  // Of this window, also after a move.
  Event origin_;
  std::vector<Entry> entries_;
};

}  // namespace conveyor

#endif  // CONVEYOR_TRANSFER_TRANSFER_STATS_H_
