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

#include "testing/sim/machine.h"

#include <cuda_runtime_api.h>
#include <pthread.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "testing/sim/pool.h"
#include "testing/sim/profile.h"
#include "testing/sim/queue.h"
#include "testing/sim/trace.h"
#include "testing/sim/vtime.h"

namespace conveyor {
namespace sim {
namespace {

std::string Environment(const char* name, const char* otherwise) {
  const char* const value = std::getenv(name);
  return value == nullptr || *value == '\0' ? otherwise : value;
}

uint64_t SeedFromEnvironment() {
  const std::string text = Environment("CONVEYOR_SIM_SEED", "1");
  char* end = nullptr;
  const uint64_t seed = std::strtoull(text.c_str(), &end, 0);
  if (*end != '\0') {
    std::fprintf(stderr, "[conveyor] CONVEYOR_SIM_SEED is no number: %s\n",
                 text.c_str());
    std::exit(1);
  }
  return seed;
}

// Traces from the beginning, to a file at the end of the process.
void StartTraceFromEnvironment() {
  if (Environment("CONVEYOR_SIM_TRACE", "").empty()) return;
  TheTrace().Start(0);
  std::atexit([] {
    if (TheMachine().forked) return;  // It is the parent's.
    const std::string path = Environment("CONVEYOR_SIM_TRACE", "");
    Machine& machine = TheMachine();
    std::lock_guard<std::mutex> lock(machine.mutex);
    machine.time->AdvanceTo(std::numeric_limits<double>::infinity());
    if (!WriteFile(path, TraceJson(machine))) {
      std::fprintf(stderr, "[conveyor] cannot write the trace to %s\n",
                   path.c_str());
    }
  });
}

// A child has none of the threads, so nobody else may hold the lock meanwhile.
void HandleForks() {
  pthread_atfork([] { TheMachine().mutex.lock(); },
                 [] { TheMachine().mutex.unlock(); },
                 [] {
                   TheMachine().forked = true;
                   TheMachine().turns.scheduled = false;
                   TheMachine().mutex.unlock();
                 });
}

Machine* MakeMachine() {
  HandleForks();
  auto* const machine = new Machine;
  machine->profile = LoadProfile(Environment("CONVEYOR_SIM_PROFILE", "h200x2"));
  machine->time = std::make_unique<VirtualTime>(machine->profile);
  machine->seed = SeedFromEnvironment();
  const std::string free = Environment("CONVEYOR_SIM_FREE", "");
  machine->free_synchronizes =
      free.empty() ? machine->seed % 2 == 1 : free != "async";
  machine->turns.scheduled =
      Environment("CONVEYOR_SIM_THREADS", "scheduled") != "free";
  machine->devices.resize(static_cast<size_t>(machine->profile.device_count()));
  for (int i = 0; i < machine->profile.device_count(); ++i) {
    Device& device = machine->devices[static_cast<size_t>(i)];
    device.memory_bytes = machine->profile.memory_bytes();
    device.legacy = NewStream(*machine, i, cudaStreamDefault, 0);
    device.legacy->legacy = true;
    Pool pool;
    pool.device = i;
    device.default_pool = machine->pools.Add(
        std::make_unique<std::shared_ptr<Pool>>(std::make_shared<Pool>(pool)));
    device.current_pool = device.default_pool;
  }
  StartTraceFromEnvironment();
  if (std::getenv("CONVEYOR_SIM_QUIET") == nullptr) {
    std::fprintf(stderr,
                 "[conveyor] SIMULATED machine: profile %s, seed %llu\n",
                 machine->profile.name.c_str(),
                 static_cast<unsigned long long>(machine->seed));
  }
  return machine;
}

}  // namespace

std::string TraceJson(const Machine& machine) {
  return TheTrace().Json("profile " + machine.profile.name + ", seed " +
                         std::to_string(machine.seed));
}

Machine& TheMachine() {
  static Machine* const machine = MakeMachine();
  return *machine;
}

uint64_t Mix(uint64_t x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccd;
  x ^= x >> 33;
  x *= 0xc4ceb9fe1a85ec53;
  return x ^ x >> 33;
}

Stream* NewStream(Machine& machine, int device, unsigned flags, int priority) {
  Stream* stream = nullptr;
  if (machine.idle_streams.empty()) {
    stream = new Stream;
  } else {
    stream = machine.idle_streams.back();
    machine.idle_streams.pop_back();
  }
  stream->device = device;
  stream->flags = flags;
  stream->blocking = (flags & cudaStreamNonBlocking) == 0;
  stream->live = true;
  stream->waits_for = nullptr;
  stream->priority = priority;
  stream->id = machine.next_stream_id++;
  stream->number = machine.next_stream_number++;
  stream->first = stream->last;
  machine.devices[static_cast<size_t>(device)].streams.push_back(stream);
  return stream;
}

void ReapStreams(Machine& machine, int device) {
  std::vector<Stream*>& streams =
      machine.devices[static_cast<size_t>(device)].streams;
  for (size_t i = 0; i < streams.size();) {
    Stream* const stream = streams[i];
    if (stream->live || !stream->ops.empty()) {
      ++i;
      continue;
    }
    machine.idle_streams.push_back(stream);
    streams[i] = streams.back();
    streams.pop_back();
  }
}

}  // namespace sim
}  // namespace conveyor
