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
// File: faults.h
// -----------------------------------------------------------------------------
//
// What a test has asked to go wrong.

#ifndef CONVEYOR_TESTING_SIM_FAULTS_H_
#define CONVEYOR_TESTING_SIM_FAULTS_H_

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "testing/sim/damage.h"
#include "testing/sim/operation.h"
#include "testing/sim/queue.h"

namespace conveyor {
namespace sim {

// A link from one place to another, each a device or cudaCpuDeviceId.
using LinkEnds = std::pair<int, int>;

// The links that bytes on their way pass.
std::vector<LinkEnds> LinksOf(const Transfer& transfer);

// What a link does to each nth unit that passes.
struct Corruption {
  Damage damage;
  size_t unit_bytes;
  size_t every;
};

// Guarded by the machine's lock.
class Faults {
 public:
  struct OfCall {
    cudaError_t error = cudaSuccess;
    double delay_ns = 0;
  };

  void Add(const std::string& call, int n, OfCall fault) {
    calls_.push_back({call, n, fault});
  }
  void AddDelay(Operation kind, int n, double ns) {
    operations_.push_back({kind, n, ns});
  }
  void Break(LinkEnds link, cudaError_t error) { broken_[link] = error; }
  void Corrupt(LinkEnds link, Corruption corruption) {
    corrupted_[link] = corruption;
  }
  // Of a writing device and the owner of the memory.
  void SetPeerWrites(LinkEnds devices, PeerWrites writes) {
    peer_writes_[devices] = writes;
  }
  void Clear() { *this = Faults(); }

  // What is due for this call of `call`.
  OfCall Take(const char* call);
  // The delay that is due for an operation of that kind.
  double TakeDelay(Operation kind);

  // Whether any of the following is other than always.
  bool disturbs_effects() const {
    return !broken_.empty() || !corrupted_.empty() || !peer_writes_.empty();
  }
  // Of the first broken link on the way, or cudaSuccess.
  cudaError_t BrokenOn(const Transfer& transfer) const;
  // Null if the link does no damage.
  const Corruption* CorruptionOf(LinkEnds link) const;
  PeerWrites PeerWritesOf(int writer, int owner) const;

 private:
  struct Call {
    std::string name;
    int left;
    OfCall fault;
  };
  struct Delay {
    Operation kind;
    int left;
    double ns;
  };
  std::vector<Call> calls_;
  std::vector<Delay> operations_;
  std::map<LinkEnds, cudaError_t> broken_;
  std::map<LinkEnds, Corruption> corrupted_;
  std::map<LinkEnds, PeerWrites> peer_writes_;
};

Faults& TheFaults();

}  // namespace sim
}  // namespace conveyor

#endif  // CONVEYOR_TESTING_SIM_FAULTS_H_
