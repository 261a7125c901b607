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

#include "transfer/transfer_stats.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/status_macros.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "transfer/event.h"
#include "transfer/internal/capture.h"
#include "transfer/stream.h"

namespace conveyor {
namespace {

// A moment at which the number of running transfers or computes changes.
struct Edge {
  absl::Duration time;
  int transfers;
  int computes;
};

double FractionOf(absl::Duration part, absl::Duration whole) {
  return whole > absl::ZeroDuration() ? absl::FDivDuration(part, whole) : 0;
}

}  // namespace

double TransferShares::TransferFraction() const {
  return FractionOf(transfer, window);
}

double TransferShares::ExposedFraction() const {
  return FractionOf(exposed, window);
}

TransferStats::TransferStats(Event origin) : origin_(std::move(origin)) {
  static std::atomic<uint64_t> next_id{0};
  id_ = next_id.fetch_add(1, std::memory_order_relaxed);
}

absl::StatusOr<TransferStats> TransferStats::Create(StreamRef stream) {
  ABSL_RETURN_IF_ERROR(
      internal::RefuseIfCapturing(stream.native(), "opening a window"));
  ABSL_ASSIGN_OR_RETURN(
      Event origin, Event::Create(stream.device(), Event::Timing::kEnabled));
  ABSL_RETURN_IF_ERROR(origin.Record(stream));
  return TransferStats(std::move(origin));
}

absl::StatusOr<TransferStats::Interval> TransferStats::BeginTransfer(
    StreamRef stream) {
  return Begin(Kind::kTransfer, stream);
}

absl::StatusOr<TransferStats::Interval> TransferStats::BeginCompute(
    StreamRef stream) {
  return Begin(Kind::kCompute, stream);
}

absl::StatusOr<TransferStats::Interval> TransferStats::Begin(Kind kind,
                                                             StreamRef stream) {
  if (stream.device() != origin_.device()) {
    return absl::InvalidArgumentError(
        absl::StrCat("stream is on ", stream.device(),
                     ", but the window is of ", origin_.device()));
  }
  ABSL_RETURN_IF_ERROR(
      internal::RefuseIfCapturing(stream.native(), "beginning an interval"));
  ABSL_ASSIGN_OR_RETURN(
      Event begin, Event::Create(stream.device(), Event::Timing::kEnabled));
  ABSL_ASSIGN_OR_RETURN(
      Event end, Event::Create(stream.device(), Event::Timing::kEnabled));
  ABSL_RETURN_IF_ERROR(begin.Record(stream));
  entries_.push_back({kind, stream, std::move(begin), std::move(end)});
  return Interval(id_, entries_.size() - 1);
}

absl::Status TransferStats::End(Interval interval) {
  if (interval.owner_ != id_) {
    return absl::InvalidArgumentError(
        "interval was begun in other TransferStats");
  }
  Entry& entry = entries_[interval.index_];
  if (entry.ended) {
    return absl::FailedPreconditionError("interval has ended already");
  }
  ABSL_RETURN_IF_ERROR(
      internal::RefuseIfCapturing(entry.stream.native(), "ending an interval"));
  ABSL_RETURN_IF_ERROR(entry.end.Record(entry.stream));
  entry.ended = true;
  return absl::OkStatus();
}

absl::StatusOr<TransferShares> TransferStats::Wait() {
  std::vector<Edge> edges;
  for (const Entry& entry : entries_) {
    if (!entry.ended) {
      return absl::FailedPreconditionError(
          "an interval was begun and has not ended");
    }
    ABSL_ASSIGN_OR_RETURN(absl::Duration begin,
                          entry.begin.ElapsedSince(origin_));
    ABSL_ASSIGN_OR_RETURN(absl::Duration end, entry.end.ElapsedSince(origin_));
    // Another stream may have been idle while the origin's was not.
    begin = std::max(begin, absl::ZeroDuration());
    end = std::max(end, begin);
    const int transfer = entry.kind == Kind::kTransfer ? 1 : 0;
    edges.push_back({begin, transfer, 1 - transfer});
    edges.push_back({end, -transfer, transfer - 1});
  }
  std::sort(edges.begin(), edges.end(),
            [](const Edge& a, const Edge& b) { return a.time < b.time; });

  TransferShares shares;
  int transfers = 0;
  int computes = 0;
  absl::Duration previous;
  for (const Edge& edge : edges) {
    const absl::Duration slice = edge.time - previous;
    if (transfers > 0) shares.transfer += slice;
    if (computes > 0) shares.compute += slice;
    if (transfers > 0 && computes > 0) shares.overlapped += slice;
    if (transfers > 0 && computes == 0) shares.exposed += slice;
    transfers += edge.transfers;
    computes += edge.computes;
    previous = edge.time;
  }
  shares.window = previous;
  return shares;
}

}  // namespace conveyor
