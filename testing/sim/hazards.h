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
// File: hazards.h
// -----------------------------------------------------------------------------
//
// Finds mistakes in the order of work while the program runs: operations on the
// same bytes that nothing orders, sources changed too early, memory freed too
// early. What the host's own order could explain is never reported: an
// operation that the host knows to be complete, or could know, comes before all
// that is enqueued from then on. It knows so by having waited, by a query that
// succeeded, by a host function that ran later, and by an operation that wrote,
// itself or after it, memory that the host can see.
//
// Where memory is not declared (a kernel's undeclared ranges, pageable memory,
// what host code touches) nothing is found.

#ifndef CONVEYOR_TESTING_SIM_HAZARDS_H_
#define CONVEYOR_TESTING_SIM_HAZARDS_H_

#include <cstdint>

#include "testing/sim/machine.h"
#include "testing/sim/queue.h"
#include "testing/sim/registry.h"

namespace conveyor {
namespace sim {

// A call of the runtime under way.
struct Caller {
  const char* call;
  const void* local;  // In a frame of the runtime's, below the program's.
};

// All under the machine's lock; all do nothing if nothing is looked for. In
// programs with thread sanitizer they tell it the same.

// Called before `work` becomes the next operation of `stream`, and when it has.
void BeforeEnqueue(Machine& machine, Stream* stream, Work* work,
                   const Caller& caller);
void AfterEnqueue(Machine& machine, Stream* stream, uint64_t index);

// Called before `work` is added to the capture of `stream`.
void BeforeCapture(const Stream& stream, Work* work, const Caller& caller);

// Called before and after the effect of an operation whose `watch` is set.
void BeforeEffect(Machine& machine, const Op& op);
void AfterEffect(Machine& machine, const Op& op);
// Called before a host function is called.
void HostFunctionStarts(Machine& machine, const Op& op);

// Makes `record` stand for what `stream` has been given.
void MarkOrder(Stream* stream, EventRecord* record);
// What is enqueued from now on in `stream` waits for the event.
void WaitsFor(Stream* stream, const EventRecord& record);
// The same for an event that was never recorded.
void WaitsForNothing(Stream* stream, const Caller& caller);

// The host has waited for it, or asked with success.
void Learn(Machine& machine, Point point);
void Learn(const EventRecord& record);
void LearnDevice(Machine& machine, int device);

// Called before `stream` is forgotten.
void StreamEnds(Machine& machine, Stream* stream);

// Called before `allocation` is freed, and before anything is waited for.
void HostFrees(const Allocation& allocation, const Caller& caller);
// Called when `allocation` has been made in the order of `stream`.
void AllocatedIn(Stream* stream, Allocation* allocation, const Caller& caller);

}  // namespace sim
}  // namespace conveyor

#endif  // CONVEYOR_TESTING_SIM_HAZARDS_H_
