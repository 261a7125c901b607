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

#include "testing/sim/managed_guard.h"

#include <cuda_runtime_api.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <mutex>

#include "testing/sim/machine.h"
#include "testing/sim/queue.h"
#include "testing/sim/registry.h"

namespace conveyor {
namespace sim {
namespace {

// Guarded by the machine's lock, but for what a fault reads first.
struct Guard {
  std::atomic<bool> closed{false};
  bool lent = false;  // To a host function; closed all the same.
  bool has_handler = false;
  struct sigaction previous = {};
  // The kernel that was launched last.
  uint64_t stream = 0;
  uint64_t position = 0;
};

Guard& TheGuard() {
  static auto* const guard = new Guard;
  return *guard;
}

thread_local bool t_runs_host_functions = false;

void Protect(Machine& machine, int protection) {
  for (const auto& entry : machine.memory.all()) {
    const Allocation& allocation = entry.second;
    if (allocation.kind != MemoryKind::kManaged ||
        allocation.flags == cudaMemAttachHost) {
      continue;
    }
    // All pages but the last one, which nobody may touch anyway.
    mprotect(allocation.mapping,
             allocation.mapping_size - static_cast<size_t>(getpagesize()),
             protection);
  }
}

// Whether a kernel lacks its effect or its time.
bool IsKernelLeft(Machine& machine, const Op** left) {
  for (Device& device : machine.devices) {
    for (Stream* const stream : device.streams) {
      for (const Op& op : stream->ops) {
        if (op.work.kind == OpKind::kKernel &&
            (op.index > stream->effects || op.index > stream->timed)) {
          *left = &op;
          return true;
        }
      }
    }
  }
  return false;
}

// In a signal handler: no allocation, no stdio stream.
void Report(Machine& machine, const void* address,
            const Allocation& allocation) {
  const Guard& guard = TheGuard();
  uint64_t stream = guard.stream;
  uint64_t position = guard.position;
  const char* state =
      "has been launched, and nothing has waited for the device since";
  const Op* left = nullptr;
  if (IsKernelLeft(machine, &left)) {
    stream = left->stream->id;
    position = left->index - left->stream->first;
    state = "may be running";
  }
  char text[768];
  const int size = std::snprintf(
      text, sizeof(text),
      "[conveyor] The host touches managed memory at %p, byte %zu of a block "
      "of "
      "%zu bytes at %p, while a kernel %s: operation %llu of stream %llu. This "
      "machine has no concurrent managed access "
      "(cudaDevAttrConcurrentManagedAccess is 0): no managed memory is the "
      "host's, whether the kernel uses it or not. Synchronise the device first "
      "(cudaDeviceSynchronize).\n",
      address, allocation.OffsetOf(address), allocation.size,
      static_cast<void*>(allocation.base), state,
      static_cast<unsigned long long>(position),
      static_cast<unsigned long long>(stream));
  if (write(STDERR_FILENO, text, static_cast<size_t>(size)) < 0) return;
}

// The faulting thread holds the lock only if the runtime itself was given an
// address in managed memory to write to: then there is no report.
bool LockFromHandler(std::mutex* mutex) {
  for (int i = 0; i < 1000; ++i) {
    if (mutex->try_lock()) return true;
    usleep(1000);
  }
  return false;
}

// What the process did with such a signal before: when this returns, the access
// is tried again.
void RestorePrevious() { sigaction(SIGSEGV, &TheGuard().previous, nullptr); }

void OnFault(int, siginfo_t* info, void*) {
  Machine& machine = TheMachine();
  Guard& guard = TheGuard();
  if (!LockFromHandler(&machine.mutex)) {
    RestorePrevious();
    return;
  }
  const Allocation* const found = machine.memory.Find(info->si_addr);
  if (found == nullptr || found->kind != MemoryKind::kManaged) {
    RestorePrevious();
  } else if (t_runs_host_functions) {
    Protect(machine, PROT_READ | PROT_WRITE);
    guard.lent = true;
  } else if (guard.closed && !guard.lent) {
    Report(machine, info->si_addr, *found);
    RestorePrevious();
  }
  // Else another thread has waited for the device meanwhile.
  machine.mutex.unlock();
}

void InstallHandler() {
  Guard& guard = TheGuard();
  if (guard.has_handler) return;
  guard.has_handler = true;
  struct sigaction action = {};
  action.sa_sigaction = OnFault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  sigaction(SIGSEGV, &action, &guard.previous);
}

}  // namespace

void CloseManaged(Machine& machine, const Op& op) {
  if (machine.profile.concurrent_managed != 0 ||
      op.work.kind != OpKind::kKernel) {
    return;
  }
  Guard& guard = TheGuard();
  guard.stream = op.stream->id;
  guard.position = op.index - op.stream->first;
  InstallHandler();
  // Again for each kernel: there may be new memory.
  guard.closed = true;
  if (!guard.lent) Protect(machine, PROT_NONE);
}

void OpenManagedIfIdle(Machine& machine, double clock) {
  Guard& guard = TheGuard();
  if (!guard.closed) return;
  machine.time->AdvanceTo(clock);
  const Op* left = nullptr;
  if (IsKernelLeft(machine, &left)) return;
  guard.closed = false;
  Protect(machine, PROT_READ | PROT_WRITE);
}

ManagedWindow::ManagedWindow(Machine& machine)
    : machine_(machine), opened_(TheGuard().closed && !TheGuard().lent) {
  if (opened_) Protect(machine_, PROT_READ | PROT_WRITE);
}

ManagedWindow::~ManagedWindow() {
  if (opened_) Protect(machine_, PROT_NONE);
}

void LendManagedToThisThread() { t_runs_host_functions = true; }

void TakeManagedBack(Machine& machine) {
  Guard& guard = TheGuard();
  if (!guard.lent) return;
  guard.lent = false;
  if (guard.closed) Protect(machine, PROT_NONE);
}

}  // namespace sim
}  // namespace conveyor
