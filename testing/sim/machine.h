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
// File: machine.h
// -----------------------------------------------------------------------------
//
// The state of the simulated machine, and the lock that guards all of it.

#ifndef CONVEYOR_TESTING_SIM_MACHINE_H_
#define CONVEYOR_TESTING_SIM_MACHINE_H_

#include <cuda_runtime_api.h>

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "testing/sim/graph.h"
#include "testing/sim/handles.h"
#include "testing/sim/pool.h"
#include "testing/sim/profile.h"
#include "testing/sim/queue.h"
#include "testing/sim/registry.h"
#include "testing/sim/thread.h"
#include "testing/sim/vtime.h"

namespace conveyor {
namespace sim {

struct Device {
  Stream* legacy = nullptr;
  // Live ones, and destroyed ones that have work left.
  std::vector<Stream*> streams;
  size_t used_bytes = 0;
  size_t memory_bytes = 0;
  // A corrupting error: every thread gets it from every call.
  cudaError_t error = cudaSuccess;
  std::set<int> peers;  // Whose memory it may use.
  cudaMemPool_t default_pool = nullptr;
  cudaMemPool_t current_pool = nullptr;  // Of cudaMallocAsync.
};

struct Machine {
  std::mutex mutex;
  // Told when an effect of another thread's is complete.
  std::condition_variable changed;

  Profile profile;
  std::unique_ptr<VirtualTime> time;
  uint64_t seed = 0;
  bool free_synchronizes = true;
  std::vector<Device> devices;
  Registry memory;
  HandleTable<cudaStream_t, Stream*> streams{1};
  HandleTable<cudaEvent_t, Event> events{2};
  HandleTable<cudaGraph_t, Graph> graphs{3};
  HandleTable<cudaGraphExec_t, ExecutableGraph> executables{4};
  HandleTable<cudaMemPool_t, std::shared_ptr<Pool>> pools{5};
  std::vector<std::shared_ptr<Capture>> captures;
  uint64_t next_capture_id = 1;
  std::vector<Stream*> idle_streams;
  uint64_t next_stream_id = 1;
  uint64_t next_stream_number = 0;
  // How much host memory can be page-locked.
  size_t page_lock_limit = SIZE_MAX;
  // Operations without effect.
  size_t pending = 0;
  // The latest clock of any thread: where a new thread's begins.
  double latest_clock = 0;

  Turns turns;
  size_t own_threads = 0;  // That take no turns.
  // Whether this process is the child of one that has used the machine: as with
  // CUDA, it cannot.
  bool forked = false;
};

// Made at first use, from the environment, and never destroyed: threads may
// still run while the process exits.
Machine& TheMachine();

// A hash, for choices by the seed.
uint64_t Mix(uint64_t x);

// A stream for work of `device`, not in any table.
Stream* NewStream(Machine& machine, int device, unsigned flags, int priority);

// The trace so far, in its written form.
std::string TraceJson(const Machine& machine);

// Takes destroyed streams that have nothing left to do from the device.
void ReapStreams(Machine& machine, int device);

}  // namespace sim
}  // namespace conveyor

#endif  // CONVEYOR_TESTING_SIM_MACHINE_H_
