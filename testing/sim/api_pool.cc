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

// Stream-ordered allocation and the pools that it takes memory from.

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "testing/sim/access.h"
#include "testing/sim/api.h"
#include "testing/sim/capture.h"
#include "testing/sim/device_memory.h"
#include "testing/sim/hazards.h"
#include "testing/sim/machine.h"
#include "testing/sim/pool.h"
#include "testing/sim/queue.h"
#include "testing/sim/registry.h"
#include "testing/sim/scheduler.h"

using conveyor::sim::AllocatedIn;
using conveyor::sim::AllocateFromPool;
using conveyor::sim::Allocation;
using conveyor::sim::Call;
using conveyor::sim::CanAccessPeer;
using conveyor::sim::Device;
using conveyor::sim::Force;
using conveyor::sim::InvalidateCapture;
using conveyor::sim::Machine;
using conveyor::sim::MemoryKind;
using conveyor::sim::Op;
using conveyor::sim::OpKind;
using conveyor::sim::Pool;
using conveyor::sim::Stream;
using conveyor::sim::TheMachine;
using conveyor::sim::TrimPool;
using conveyor::sim::Work;

namespace {

double CallNs() { return TheMachine().profile.call_ns; }

// Null if there is none.
std::shared_ptr<Pool> FindPool(Call& call, cudaMemPool_t handle) {
  const std::shared_ptr<Pool>* const found = call.machine().pools.Get(handle);
  return found == nullptr ? nullptr : *found;
}

// Lets what has been freed in streams take effect: a pool makes allocations
// wait for it rather than fail.
void ForceFrees(Machine& machine) {
  for (Device& device : machine.devices) {
    for (Stream* const stream : device.streams) {
      uint64_t last = 0;
      for (const Op& op : stream->ops) {
        if (op.work.kind == OpKind::kFree) last = op.index;
      }
      if (last > stream->effects) Force(machine, {stream, last});
    }
  }
}

cudaError_t Allocate(Call& call, void** address, size_t size,
                     const std::shared_ptr<Pool>& pool, Stream* stream) {
  if (address == nullptr) return cudaErrorInvalidValue;
  if (stream->capture != nullptr) {
    InvalidateCapture(stream);
    return cudaErrorStreamCaptureUnsupported;
  }
  if (const cudaError_t error = call.CheckUnsafe()) return error;
  if (size == 0) {
    *address = nullptr;
    return cudaSuccess;
  }
  Allocation* made = AllocateFromPool(call.machine(), pool, size);
  if (made == nullptr) {
    ForceFrees(call.machine());
    made = AllocateFromPool(call.machine(), pool, size);
  }
  if (made == nullptr) return cudaErrorMemoryAllocation;
  AllocatedIn(stream, made, call.caller());
  *address = made->base;
  return cudaSuccess;
}

cudaError_t CheckProperties(const Call& call, const cudaMemPoolProps& props) {
  if (props.allocType == cudaMemAllocationTypeInvalid) {
    return cudaErrorInvalidValue;
  }
  // Of host memory and managed memory there are none here.
  if (props.allocType != cudaMemAllocationTypePinned ||
      props.location.type != cudaMemLocationTypeDevice) {
    return cudaErrorNotSupported;
  }
  if (!call.IsDevice(props.location.id)) return cudaErrorInvalidValue;
  const auto* const end = props.reserved + sizeof(props.reserved);
  return props.handleTypes == cudaMemHandleTypeNone &&
                 props.win32SecurityAttributes == nullptr &&
                 std::all_of(props.reserved, end,
                             [](unsigned char byte) { return byte == 0; })
             ? cudaSuccess
             : cudaErrorInvalidValue;
}

// The pool's value of an attribute of that type, or null.
int* FlagOf(Pool* pool, cudaMemPoolAttr attribute) {
  switch (attribute) {
    case cudaMemPoolReuseFollowEventDependencies:
      return &pool->follow_events;
    case cudaMemPoolReuseAllowOpportunistic:
      return &pool->opportunistic;
    case cudaMemPoolReuseAllowInternalDependencies:
      return &pool->internal_dependencies;
    default:
      return nullptr;
  }
}

cudaError_t SetSize(Pool* pool, cudaMemPoolAttr attribute, uint64_t value) {
  switch (attribute) {
    case cudaMemPoolAttrReleaseThreshold:
      pool->release_threshold = value;
      return cudaSuccess;
    case cudaMemPoolAttrReservedMemHigh:
      if (value != 0) return cudaErrorInvalidValue;
      pool->reserved_high = pool->reserved;
      return cudaSuccess;
    case cudaMemPoolAttrUsedMemHigh:
      if (value != 0) return cudaErrorInvalidValue;
      pool->used_high = pool->used;
      return cudaSuccess;
    default:
      return cudaErrorInvalidValue;
  }
}

cudaError_t GetSize(const Pool& pool, cudaMemPoolAttr attribute,
                    uint64_t* value) {
  switch (attribute) {
    case cudaMemPoolAttrReleaseThreshold:
      *value = pool.release_threshold;
      return cudaSuccess;
    case cudaMemPoolAttrReservedMemCurrent:
      *value = pool.reserved;
      return cudaSuccess;
    case cudaMemPoolAttrReservedMemHigh:
      *value = pool.reserved_high;
      return cudaSuccess;
    case cudaMemPoolAttrUsedMemCurrent:
      *value = pool.used;
      return cudaSuccess;
    case cudaMemPoolAttrUsedMemHigh:
      *value = pool.used_high;
      return cudaSuccess;
    default:
      return cudaErrorInvalidValue;
  }
}

cudaError_t CheckAccess(const Call& call, const Pool& pool,
                        const cudaMemAccessDesc& access) {
  if (access.location.type != cudaMemLocationTypeDevice ||
      (access.flags != cudaMemAccessFlagsProtNone &&
       access.flags != cudaMemAccessFlagsProtReadWrite)) {
    return cudaErrorNotSupported;
  }
  const int device = access.location.id;
  if (!call.IsDevice(device)) return cudaErrorInvalidDevice;
  if (device == pool.device) {
    return access.flags == cudaMemAccessFlagsProtReadWrite
               ? cudaSuccess
               : cudaErrorInvalidDevice;
  }
  return access.flags == cudaMemAccessFlagsProtNone ||
                 CanAccessPeer(call.machine(), device, pool.device)
             ? cudaSuccess
             : cudaErrorInvalidDevice;
}

}  // namespace

cudaError_t cudaMallocAsync(void** dev_ptr, size_t size, cudaStream_t stream) {
  Call call(__func__, TheMachine().profile.event_issue_ns);
  if (call.refused()) return call.Return(call.refusal());
  Stream* const found = call.Find(stream);
  if (found == nullptr) return call.Return(cudaErrorInvalidResourceHandle);
  return call.Return(Allocate(call, dev_ptr, size,
                              FindPool(call, call.DeviceOf(found).current_pool),
                              found));
}

cudaError_t cudaMallocFromPoolAsync(void** ptr, size_t size,
                                    cudaMemPool_t mem_pool,
                                    cudaStream_t stream) {
  Call call(__func__, TheMachine().profile.event_issue_ns);
  if (call.refused()) return call.Return(call.refusal());
  Stream* const found = call.Find(stream);
  if (found == nullptr) return call.Return(cudaErrorInvalidResourceHandle);
  const std::shared_ptr<Pool> pool = FindPool(call, mem_pool);
  if (pool == nullptr) return call.Return(cudaErrorInvalidValue);
  return call.Return(Allocate(call, ptr, size, pool, found));
}

cudaError_t cudaFreeAsync(void* dev_ptr, cudaStream_t stream) {
  Call call(__func__, TheMachine().profile.event_issue_ns);
  if (call.refused()) return call.Return(call.refusal());
  Stream* const found = call.Find(stream);
  if (found == nullptr) return call.Return(cudaErrorInvalidResourceHandle);
  if (dev_ptr == nullptr) return call.Return(cudaSuccess);
  const Allocation* const allocation = call.machine().memory.Find(dev_ptr);
  if (allocation == nullptr || allocation->base != dev_ptr) {
    return call.Return(cudaErrorInvalidValue);
  }
  if (allocation->kind != MemoryKind::kDevice) {
    return call.Return(allocation->kind == MemoryKind::kManaged
                           ? cudaErrorNotSupported
                           : cudaErrorInvalidValue);
  }
  // Only what the graph itself allocates can be freed in it, and that is
  // nothing.
  if (found->capture != nullptr) return call.Return(cudaErrorInvalidValue);
  if (const cudaError_t error = call.CheckUnsafe()) return call.Return(error);
  Work work;
  work.kind = OpKind::kFree;
  work.dst = static_cast<char*>(dev_ptr);
  return call.Return(call.Enqueue(found, std::move(work)));
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* mem_pool, int device) {
  Call call(__func__, CallNs());
  if (call.refused()) return call.Return(call.refusal());
  if (mem_pool == nullptr) return call.Return(cudaErrorInvalidValue);
  if (!call.IsDevice(device)) return call.Return(cudaErrorInvalidDevice);
  *mem_pool = call.machine().devices[static_cast<size_t>(device)].default_pool;
  return call.Return(cudaSuccess);
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* mem_pool, int device) {
  Call call(__func__, CallNs());
  if (call.refused()) return call.Return(call.refusal());
  if (mem_pool == nullptr) return call.Return(cudaErrorInvalidValue);
  if (!call.IsDevice(device)) return call.Return(cudaErrorInvalidValue);
  *mem_pool = call.machine().devices[static_cast<size_t>(device)].current_pool;
  return call.Return(cudaSuccess);
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t mem_pool) {
  Call call(__func__, CallNs());
  if (call.refused()) return call.Return(call.refusal());
  const std::shared_ptr<Pool> pool = FindPool(call, mem_pool);
  if (pool == nullptr || pool->device != device) {
    return call.Return(cudaErrorInvalidValue);
  }
  call.machine().devices[static_cast<size_t>(device)].current_pool = mem_pool;
  return call.Return(cudaSuccess);
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t* mem_pool,
                              const cudaMemPoolProps* pool_props) {
  Call call(__func__, CallNs());
  if (call.refused()) return call.Return(call.refusal());
  if (mem_pool == nullptr || pool_props == nullptr) {
    return call.Return(cudaErrorInvalidValue);
  }
  if (const cudaError_t error = CheckProperties(call, *pool_props)) {
    return call.Return(error);
  }
  auto pool = std::make_shared<Pool>();
  pool->device = pool_props->location.id;
  pool->max_bytes = pool_props->maxSize;
  *mem_pool = call.machine().pools.Add(
      std::make_unique<std::shared_ptr<Pool>>(std::move(pool)));
  return call.Return(cudaSuccess);
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t mem_pool) {
  Call call(__func__, CallNs());
  if (call.refused()) return call.Return(call.refusal());
  const std::shared_ptr<Pool> pool = FindPool(call, mem_pool);
  if (pool == nullptr) return call.Return(cudaErrorInvalidValue);
  Device& device = call.machine().devices[static_cast<size_t>(pool->device)];
  if (mem_pool == device.default_pool) {
    return call.Return(cudaErrorInvalidValue);
  }
  if (mem_pool == device.current_pool) {
    device.current_pool = device.default_pool;
  }
  pool->destroyed = true;
  TrimPool(call.machine(), pool.get(), 0);
  call.machine().pools.Remove(mem_pool);
  return call.Return(cudaSuccess);
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t mem_pool,
                              size_t min_bytes_to_keep) {
  Call call(__func__, CallNs());
  if (call.refused()) return call.Return(call.refusal());
  const std::shared_ptr<Pool> pool = FindPool(call, mem_pool);
  if (pool == nullptr) return call.Return(cudaErrorInvalidValue);
  TrimPool(call.machine(), pool.get(), min_bytes_to_keep);
  return call.Return(cudaSuccess);
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t mem_pool,
                                    cudaMemPoolAttr attr, void* value) {
  Call call(__func__, CallNs());
  if (call.refused()) return call.Return(call.refusal());
  const std::shared_ptr<Pool> pool = FindPool(call, mem_pool);
  if (pool == nullptr || value == nullptr) {
    return call.Return(cudaErrorInvalidValue);
  }
  if (int* const flag = FlagOf(pool.get(), attr)) {
    *flag = *static_cast<const int*>(value) != 0;
    return call.Return(cudaSuccess);
  }
  return call.Return(
      SetSize(pool.get(), attr, *static_cast<const uint64_t*>(value)));
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t mem_pool,
                                    cudaMemPoolAttr attr, void* value) {
  Call call(__func__, CallNs());
  if (call.refused()) return call.Return(call.refusal());
  const std::shared_ptr<Pool> pool = FindPool(call, mem_pool);
  if (pool == nullptr || value == nullptr) {
    return call.Return(cudaErrorInvalidValue);
  }
  if (const int* const flag = FlagOf(pool.get(), attr)) {
    *static_cast<int*>(value) = *flag;
    return call.Return(cudaSuccess);
  }
  return call.Return(GetSize(*pool, attr, static_cast<uint64_t*>(value)));
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t mem_pool,
                                 const cudaMemAccessDesc* desc_list,
                                 size_t count) {
  Call call(__func__, CallNs());
  if (call.refused()) return call.Return(call.refusal());
  const std::shared_ptr<Pool> pool = FindPool(call, mem_pool);
  if (pool == nullptr || desc_list == nullptr || count == 0) {
    return call.Return(cudaErrorInvalidValue);
  }
  for (size_t i = 0; i < count; ++i) {
    if (const cudaError_t error = CheckAccess(call, *pool, desc_list[i])) {
      return call.Return(error);
    }
  }
  for (size_t i = 0; i < count; ++i) {
    const int device = desc_list[i].location.id;
    if (desc_list[i].flags == cudaMemAccessFlagsProtNone) {
      pool->peers.erase(device);
    } else if (device != pool->device) {
      pool->peers.insert(device);
    }
  }
  return call.Return(cudaSuccess);
}

cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* flags,
                                 cudaMemPool_t mem_pool,
                                 cudaMemLocation* location) {
  Call call(__func__, CallNs());
  if (call.refused()) return call.Return(call.refusal());
  const std::shared_ptr<Pool> pool = FindPool(call, mem_pool);
  if (pool == nullptr || flags == nullptr || location == nullptr) {
    return call.Return(cudaErrorInvalidValue);
  }
  // The host may be asked for, and has none.
  if (location->type == cudaMemLocationTypeHost) {
    *flags = cudaMemAccessFlagsProtNone;
    return call.Return(cudaSuccess);
  }
  if (location->type != cudaMemLocationTypeDevice ||
      !call.IsDevice(location->id)) {
    return call.Return(cudaErrorInvalidValue);
  }
  *flags = location->id == pool->device || pool->peers.count(location->id) != 0
               ? cudaMemAccessFlagsProtReadWrite
               : cudaMemAccessFlagsProtNone;
  return call.Return(cudaSuccess);
}
