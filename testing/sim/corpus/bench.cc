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

#include "testing/sim/corpus/bench.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "testing/sim/launch.h"
#include "testing/sim/memory_range.h"
#include "testing/sim/sim.h"

namespace conveyor {
namespace sim {

Bench::Bench() {
  SetFreeSynchronizes(true);
  Check(cudaSetDevice(1));
  Check(cudaStreamCreateWithFlags(&peer_stream, cudaStreamNonBlocking));
  Check(cudaEventCreateWithFlags(&peer_event, cudaEventDisableTiming));
  Check(cudaMalloc(&peer, kBytes));
  Fill(peer, 0);
  Check(cudaSetDevice(0));
  for (cudaStream_t* stream : {&a, &b, &c}) {
    Check(cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking));
  }
  for (cudaStream_t* stream : {&blocking, &blocking2}) {
    Check(cudaStreamCreate(stream));
  }
  for (cudaEvent_t* made : {&event, &event2}) {
    Check(cudaEventCreateWithFlags(made, cudaEventDisableTiming));
  }
  for (char** memory : {&d, &e}) {
    Check(cudaMalloc(memory, kBytes));
    Fill(*memory, 0);
  }
  for (char** memory : {&p, &q}) {
    Check(cudaMallocHost(memory, kBytes));
    HostFills(*memory, 0);
  }
  Check(cudaMallocManaged(&managed, kBytes, cudaMemAttachGlobal));
  HostFills(managed, 0);
}

Bench::~Bench() {
  bool broken = false;
  for (int device = 1; device >= 0; --device) {
    cudaSetDevice(device);
    broken = cudaDeviceSynchronize() != cudaSuccess || broken;
  }
  if (broken) {
    for (int device = 1; device >= 0; --device) {
      cudaSetDevice(device);
      Check(cudaDeviceReset());
    }
    cudaGetLastError();
    return;
  }
  for (cudaStream_t stream : {a, b, c, blocking, blocking2, peer_stream}) {
    Check(cudaStreamDestroy(stream));
  }
  for (cudaEvent_t made : {event, event2, peer_event}) {
    Check(cudaEventDestroy(made));
  }
  for (char* memory : {d, e, peer, managed}) Check(cudaFree(memory));
  for (char* memory : {p, q}) Check(cudaFreeHost(memory));
}

void Bench::Check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "corpus: %s\n", cudaGetErrorString(error));
  std::abort();
}

void Bench::Set(void* memory, char value, cudaStream_t stream, size_t bytes) {
  Check(cudaMemsetAsync(memory, value, bytes, stream));
}

void Bench::Copy(void* dst, const void* src, cudaStream_t stream,
                 size_t bytes) {
  Check(cudaMemcpyAsync(dst, src, bytes, cudaMemcpyDefault, stream));
}

void Bench::Increment(char* memory, cudaStream_t stream, size_t bytes) {
  const MemoryRange range = {memory, bytes};
  Check(LaunchKernel(
      stream,
      [memory, bytes] {
        for (size_t i = 0; i < bytes; ++i) ++memory[i];
      },
      &range, 1, &range, 1));
}

void Bench::KernelCopy(char* dst, const char* src, cudaStream_t stream,
                       size_t bytes) {
  const MemoryRange read = {src, bytes};
  const MemoryRange written = {dst, bytes};
  Check(LaunchKernel(
      stream,
      [dst, src, bytes] {
        for (size_t i = 0; i < bytes; ++i) dst[i] = src[i];
      },
      &read, 1, &written, 1));
}

void Bench::Record(cudaEvent_t recorded, cudaStream_t stream) {
  Check(cudaEventRecord(recorded, stream));
}

void Bench::Wait(cudaStream_t stream, cudaEvent_t awaited) {
  Check(cudaStreamWaitEvent(stream, awaited, 0));
}

void Bench::Order(cudaStream_t from, cudaStream_t to) {
  cudaEvent_t edge = nullptr;
  Check(cudaEventCreateWithFlags(&edge, cudaEventDisableTiming));
  Record(edge, from);
  Wait(to, edge);
  Check(cudaEventDestroy(edge));
}

void Bench::Call(cudaStream_t stream, std::function<void()> function) {
  functions_.push_back(
      std::make_unique<std::function<void()>>(std::move(function)));
  Check(cudaLaunchHostFunc(
      stream,
      [](void* data) { (*static_cast<std::function<void()>*>(data))(); },
      functions_.back().get()));
}

void Bench::Sync(cudaStream_t stream) { Check(cudaStreamSynchronize(stream)); }
void Bench::Sync(cudaEvent_t awaited) { Check(cudaEventSynchronize(awaited)); }

void Bench::SyncAll() {
  for (int device = 1; device >= 0; --device) {
    Check(cudaSetDevice(device));
    Check(cudaDeviceSynchronize());
  }
}

void Bench::Fill(void* memory, char value, size_t bytes) {
  Check(cudaMemset(memory, value, bytes));
  Check(cudaDeviceSynchronize());
}

bool Bench::Holds(const void* memory, char value, size_t bytes) {
  SyncAll();
  std::vector<char> found(bytes);
  Check(cudaMemcpy(found.data(), memory, bytes, cudaMemcpyDefault));
  return HostSees(found.data(), value, bytes);
}

Gate::Gate(Bench& bench, cudaStream_t stream)
    : open_(std::make_shared<std::atomic<bool>>(false)) {
  bench.Call(stream, [open = open_] {
    while (!*open) std::this_thread::yield();
  });
}

bool HostSees(const char* memory, char value, size_t bytes) {
  return std::all_of(memory, memory + bytes,
                     [value](char found) { return found == value; });
}

void HostFills(char* memory, char value, size_t bytes) {
  std::fill(memory, memory + bytes, value);
}

}  // namespace sim
}  // namespace conveyor
