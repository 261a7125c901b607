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

#include "testing/sim/baton.h"

#include <cuda_runtime_api.h>
#include <dirent.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

#include "testing/sim/machine.h"
#include "testing/sim/queue.h"
#include "testing/sim/scheduler.h"
#include "testing/sim/thread.h"
#include "testing/sim/trace.h"

namespace conveyor {
namespace sim {
namespace {

// Threads whose clocks are so near to each other may go in either order: what
// calls cost is not known any better.
constexpr double kSkewNs = 2000;
// One choice in so many, the operating system takes the processor from a
// thread, for at most so long.
constexpr size_t kPreemptEvery = 512;
constexpr size_t kMaxPreemptNs = 200000;

double ReadyAt(const Thread& thread) {
  switch (thread.state) {
    case ThreadState::kCanRun:
      return std::max(thread.clock, thread.ready_at);
    case ThreadState::kBlocked:
      return std::max(thread.clock, thread.deadline);
    default:
      return kNever;
  }
}

bool IsReached(Point point) {
  return point.stream->effects >= point.index &&
         point.stream->timed >= point.index;
}

// The thread to go on, once virtual time has come to where it is. Null if
// there is none, nor will be.
Thread* Next(Machine& machine) {
  Turns& turns = machine.turns;
  double least = kNever;
  // A step that finds no event may still have completed what takes no time, so
  // there are two before it ends.
  for (int idle = 0; idle < 2;) {
    for (Stream* const stream :
         std::vector<Stream*>(machine.time->due_functions())) {
      Force(machine, {stream, stream->timed + 1});
    }
    least = kNever;
    for (Thread* const thread : turns.threads) {
      if (thread->state == ThreadState::kAtPoint && IsReached(thread->point)) {
        thread->state = ThreadState::kCanRun;
        thread->ready_at = thread->point.stream->timed_at;
      }
      least = std::min(least, ReadyAt(*thread));
    }
    idle = machine.time->Step(least) ? 0 : idle + 1;
  }
  if (least == kNever) return nullptr;
  std::vector<Thread*> near;
  for (Thread* const thread : turns.threads) {
    if (ReadyAt(*thread) <= least + kSkewNs) near.push_back(thread);
  }
  return near[Choose(machine, near.size())];
}

bool AnotherCanRun(const Turns& turns, const Thread& self) {
  return std::any_of(turns.threads.begin(), turns.threads.end(),
                     [&self](const Thread* thread) {
                       return thread != &self &&
                              thread->state == ThreadState::kCanRun;
                     });
}

size_t CountTasks() {
  size_t count = 0;
  DIR* const tasks = opendir("/proc/self/task");
  if (tasks == nullptr) return 0;
  while (const dirent* const entry = readdir(tasks)) {
    if (entry->d_name[0] != '.') ++count;
  }
  closedir(tasks);
  return count;
}

// Whether a thread may yet come that takes no turns. Those that have just left
// them are given the time to end.
bool HasUnknownThreads(const Machine& machine, Lock& lock) {
  for (int i = 0; i < 50; ++i) {
    if (CountTasks() <= machine.turns.threads.size() + machine.own_threads) {
      return false;
    }
    lock.unlock();
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    lock.lock();
  }
  return true;
}

[[noreturn]] void ReportDeadlock(const Machine& machine) {
  std::fprintf(stderr,
               "[conveyor] DEADLOCK: no host thread can go on (profile %s, "
               "seed %llu)\n",
               machine.profile.name.c_str(),
               static_cast<unsigned long long>(machine.seed));
  for (const Thread* const thread : machine.turns.threads) {
    if (thread->in_host_function) {
      std::fprintf(stderr, "[conveyor]   the thread of host functions ");
    } else {
      std::fprintf(stderr, "[conveyor]   host thread %d ", thread->number);
    }
    if (thread->state == ThreadState::kNoWork) {
      std::fprintf(stderr, "has nothing to do\n");
    } else if (thread->state == ThreadState::kAtPoint) {
      const Point& point = thread->point;
      std::fprintf(
          stderr,
          "waits in a call for operation %llu of stream %llu of "
          "device %d, which has completed %llu\n",
          static_cast<unsigned long long>(point.index - point.stream->first),
          static_cast<unsigned long long>(point.stream->id),
          point.stream->device,
          static_cast<unsigned long long>(point.stream->timed -
                                          point.stream->first));
    } else if (thread->waits_for.whose != nullptr) {
      std::fprintf(stderr, "%s host thread %d\n", thread->waits_for.what,
                   thread->waits_for.whose->number);
    } else {
      std::fprintf(stderr, "%s\n", thread->waits_for.what);
    }
  }
  std::abort();
}

// When no thread can go on.
void EndTurns(Machine& machine, Lock& lock) {
  if (!HasUnknownThreads(machine, lock)) ReportDeadlock(machine);
  RunFreely(machine, "a thread of the program's own may be waited for");
}

}  // namespace

void LeaveTurns(Machine& machine, Lock& lock, Thread* thread) {
  Turns& turns = machine.turns;
  thread->state = ThreadState::kNoWork;
  --turns.host_threads;
  if (turns.scheduled) {
    turns.holder = Next(machine);
    if (turns.holder == nullptr) {
      EndTurns(machine, lock);
    } else {
      turns.holder->turn.notify_one();
    }
  }
  turns.threads.erase(
      std::find(turns.threads.begin(), turns.threads.end(), thread));
}

void MayPassBaton(Machine& machine, Lock& lock, Thread& self) {
  Turns& turns = machine.turns;
  ++turns.moves;
  self.idle_yields = 0;
  if (!turns.scheduled || turns.alone()) return;
  if (AnotherCanRun(turns, self) && Choose(machine, kPreemptEvery) == 0) {
    self.clock += static_cast<double>(Choose(machine, kMaxPreemptNs));
  }
  PassBaton(machine, lock, self);
}

void WaitForTurn(Machine& machine, Lock& lock, Thread& self) {
  Turns& turns = machine.turns;
  self.turn.wait(lock,
                 [&] { return turns.holder == &self || !turns.scheduled; });
}

void PassBaton(Machine& machine, Lock& lock, Thread& self) {
  Turns& turns = machine.turns;
  Thread* const next = Next(machine);
  if (next == nullptr) {
    EndTurns(machine, lock);
    return;
  }
  turns.holder = next;
  if (next != &self) {
    next->turn.notify_one();
    WaitForTurn(machine, lock, self);
  }
}

double WaitForPoint(Machine& machine, Lock& lock, Thread& self, Point point) {
  Turns& turns = machine.turns;
  while (turns.scheduled && !turns.alone()) {
    Force(machine, point);
    if (IsReached(point)) return point.stream->timed_at;
    self.point = point;
    self.state = ThreadState::kAtPoint;
    self.ready_at = 0;
    PassBaton(machine, lock, self);
    if (self.state == ThreadState::kCanRun) return self.ready_at;
    self.state = ThreadState::kCanRun;
  }
  ForceAndWait(machine, lock, point);
  // No host function is left before it: its time can be computed.
  machine.time->RunUntil(point);
  return point.stream->timed_at;
}

bool Block(Machine& machine, Lock& lock, Thread& self,
           std::vector<Thread*>* waiters, double deadline, WaitReason reason) {
  Turns& turns = machine.turns;
  waiters->push_back(&self);
  self.woken = false;
  self.deadline = deadline;
  self.waits_for = reason;
  self.state = ThreadState::kBlocked;
  if (turns.scheduled) PassBaton(machine, lock, self);
  if (!turns.scheduled) {
    const auto woken = [&self] { return self.woken; };
    if (deadline == kNever) {
      self.turn.wait(lock, woken);
    } else {
      self.turn.wait_for(
          lock, std::chrono::duration<double, std::nano>(deadline - self.clock),
          woken);
    }
  }
  self.state = ThreadState::kCanRun;
  const double start = self.clock;
  if (self.woken) {
    SetClock(self, self.ready_at);
  } else {
    waiters->erase(std::find(waiters->begin(), waiters->end(), &self));
    self.clock = std::max(self.clock, deadline);
  }
  if (TheTrace().on()) {
    TheTrace().AddCall(reason.what, false, cudaSuccess, start, self.clock);
  }
  return self.woken;
}

void Wake(Machine& machine, std::vector<Thread*>* waiters, size_t which,
          double at) {
  Thread& thread = *(*waiters)[which];
  waiters->erase(waiters->begin() + static_cast<std::ptrdiff_t>(which));
  thread.woken = true;
  thread.state = ThreadState::kCanRun;
  thread.ready_at = at + machine.profile.wake_ns;
  if (!machine.turns.scheduled) thread.turn.notify_one();
}

size_t Choose(Machine& machine, size_t count) {
  if (count == 1) return 0;
  return Mix(Mix(machine.seed) ^ ++machine.turns.choices) % count;
}

}  // namespace sim
}  // namespace conveyor
