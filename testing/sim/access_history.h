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
// File: access_history.h
// -----------------------------------------------------------------------------
//
// Who touched which bytes of an allocation last, as far as later operations can
// still conflict with it.

#ifndef CONVEYOR_TESTING_SIM_ACCESS_HISTORY_H_
#define CONVEYOR_TESTING_SIM_ACCESS_HISTORY_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "testing/sim/call_site.h"
#include "testing/sim/queue.h"
#include "testing/sim/stream_order.h"

namespace conveyor {
namespace sim {

// One enqueued operation, for as long as it is remembered.
struct Deed {
  StreamOrder* order = nullptr;
  uint64_t index = 0;
  const Stream* stream = nullptr;  // May be used again; for `effects` only.
  uint64_t stream_id = 0;
  int device = 0;
  bool legacy = false;
  bool blocking = false;
  bool by_graph = false;  // Launched with a graph.
  std::shared_ptr<const CapturedCall> captured;
  bool frees = false;
  // Of one call whose pieces have no order among themselves; 0 for none.
  uint64_t batch = 0;
  const char* call = nullptr;
  CallSite site;
  // Another report says already that its source may change.
  bool source_is_disputed = false;

  bool known() const { return order->known >= index; }
  bool has_effect() const { return stream->effects >= index; }
};

using DeedPtr = std::shared_ptr<Deed>;

// Of one allocation, by offset. Guarded by the machine's lock.
class AccessHistory {
 public:
  // Called with an earlier access and the bytes that both touch.
  using Visitor = std::function<void(
      const DeedPtr& earlier, bool earlier_writes, size_t first, size_t end)>;

  // Notes that `deed` reads or writes [first, end), after visiting what is
  // there of other deeds: what they wrote and, if it writes, what they read.
  void Access(const DeedPtr& deed, bool writes, size_t first, size_t end,
              const Visitor& visit);

  // Visits all that is there.
  void VisitAll(const Visitor& visit) const;

  // Forgets what the host knows to be complete.
  void Prune();

  size_t size() const { return segments_.size(); }

 private:
  struct Segment {
    size_t end;
    DeedPtr write;
    std::vector<DeedPtr> reads;  // Since then.
  };
  using Segments = std::map<size_t, Segment>;

  // The first segment that does not begin before `offset`; one that reaches
  // beyond it is divided.
  Segments::iterator DivideAt(size_t offset);

  Segments segments_;  // By their first byte.
};

}  // namespace sim
}  // namespace conveyor

#endif  // CONVEYOR_TESTING_SIM_ACCESS_HISTORY_H_
