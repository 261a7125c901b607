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

#include "testing/sim/progress.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "testing/sim/baton.h"
#include "testing/sim/fibers.h"
#include "testing/sim/hazards.h"
#include "testing/sim/machine.h"
#include "testing/sim/managed_guard.h"
#include "testing/sim/queue.h"
#include "testing/sim/scheduler.h"
#include "testing/sim/thread.h"

namespace conveyor {
namespace sim {
namespace {

constexpr std::chrono::milliseconds kTick(1);
// Old enough that an ordinary run, which synchronizes sooner, never meets the
// ticker: where it interferes, the order of effects is no longer the seed's.
constexpr uint32_t kOverdueTicks = 20;
// The same for a thread that makes no call while others wait for their turn.
constexpr uint32_t kStuckTicks = 300;

std::atomic<uint32_t> g_tick{0};

// Never destroyed, as the machine.
struct Threads {
  std::condition_variable ticker_wake;
  bool ticker_running = false;
  bool ticker_asleep = false;
  Thread* runs_functions = nullptr;
  std::deque<Op*> functions;
};

Threads& TheThreads() {
  static auto* const threads = new Threads;
  return *threads;
}

// Whether virtual time has come to it.
bool IsDue(const Op& op) {
  return op.stream->time_state == StreamTime::kFunction &&
         op.index == op.stream->timed + 1;
}

void RunHostFunction(Machine& machine, Lock& lock, Thread& self, Op& op) {
  const bool due = IsDue(op);
  const double called_ns = machine.profile.host_function_ns;
  // A function starts when the one before it has returned.
  self.clock = due ? std::max(self.clock, op.not_before + called_ns)
                   : std::max(machine.time->now(), op.issued);
  self.set_to = 0;
  const double before = self.clock;
  HostFunctionStarts(machine, op);
  lock.unlock();
  CallOnFiber(op);
  lock.lock();
  TakeManagedBack(machine);
  op.returned = true;
  if (due) {
    op.not_before = self.clock;
  } else {
    op.not_before = self.set_to;
    op.function_ns = called_ns + self.clock - std::max(before, self.set_to);
  }
  --machine.turns.pending_functions;
  machine.time->FunctionReturned(op.stream);
  EffectDone(machine, op.stream);
  if (machine.turns.scheduled) {
    for (Thread* const thread : machine.turns.threads) {
      if (thread->state == ThreadState::kAtPoint) Force(machine, thread->point);
    }
  }
  machine.changed.notify_all();
}

void RunHostFunctions(Thread* self) {
  const Quiet quiet;
  FiberThread();
  Machine& machine = TheMachine();
  Threads& threads = TheThreads();
  SetThisThread(self);
  LendManagedToThisThread();
  Lock lock(machine.mutex);
  WaitForTurn(machine, lock, *self);
  while (true) {
    if (!machine.turns.scheduled) {
      self->turn.wait(lock, [&] { return !threads.functions.empty(); });
    } else if (threads.functions.empty()) {
      self->state = ThreadState::kNoWork;
      PassBaton(machine, lock, *self);
      continue;
    }
    Op& op = *threads.functions.front();
    threads.functions.pop_front();
    RunHostFunction(machine, lock, *self, op);
    MayPassBaton(machine, lock, *self);
  }
}

void ForceOverdue(Machine& machine, uint32_t overdue_ticks) {
  for (Device& device : machine.devices) {
    for (size_t i = 0; i < device.streams.size(); ++i) {
      Stream* const stream = device.streams[i];
      const Op* op = stream->next_effect();
      while (op != nullptr && CurrentTick() - op->tick > overdue_ticks &&
             Force(machine, {stream, op->index})) {
        op = stream->next_effect();
      }
    }
  }
}

// The holder of the baton has made no call for long. It may wait for something
// that only another thread can do, or for an effect.
void HandleStuckHolder(Machine& machine) {
  if (machine.turns.alone()) {
    ForceOverdue(machine, 0);
  } else {
    RunFreely(machine, "a thread made no call while others waited");
  }
}

void Tick() {
  const Quiet quiet;
  Machine& machine = TheMachine();
  Threads& threads = TheThreads();
  SetThisThread(new Thread);  // It runs kernels, and takes no turns.
  Lock lock(machine.mutex);
  uint64_t moves = 0;
  uint32_t stuck = 0;
  while (true) {
    while (machine.pending == 0 &&
           (!machine.turns.scheduled || machine.turns.alone())) {
      threads.ticker_asleep = true;
      threads.ticker_wake.wait(lock);
    }
    threads.ticker_asleep = false;
    lock.unlock();
    std::this_thread::sleep_for(kTick);
    lock.lock();
    ++g_tick;
    if (!machine.turns.scheduled) {
      ForceOverdue(machine, kOverdueTicks);
      machine.changed.notify_all();
    } else if (moves != machine.turns.moves) {
      moves = machine.turns.moves;
      stuck = 0;
    } else if (++stuck > kStuckTicks) {
      HandleStuckHolder(machine);
      stuck = 0;
    }
  }
}

}  // namespace

void DispatchHostFunction(Machine& machine, Op& op) {
  // Where threads take turns, not before its time: no thread is then ahead.
  if (op.dispatched || (machine.turns.scheduled && !IsDue(op))) return;
  op.dispatched = true;
  Threads& threads = TheThreads();
  threads.functions.push_back(&op);
  Thread*& thread = threads.runs_functions;
  if (thread == nullptr) {
    thread = new Thread;
    thread->in_host_function = true;
    thread->state = ThreadState::kNoWork;
    JoinTurns(machine, thread);
    std::thread(RunHostFunctions, thread).detach();
  }
  if (thread->state == ThreadState::kNoWork) {
    thread->state = ThreadState::kCanRun;
    thread->ready_at = op.not_before;
  }
  if (!machine.turns.scheduled) thread->turn.notify_one();
}

uint32_t CurrentTick() { return g_tick.load(std::memory_order_relaxed); }

void WakeTicker(Machine& machine) {
  Threads& threads = TheThreads();
  if (!threads.ticker_running) {
    threads.ticker_running = true;
    ++machine.own_threads;
    std::thread(Tick).detach();
  } else if (threads.ticker_asleep) {
    threads.ticker_wake.notify_one();
  }
}

}  // namespace sim
}  // namespace conveyor
