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
// File: managed_guard.h
// -----------------------------------------------------------------------------
//
// Where host and devices may not use managed memory at once: from the launch of
// a kernel until the host has waited for all kernels, the host has no access to
// any managed memory (but what was made with cudaMemAttachHost), whether a
// kernel uses it or not. An access ends the process with a segmentation fault,
// as it does there, after a report of what it was.
//
// Does nothing on machines with concurrent managed access.

#ifndef CONVEYOR_TESTING_SIM_MANAGED_GUARD_H_
#define CONVEYOR_TESTING_SIM_MANAGED_GUARD_H_

#include "testing/sim/machine.h"
#include "testing/sim/queue.h"

namespace conveyor {
namespace sim {

// All under the machine's lock.

// Takes managed memory from the host if `op`, which has been enqueued, is a
// kernel.
void CloseManaged(Machine& machine, const Op& op);

// Called when a thread, whose clock that is, has waited for something or has
// found it complete: gives managed memory back if no kernel is left.
void OpenManagedIfIdle(Machine& machine, double clock);

// Lets the simulator itself at managed memory while it lives.
class ManagedWindow {
 public:
  explicit ManagedWindow(Machine& machine);
  ~ManagedWindow();
  ManagedWindow(const ManagedWindow&) = delete;
  ManagedWindow& operator=(const ManagedWindow&) = delete;

 private:
  Machine& machine_;
  const bool opened_;
};

// The calling thread runs host functions: what it touches, it is lent. CUDA
// allows that while no kernel runs beside the function, which is not checked.
void LendManagedToThisThread();
// Takes back what the function that has returned was lent.
void TakeManagedBack(Machine& machine);

}  // namespace sim
}  // namespace conveyor

#endif  // CONVEYOR_TESTING_SIM_MANAGED_GUARD_H_
