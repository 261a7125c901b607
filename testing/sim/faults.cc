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

#include "testing/sim/faults.h"

#include <cuda_runtime_api.h>

#include <cstddef>
#include <vector>

#include "testing/sim/damage.h"
#include "testing/sim/operation.h"
#include "testing/sim/queue.h"

namespace conveyor {
namespace sim {
namespace {

// Counts down all that `matches` holds for; hands those that are due to `take`
// and forgets them.
template <typename Fault, typename Matches, typename TakeDue>
void CountDown(std::vector<Fault>* faults, Matches matches, TakeDue take) {
  for (size_t i = 0; i < faults->size();) {
    Fault& fault = (*faults)[i];
    if (matches(fault) && --fault.left == 0) {
      take(fault);
      faults->erase(faults->begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      ++i;
    }
  }
}

}  // namespace

std::vector<LinkEnds> LinksOf(const Transfer& transfer) {
  constexpr int kHost = cudaCpuDeviceId;
  switch (transfer.path) {
    case Path::kUpload:
    case Path::kZeroCopyRead:
    case Path::kMigrateIn:
      return {{kHost, transfer.device}};
    case Path::kDownload:
    case Path::kZeroCopyWrite:
    case Path::kMigrateOut:
      return {{transfer.device, kHost}};
    case Path::kPeer:
    case Path::kManagedPeer:
      return {{transfer.device, transfer.peer}};
    case Path::kStaged:
      return {{transfer.device, kHost}, {kHost, transfer.peer}};
    case Path::kLocal:
    case Path::kHostCopy:
      break;
  }
  return {};
}

Faults::OfCall Faults::Take(const char* call) {
  OfCall due;
  CountDown(
      &calls_, [call](const Call& fault) { return fault.name == call; },
      [&due](const Call& fault) {
        if (fault.fault.error != cudaSuccess) due.error = fault.fault.error;
        due.delay_ns += fault.fault.delay_ns;
      });
  return due;
}

double Faults::TakeDelay(Operation kind) {
  double due = 0;
  CountDown(
      &operations_, [kind](const Delay& delay) { return delay.kind == kind; },
      [&due](const Delay& delay) { due += delay.ns; });
  return due;
}

cudaError_t Faults::BrokenOn(const Transfer& transfer) const {
  for (const LinkEnds& link : LinksOf(transfer)) {
    const auto found = broken_.find(link);
    if (found != broken_.end()) return found->second;
  }
  return cudaSuccess;
}

const Corruption* Faults::CorruptionOf(LinkEnds link) const {
  const auto found = corrupted_.find(link);
  return found == corrupted_.end() ? nullptr : &found->second;
}

PeerWrites Faults::PeerWritesOf(int writer, int owner) const {
  const auto found = peer_writes_.find({writer, owner});
  return found == peer_writes_.end() ? PeerWrites::kArrive : found->second;
}

Faults& TheFaults() {
  static auto* const faults = new Faults;
  return *faults;
}

}  // namespace sim
}  // namespace conveyor
