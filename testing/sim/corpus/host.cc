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

// The host beside the device: sources, results, host functions, flags.

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdlib>
#include <vector>

#include "testing/sim/corpus/bench.h"
#include "testing/sim/corpus/program.h"

namespace conveyor {
namespace sim {
namespace {

// The source's new bytes must not reach the device.
bool SourceOverwritten(Bench& m, char* source) {
  HostFills(source, 2);
  m.Copy(m.d, source, m.a);
  HostFills(source, 3);
  return m.Holds(m.d, 2);
}

bool PinnedSourceOverwritten(Bench& m) { return SourceOverwritten(m, m.p); }
bool ManagedSourceOverwritten(Bench& m) {
  return SourceOverwritten(m, m.managed);
}

bool RegisteredSourceOverwritten(Bench& m) {
  // Pages of its own: on some machines registering replaces them.
  static char* const source =
      static_cast<char*>(std::aligned_alloc(kBytes, kBytes));
  Bench::Check(cudaHostRegister(source, kBytes, 0));
  const bool right = SourceOverwritten(m, source);
  Bench::Check(cudaHostUnregister(source));
  return right;
}

bool KernelSourceOverwritten(Bench& m) {
  HostFills(m.p, 2);
  m.KernelCopy(m.d, m.p, m.a);
  HostFills(m.p, 3);
  return m.Holds(m.d, 2);
}

// The event is that of the upload before.
bool OverwrittenAfterTheWrongEvent(Bench& m) {
  HostFills(m.p, 2);
  m.Copy(m.e, m.q, m.a);
  m.Record(m.event, m.a);
  m.Copy(m.d, m.p, m.a);
  m.Sync(m.event);
  HostFills(m.p, 3);
  return m.Holds(m.d, 2);
}

// Nine chunks through two pinned slots.
bool PinnedSlots(Bench& m, bool wait) {
  constexpr size_t kChunk = kBytes / 16;
  cudaEvent_t sent[2] = {m.event, m.event2};
  for (size_t i = 0; i < 9; ++i) {
    char* const slot = m.p + i % 2 * kChunk;
    if (wait && i >= 2) m.Sync(sent[i % 2]);
    HostFills(slot, static_cast<char>(i + 1), kChunk);
    m.Copy(m.d + i * kChunk, slot, m.a, kChunk);
    m.Record(sent[i % 2], m.a);
  }
  for (size_t i = 0; i < 9; ++i) {
    if (!m.Holds(m.d + i * kChunk, static_cast<char>(i + 1), kChunk)) {
      return false;
    }
  }
  return true;
}

bool PinnedSlotReusedTooEarly(Bench& m) { return PinnedSlots(m, false); }
bool PinnedSlotReusedInTime(Bench& m) { return PinnedSlots(m, true); }

bool EarlyHostRead(Bench& m) {
  m.Fill(m.d, 2);
  m.Copy(m.p, m.d, m.a);
  const bool right = HostSees(m.p, 2);
  m.SyncAll();
  return right;
}

bool ReadAfterTheWrongEvent(Bench& m) {
  m.Fill(m.d, 2);
  m.Record(m.event, m.a);
  m.Copy(m.p, m.d, m.a);
  m.Sync(m.event);
  const bool right = HostSees(m.p, 2);
  m.SyncAll();
  return right;
}

bool ReadAfterTheWrongStream(Bench& m) {
  m.Fill(m.d, 2);
  m.Copy(m.p, m.d, m.a);
  m.Sync(m.b);
  const bool right = HostSees(m.p, 2);
  m.SyncAll();
  return right;
}

// The download lands on what the host has written meanwhile.
bool HostWritesIntoADestination(Bench& m) {
  m.Fill(m.d, 2);
  m.Copy(m.p, m.d, m.a);
  HostFills(m.p, 3);
  return m.Holds(m.p, 3);
}

bool ManagedReadBeforeTheKernelEnds(Bench& m) {
  m.Increment(m.managed, m.a);
  const bool right = HostSees(m.managed, 1);
  m.SyncAll();
  return right;
}

bool QueryWhoseAnswerIsIgnored(Bench& m) {
  m.Fill(m.d, 2);
  m.Copy(m.p, m.d, m.a);
  static_cast<void>(cudaStreamQuery(m.a));
  const bool right = HostSees(m.p, 2);
  m.SyncAll();
  return right;
}

// Waits until the device has set the flag.
void WaitForFlag(const char* flag) {
  while (__atomic_load_n(flag, __ATOMIC_ACQUIRE) == 0) {
  }
}

bool FlagBeforeItsData(Bench& m) {
  m.Fill(m.d, 2);
  m.Set(m.q, 1, m.a, 1);
  m.Copy(m.p, m.d, m.a);
  WaitForFlag(m.q);
  const bool right = HostSees(m.p, 2);
  m.SyncAll();
  return right;
}

// It sums what another stream downloads.
bool HostFunctionOfAnotherStream(Bench& m) {
  m.Fill(m.d, 2);
  m.Copy(m.p, m.d, m.b);
  bool right = false;
  m.Call(m.a, [&] { right = HostSees(m.p, 2); });
  m.Sync(m.a);
  m.SyncAll();
  return right;
}

bool OverwrittenAfterItsEvent(Bench& m) {
  HostFills(m.p, 2);
  m.Copy(m.d, m.p, m.a);
  m.Record(m.event, m.a);
  m.Sync(m.event);
  HostFills(m.p, 3);
  return m.Holds(m.d, 2);
}

bool FilledBehindAGate(Bench& m) {
  Gate gate(m, m.a);
  m.Copy(m.d, m.p, m.a);
  HostFills(m.p, 2);
  gate.Open();
  return m.Holds(m.d, 2);
}

// By way of another stream, too.
bool FilledBehindAGateElsewhere(Bench& m) {
  Gate gate(m, m.a);
  m.Order(m.a, m.b);
  m.Copy(m.d, m.p, m.b);
  HostFills(m.p, 2);
  gate.Open();
  return m.Holds(m.d, 2);
}

bool FilledByAHostFunction(Bench& m) {
  m.Call(m.a, [&] { HostFills(m.p, 2); });
  m.Copy(m.d, m.p, m.a);
  return m.Holds(m.d, 2);
}

bool ReadByAHostFunction(Bench& m) {
  m.Fill(m.d, 2);
  bool right = false;
  m.Copy(m.p, m.d, m.a);
  m.Call(m.a, [&] { right = HostSees(m.p, 2); });
  m.Sync(m.a);
  return right;
}

bool FlagAfterItsData(Bench& m) {
  m.Fill(m.d, 2);
  m.Copy(m.p, m.d, m.a);
  m.Set(m.q, 1, m.a, 1);
  WaitForFlag(m.q);
  const bool right = HostSees(m.p, 2);
  // Known to be complete, so the source may change.
  HostFills(m.p, 3);
  m.Set(m.d, 3, m.b);
  return right && m.Holds(m.d, 3);
}

bool FlagAfterAnUpload(Bench& m) {
  HostFills(m.p, 2);
  m.Copy(m.d, m.p, m.a);
  m.Set(m.q, 1, m.a, 1);
  WaitForFlag(m.q);
  HostFills(m.p, 3);
  return m.Holds(m.d, 2);
}

bool QueryThenRead(Bench& m) {
  m.Fill(m.d, 2);
  m.Copy(m.p, m.d, m.a);
  m.Record(m.event, m.a);
  while (cudaEventQuery(m.event) == cudaErrorNotReady) {
  }
  return HostSees(m.p, 2);
}

bool NeighboursOfASource(Bench& m) {
  HostFills(m.p, 2);
  m.Copy(m.d, m.p, m.a, kHalf);
  HostFills(m.p + kHalf, 3, kHalf);
  return m.Holds(m.d, 2, kHalf);
}

bool SourceReadMeanwhile(Bench& m) {
  HostFills(m.p, 2);
  m.Copy(m.d, m.p, m.a);
  return HostSees(m.p, 2) && m.Holds(m.d, 2);
}

bool PageableSourceOverwritten(Bench& m) {
  std::vector<char> source(kBytes, 2);
  m.Copy(m.d, source.data(), m.a);
  HostFills(source.data(), 3);
  return m.Holds(m.d, 2);
}

bool PageableDownloadReadAtOnce(Bench& m) {
  m.Fill(m.d, 2);
  std::vector<char> found(kBytes);
  m.Copy(found.data(), m.d, m.a);
  return HostSees(found.data(), 2);
}

bool ThereAndBack(Bench& m) {
  HostFills(m.p, 2);
  m.Copy(m.d, m.p, m.a);
  m.Increment(m.d, m.a);
  m.Copy(m.p, m.d, m.a);
  m.Copy(m.e, m.p, m.a);
  m.Sync(m.a);
  return HostSees(m.p, 3) && m.Holds(m.e, 3);
}

bool ManagedBetweenHostAndKernel(Bench& m) {
  HostFills(m.managed, 1);
  m.Increment(m.managed, m.a);
  m.Sync(m.a);
  const bool first = HostSees(m.managed, 2);
  HostFills(m.managed, 5);
  m.Increment(m.managed, m.b);
  m.Sync(m.b);
  return first && HostSees(m.managed, 6);
}

}  // namespace

std::vector<Program> HostPrograms() {
  const char* const copy = "cudaMemcpyAsync";
  const char* const host = "the host writes";
  return {
      {"pinned_source_overwritten", PinnedSourceOverwritten, Verdict::kHazard,
       copy, host},
      {"managed_source_overwritten", ManagedSourceOverwritten, Verdict::kHazard,
       copy, host},
      {"registered_source_overwritten", RegisteredSourceOverwritten,
       Verdict::kHazard, copy, host},
      {"kernel_source_overwritten", KernelSourceOverwritten, Verdict::kHazard,
       "cudaLaunchKernel", host},
      {"overwritten_after_the_wrong_event", OverwrittenAfterTheWrongEvent,
       Verdict::kHazard, copy, host},
      {"pinned_slot_reused_too_early", PinnedSlotReusedTooEarly,
       Verdict::kHazard, copy, host},
      {"early_host_read", EarlyHostRead, Verdict::kData},
      {"read_after_the_wrong_event", ReadAfterTheWrongEvent, Verdict::kData},
      {"read_after_the_wrong_stream", ReadAfterTheWrongStream, Verdict::kData},
      {"host_writes_into_a_destination", HostWritesIntoADestination,
       Verdict::kData},
      {"managed_read_before_the_kernel_ends", ManagedReadBeforeTheKernelEnds,
       Verdict::kData},
      {"query_whose_answer_is_ignored", QueryWhoseAnswerIsIgnored,
       Verdict::kData},
      {"flag_before_its_data", FlagBeforeItsData, Verdict::kData},
      {"host_function_of_another_stream", HostFunctionOfAnotherStream,
       Verdict::kData},
      {"pinned_slot_reused_in_time", PinnedSlotReusedInTime, Verdict::kRight},
      {"overwritten_after_its_event", OverwrittenAfterItsEvent,
       Verdict::kRight},
      {"filled_behind_a_gate", FilledBehindAGate, Verdict::kRight},
      {"filled_behind_a_gate_elsewhere", FilledBehindAGateElsewhere,
       Verdict::kRight},
      {"filled_by_a_host_function", FilledByAHostFunction, Verdict::kRight},
      {"read_by_a_host_function", ReadByAHostFunction, Verdict::kRight},
      {"flag_after_its_data", FlagAfterItsData, Verdict::kRight},
      {"flag_after_an_upload", FlagAfterAnUpload, Verdict::kRight},
      {"query_then_read", QueryThenRead, Verdict::kRight},
      {"neighbours_of_a_source", NeighboursOfASource, Verdict::kRight},
      {"source_read_meanwhile", SourceReadMeanwhile, Verdict::kRight},
      {"pageable_source_overwritten", PageableSourceOverwritten,
       Verdict::kRight},
      {"pageable_download_read_at_once", PageableDownloadReadAtOnce,
       Verdict::kRight},
      {"there_and_back", ThereAndBack, Verdict::kRight},
      {"managed_between_host_and_kernel", ManagedBetweenHostAndKernel,
       Verdict::kRight},
  };
}

}  // namespace sim
}  // namespace conveyor
