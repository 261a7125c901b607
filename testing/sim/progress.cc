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

#include "testing/sim/machine.h"
#include "testing/sim/queue.h"
#include "testing/sim/scheduler.h"

namespace conveyor {
namespace sim {
namespace {

constexpr std::chrono::milliseconds kTick(1);
// Old enough that an ordinary run, which synchronizes sooner, never meets the
// ticker: where it interferes, the order of effects is no longer the seed's.
constexpr uint32_t kOverdueTicks = 20;

std::atomic<uint32_t> g_tick{0};

// Never destroyed, as the machine.
struct Threads {
  std::condition_variable ticker_wake;
  bool ticker_running = false;
  bool ticker_asleep = false;
  std::condition_variable functions_wake;
  bool functions_running = false;
  std::deque<Op*> functions;
};

Threads& TheThreads() {
  static auto* const threads = new Threads;
  return *threads;
}

void RunHostFunctions() {
  Machine& machine = TheMachine();
  Threads& threads = TheThreads();
  Thread& self = ThisThread();
  self.in_host_function = true;
  std::unique_lock<std::mutex> lock(machine.mutex);
  while (true) {
    threads.functions_wake.wait(lock,
                                [&] { return !threads.functions.empty(); });
    Op& op = *threads.functions.front();
    threads.functions.pop_front();
    self.clock = std::max(machine.time->now(), op.issued);
    self.set_to = 0;
    const double before = self.clock;
    lock.unlock();
    op.work.function(op.work.data);
    lock.lock();
    op.returned = true;
    op.not_before = self.set_to;
    op.function_ns = self.clock - std::max(before, self.set_to);
    machine.time->FunctionReturned(op.stream);
    EffectDone(machine, op.stream);
    machine.changed.notify_all();
  }
}

void Tick() {
  Machine& machine = TheMachine();
  Threads& threads = TheThreads();
  ThisThread();  // Takes the lock when it is made.
  std::unique_lock<std::mutex> lock(machine.mutex);
  while (true) {
    while (machine.pending == 0) {
      threads.ticker_asleep = true;
      threads.ticker_wake.wait(lock);
    }
    threads.ticker_asleep = false;
    lock.unlock();
    std::this_thread::sleep_for(kTick);
    lock.lock();
    const uint32_t now = ++g_tick;
    for (Device& device : machine.devices) {
      for (size_t i = 0; i < device.streams.size(); ++i) {
        Stream* const stream = device.streams[i];
        const Op* op = stream->next_effect();
        while (op != nullptr && now - op->tick > kOverdueTicks &&
               Force(machine, {stream, op->index})) {
          op = stream->next_effect();
        }
      }
    }
    machine.changed.notify_all();
  }
}

}  // namespace

void DispatchHostFunction(Machine&, Op& op) {
  if (op.dispatched) return;
  op.dispatched = true;
  Threads& threads = TheThreads();
  threads.functions.push_back(&op);
  if (!threads.functions_running) {
    threads.functions_running = true;
    std::thread(RunHostFunctions).detach();
  }
  threads.functions_wake.notify_one();
}

uint32_t CurrentTick() { return g_tick.load(std::memory_order_relaxed); }

void WakeTicker(Machine&) {
  Threads& threads = TheThreads();
  if (!threads.ticker_running) {
    threads.ticker_running = true;
    std::thread(Tick).detach();
  } else if (threads.ticker_asleep) {
    threads.ticker_wake.notify_one();
  }
}

}  // namespace sim
}  // namespace conveyor
