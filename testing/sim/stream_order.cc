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

#include "testing/sim/stream_order.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "testing/sim/queue.h"

namespace conveyor {
namespace sim {
namespace {

// By slot. Never destroyed, as the machine.
std::vector<StreamOrder*>& AllOrders() {
  static auto* const all = new std::vector<StreamOrder*>;
  return *all;
}

void RaiseTo(uint64_t index, size_t slot, OrderClock* clock) {
  if (clock->size() <= slot) clock->resize(slot + 1);
  (*clock)[slot] = std::max((*clock)[slot], index);
}

}  // namespace

StreamOrder* OrderOf(Stream* stream) {
  StreamOrder*& order = stream->order;
  if (order != nullptr && order->id == stream->id) return order;
  if (order == nullptr) {
    order = new StreamOrder;
    order->slot = AllOrders().size();
    AllOrders().push_back(order);
  }
  order->id = stream->id;
  order->first = stream->first;
  order->clock = nullptr;
  return order;
}

uint64_t IndexIn(const OrderClock* clock, const StreamOrder& before) {
  return clock == nullptr || clock->size() <= before.slot
             ? 0
             : (*clock)[before.slot];
}

bool IsAfter(const StreamOrder& stream, const StreamOrder& before,
             uint64_t index) {
  return (&stream == &before && index > stream.first) ||
         before.known >= index || IndexIn(stream.clock.get(), before) >= index;
}

void OrderAfter(StreamOrder* stream, const StreamOrder& before, uint64_t index,
                const OrderClock* clock) {
  if (IsAfter(*stream, before, index)) return;
  if (stream->clock == nullptr) {
    stream->clock = std::make_shared<OrderClock>();
  } else if (stream->clock.use_count() > 1) {
    // Something else stands for what came before until now.
    stream->clock = std::make_shared<OrderClock>(*stream->clock);
  }
  OrderClock& mine = *stream->clock;
  RaiseTo(index, before.slot, &mine);
  if (clock == nullptr) return;
  if (mine.size() < clock->size()) mine.resize(clock->size());
  for (size_t slot = 0; slot < clock->size(); ++slot) {
    mine[slot] = std::max(mine[slot], (*clock)[slot]);
  }
}

void LearnOf(StreamOrder* stream, uint64_t index, const OrderClock* clock) {
  if (stream->known >= index) return;
  stream->known = index;
  if (clock == nullptr) return;
  for (size_t slot = 0; slot < clock->size(); ++slot) {
    StreamOrder& other = *AllOrders()[slot];
    other.known = std::max(other.known, (*clock)[slot]);
  }
}

}  // namespace sim
}  // namespace conveyor
