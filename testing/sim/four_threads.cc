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

// A program of four threads that uses what there is to wait by: they stage
// chunks of pageable memory through a pinned ring, download what a kernel made
// of them, and signal each other by condition variables, polled flags, host
// functions, events and sleep. same_trace_test runs it again and again.

#include <cuda_runtime.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "testing/sim/launch.h"
#include "third_party/cuda/host_clock.h"
#include "third_party/cuda/host_threads.h"
#include "third_party/cuda/launch.h"

namespace conveyor {
namespace {

constexpr size_t kChunk = 64 << 10;
constexpr size_t kSlots = 3;
constexpr size_t kChunks = 24;
constexpr int kWorkers = 3;

void Check(cudaError_t error, const char* call) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", call, cudaGetErrorString(error));
  std::exit(1);
}
#define CHECK_CUDA(call) Check(call, #call)

struct Slot {
  char* pinned = nullptr;
  cudaEvent_t free = nullptr;
  size_t chunk = 0;
  bool filled = false;
};

struct Program {
  HostMutex mutex;
  HostCondVar changed;
  size_t next_chunk = 0;
  Slot slots[kSlots];
  std::atomic<size_t> taken{0};
  std::atomic<size_t> counted{0};  // By host functions.
  std::vector<char> source = std::vector<char>(kChunk * kChunks);
  std::vector<char> result = std::vector<char>(kChunk * kChunks);
  char* device = nullptr;

  // Fills slots in the order of their chunks, as they become free.
  void Fill() {
    while (true) {
      size_t chunk = 0;
      {
        HostMutexLock lock(&mutex);
        if (next_chunk == kChunks) return;
        chunk = next_chunk++;
      }
      Slot& slot = slots[chunk % kSlots];
      // Polled, so that there is a thread that polls.
      while (taken.load() + kSlots <= chunk) HostYield();
      CHECK_CUDA(cudaEventSynchronize(slot.free));
      HostCopy(slot.pinned, source.data() + chunk * kChunk, kChunk);
      HostMutexLock lock(&mutex);
      slot.chunk = chunk;
      slot.filled = true;
      changed.NotifyAll();
    }
  }

  void Submit(cudaStream_t upload, cudaStream_t compute) {
    for (size_t chunk = 0; chunk < kChunks; ++chunk) {
      Slot& slot = slots[chunk % kSlots];
      {
        HostMutexLock lock(&mutex);
        while (!slot.filled || slot.chunk != chunk) {
          changed.WaitUntil(&mutex, HostNowNs() + 50000);
        }
        slot.filled = false;
      }
      char* const at = device + chunk * kChunk;
      CHECK_CUDA(cudaMemcpyAsync(at, slot.pinned, kChunk,
                                 cudaMemcpyHostToDevice, upload));
      CHECK_CUDA(cudaEventRecord(slot.free, upload));
      ++taken;
      CHECK_CUDA(cudaStreamWaitEvent(compute, slot.free, 0));
      const MemoryRange range = {at, kChunk};
      CHECK_CUDA(sim::LaunchKernel(
          compute,
          [at] {
            for (size_t i = 0; i < kChunk; ++i)
              at[i] = static_cast<char>(~at[i]);
          },
          &range, 1, &range, 1));
      CHECK_CUDA(cudaLaunchHostFunc(
          compute,
          [](void* count) { ++*static_cast<std::atomic<size_t>*>(count); },
          &counted));
      HostSleepUntil(HostNowNs() + 3000);
    }
  }

  int Run() {
    for (size_t i = 0; i < source.size(); ++i) {
      source[i] = static_cast<char>(i * 31 >> 3);
    }
    CHECK_CUDA(cudaMalloc(&device, source.size()));
    cudaStream_t upload = nullptr;
    cudaStream_t compute = nullptr;
    for (cudaStream_t* stream : {&upload, &compute}) {
      CHECK_CUDA(cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking));
    }
    for (Slot& slot : slots) {
      CHECK_CUDA(cudaMallocHost(&slot.pinned, kChunk));
      CHECK_CUDA(cudaEventCreate(&slot.free));
    }
    std::vector<HostThread> workers;
    for (int i = 0; i < kWorkers; ++i) workers.emplace_back([this] { Fill(); });
    Submit(upload, compute);
    workers.clear();
    CHECK_CUDA(cudaMemcpyAsync(result.data(), device, result.size(),
                               cudaMemcpyDeviceToHost, compute));
    CHECK_CUDA(cudaStreamSynchronize(compute));
    for (size_t i = 0; i < source.size(); ++i) {
      if (result[i] != static_cast<char>(~source[i])) {
        std::fprintf(stderr, "byte %zu is wrong\n", i);
        return 1;
      }
    }
    return counted == kChunks ? 0 : 1;
  }
};

}  // namespace
}  // namespace conveyor

int main() { return conveyor::Program().Run(); }
