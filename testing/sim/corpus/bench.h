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
// File: bench.h
// -----------------------------------------------------------------------------
//
// What every program of the corpus works with.

#ifndef CONVEYOR_TESTING_SIM_CORPUS_BENCH_H_
#define CONVEYOR_TESTING_SIM_CORPUS_BENCH_H_

#include <cuda_runtime_api.h>

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "testing/sim/memory_range.h"

namespace conveyor {
namespace sim {

constexpr size_t kBytes = 4096;
constexpr size_t kHalf = kBytes / 2;

// Streams and memory of two devices, new for every run. Everything that fails
// ends the process, except where a function says otherwise.
class Bench {
 public:
  Bench();
  // Waits for all that is under way. After an error that a device keeps, it is
  // reset.
  ~Bench();

  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  // Of device 0, unless it says otherwise.
  cudaStream_t a;  // These do not wait for the legacy default stream.
  cudaStream_t b;
  cudaStream_t c;
  cudaStream_t blocking;
  cudaStream_t blocking2;
  cudaStream_t peer_stream;  // Of device 1.
  cudaEvent_t event;
  cudaEvent_t event2;
  cudaEvent_t peer_event;  // Of device 1.
  // kBytes of zeros each.
  char* d;        // Device memory.
  char* e;        // Another.
  char* peer;     // Of device 1.
  char* p;        // Pinned memory.
  char* q;        // Another.
  char* managed;  // With the host.

  // All without a wait.
  void Set(void* memory, char value, cudaStream_t stream,
           size_t bytes = kBytes);
  void Copy(void* dst, const void* src, cudaStream_t stream,
            size_t bytes = kBytes);
  // A kernel that adds one to each byte.
  void Increment(char* memory, cudaStream_t stream, size_t bytes = kBytes);
  // A kernel that copies.
  void KernelCopy(char* dst, const char* src, cudaStream_t stream,
                  size_t bytes = kBytes);
  void Record(cudaEvent_t recorded, cudaStream_t stream);
  void Wait(cudaStream_t stream, cudaEvent_t awaited);
  // Makes `to` wait for what `from` has been given, both of device 0.
  void Order(cudaStream_t from, cudaStream_t to);
  void Call(cudaStream_t stream, std::function<void()> function);

  void Sync(cudaStream_t stream);
  void Sync(cudaEvent_t awaited);
  void SyncAll();

  // Sets memory of any kind and waits.
  void Fill(void* memory, char value, size_t bytes = kBytes);
  // Whether all bytes, once all is done, are `value`.
  bool Holds(const void* memory, char value, size_t bytes = kBytes);

  // Blocking and wrong on purpose: returns what CUDA returns.
  static void Check(cudaError_t error);

 private:
  std::vector<std::unique_ptr<std::function<void()>>> functions_;
};

// Holds a stream until it is opened, or gone.
class Gate {
 public:
  Gate(Bench& bench, cudaStream_t stream);
  ~Gate() { Open(); }
  void Open() { *open_ = true; }

 private:
  std::shared_ptr<std::atomic<bool>> open_;
};

// Whether all of [memory, memory + bytes) is `value`; the host reads it now.
bool HostSees(const char* memory, char value, size_t bytes = kBytes);
// The host writes it now.
void HostFills(char* memory, char value, size_t bytes = kBytes);

}  // namespace sim
}  // namespace conveyor

#endif  // CONVEYOR_TESTING_SIM_CORPUS_BENCH_H_
