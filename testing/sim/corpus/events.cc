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

// Order between streams by events.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <vector>

#include "testing/sim/corpus/bench.h"
#include "testing/sim/corpus/program.h"

namespace conveyor {
namespace sim {
namespace {

bool MissingStreamWait(Bench& m) {
  m.Set(m.d, 2, m.a);
  m.Copy(m.e, m.d, m.b);
  return m.Holds(m.e, 2);
}

bool WaitTheOtherWay(Bench& m) {
  m.Set(m.d, 2, m.a);
  m.Order(m.b, m.a);
  m.Copy(m.e, m.d, m.b);
  return m.Holds(m.e, 2);
}

bool WaitBeforeRecord(Bench& m) {
  m.Set(m.d, 2, m.a);
  m.Wait(m.b, m.event);
  m.Record(m.event, m.a);
  m.Copy(m.e, m.d, m.b);
  return m.Holds(m.e, 2);
}

bool RecordTooEarly(Bench& m) {
  m.Record(m.event, m.a);
  m.Set(m.d, 2, m.a);
  m.Wait(m.b, m.event);
  m.Copy(m.e, m.d, m.b);
  return m.Holds(m.e, 2);
}

// The second half is awaited by the record for the first.
bool StaleEventGeneration(Bench& m) {
  m.Set(m.d, 2, m.a, kHalf);
  m.Record(m.event, m.a);
  m.Wait(m.b, m.event);
  m.Copy(m.e, m.d, m.b, kHalf);
  m.Set(m.d + kHalf, 2, m.a, kHalf);
  m.Wait(m.b, m.event);
  m.Copy(m.e + kHalf, m.d + kHalf, m.b, kHalf);
  return m.Holds(m.e, 2);
}

bool EventOfTheWrongStream(Bench& m) {
  m.Set(m.d, 2, m.a);
  m.Record(m.event, m.c);
  m.Wait(m.b, m.event);
  m.Copy(m.e, m.d, m.b);
  return m.Holds(m.e, 2);
}

bool OverwrittenWhileRead(Bench& m) {
  m.Fill(m.d, 1);
  m.Copy(m.e, m.d, m.b);
  m.Set(m.d, 2, m.a);
  return m.Holds(m.e, 1);
}

bool TwoWriters(Bench& m) {
  m.Set(m.d, 1, m.a);
  m.Set(m.d, 2, m.b);
  return m.Holds(m.d, 2);
}

bool ReadPastTheAwaitedEvent(Bench& m) {
  m.Set(m.d, 2, m.a, kHalf);
  m.Record(m.event, m.a);
  m.Set(m.d + kHalf, 2, m.a, kHalf);
  m.Wait(m.b, m.event);
  m.Copy(m.e, m.d, m.b);
  return m.Holds(m.e, 2);
}

bool FanInWaitsForOne(Bench& m) {
  m.Set(m.d, 2, m.a, kHalf);
  m.Set(m.d + kHalf, 2, m.b, kHalf);
  m.Order(m.a, m.c);
  m.Copy(m.e, m.d, m.c);
  return m.Holds(m.e, 2);
}

bool WaitAfterUse(Bench& m) {
  m.Set(m.d, 2, m.a);
  m.Record(m.event, m.a);
  m.Copy(m.e, m.d, m.b);
  m.Wait(m.b, m.event);
  return m.Holds(m.e, 2);
}

bool KernelBeforeUpload(Bench& m) {
  HostFills(m.p, 1);
  m.Copy(m.d, m.p, m.a);
  m.Increment(m.d, m.b);
  return m.Holds(m.d, 2);
}

// Each waits for the other's buffer.
bool SwappedEvents(Bench& m) {
  m.Set(m.d, 2, m.a);
  m.Record(m.event, m.a);
  m.Set(m.e, 2, m.b);
  m.Record(m.event2, m.b);
  m.Wait(m.c, m.event2);
  m.Copy(m.p, m.d, m.c);
  m.Wait(m.c, m.event);
  m.Copy(m.q, m.e, m.c);
  return m.Holds(m.p, 2) && m.Holds(m.q, 2);
}

// Chunks through two slots; the kernel waits for the upload, the upload of the
// chunk after next does not wait for the kernel.
bool RingSlots(Bench& m, bool wait) {
  cudaEvent_t uploaded[2] = {m.event, m.event2};
  cudaEvent_t used[2];
  for (cudaEvent_t& made : used) {
    Bench::Check(cudaEventCreateWithFlags(&made, cudaEventDisableTiming));
  }
  constexpr size_t kChunk = kBytes / 8;
  for (size_t i = 0; i < 8; ++i) HostFills(m.p + i * kChunk, 3, kChunk);
  for (size_t i = 0; i < 8; ++i) {
    const size_t slot = i % 2;
    char* const memory = m.d + slot * kChunk;
    if (wait && i >= 2) m.Wait(m.a, used[slot]);
    m.Copy(memory, m.p + i * kChunk, m.a, kChunk);
    m.Record(uploaded[slot], m.a);
    m.Wait(m.b, uploaded[slot]);
    m.Increment(memory, m.b, kChunk);
    m.Copy(m.e + i * kChunk, memory, m.b, kChunk);
    m.Record(used[slot], m.b);
  }
  const bool right = m.Holds(m.e, 4);
  for (cudaEvent_t made : used) Bench::Check(cudaEventDestroy(made));
  return right;
}

bool RingSlotReusedTooEarly(Bench& m) { return RingSlots(m, false); }
bool RingSlotReusedInTime(Bench& m) { return RingSlots(m, true); }

bool StreamOrderAlone(Bench& m) {
  HostFills(m.p, 1);
  m.Copy(m.d, m.p, m.a);
  m.Increment(m.d, m.a);
  m.Copy(m.e, m.d, m.a);
  m.Set(m.d, 0, m.a);
  return m.Holds(m.e, 2);
}

bool EventWait(Bench& m) {
  m.Set(m.d, 2, m.a);
  m.Order(m.a, m.b);
  m.Copy(m.e, m.d, m.b);
  return m.Holds(m.e, 2);
}

bool ByWayOfAThirdStream(Bench& m) {
  m.Set(m.d, 2, m.a);
  m.Order(m.a, m.c);
  m.Order(m.c, m.b);
  m.Copy(m.e, m.d, m.b);
  return m.Holds(m.e, 2);
}

// The wait keeps the record that it found.
bool RecordedAgainAfterTheWait(Bench& m) {
  m.Set(m.d, 2, m.a);
  m.Record(m.event, m.a);
  m.Wait(m.b, m.event);
  m.Record(m.event, m.c);
  m.Copy(m.e, m.d, m.b);
  return m.Holds(m.e, 2);
}

bool HostWaitInsteadOfAnEvent(Bench& m) {
  m.Set(m.d, 2, m.a);
  m.Sync(m.a);
  m.Copy(m.e, m.d, m.b);
  return m.Holds(m.e, 2);
}

bool QueryInsteadOfAnEvent(Bench& m) {
  m.Set(m.d, 2, m.a);
  while (cudaStreamQuery(m.a) == cudaErrorNotReady) {
  }
  m.Copy(m.e, m.d, m.b);
  return m.Holds(m.e, 2);
}

bool FanInWaitsForBoth(Bench& m) {
  m.Set(m.d, 2, m.a, kHalf);
  m.Set(m.d + kHalf, 2, m.b, kHalf);
  m.Order(m.a, m.c);
  m.Order(m.b, m.c);
  m.Copy(m.e, m.d, m.c);
  return m.Holds(m.e, 2);
}

bool TwoReaders(Bench& m) {
  m.Fill(m.d, 2);
  m.Copy(m.e, m.d, m.a);
  m.Copy(m.p, m.d, m.b);
  m.Order(m.a, m.c);
  m.Order(m.b, m.c);
  m.Set(m.d, 0, m.c);
  return m.Holds(m.e, 2) && m.Holds(m.p, 2);
}

bool HalvesInTwoStreams(Bench& m) {
  m.Set(m.d, 2, m.a, kHalf);
  m.Set(m.d + kHalf, 2, m.b, kHalf);
  return m.Holds(m.d, 2);
}

bool AnEmptyWaitThatIsNotNeeded(Bench& m) {
  m.Wait(m.a, m.event);
  m.Set(m.d, 2, m.a);
  m.Copy(m.e, m.d, m.a);
  return m.Holds(m.e, 2);
}

bool PingPong(Bench& m) {
  for (int i = 0; i < 20; ++i) {
    m.Increment(m.d, i % 2 == 0 ? m.a : m.b);
    m.Order(i % 2 == 0 ? m.a : m.b, i % 2 == 0 ? m.b : m.a);
  }
  return m.Holds(m.d, 20);
}

// Some event covers what an older one, awaited elsewhere, did.
bool ALaterEventCoversMore(Bench& m) {
  m.Set(m.d, 1, m.a);
  m.Record(m.event, m.a);
  m.Set(m.e, 1, m.a);
  m.Record(m.event2, m.a);
  m.Wait(m.b, m.event2);
  m.Increment(m.d, m.b);
  m.Increment(m.e, m.b);
  return m.Holds(m.d, 2) && m.Holds(m.e, 2);
}

}  // namespace

std::vector<Program> EventPrograms() {
  const char* const set = "cudaMemsetAsync";
  const char* const copy = "cudaMemcpyAsync";
  const char* const kernel = "cudaLaunchKernel";
  return {
      {"missing_stream_wait", MissingStreamWait, Verdict::kHazard, set, copy},
      {"wait_the_other_way", WaitTheOtherWay, Verdict::kHazard, set, copy},
      {"wait_before_record", WaitBeforeRecord, Verdict::kHazard, set, copy},
      {"record_too_early", RecordTooEarly, Verdict::kHazard, set, copy},
      {"stale_event_generation", StaleEventGeneration, Verdict::kHazard, set,
       copy},
      {"event_of_the_wrong_stream", EventOfTheWrongStream, Verdict::kHazard,
       set, copy},
      {"overwritten_while_read", OverwrittenWhileRead, Verdict::kHazard, copy,
       set},
      {"two_writers", TwoWriters, Verdict::kHazard, set, set},
      {"read_past_the_awaited_event", ReadPastTheAwaitedEvent, Verdict::kHazard,
       set, copy},
      {"fan_in_waits_for_one", FanInWaitsForOne, Verdict::kHazard, set, copy},
      {"wait_after_use", WaitAfterUse, Verdict::kHazard, set, copy},
      {"kernel_before_upload", KernelBeforeUpload, Verdict::kHazard, copy,
       kernel},
      {"swapped_events", SwappedEvents, Verdict::kHazard, set, copy},
      {"ring_slot_reused_too_early", RingSlotReusedTooEarly, Verdict::kHazard,
       copy, copy},
      {"ring_slot_reused_in_time", RingSlotReusedInTime, Verdict::kRight},
      {"stream_order_alone", StreamOrderAlone, Verdict::kRight},
      {"event_wait", EventWait, Verdict::kRight},
      {"by_way_of_a_third_stream", ByWayOfAThirdStream, Verdict::kRight},
      {"recorded_again_after_the_wait", RecordedAgainAfterTheWait,
       Verdict::kRight},
      {"host_wait_instead_of_an_event", HostWaitInsteadOfAnEvent,
       Verdict::kRight},
      {"query_instead_of_an_event", QueryInsteadOfAnEvent, Verdict::kRight},
      {"fan_in_waits_for_both", FanInWaitsForBoth, Verdict::kRight},
      {"two_readers", TwoReaders, Verdict::kRight},
      {"halves_in_two_streams", HalvesInTwoStreams, Verdict::kRight},
      {"an_empty_wait_that_is_not_needed", AnEmptyWaitThatIsNotNeeded,
       Verdict::kRight},
      {"ping_pong", PingPong, Verdict::kRight},
      {"a_later_event_covers_more", ALaterEventCoversMore, Verdict::kRight},
  };
}

}  // namespace sim
}  // namespace conveyor
