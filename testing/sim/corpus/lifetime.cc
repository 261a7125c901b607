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

// When memory, streams and events may go.

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdlib>
#include <vector>

#include "testing/sim/corpus/bench.h"
#include "testing/sim/corpus/program.h"

namespace conveyor {
namespace sim {
namespace {

char* Allocate() {
  char* memory = nullptr;
  Bench::Check(cudaMalloc(&memory, kBytes));
  return memory;
}

char* AllocateIn(cudaStream_t stream) {
  void* memory = nullptr;
  Bench::Check(cudaMallocAsync(&memory, kBytes, stream));
  return static_cast<char*>(memory);
}

void FreeIn(cudaStream_t stream, void* memory) {
  Bench::Check(cudaFreeAsync(memory, stream));
}

bool FreedInFlight(Bench& m) {
  char* const memory = Allocate();
  m.Set(memory, 2, m.a);
  m.Copy(m.d, memory, m.a);
  Bench::Check(cudaFree(memory));
  return m.Holds(m.d, 2);
}

// The stream that was waited for is not the one that uses it.
bool FreedAfterTheWrongStream(Bench& m) {
  char* const memory = Allocate();
  m.Set(memory, 2, m.a);
  m.Sync(m.b);
  Bench::Check(cudaFree(memory));
  return true;
}

bool FreedAfterTheWrongEvent(Bench& m) {
  char* const memory = Allocate();
  m.Set(memory, 1, m.a);
  m.Record(m.event, m.a);
  m.Set(memory, 2, m.a);
  m.Sync(m.event);
  Bench::Check(cudaFree(memory));
  return true;
}

bool PinnedMemoryFreedInFlight(Bench& m) {
  char* memory = nullptr;
  Bench::Check(cudaMallocHost(&memory, kBytes));
  HostFills(memory, 2);
  m.Copy(m.d, memory, m.a);
  Bench::Check(cudaFreeHost(memory));
  return m.Holds(m.d, 2);
}

bool UnregisteredInFlight(Bench& m) {
  static char* const memory =
      static_cast<char*>(std::aligned_alloc(kBytes, kBytes));
  HostFills(memory, 2);
  Bench::Check(cudaHostRegister(memory, kBytes, 0));
  m.Copy(m.d, memory, m.a);
  Bench::Check(cudaHostUnregister(memory));
  return m.Holds(m.d, 2);
}

bool FreedOnTheWrongStream(Bench& m) {
  char* const memory = AllocateIn(m.a);
  m.Order(m.a, m.b);
  m.Set(memory, 2, m.b);
  FreeIn(m.a, memory);
  return true;
}

bool UsedAfterItsFree(Bench& m) {
  char* const memory = AllocateIn(m.a);
  // Holds the free back: after it the address means nothing.
  Gate gate(m, m.a);
  m.Set(memory, 1, m.a);
  FreeIn(m.a, memory);
  m.Set(memory, 2, m.a);
  return true;
}

bool FreedTwice(Bench& m) {
  char* const memory = AllocateIn(m.a);
  Gate gate(m, m.a);
  m.Set(memory, 1, m.a);
  FreeIn(m.a, memory);
  FreeIn(m.a, memory);
  return true;
}

bool UsedBeforeItsAllocation(Bench& m) {
  m.Set(m.d, 1, m.a);
  char* const memory = AllocateIn(m.a);
  m.Set(memory, 2, m.b);
  m.Copy(m.e, memory, m.b);
  m.SyncAll();
  FreeIn(m.a, memory);
  return m.Holds(m.e, 2);
}

// The buffer of an old task, given to the next one while the old still runs.
bool BufferGivenOnTooEarly(Bench& m) {
  m.Set(m.d, 1, m.a);
  m.Copy(m.e, m.d, m.a);
  m.Set(m.d, 2, m.b);
  return m.Holds(m.e, 1);
}

// "The same stream": a new one, after the old one's end.
bool NewStreamTakenForTheOld(Bench& m) {
  cudaStream_t stream = nullptr;
  Bench::Check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  m.Set(m.d, 1, stream);
  m.Copy(m.e, m.d, stream);
  Bench::Check(cudaStreamDestroy(stream));
  Bench::Check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  m.Set(m.d, 2, stream);
  Bench::Check(cudaStreamDestroy(stream));
  return m.Holds(m.e, 1);
}

bool FreedAfterAWait(Bench& m) {
  char* const memory = Allocate();
  m.Set(memory, 2, m.a);
  m.Copy(m.d, memory, m.a);
  m.Sync(m.a);
  Bench::Check(cudaFree(memory));
  return m.Holds(m.d, 2);
}

bool FreedAfterItsEvent(Bench& m) {
  char* const memory = Allocate();
  m.Set(memory, 2, m.a);
  m.Copy(m.d, memory, m.a);
  m.Record(m.event, m.a);
  m.Set(m.e, 1, m.a);
  m.Sync(m.event);
  Bench::Check(cudaFree(memory));
  return m.Holds(m.d, 2);
}

bool FreedInItsStream(Bench& m) {
  char* const memory = AllocateIn(m.a);
  m.Set(memory, 2, m.a);
  m.Copy(m.d, memory, m.a);
  FreeIn(m.a, memory);
  return m.Holds(m.d, 2);
}

bool FreedInAnotherStreamInOrder(Bench& m) {
  char* const memory = AllocateIn(m.a);
  m.Set(memory, 2, m.a);
  m.Order(m.a, m.b);
  m.Copy(m.d, memory, m.b);
  FreeIn(m.b, memory);
  return m.Holds(m.d, 2);
}

bool FreedAfterBothReaders(Bench& m) {
  char* const memory = AllocateIn(m.a);
  m.Set(memory, 2, m.a);
  m.Order(m.a, m.b);
  m.Copy(m.d, memory, m.b);
  m.Copy(m.e, memory, m.a);
  m.Order(m.b, m.a);
  FreeIn(m.a, memory);
  return m.Holds(m.d, 2) && m.Holds(m.e, 2);
}

bool FreedAfterABlockingCopy(Bench& m) {
  char* const memory = Allocate();
  const std::vector<char> source(kBytes, 2);
  Bench::Check(
      cudaMemcpy(memory, source.data(), kBytes, cudaMemcpyHostToDevice));
  Bench::Check(cudaMemcpy(m.d, memory, kBytes, cudaMemcpyDeviceToDevice));
  Bench::Check(cudaFree(memory));
  return m.Holds(m.d, 2);
}

// The address may well be the same.
bool NewMemoryAfterAFree(Bench& m) {
  for (char value = 1; value <= 3; ++value) {
    char* const memory = Allocate();
    const cudaStream_t stream = value % 2 == 0 ? m.a : m.b;
    m.Set(memory, value, stream);
    m.Copy(m.p, memory, stream);
    m.Sync(stream);
    Bench::Check(cudaFree(memory));
    if (!HostSees(m.p, value)) return false;
  }
  return true;
}

bool PoolMemoryAgainAndAgain(Bench& m) {
  for (char i = 0; i < 8; ++i) {
    const cudaStream_t stream = i % 2 == 0 ? m.a : m.b;
    char* const memory = AllocateIn(stream);
    m.Set(memory, i, stream);
    m.Copy(m.d + i * (kBytes / 8), memory, stream, kBytes / 8);
    FreeIn(stream, memory);
  }
  return m.Holds(m.d + kHalf, 4, kBytes / 8);
}

bool StreamDestroyedWithWork(Bench& m) {
  cudaStream_t stream = nullptr;
  Bench::Check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  m.Set(m.d, 2, stream);
  Bench::Check(cudaStreamDestroy(stream));
  m.SyncAll();
  m.Copy(m.e, m.d, m.a);
  return m.Holds(m.e, 2);
}

bool EventDestroyedAtOnce(Bench& m) {
  m.Set(m.d, 2, m.a);
  cudaEvent_t event = nullptr;
  Bench::Check(cudaEventCreate(&event));
  m.Record(event, m.a);
  m.Wait(m.b, event);
  Bench::Check(cudaEventDestroy(event));
  m.Copy(m.e, m.d, m.b);
  return m.Holds(m.e, 2);
}

}  // namespace

std::vector<Program> LifetimePrograms() {
  const char* const set = "cudaMemsetAsync";
  const char* const copy = "cudaMemcpyAsync";
  return {
      {"freed_in_flight", FreedInFlight, Verdict::kHazard, copy, "cudaFree"},
      {"freed_after_the_wrong_stream", FreedAfterTheWrongStream,
       Verdict::kHazard, set, "cudaFree"},
      {"freed_after_the_wrong_event", FreedAfterTheWrongEvent, Verdict::kHazard,
       set, "cudaFree"},
      {"pinned_memory_freed_in_flight", PinnedMemoryFreedInFlight,
       Verdict::kHazard, copy, "cudaFreeHost"},
      {"unregistered_in_flight", UnregisteredInFlight, Verdict::kHazard, copy,
       "cudaHostUnregister", true},
      {"freed_on_the_wrong_stream", FreedOnTheWrongStream, Verdict::kHazard,
       set, "cudaFreeAsync"},
      {"used_after_its_free", UsedAfterItsFree, Verdict::kHazard,
       "cudaFreeAsync", set, true},
      {"freed_twice", FreedTwice, Verdict::kHazard, "cudaFreeAsync",
       "cudaFreeAsync", true},
      {"used_before_its_allocation", UsedBeforeItsAllocation, Verdict::kHazard,
       "cudaMallocAsync", set, true},
      {"buffer_given_on_too_early", BufferGivenOnTooEarly, Verdict::kHazard,
       copy, set},
      {"new_stream_taken_for_the_old", NewStreamTakenForTheOld,
       Verdict::kHazard, copy, set},
      {"freed_after_a_wait", FreedAfterAWait, Verdict::kRight},
      {"freed_after_its_event", FreedAfterItsEvent, Verdict::kRight},
      {"freed_in_its_stream", FreedInItsStream, Verdict::kRight},
      {"freed_in_another_stream_in_order", FreedInAnotherStreamInOrder,
       Verdict::kRight},
      {"freed_after_both_readers", FreedAfterBothReaders, Verdict::kRight},
      {"freed_after_a_blocking_copy", FreedAfterABlockingCopy, Verdict::kRight},
      {"new_memory_after_a_free", NewMemoryAfterAFree, Verdict::kRight},
      {"pool_memory_again_and_again", PoolMemoryAgainAndAgain, Verdict::kRight},
      {"stream_destroyed_with_work", StreamDestroyedWithWork, Verdict::kRight},
      {"event_destroyed_at_once", EventDestroyedAtOnce, Verdict::kRight},
  };
}

}  // namespace sim
}  // namespace conveyor
