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

#include "testing/sim/access_history.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

#include "testing/sim/stream_order.h"

namespace conveyor {
namespace sim {
namespace {

// What comes after the new read comes after the old one too.
bool IsImplied(const Deed& old, const Deed& read) {
  return old.known() || IsAfter(*read.order, *old.order, old.index);
}

void AddRead(const DeedPtr& deed, std::vector<DeedPtr>* reads) {
  reads->erase(std::remove_if(
                   reads->begin(), reads->end(),
                   [&](const DeedPtr& old) { return IsImplied(*old, *deed); }),
               reads->end());
  reads->push_back(deed);
}

}  // namespace

AccessHistory::Segments::iterator AccessHistory::DivideAt(size_t offset) {
  const auto next = segments_.lower_bound(offset);
  if (next == segments_.begin()) return next;
  const auto before = std::prev(next);
  if (before->second.end <= offset) return next;
  Segment rest = before->second;
  before->second.end = offset;
  return segments_.emplace_hint(next, offset, std::move(rest));
}

void AccessHistory::Access(const DeedPtr& deed, bool writes, size_t first,
                           size_t end, const Visitor& visit) {
  auto it = DivideAt(first);
  size_t at = first;
  while (at < end) {
    if (it == segments_.end() || it->first > at) {
      const size_t gap_end =
          it == segments_.end() ? end : std::min(end, it->first);
      if (!writes) segments_.emplace_hint(it, at, Segment{gap_end, {}, {deed}});
      at = gap_end;
      continue;
    }
    if (it->second.end > end) it = std::prev(DivideAt(end));
    Segment& segment = it->second;
    at = segment.end;
    if (segment.write != nullptr && segment.write != deed) {
      visit(segment.write, true, it->first, segment.end);
    }
    if (!writes) {
      AddRead(deed, &segment.reads);
      ++it;
      continue;
    }
    for (const DeedPtr& read : segment.reads) {
      if (read != deed) visit(read, false, it->first, segment.end);
    }
    if (it->first == first && segment.end == end) {
      segment.write = deed;
      segment.reads.clear();
      return;
    }
    it = segments_.erase(it);
  }
  if (writes) segments_.emplace_hint(it, first, Segment{end, deed, {}});
}

void AccessHistory::VisitAll(const Visitor& visit) const {
  for (const auto& entry : segments_) {
    const Segment& segment = entry.second;
    if (segment.write != nullptr) {
      visit(segment.write, true, entry.first, segment.end);
    }
    for (const DeedPtr& read : segment.reads) {
      visit(read, false, entry.first, segment.end);
    }
  }
}

void AccessHistory::Prune() {
  for (auto it = segments_.begin(); it != segments_.end();) {
    Segment& segment = it->second;
    // A free is remembered until the memory is gone.
    if (segment.write != nullptr && segment.write->known() &&
        !segment.write->frees) {
      segment.write = nullptr;
    }
    segment.reads.erase(
        std::remove_if(segment.reads.begin(), segment.reads.end(),
                       [](const DeedPtr& read) { return read->known(); }),
        segment.reads.end());
    it = segment.write == nullptr && segment.reads.empty() ? segments_.erase(it)
                                                           : std::next(it);
  }
}

}  // namespace sim
}  // namespace conveyor
