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

#include "testing/sim/migrate.h"

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "testing/sim/managed.h"
#include "testing/sim/profile.h"
#include "testing/sim/queue.h"

namespace conveyor {
namespace sim {
namespace {

constexpr uint64_t kHost = PlaceBit(cudaCpuDeviceId);

// The first device of a set of places that has one.
int DeviceIn(uint64_t places) { return __builtin_ctzll(places & ~kHost) - 1; }

void AddMigration(const Profile& profile, uint64_t from, int to, double bytes,
                  std::vector<Transfer>* transfers) {
  if ((from & kHost) != 0) {
    AddTransfer({Path::kMigrateIn, to, to, bytes}, transfers);
    return;
  }
  const int source = DeviceIn(from);
  if (to != cudaCpuDeviceId && profile.peer_access != 0) {
    AddTransfer({Path::kPeer, source, to, bytes}, transfers);
    return;
  }
  AddTransfer({Path::kMigrateOut, source, source, bytes}, transfers);
  if (to != cudaCpuDeviceId) {
    AddTransfer({Path::kMigrateIn, to, to, bytes}, transfers);
  }
}

bool Prefers(const PageState& state) {
  switch (state.preferred.type) {
    case cudaMemLocationTypeDevice:
      return (state.resident & PlaceBit(state.preferred.id)) != 0;
    case cudaMemLocationTypeHost:
    case cudaMemLocationTypeHostNuma:
      return (state.resident & kHost) != 0;
    default:
      return false;
  }
}

}  // namespace

void AddTransfer(const Transfer& transfer, std::vector<Transfer>* transfers) {
  for (Transfer& other : *transfers) {
    if (other.path == transfer.path && other.device == transfer.device &&
        other.peer == transfer.peer) {
      other.bytes += transfer.bytes;
      return;
    }
  }
  transfers->push_back(transfer);
}

void Prefetch(const Profile& profile, ManagedPages* pages, size_t offset,
              size_t size, int place, std::vector<Transfer>* transfers) {
  const uint64_t here = PlaceBit(place);
  pages->Update(offset, size, [&](PageState* state, size_t bytes) {
    if ((state->resident & here) == 0) {
      AddMigration(profile, state->resident, place, static_cast<double>(bytes),
                   transfers);
    }
    state->resident = state->read_mostly ? state->resident | here : here;
  });
}

void Touch(const Profile& profile, ManagedPages* pages, size_t offset,
           size_t size, int device, bool read,
           std::vector<Transfer>* transfers) {
  const uint64_t here = PlaceBit(device);
  pages->Update(offset, size, [&](PageState* state, size_t page_bytes) {
    // What moves is pages; what is read and written may be less.
    const double bytes =
        static_cast<double>(page_bytes < size ? page_bytes : size);
    const bool duplicate = read && state->read_mostly;
    const bool on_host = (state->resident & kHost) != 0;
    if ((state->resident & here) == 0) {
      const bool mapped = (state->accessed_by & here) != 0 || Prefers(*state);
      if (!duplicate && mapped && (on_host || profile.peer_access != 0)) {
        if (on_host) {
          AddTransfer({read ? Path::kZeroCopyRead : Path::kZeroCopyWrite,
                       device, device, bytes},
                      transfers);
        } else {
          const int owner = DeviceIn(state->resident);
          AddTransfer({Path::kManagedPeer, read ? owner : device,
                       read ? device : owner, bytes},
                      transfers);
        }
        return;
      }
      AddMigration(profile, state->resident, device,
                   static_cast<double>(page_bytes), transfers);
    }
    AddTransfer({Path::kLocal, device, device, bytes}, transfers);
    if (duplicate) {
      state->resident |= here;
    } else if (!read || (state->resident & here) == 0) {
      state->resident = here;
    }
  });
}

}  // namespace sim
}  // namespace conveyor
