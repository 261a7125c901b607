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

#include "testing/sim/scheduler.h"

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "testing/sim/effects.h"
#include "testing/sim/faults.h"
#include "testing/sim/hazards.h"
#include "testing/sim/machine.h"
#include "testing/sim/managed_guard.h"
#include "testing/sim/progress.h"
#include "testing/sim/queue.h"
#include "testing/sim/trace.h"

namespace conveyor {
namespace sim {
namespace {

// Early, when some later operations are there, or when forced: by seed, stream
// and position alone, whatever other threads do meanwhile.
uint8_t Lateness(uint64_t seed, const Stream& stream, uint64_t index) {
  const uint64_t hash =
      Mix(Mix(Mix(seed) ^ stream.number) ^ (index - stream.first));
  switch (hash % 3) {
    case 0:
      return 0;
    case 1:
      return static_cast<uint8_t>(1 + (hash >> 8) % 6);
    default:
      return kWhenForced;
  }
}

const Point* FirstMissing(const Op& op) {
  for (const Point& point : op.after) {
    if (point.stream->effects < point.index) return &point;
  }
  return nullptr;
}

bool Wants(const Op& op) {
  return op.lateness != kWhenForced &&
         op.stream->last >= op.index + op.lateness;
}

void RunEffect(Machine& machine, Op& op) {
  if (op.work.watch != 0) BeforeEffect(machine, op);
  ApplyEffect(machine, op);
  if (op.work.watch != 0) AfterEffect(machine, op);
  Stream* const stream = op.stream;
  ++stream->effects;
  --machine.pending;
  stream->Trim();
}

// Runs what wants to run in `work` and in what waits for it.
void RunWilling(Machine& machine, std::vector<Stream*> work) {
  while (!work.empty()) {
    Stream* const stream = work.back();
    work.pop_back();
    while (Op* const op = stream->next_effect()) {
      if (!Wants(*op)) break;
      if (const Point* const missing = FirstMissing(*op)) {
        if (stream->waits_for != missing->stream) {
          stream->waits_for = missing->stream;
          missing->stream->effect_waiters.push_back(stream);
        }
        break;
      }
      if (op->work.kind == OpKind::kHostFunction) {
        DispatchHostFunction(machine, *op);
        break;
      }
      RunEffect(machine, *op);
    }
    for (Stream* const waiter : stream->effect_waiters) {
      waiter->waits_for = nullptr;
      work.push_back(waiter);
    }
    stream->effect_waiters.clear();
  }
}

void AddEdge(std::vector<Point>* after, Stream* stream) {
  if (stream->last > stream->effects || stream->last > stream->timed) {
    after->push_back({stream, stream->last});
  }
}

}  // namespace

uint64_t Enqueue(Machine& machine, Stream* stream, Work work,
                 std::vector<Point> after, double issued) {
  Device& device = machine.devices[static_cast<size_t>(stream->device)];
  if (stream->legacy) {
    for (Stream* const other : device.streams) {
      if (other->blocking && other != stream) AddEdge(&after, other);
    }
  } else if (stream->blocking) {
    AddEdge(&after, device.legacy);
  }
  stream->ops.emplace_back();
  Op& op = stream->ops.back();
  op.work = std::move(work);
  op.stream = stream;
  op.index = ++stream->last;
  op.after = std::move(after);
  op.delay_ns = TheFaults().TakeDelay(OperationOf(op.work));
  op.lateness =
      op.delay_ns > 0 ? kWhenForced : Lateness(machine.seed, *stream, op.index);
  op.tick = CurrentTick();
  op.issued = issued;
  ++machine.pending;
  if (op.work.kind == OpKind::kHostFunction) ++machine.turns.pending_functions;
  machine.time->Enqueued(stream);
  CloseManaged(machine, op);
  const uint64_t index = op.index;
  RunWilling(machine, {stream});
  if (machine.pending > 0) WakeTicker(machine);
  return index;
}

bool Force(Machine& machine, Point point) {
  std::vector<Point> goals = {point};
  std::vector<Stream*> touched;
  bool reached = true;
  while (!goals.empty()) {
    const Point goal = goals.back();
    if (goal.stream->effects >= goal.index) {
      goals.pop_back();
      continue;
    }
    Op& op = *goal.stream->next_effect();
    if (const Point* const missing = FirstMissing(op)) {
      goals.push_back(*missing);
      continue;
    }
    if (op.work.kind == OpKind::kHostFunction) {
      DispatchHostFunction(machine, op);
      reached = false;
      break;
    }
    RunEffect(machine, op);
    touched.push_back(goal.stream);
  }
  if (!touched.empty()) RunWilling(machine, std::move(touched));
  return reached;
}

void ForceAndWait(Machine& machine, std::unique_lock<std::mutex>& lock,
                  Point point) {
  while (!Force(machine, point)) machine.changed.wait(lock);
}

void EffectDone(Machine& machine, Stream* stream) {
  const Op& op = *stream->next_effect();
  if (op.work.watch != 0) AfterEffect(machine, op);
  ++stream->effects;
  --machine.pending;
  stream->Trim();
  RunWilling(machine, {stream});
}

}  // namespace sim
}  // namespace conveyor
