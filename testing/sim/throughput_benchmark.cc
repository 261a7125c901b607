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

// How many operations a second the simulated machine does, in real time on one
// core, and how much memory it takes for what is alive.
//
//   bazelw run -c opt //testing/sim:throughput_benchmark

#include <cuda_runtime.h>
#include <malloc.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

#include "benchmark/benchmark.h"
#include "testing/sim/memory_range.h"
#include "testing/sim/sim.h"

namespace conveyor {
namespace sim {
namespace {

constexpr size_t kCopyBytes = 4096;
constexpr int kOperations = 1000;  // Of one round.
constexpr size_t kLongBytes = size_t{1} << 30;
constexpr size_t kHugeBytes = size_t{100} << 30;

void Check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  std::exit(1);
}

size_t HeapBytes() { return mallinfo2().uordblks; }

size_t ResidentBytes() {
  std::FILE* const file = std::fopen("/proc/self/statm", "r");
  size_t total = 0;
  size_t resident = 0;
  if (file == nullptr || std::fscanf(file, "%zu %zu", &total, &resident) != 2) {
    std::exit(1);
  }
  std::fclose(file);
  return resident * 4096;
}

// Streams, an event for each, and memory on both sides.
class Machine {
 public:
  explicit Machine(size_t streams) : streams_(streams), events_(streams) {
    for (cudaStream_t& stream : streams_) {
      Check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    }
    for (cudaEvent_t& event : events_) {
      Check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    }
    Check(cudaMalloc(&device_, kCopyBytes));
    Check(cudaMallocHost(&pinned_, kCopyBytes));
  }

  ~Machine() {
    Check(cudaDeviceSynchronize());
    for (cudaStream_t stream : streams_) Check(cudaStreamDestroy(stream));
    for (cudaEvent_t event : events_) Check(cudaEventDestroy(event));
    Check(cudaFree(device_));
    Check(cudaFreeHost(pinned_));
  }

  size_t size() const { return streams_.size(); }
  // The ith, round and round.
  cudaStream_t stream(int i) const {
    return streams_[static_cast<size_t>(i) % streams_.size()];
  }

  void Copy(int i) const {
    Check(cudaMemcpyAsync(device_, pinned_, kCopyBytes, cudaMemcpyHostToDevice,
                          stream(i)));
  }
  void Kernel(int i) const {
    const MemoryRange range = {device_, kCopyBytes};
    Check(LaunchKernel(
        stream(i), [] {}, &range, 1, &range, 1));
  }
  void Record(int i) const {
    Check(cudaEventRecord(events_[static_cast<size_t>(i) % events_.size()],
                          stream(i)));
  }
  // For what stream i has last recorded.
  void Wait(int waiting, int i) const {
    Check(cudaStreamWaitEvent(
        stream(waiting), events_[static_cast<size_t>(i) % events_.size()], 0));
  }

 private:
  std::vector<cudaStream_t> streams_;
  std::vector<cudaEvent_t> events_;
  char* device_ = nullptr;
  char* pinned_ = nullptr;
};

// Rounds of `enqueue`, which puts one operation for each number, and waits.
void Run(benchmark::State& state,
         const std::function<void(const Machine&, int)>& enqueue) {
  const Machine machine(static_cast<size_t>(state.range(0)));
  for (auto _ : state) {
    for (int i = 0; i < kOperations; ++i) enqueue(machine, i);
    Check(cudaDeviceSynchronize());
  }
  state.SetItemsProcessed(state.iterations() * kOperations);
}

void BM_Copies(benchmark::State& state) {
  Run(state, [](const Machine& machine, int i) { machine.Copy(i); });
}

void BM_Kernels(benchmark::State& state) {
  Run(state, [](const Machine& machine, int i) { machine.Kernel(i); });
}

// Kernels that take so long that all streams have one at the same time.
void BM_LongKernels(benchmark::State& state) {
  char* memory = nullptr;
  Check(cudaMalloc(&memory, kLongBytes));
  const MemoryRange range = {memory, kLongBytes};
  Run(state, [&range](const Machine& machine, int i) {
    Check(LaunchKernel(
        machine.stream(i), [] {}, &range, 1, nullptr, 0));
  });
  Check(cudaFree(memory));
}

// Every stream waits for the one before.
void BM_EventChain(benchmark::State& state) {
  Run(state, [](const Machine& machine, int i) {
    if (i % 2 == 0) {
      machine.Record(i / 2);
    } else {
      machine.Wait(i / 2 + 1, i / 2);
    }
  });
}

// Copies, kernels and events, and every hundredth time a wait of the host.
void BM_Mixed(benchmark::State& state) {
  Run(state, [](const Machine& machine, int i) {
    switch (i % 4) {
      case 0:
        machine.Copy(i);
        break;
      case 1:
        machine.Record(i - 1);
        break;
      case 2:
        machine.Wait(i, i - 1);
        break;
      default:
        machine.Kernel(i);
        break;
    }
    if (i % 100 == 99) Check(cudaStreamSynchronize(machine.stream(i)));
  });
}

// As a program that asks again and again whether a copy is done.
void BM_Polling(benchmark::State& state) {
  Run(state, [](const Machine& machine, int i) {
    if (i % 10 == 0) machine.Copy(i);
    const cudaError_t error = cudaStreamQuery(machine.stream(i));
    if (error != cudaErrorNotReady) Check(error);
  });
}

// Operations that nothing has waited for: `bytes` of the heap for each.
void BM_LiveOperations(benchmark::State& state) {
  const Machine machine(64);
  const int count = 64 * kOperations;
  double bytes = 0;
  for (auto _ : state) {
    const size_t before = HeapBytes();
    for (int i = 0; i < count; ++i) machine.Copy(i);
    bytes = static_cast<double>(HeapBytes() - before) / count;
    Check(cudaDeviceSynchronize());
  }
  state.SetItemsProcessed(state.iterations() * count);
  state.counters["bytes"] = bytes;
}

void BM_LiveStreams(benchmark::State& state) {
  double bytes = 0;
  for (auto _ : state) {
    const size_t before = HeapBytes();
    std::vector<cudaStream_t> streams(kOperations);
    for (cudaStream_t& stream : streams) Check(cudaStreamCreate(&stream));
    bytes = static_cast<double>(HeapBytes() - before) / kOperations;
    for (cudaStream_t stream : streams) Check(cudaStreamDestroy(stream));
  }
  state.SetItemsProcessed(state.iterations() * kOperations);
  state.counters["bytes"] = bytes;
}

// `bytes` of the heap and `resident` ones for each allocation of a page.
void BM_LiveAllocations(benchmark::State& state) {
  double bytes = 0;
  double resident = 0;
  for (auto _ : state) {
    const size_t heap_before = HeapBytes();
    const size_t resident_before = ResidentBytes();
    std::vector<char*> allocations(kOperations);
    for (char*& memory : allocations) Check(cudaMalloc(&memory, 4096));
    bytes = static_cast<double>(HeapBytes() - heap_before) / kOperations;
    resident =
        static_cast<double>(ResidentBytes() - resident_before) / kOperations;
    for (char* memory : allocations) Check(cudaFree(memory));
  }
  state.SetItemsProcessed(state.iterations() * kOperations);
  state.counters["bytes"] = bytes;
  state.counters["resident"] = resident;
}

// `resident` bytes of 100 GiB of which one byte is touched.
void BM_HugeAllocation(benchmark::State& state) {
  double resident = 0;
  for (auto _ : state) {
    const size_t before = ResidentBytes();
    char* memory = nullptr;
    Check(cudaMalloc(&memory, kHugeBytes));
    Check(cudaMemset(memory + kHugeBytes / 2, 1, 1));
    Check(cudaStreamSynchronize(nullptr));
    resident = static_cast<double>(ResidentBytes() - before);
    Check(cudaFree(memory));
  }
  state.counters["resident"] = resident;
}

// First: streams that have been destroyed are used again.
BENCHMARK(BM_LiveStreams)->Iterations(1);
BENCHMARK(BM_LiveOperations);
BENCHMARK(BM_LiveAllocations);
BENCHMARK(BM_HugeAllocation);
BENCHMARK(BM_Copies)->Arg(1)->Arg(64)->Arg(1000);
BENCHMARK(BM_Kernels)->Arg(1)->Arg(64)->Arg(1000);
BENCHMARK(BM_LongKernels)->Arg(1)->Arg(64)->Arg(1000);
BENCHMARK(BM_EventChain)->Arg(1)->Arg(64)->Arg(1000);
BENCHMARK(BM_Mixed)->Arg(1)->Arg(64)->Arg(1000);
BENCHMARK(BM_Polling)->Arg(1)->Arg(64)->Arg(1000);

}  // namespace
}  // namespace sim
}  // namespace conveyor
