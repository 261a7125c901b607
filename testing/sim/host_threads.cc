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

#include "testing/sim/host_threads.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "testing/sim/baton.h"
#include "testing/sim/machine.h"
#include "testing/sim/progress.h"
#include "testing/sim/queue.h"
#include "testing/sim/scheduler.h"
#include "testing/sim/thread.h"
#include "testing/sim/trace.h"
#include "testing/sim/untouched.h"

namespace conveyor {
namespace sim {
namespace {

// What these cost on the hosts that the profiles describe.
constexpr double kMutexNs = 20;
constexpr double kThreadStartNs = 15000;
// A thread that polls looks less and less often.
constexpr double kYieldNs = 50;
constexpr int kMaxYieldDoublings = 7;
// Polled so often, a flag is seen whatever order the seed would have.
constexpr int kYieldsUntilProgress = 64;

// The calling thread, where another may go on before it does.
struct Turn {
  Turn() : machine(TheMachine()), self(ThisThread()), lock(machine.mutex) {
    MayPassBaton(machine, lock, self);
  }

  Machine& machine;
  Thread& self;
  Lock lock;
};

void ForceWhatIsOver(Machine& machine) {
  for (Device& device : machine.devices) {
    for (size_t i = 0; i < device.streams.size(); ++i) {
      Stream* const stream = device.streams[i];
      if (stream->timed > stream->effects) {
        Force(machine, {stream, stream->timed});
      }
    }
  }
}

// Every thread finds the pages that it is the first to touch by itself. Those
// of page-locked memory have been found.
double FirstTouchNs(Machine& machine, const void* address, size_t num_bytes) {
  if (machine.memory.Find(address) != nullptr ||
      !IsUntouched(address, num_bytes)) {
    return 0;
  }
  return static_cast<double>(num_bytes) / machine.profile.first_touch_gb_per_s;
}

// In virtual time alone.
Point StartHostCopy(Machine& machine, Thread& self, size_t num_bytes) {
  if (self.copies == nullptr) self.copies = new Stream;
  Stream* const stream = self.copies;
  stream->ops.emplace_back();
  Op& op = stream->ops.back();
  op.work.kind = OpKind::kHostCopy;
  op.work.transfers = {{Path::kHostCopy, 0, 0, static_cast<double>(num_bytes)}};
  op.stream = stream;
  op.index = ++stream->last;
  op.issued = self.clock;
  stream->effects = stream->last;
  machine.time->Enqueued(stream);
  return {stream, op.index};
}

}  // namespace

void HostMutex::lock() {
  Turn turn;
  turn.self.clock += kMutexNs;
  while (holder_ != nullptr) {
    Block(turn.machine, turn.lock, turn.self, &waiters_, kNever,
          {"waits for the mutex of", holder_});
  }
  holder_ = &turn.self;
  SetClock(turn.self, released_at_);
}

void HostMutex::unlock() {
  Machine& machine = TheMachine();
  const sim::Lock lock(machine.mutex);
  Release(machine);
}

void HostMutex::Release(Machine& machine) {
  released_at_ = holder_->clock;
  holder_ = nullptr;
  while (!waiters_.empty()) Wake(machine, &waiters_, 0, released_at_);
}

bool HostCondVar::WaitUntil(HostMutex* mutex, double deadline) {
  bool woken = false;
  {
    Machine& machine = TheMachine();
    sim::Lock lock(machine.mutex);
    mutex->Release(machine);
    woken = Block(machine, lock, ThisThread(), &waiters_, deadline,
                  {"waits for a condition", nullptr});
  }
  mutex->lock();
  return woken;
}

void HostCondVar::Wait(HostMutex* mutex) { WaitUntil(mutex, kNever); }

bool HostCondVar::WaitUntil(HostMutex* mutex, int64_t deadline_ns) {
  return WaitUntil(mutex, static_cast<double>(deadline_ns));
}

void HostCondVar::NotifyOne() {
  Turn turn;
  Machine& machine = turn.machine;
  // At least one, as everywhere.
  for (size_t n = Choose(machine, 8) == 0 ? 2 : 1; n > 0 && !waiters_.empty();
       --n) {
    Wake(machine, &waiters_, Choose(machine, waiters_.size()), turn.self.clock);
  }
}

void HostCondVar::NotifyAll() {
  Turn turn;
  while (!waiters_.empty()) {
    Wake(turn.machine, &waiters_, 0, turn.self.clock);
  }
}

struct HostThread::State {
  std::function<void()> body;
  Thread thread;
  bool ended = false;
  std::vector<Thread*> joiners;
  std::thread real;
};

HostThread::HostThread(std::function<void()> body)
    : state_(std::make_shared<State>()) {
  Turn turn;
  turn.self.clock += kThreadStartNs;
  state_->body = std::move(body);
  state_->thread.clock = turn.self.clock;
  JoinTurns(turn.machine, &state_->thread);
  WakeTicker(turn.machine);
  state_->real = std::thread(&HostThread::Run, state_.get());
}

void HostThread::Run(State* state) {
  Machine& machine = TheMachine();
  Thread& self = state->thread;
  SetThisThread(&self);
  {
    Lock lock(machine.mutex);
    WaitForTurn(machine, lock, self);
  }
  state->body();
  Lock lock(machine.mutex);
  state->ended = true;
  while (!state->joiners.empty()) {
    Wake(machine, &state->joiners, 0, self.clock);
  }
  LeaveTurns(machine, lock, &self);
}

void HostThread::Join() {
  if (state_ == nullptr) return;
  {
    Turn turn;
    while (!state_->ended) {
      Block(turn.machine, turn.lock, turn.self, &state_->joiners, kNever,
            {"waits for the end of", &state_->thread});
    }
    SetClock(turn.self, state_->thread.clock);
  }
  state_->real.join();
  state_ = nullptr;
}

int HostCores() { return static_cast<int>(TheMachine().profile.host_cores); }

void HostYield() {
  Thread& self = ThisThread();
  const int yields = std::min(self.idle_yields + 1, kYieldsUntilProgress);
  self.clock += kYieldNs * (1 << std::min(yields - 1, kMaxYieldDoublings));
  Turn turn;
  if (yields == kYieldsUntilProgress) ForceWhatIsOver(turn.machine);
  self.idle_yields = yields;
  if (!turn.machine.turns.scheduled) {
    turn.lock.unlock();
    std::this_thread::yield();
  }
}

void HostSleepUntil(int64_t time_ns) {
  Turn turn;
  std::vector<Thread*> none;
  if (turn.self.clock < static_cast<double>(time_ns)) {
    Block(turn.machine, turn.lock, turn.self, &none,
          static_cast<double>(time_ns), {"sleeps", nullptr});
  }
}

void HostAdvanceTo(int64_t time_ns) {
  SetClock(ThisThread(), static_cast<double>(time_ns));
}

void HostTouch(const void* address, size_t num_bytes) {
  Turn turn;
  turn.self.clock += FirstTouchNs(turn.machine, address, num_bytes);
}

void HostCopy(void* dst, const void* src, size_t num_bytes) {
  if (num_bytes == 0) return;
  Turn turn;
  Machine& machine = turn.machine;
  turn.self.clock += FirstTouchNs(machine, dst, num_bytes);
  // Its bytes are there at some time between its begin and its end.
  const bool early = Choose(machine, 2) == 0;
  if (early) std::memcpy(dst, src, num_bytes);
  const Point end = StartHostCopy(machine, turn.self, num_bytes);
  const double start = turn.self.clock;
  SetClock(turn.self, WaitForPoint(machine, turn.lock, turn.self, end));
  if (TheTrace().on()) {
    TheTrace().AddCall("HostCopy", false, cudaSuccess, start, turn.self.clock);
  }
  turn.lock.unlock();
  if (!early) std::memcpy(dst, src, num_bytes);
}

}  // namespace sim
}  // namespace conveyor
