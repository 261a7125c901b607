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

#include "testing/sim/access.h"

#include <cstddef>
#include <set>

#include "testing/sim/machine.h"
#include "testing/sim/pool.h"
#include "testing/sim/registry.h"

namespace conveyor {
namespace sim {

bool CanAccessPeer(const Machine& machine, int device, int peer) {
  return device != peer && machine.profile.peer_access != 0;
}

bool MayAccess(const Machine& machine, int device,
               const Allocation& allocation) {
  if (allocation.kind != MemoryKind::kDevice || allocation.device == device) {
    return true;
  }
  const std::set<int>& of_device =
      machine.devices[static_cast<size_t>(device)].peers;
  // Peer access does not govern the memory of pools.
  return allocation.pool != nullptr ? allocation.pool->peers.count(device) != 0
                                    : of_device.count(allocation.device) != 0;
}

}  // namespace sim
}  // namespace conveyor
