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

// Two devices.

#include <cuda_runtime.h>

#include <cstddef>
#include <vector>

#include "testing/sim/corpus/bench.h"
#include "testing/sim/corpus/program.h"

namespace conveyor {
namespace sim {
namespace {

void PeerCopy(char* dst, int dst_device, const char* src, int src_device,
              cudaStream_t stream) {
  Bench::Check(
      cudaMemcpyPeerAsync(dst, dst_device, src, src_device, kBytes, stream));
}

// A wait of a stream of device 0 for one of device 1, or none.
void OrderFromPeer(Bench& m, cudaStream_t to) {
  m.Record(m.peer_event, m.peer_stream);
  m.Wait(to, m.peer_event);
}

// Makes device 0 reach the memory of device 1, if it can; else `run` is not
// called.
template <typename Run>
bool WithPeerAccess(Run run) {
  int can = 0;
  Bench::Check(cudaDeviceCanAccessPeer(&can, 0, 1));
  if (can == 0) return true;
  Bench::Check(cudaDeviceEnablePeerAccess(1, 0));
  const bool right = run();
  Bench::Check(cudaDeviceDisablePeerAccess(1));
  return right;
}

bool PeerCopyNotAwaited(Bench& m) {
  m.Fill(m.d, 2);
  PeerCopy(m.peer, 1, m.d, 0, m.a);
  m.Copy(m.q, m.peer, m.peer_stream);
  return m.Holds(m.q, 2);
}

bool DestinationStillReadElsewhere(Bench& m) {
  m.Copy(m.q, m.peer, m.peer_stream);
  m.Fill(m.d, 2);
  PeerCopy(m.peer, 1, m.d, 0, m.a);
  return m.Holds(m.q, 0);
}

bool SourceNotReady(Bench& m) {
  Bench::Check(cudaSetDevice(1));
  m.Set(m.peer, 2, m.peer_stream);
  Bench::Check(cudaSetDevice(0));
  PeerCopy(m.d, 0, m.peer, 1, m.a);
  return m.Holds(m.d, 2);
}

bool ThereAndBackWithoutEvents(Bench& m) {
  m.Fill(m.d, 2);
  PeerCopy(m.peer, 1, m.d, 0, m.a);
  PeerCopy(m.e, 0, m.peer, 1, m.peer_stream);
  return m.Holds(m.e, 2);
}

// The staging buffer is sent on before it is full.
bool BounceBufferSentTooEarly(Bench& m) {
  m.Fill(m.d, 2);
  m.Copy(m.p, m.d, m.a);
  m.Copy(m.peer, m.p, m.peer_stream);
  return m.Holds(m.peer, 2);
}

// And filled again before it is empty.
bool BounceBufferFilledTooEarly(Bench& m) {
  HostFills(m.p, 1);
  m.Fill(m.d, 2);
  m.Copy(m.peer, m.p, m.peer_stream);
  m.Copy(m.p, m.d, m.a);
  return m.Holds(m.peer, 1);
}

bool EventOfTheWrongDevice(Bench& m) {
  m.Fill(m.d, 2);
  PeerCopy(m.peer, 1, m.d, 0, m.a);
  m.Record(m.peer_event, m.peer_stream);
  m.Wait(m.peer_stream, m.peer_event);
  m.Copy(m.q, m.peer, m.peer_stream);
  return m.Holds(m.q, 2);
}

bool WrongDeviceSynchronized(Bench& m) {
  m.Fill(m.d, 2);
  PeerCopy(m.peer, 1, m.d, 0, m.a);
  Bench::Check(cudaSetDevice(1));
  Bench::Check(cudaDeviceSynchronize());
  Bench::Check(cudaSetDevice(0));
  m.Copy(m.q, m.peer, m.peer_stream);
  return m.Holds(m.q, 2);
}

bool KernelReadsAPeerTooEarly(Bench& m) {
  return WithPeerAccess([&] {
    Bench::Check(cudaSetDevice(1));
    m.Set(m.peer, 2, m.peer_stream);
    Bench::Check(cudaSetDevice(0));
    m.KernelCopy(m.d, m.peer, m.a);
    return m.Holds(m.d, 2);
  });
}

bool PeerCopyAwaited(Bench& m) {
  m.Fill(m.d, 2);
  PeerCopy(m.peer, 1, m.d, 0, m.a);
  m.Order(m.a, m.peer_stream);
  m.Copy(m.q, m.peer, m.peer_stream);
  return m.Holds(m.q, 2);
}

bool DestinationAwaited(Bench& m) {
  m.Copy(m.q, m.peer, m.peer_stream);
  OrderFromPeer(m, m.a);
  m.Set(m.d, 2, m.a);
  PeerCopy(m.peer, 1, m.d, 0, m.a);
  return m.Holds(m.q, 0) && m.Holds(m.peer, 2);
}

bool ThereAndBackWithEvents(Bench& m) {
  for (int i = 0; i < 6; ++i) {
    m.Increment(m.d, m.a);
    PeerCopy(m.peer, 1, m.d, 0, m.a);
    m.Order(m.a, m.peer_stream);
    PeerCopy(m.d, 0, m.peer, 1, m.peer_stream);
    OrderFromPeer(m, m.a);
  }
  return m.Holds(m.d, 6);
}

bool BounceBufferInOrder(Bench& m) {
  m.Set(m.d, 2, m.a);
  m.Copy(m.p, m.d, m.a);
  m.Order(m.a, m.peer_stream);
  m.Copy(m.peer, m.p, m.peer_stream);
  OrderFromPeer(m, m.a);
  m.Set(m.p, 3, m.a);
  return m.Holds(m.peer, 2) && m.Holds(m.p, 3);
}

bool DevicesApart(Bench& m) {
  m.Set(m.d, 2, m.a);
  Bench::Check(cudaSetDevice(1));
  m.Set(m.peer, 3, m.peer_stream);
  Bench::Check(cudaSetDevice(0));
  m.Copy(m.p, m.d, m.a);
  m.Copy(m.q, m.peer, m.peer_stream);
  return m.Holds(m.p, 2) && m.Holds(m.q, 3);
}

bool BothDevicesSynchronized(Bench& m) {
  Bench::Check(cudaSetDevice(1));
  m.Set(m.peer, 2, m.peer_stream);
  Bench::Check(cudaDeviceSynchronize());
  Bench::Check(cudaSetDevice(0));
  PeerCopy(m.d, 0, m.peer, 1, m.a);
  return m.Holds(m.d, 2);
}

bool KernelReadsAPeerInOrder(Bench& m) {
  return WithPeerAccess([&] {
    Bench::Check(cudaSetDevice(1));
    m.Set(m.peer, 2, m.peer_stream);
    Bench::Check(cudaSetDevice(0));
    OrderFromPeer(m, m.a);
    m.KernelCopy(m.d, m.peer, m.a);
    return m.Holds(m.d, 2);
  });
}

// Both devices read one pinned buffer.
bool OneSourceForTwoDevices(Bench& m) {
  HostFills(m.p, 2);
  m.Copy(m.d, m.p, m.a);
  m.Copy(m.peer, m.p, m.peer_stream);
  m.Sync(m.a);
  m.Sync(m.peer_stream);
  HostFills(m.p, 3);
  return m.Holds(m.d, 2) && m.Holds(m.peer, 2);
}

}  // namespace

std::vector<Program> PeerPrograms() {
  const char* const set = "cudaMemsetAsync";
  const char* const copy = "cudaMemcpyAsync";
  const char* const peer = "cudaMemcpyPeerAsync";
  return {
      {"peer_copy_not_awaited", PeerCopyNotAwaited, Verdict::kHazard, peer,
       copy},
      {"destination_still_read_elsewhere", DestinationStillReadElsewhere,
       Verdict::kHazard, copy, peer},
      {"source_not_ready", SourceNotReady, Verdict::kHazard, set, peer},
      {"there_and_back_without_events", ThereAndBackWithoutEvents,
       Verdict::kHazard, peer, peer},
      {"bounce_buffer_sent_too_early", BounceBufferSentTooEarly,
       Verdict::kHazard, copy, copy},
      {"bounce_buffer_filled_too_early", BounceBufferFilledTooEarly,
       Verdict::kHazard, copy, copy},
      {"event_of_the_wrong_device", EventOfTheWrongDevice, Verdict::kHazard,
       peer, copy},
      {"wrong_device_synchronized", WrongDeviceSynchronized, Verdict::kHazard,
       peer, copy},
      {"kernel_reads_a_peer_too_early", KernelReadsAPeerTooEarly,
       Verdict::kHazard, set, "cudaLaunchKernel"},
      {"peer_copy_awaited", PeerCopyAwaited, Verdict::kRight},
      {"destination_awaited", DestinationAwaited, Verdict::kRight},
      {"there_and_back_with_events", ThereAndBackWithEvents, Verdict::kRight},
      {"bounce_buffer_in_order", BounceBufferInOrder, Verdict::kRight},
      {"devices_apart", DevicesApart, Verdict::kRight},
      {"both_devices_synchronized", BothDevicesSynchronized, Verdict::kRight},
      {"kernel_reads_a_peer_in_order", KernelReadsAPeerInOrder,
       Verdict::kRight},
      {"one_source_for_two_devices", OneSourceForTwoDevices, Verdict::kRight},
  };
}

}  // namespace sim
}  // namespace conveyor
