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
// File: stream_order.h
// -----------------------------------------------------------------------------
//
// What comes before what: among the operations of streams, and between them and
// the host. Kept apart from what the scheduler does, which knows nothing of
// operations that are complete: that one came before another by luck orders
// nothing.

#ifndef CONVEYOR_TESTING_SIM_STREAM_ORDER_H_
#define CONVEYOR_TESTING_SIM_STREAM_ORDER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "testing/sim/queue.h"

namespace conveyor {
namespace sim {

// Up to which index the operations of each stream come before something, by
// StreamOrder::slot; what is beyond its end is 0. Complete: what comes before
// one of them is there too.
//   using OrderClock = std::vector<uint64_t>;  (queue.h)

// The order of one Stream. Never freed, as streams: whatever the stream was
// given is compared with others by it.
struct StreamOrder {
  size_t slot = 0;
  // Of the stream as it is now; what was enqueued up to `first` was in one that
  // has been destroyed, and that the same object stood for.
  uint64_t id = 0;
  uint64_t first = 0;
  // The host knows, or could know, that so many operations are complete. What
  // is enqueued from then on is ordered after them.
  uint64_t known = 0;
  // What comes before the operation that was enqueued last; null for nothing.
  std::shared_ptr<OrderClock> clock;
};

// All under the machine's lock.

StreamOrder* OrderOf(Stream* stream);

// Up to which index the operations of `before` are in `clock`, which may be
// null.
uint64_t IndexIn(const OrderClock* clock, const StreamOrder& before);

// Whether what is enqueued next in `stream` comes after the operation `index`
// of `before`.
bool IsAfter(const StreamOrder& stream, const StreamOrder& before,
             uint64_t index);

// Makes what is enqueued from now on in `stream` come after the operation
// `index` of `before`, and after `clock`, what that came after.
void OrderAfter(StreamOrder* stream, const StreamOrder& before, uint64_t index,
                const OrderClock* clock);

// Notes that the host knows the operation to be complete, and what comes before
// it.
void LearnOf(StreamOrder* stream, uint64_t index, const OrderClock* clock);

}  // namespace sim
}  // namespace conveyor

#endif  // CONVEYOR_TESTING_SIM_STREAM_ORDER_H_
