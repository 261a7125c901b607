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
// File: fibers.h
// -----------------------------------------------------------------------------
//
// In a program built with thread sanitizer every stream is a fiber to it, a
// thread that it knows. What operations do to memory happens there; enqueueing,
// events, waits and host functions are the edges. So it finds what races, among
// operations and between them and the host, and understands the host's own
// locks and atomics.
//
// This folder's own files are compiled without the sanitizer, and what they do
// is kept from it: no lock, no memory of theirs makes an edge or a report.
//
// Without thread sanitizer all of this does nothing.

#ifndef CONVEYOR_TESTING_SIM_FIBERS_H_
#define CONVEYOR_TESTING_SIM_FIBERS_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "testing/sim/call_site.h"
#include "testing/sim/queue.h"

namespace conveyor {
namespace sim {

struct Machine;

// Whether thread sanitizer is in the process, and CONVEYOR_SIM_FIBERS is not
// `off`.
bool HasFibers();

// While it lives, what the calling thread does is the simulator's own business.
class Quiet {
 public:
  Quiet();
  ~Quiet();
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;
};

// The calling thread is going to run host functions: what they have in common
// by that, its stack and its thread-local memory, is no race.
void FiberThread();

// All but CallOnFiber under the machine's lock, and quiet.

// `work` becomes the next operation of `stream`, after the host's calls so far.
// `local` is in a frame of the runtime's.
void FiberEnqueue(Machine& machine, Stream* stream, Work* work,
                  const void* local);
// The operations that come before `op` have happened; it happens, but for a
// kernel's body, and then what follows it may.
void FiberBegin(Machine& machine, const Op& op);
void FiberEnd(const Op& op);
// Runs a kernel's body as a part of `op`.
void RunOnFiber(const Op& op, const std::function<void()>& body);

// Calls the host function of `op`, between FiberBegin and FiberEnd.
void CallOnFiber(const Op& op);

// What `stream` is given from now on comes after the event.
void FiberWaitsFor(Stream* stream, const EventRecord& record);
// Makes `record` stand for what `stream` has been given.
void FiberMark(Stream* stream, EventRecord* record);

// The calling thread knows that the stream has got so far, the event has
// happened, or all streams that the device had are done.
void FiberLearn(Machine& machine, Stream* stream);
void FiberLearn(const EventRecord& record);
void FiberLearnDevice(Machine& machine, int device);

// `stream` is about to be forgotten.
void FiberEnds(Machine& machine, Stream* stream);

// The calling thread reads, or frees, memory of the program's.
void FiberHostReads(const void* memory, size_t pitch, size_t width,
                    size_t height);
void FiberHostFrees(const void* memory, size_t size);

}  // namespace sim
}  // namespace conveyor

#endif  // CONVEYOR_TESTING_SIM_FIBERS_H_
