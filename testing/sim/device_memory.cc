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

#include "testing/sim/device_memory.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "testing/sim/machine.h"
#include "testing/sim/pool.h"
#include "testing/sim/registry.h"

namespace conveyor {
namespace sim {
namespace {

Device& DeviceOf(Machine& machine, int device) {
  return machine.devices[static_cast<size_t>(device)];
}

bool HasRoom(const Device& device, size_t size) {
  return size <= device.memory_bytes &&
         device.used_bytes <= device.memory_bytes - size;
}

// Gives the device back all that pools keep and do not use.
void TrimUnused(Machine& machine, int device) {
  machine.pools.ForEach([&](const std::shared_ptr<Pool>& pool) {
    if (pool->device == device) TrimPool(machine, pool.get(), 0);
  });
}

}  // namespace

Allocation* AllocateOnDevice(Machine& machine, MemoryKind kind, int device,
                             unsigned flags, size_t size) {
  Device& owner = DeviceOf(machine, device);
  if (!HasRoom(owner, size)) TrimUnused(machine, device);
  if (!HasRoom(owner, size)) return nullptr;
  Allocation* const made = machine.memory.Allocate(kind, size, device, flags);
  if (made != nullptr) owner.used_bytes += size;
  return made;
}

Allocation* AllocateFromPool(Machine& machine,
                             const std::shared_ptr<Pool>& pool, size_t size) {
  size_t used = 0;
  if (__builtin_add_overflow(pool->used, size, &used) ||
      (pool->max_bytes != 0 && used > pool->max_bytes)) {
    return nullptr;
  }
  Device& owner = DeviceOf(machine, pool->device);
  const auto missing = [&] {
    return used > pool->reserved ? used - pool->reserved : 0;
  };
  if (!HasRoom(owner, missing())) TrimUnused(machine, pool->device);
  if (!HasRoom(owner, missing())) return nullptr;
  Allocation* const made =
      machine.memory.Allocate(MemoryKind::kDevice, size, pool->device, 0);
  if (made == nullptr) return nullptr;
  made->pool = pool;
  owner.used_bytes += missing();
  pool->reserved = std::max(pool->reserved, used);
  pool->used = used;
  pool->used_high = std::max(pool->used_high, pool->used);
  pool->reserved_high = std::max(pool->reserved_high, pool->reserved);
  return made;
}

void ReleaseOnDevice(Machine& machine, Allocation* allocation) {
  const std::shared_ptr<Pool> pool = allocation->pool;
  if (pool == nullptr) {
    DeviceOf(machine, allocation->device).used_bytes -= allocation->size;
  } else {
    pool->used -= allocation->size;
    if (pool->destroyed) TrimPool(machine, pool.get(), 0);
  }
  machine.memory.Release(allocation);
}

void TrimPool(Machine& machine, Pool* pool, size_t keep) {
  const size_t kept = std::max(pool->used, keep);
  if (pool->reserved <= kept) return;
  DeviceOf(machine, pool->device).used_bytes -= pool->reserved - kept;
  pool->reserved = kept;
}

void TrimPools(Machine& machine) {
  machine.pools.ForEach([&machine](const std::shared_ptr<Pool>& pool) {
    TrimPool(machine, pool.get(), pool->release_threshold);
  });
}

bool CanPageLock(const Machine& machine, size_t size) {
  if (machine.page_lock_limit == SIZE_MAX) return true;
  const size_t locked = PageLockedBytes(machine);
  return locked <= machine.page_lock_limit &&
         size <= machine.page_lock_limit - locked;
}

size_t PageLockedBytes(const Machine& machine) {
  size_t bytes = 0;
  for (const auto& entry : machine.memory.all()) {
    const Allocation& allocation = entry.second;
    if (allocation.kind == MemoryKind::kPinned ||
        allocation.kind == MemoryKind::kRegistered) {
      bytes += allocation.size;
    }
  }
  return bytes;
}

}  // namespace sim
}  // namespace conveyor
