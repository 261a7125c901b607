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

#include "testing/sim/sim.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <string>
#include <vector>

#include "testing/sim/baton.h"
#include "testing/sim/device_memory.h"
#include "testing/sim/disturbed.h"
#include "testing/sim/faults.h"
#include "testing/sim/hazard_reports.h"
#include "testing/sim/machine.h"
#include "testing/sim/managed.h"
#include "testing/sim/registry.h"
#include "testing/sim/trace.h"

namespace conveyor {
namespace sim {

int LiveHandles() {
  Machine& machine = TheMachine();
  std::lock_guard<std::mutex> lock(machine.mutex);
  return static_cast<int>(machine.streams.live() + machine.events.live() +
                          machine.graphs.live() + machine.executables.live() +
                          machine.pools.live() - machine.devices.size() +
                          machine.memory.all().size());
}

std::string DescribeLiveHandles() {
  Machine& machine = TheMachine();
  std::lock_guard<std::mutex> lock(machine.mutex);
  std::string text;
  char line[128];
  machine.streams.ForEach([&](Stream* const& stream) {
    std::snprintf(line, sizeof(line), "stream %llu on device %d\n",
                  static_cast<unsigned long long>(stream->id), stream->device);
    text += line;
  });
  machine.events.ForEach([&](const Event& event) {
    std::snprintf(line, sizeof(line), "event of device %d\n", event.device);
    text += line;
  });
  std::snprintf(line, sizeof(line), "%zu graphs, %zu executable graphs\n",
                machine.graphs.live(), machine.executables.live());
  text += line;
  // A default pool of each device is no one's to release.
  std::snprintf(line, sizeof(line), "%zu memory pools\n",
                machine.pools.live() - machine.devices.size());
  text += line;
  for (const auto& entry : machine.memory.all()) {
    const Allocation& allocation = entry.second;
    std::snprintf(line, sizeof(line), "%zu bytes of %s of device %d at %p\n",
                  allocation.size, NameOf(allocation.kind), allocation.device,
                  static_cast<void*>(allocation.base));
    text += line;
  }
  return text;
}

void FailNth(const std::string& call_name, cudaError_t error, int n) {
  Machine& machine = TheMachine();
  std::lock_guard<std::mutex> lock(machine.mutex);
  TheFaults().Add(call_name, n, {error, 0});
}

void DelayNth(const std::string& call_name, int64_t ns, int n) {
  Machine& machine = TheMachine();
  std::lock_guard<std::mutex> lock(machine.mutex);
  TheFaults().Add(call_name, n, {cudaSuccess, static_cast<double>(ns)});
}

void DelayNthOperation(Operation kind, int64_t ns, int n) {
  Machine& machine = TheMachine();
  std::lock_guard<std::mutex> lock(machine.mutex);
  TheFaults().AddDelay(kind, n, static_cast<double>(ns));
}

void SetFreeHostMemory(size_t bytes) {
  Machine& machine = TheMachine();
  std::lock_guard<std::mutex> lock(machine.mutex);
  const size_t locked = PageLockedBytes(machine);
  machine.page_lock_limit = locked + std::min(bytes, SIZE_MAX - locked);
}

void BreakLink(int from, int to) {
  Machine& machine = TheMachine();
  std::lock_guard<std::mutex> lock(machine.mutex);
  const bool nvlink = machine.profile.nvlink != 0 && from != cudaCpuDeviceId &&
                      to != cudaCpuDeviceId;
  TheFaults().Break({from, to}, nvlink ? cudaErrorNvlinkUncorrectable
                                       : cudaErrorLaunchFailure);
}

void SlowLink(int from, int to, double factor) {
  Machine& machine = TheMachine();
  std::lock_guard<std::mutex> lock(machine.mutex);
  machine.time->SetLinkFactor(from, to, factor);
}

void CorruptLink(int from, int to, Damage damage, size_t unit_bytes,
                 size_t every) {
  Machine& machine = TheMachine();
  std::lock_guard<std::mutex> lock(machine.mutex);
  TheFaults().Corrupt({from, to}, {damage, unit_bytes, every});
}

void SetPeerWrites(int writer, int owner, PeerWrites writes) {
  Machine& machine = TheMachine();
  std::lock_guard<std::mutex> lock(machine.mutex);
  TheFaults().SetPeerWrites({writer, owner}, writes);
}

void ClearFaults() {
  Machine& machine = TheMachine();
  std::lock_guard<std::mutex> lock(machine.mutex);
  TheFaults().Clear();
  ForgetMirrors(machine);
  machine.time->ResetLinkFactors();
  machine.page_lock_limit = SIZE_MAX;
  for (Device& device : machine.devices) {
    device.memory_bytes = machine.profile.memory_bytes();
  }
}

int64_t HostNowNs() {
  Thread& thread = ThisThread();
  if (!thread.in_effect) {
    Machine& machine = TheMachine();
    // Reading a clock takes time: a host that spins on it gets on.
    thread.clock += machine.profile.clock_ns;
    Lock lock(machine.mutex);
    MayPassBaton(machine, lock, thread);
  }
  return static_cast<int64_t>(thread.clock);
}

void ChargeHostNs(int64_t ns) { ThisThread().clock += static_cast<double>(ns); }

void AdvanceHostToNs(int64_t ns) {
  SetClock(ThisThread(), static_cast<double>(ns));
}

void SetSeed(uint64_t seed) {
  Machine& machine = TheMachine();
  std::lock_guard<std::mutex> lock(machine.mutex);
  machine.seed = seed;
  machine.next_stream_number = 0;
  machine.turns.choices = 0;
}

uint64_t Seed() {
  Machine& machine = TheMachine();
  std::lock_guard<std::mutex> lock(machine.mutex);
  return machine.seed;
}

void SetFreeSynchronizes(bool synchronizes) {
  Machine& machine = TheMachine();
  std::lock_guard<std::mutex> lock(machine.mutex);
  machine.free_synchronizes = synchronizes;
}

size_t ResidentBytes(const void* address, size_t size, int device) {
  Machine& machine = TheMachine();
  std::lock_guard<std::mutex> lock(machine.mutex);
  const Allocation* const found = machine.memory.Find(address);
  size_t total = 0;
  if (found == nullptr || found->managed == nullptr) return total;
  found->managed->ForEach(found->OffsetOf(address), size,
                          [&](const PageState& state, size_t bytes) {
                            if ((state.resident & PlaceBit(device)) != 0) {
                              total += bytes;
                            }
                          });
  return total;
}

std::string TakeHazards() {
  Machine& machine = TheMachine();
  std::lock_guard<std::mutex> lock(machine.mutex);
  return TakeReports();
}

std::string ProfileName() { return TheMachine().profile.name; }

void SetFreeMemory(int device, size_t bytes) {
  Machine& machine = TheMachine();
  std::lock_guard<std::mutex> lock(machine.mutex);
  Device& changed = machine.devices.at(static_cast<size_t>(device));
  changed.memory_bytes =
      std::min(machine.profile.memory_bytes(), changed.used_bytes + bytes);
}

void StartTrace() {
  const double now = ThisThread().clock;
  Machine& machine = TheMachine();
  std::lock_guard<std::mutex> lock(machine.mutex);
  // What is complete by now is not of this trace.
  machine.time->AdvanceTo(now);
  TheTrace().Start(now);
}

void StopTrace() {
  const double now = ThisThread().clock;
  Machine& machine = TheMachine();
  std::lock_guard<std::mutex> lock(machine.mutex);
  machine.time->AdvanceTo(now);
  TheTrace().Stop();
}

std::vector<TracedCall> TracedCalls() {
  Machine& machine = TheMachine();
  std::lock_guard<std::mutex> lock(machine.mutex);
  return TheTrace().Calls();
}

std::vector<TracedOperation> TracedOperations() {
  const double now = ThisThread().clock;
  Machine& machine = TheMachine();
  std::lock_guard<std::mutex> lock(machine.mutex);
  if (TheTrace().on()) machine.time->AdvanceTo(now);
  return TheTrace().Operations();
}

std::string TraceJson() {
  const double now = ThisThread().clock;
  Machine& machine = TheMachine();
  std::lock_guard<std::mutex> lock(machine.mutex);
  if (TheTrace().on()) machine.time->AdvanceTo(now);
  return TraceJson(machine);
}

bool WriteTrace(const std::string& path) {
  return WriteFile(path, TraceJson());
}

}  // namespace sim
}  // namespace conveyor
