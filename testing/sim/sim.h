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
// File: sim.h
// -----------------------------------------------------------------------------
//
// What a test of the simulated machine can see and do, beside the CUDA runtime.
//
//   TEST(CopyTest, FailedEventRecordLeaksNothing) {
//     const int live = sim::LiveHandles();
//     sim::FailNth("cudaEventRecord", cudaErrorUnknown, 2);
//     ...
//     EXPECT_EQ(sim::LiveHandles(), live) << sim::DescribeLiveHandles();
//   }
//
// The environment chooses the machine, before the first call:
//   CONVEYOR_SIM_PROFILE  h200x1, h200x2 (default), h200x4, h200x8, pcie4x2,
//                         wsl2
//   CONVEYOR_SIM_SEED     the order of effects, among those that CUDA allows
//   CONVEYOR_SIM_FREE     sync or async: whether cudaFree waits for the device
//                         (default: by the seed)
//   CONVEYOR_SIM_HAZARDS  fail, warn (default) or off: what is done about work
//                         that lacks an order
//   CONVEYOR_SIM_QUIET    set: no line on standard error
//   CONVEYOR_SIM_TRACE    a file: the whole run, as TraceJson has it, written
//                         when the process exits
//
// All functions are thread-safe.

#ifndef CONVEYOR_TESTING_SIM_SIM_H_
#define CONVEYOR_TESTING_SIM_SIM_H_

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "testing/sim/damage.h"
#include "testing/sim/launch.h"  // HostNowNs
#include "testing/sim/operation.h"
#include "testing/sim/traced.h"

namespace conveyor {
namespace sim {

// Streams, events, graphs, memory pools, allocations and registrations that
// nobody has released.
int LiveHandles();

// One line for each of them.
std::string DescribeLiveHandles();

// From now on, the nth call (1 is the next) of the function of that name, by
// any thread, returns `error` and does nothing else. Kernels launch by
// "cudaLaunchKernel". An error that corrupts a context (such as
// cudaErrorIllegalAddress) stays with the device that is current then.
void FailNth(const std::string& call_name, cudaError_t error, int n);

// From now on, the nth call of the function of that name, by any thread, takes
// `ns` longer by its caller's virtual clock.
void DelayNth(const std::string& call_name, int64_t ns, int n);

// The nth operation of that kind that is enqueued from now on, in any stream,
// takes `ns` > 0 longer in virtual time, and has its effect only when something
// waits for it. An operation in a graph is enqueued when the graph is launched.
void DelayNthOperation(Operation kind, int64_t ns, int n);

// Leaves that much free memory on `device`.
void SetFreeMemory(int device, size_t bytes);

// Leaves that much host memory that can be page-locked: what cudaHostAlloc,
// cudaMallocHost and cudaHostRegister want beyond it, they refuse with
// cudaErrorMemoryAllocation. What is freed and unregistered can be taken again.
void SetFreeHostMemory(size_t bytes);

// The following are faults of links. A link leads one way, from a device or
// the host (cudaCpuDeviceId) to a device or the host, and is passed by copies
// and by what kernels are declared to read and write; a copy between devices
// without peer access passes the links to and from the host. What the runtime
// says of the machine (peer access, attributes) stays as it was. They hold for
// what takes effect from now on.

// What passes the link moves nothing and leaves an error with the device whose
// stream it is in, as CUDA does: cudaErrorNvlinkUncorrectable for NVLink,
// cudaErrorLaunchFailure for PCIe. Every call returns it, from then on, until
// cudaDeviceReset.
void BreakLink(int from, int to);

// The link carries `factor` > 0 times what the profile says: 0.25 is a slot
// that has trained at x4 of x16.
void SlowLink(int from, int to, double factor);

// Of the bytes that an operation moves over the link, every nth unit of so many
// bytes is damaged, and nobody is told: each byte with (1, 1), every second
// page with (4096, 2). Holds for copies and for what kernels are declared to
// write to host memory and to peers, not for what they read, nor for managed
// memory.
void CorruptLink(int from, int to, Damage damage, size_t unit_bytes,
                 size_t every);

// What becomes of what the device `writer` writes directly into the memory of
// the device `owner`: by kernels' declared ranges, and by copies from one to
// the other, in any stream, while peer access is enabled. A copy through the
// host arrives. A mirror covers whole pages of 4 KiB, from the first write on;
// kernels of `writer` and copies back to it see the mirror, all else the
// memory.
void SetPeerWrites(int writer, int owner, PeerWrites writes);

// Takes back all that the functions from FailNth on have asked for. An error
// that a device has stays with it.
void ClearFaults();

// Advances the calling thread's virtual clock, as if it had computed.
void ChargeHostNs(int64_t ns);

// Advances the calling thread's virtual clock to `ns`, if it is behind: for a
// thread that was woken by another, whose clock showed that.
void AdvanceHostToNs(int64_t ns);

// Another order of effects, for what is enqueued from now on. The streams made
// from now on are as the first of a process: the same seed gives them the same
// order again. Whether cudaFree waits stays as it was.
void SetSeed(uint64_t seed);
uint64_t Seed();

// Whether cudaFree waits for the device from now on.
void SetFreeSynchronizes(bool synchronizes);

// The reports of hazards since the last time, as text; empty if there are none.
// They are the caller's then: a process that ends with reports that nobody took
// fails, if CONVEYOR_SIM_HAZARDS is `fail`.
std::string TakeHazards();

std::string ProfileName();

// How many bytes of the pages that hold [address, address + size) of managed
// memory are on `device` (or cudaCpuDeviceId), once all that is enqueued is
// done. What host code touches is not seen: pages begin with the host.
size_t ResidentBytes(const void* address, size_t size, int device);

// From now on, notes every call that returns and every operation that completes
// in virtual time, and forgets what was noted before. Until StopTrace, or the
// end of the process, it grows with all that happens.
void StartTrace();
void StopTrace();

// What was noted since StartTrace; an operation only if it has completed by
// this thread's clock. Calls are in the order in which they returned, and
// operations in that in which they ended.
std::vector<TracedCall> TracedCalls();
std::vector<TracedOperation> TracedOperations();

// The same in the Chrome trace event format, which chrome://tracing and
// Perfetto show: a row for each host thread and for each stream, and arrows
// from event records to the waits for them. Times count from StartTrace;
// threads and streams, from 1 in the order of their first appearance. Where the
// run is reproducible, so is every byte.
std::string TraceJson();

// Writes that to a file. False if it cannot.
bool WriteTrace(const std::string& path);

}  // namespace sim
}  // namespace conveyor

#endif  // CONVEYOR_TESTING_SIM_SIM_H_
