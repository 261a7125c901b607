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

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstring>

#include "testing/sim/api.h"
#include "testing/sim/device_memory.h"
#include "testing/sim/hazards.h"
#include "testing/sim/machine.h"
#include "testing/sim/profile.h"
#include "testing/sim/registry.h"
#include "testing/sim/untouched.h"

using conveyor::sim::AllocateOnDevice;
using conveyor::sim::Allocation;
using conveyor::sim::Call;
using conveyor::sim::CanPageLock;
using conveyor::sim::HostFrees;
using conveyor::sim::IsUntouched;
using conveyor::sim::MemoryKind;
using conveyor::sim::Profile;
using conveyor::sim::Registry;
using conveyor::sim::ReleaseOnDevice;
using conveyor::sim::TheMachine;

namespace {

constexpr size_t kPitchAlignment = 512;

double CallNs() { return TheMachine().profile.call_ns; }

// Device or managed memory of the current device.
cudaError_t Allocate(Call& call, MemoryKind kind, unsigned flags,
                     void** address, size_t size) {
  if (address == nullptr) return cudaErrorInvalidValue;
  if (size == 0) {
    *address = nullptr;
    return cudaSuccess;
  }
  const Allocation* const made =
      AllocateOnDevice(call.machine(), kind, call.thread().device, flags, size);
  if (made == nullptr) return cudaErrorMemoryAllocation;
  *address = made->base;
  return cudaSuccess;
}

// What `address` begins, or null.
Allocation* Begins(Call& call, const void* address) {
  Allocation* const found = call.machine().memory.Find(address);
  return found != nullptr && found->base == address ? found : nullptr;
}

cudaError_t AllocateHost(const char* name, void** host, size_t size,
                         unsigned flags) {
  const Profile& profile = TheMachine().profile;
  Call call(name, profile.allocation_ns);
  if (call.refused()) return call.Return(call.refusal());
  if (const cudaError_t error = call.CheckUnsafe()) return call.Return(error);
  const unsigned known =
      cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
  if (host == nullptr || (flags & ~known) != 0) {
    return call.Return(cudaErrorInvalidValue);
  }
  if (size == 0) {
    *host = nullptr;
    return call.Return(cudaSuccess);
  }
  if (!CanPageLock(call.machine(), size)) {
    return call.Return(cudaErrorMemoryAllocation);
  }
  Registry& memory = call.machine().memory;
  const int device = call.thread().device;
  const bool aliased = (flags & cudaHostAllocWriteCombined) != 0 &&
                       profile.registered_alias != 0;
  Allocation* const made =
      aliased ? memory.AllocateAliased(size, device, flags)
              : memory.Allocate(MemoryKind::kPinned, size, device, flags);
  if (made == nullptr) return call.Return(cudaErrorMemoryAllocation);
  call.Charge(static_cast<double>(size) / profile.host_alloc_gb_per_s);
  *host = made->base;
  return call.Return(cudaSuccess);
}

}  // namespace

cudaError_t cudaMalloc(void** dev_ptr, size_t size) {
  Call call(__func__, TheMachine().profile.allocation_ns);
  if (call.refused()) return call.Return(call.refusal());
  if (const cudaError_t error = call.CheckUnsafe()) return call.Return(error);
  return call.Return(Allocate(call, MemoryKind::kDevice, 0, dev_ptr, size));
}

cudaError_t cudaMallocPitch(void** dev_ptr, size_t* pitch, size_t width,
                            size_t height) {
  Call call(__func__, TheMachine().profile.allocation_ns);
  if (call.refused()) return call.Return(call.refusal());
  if (const cudaError_t error = call.CheckUnsafe()) return call.Return(error);
  if (pitch == nullptr) return call.Return(cudaErrorInvalidValue);
  *pitch = (width + kPitchAlignment - 1) / kPitchAlignment * kPitchAlignment;
  size_t size = 0;
  if (__builtin_mul_overflow(*pitch, height, &size)) {
    return call.Return(cudaErrorMemoryAllocation);
  }
  return call.Return(Allocate(call, MemoryKind::kDevice, 0, dev_ptr, size));
}

cudaError_t cudaMallocManaged(void** dev_ptr, size_t size, unsigned flags) {
  Call call(__func__, TheMachine().profile.allocation_ns);
  if (call.refused()) return call.Return(call.refusal());
  if (const cudaError_t error = call.CheckUnsafe()) return call.Return(error);
  if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost) {
    return call.Return(cudaErrorInvalidValue);
  }
  return call.Return(
      Allocate(call, MemoryKind::kManaged, flags, dev_ptr, size));
}

cudaError_t cudaFree(void* dev_ptr) {
  Call call(__func__, CallNs());
  if (call.refused()) return call.Return(call.refusal());
  if (const cudaError_t error = call.CheckUnsafe()) return call.Return(error);
  if (dev_ptr == nullptr) return call.Return(cudaSuccess);
  const Allocation* const allocation = Begins(call, dev_ptr);
  if (allocation == nullptr || (allocation->kind != MemoryKind::kDevice &&
                                allocation->kind != MemoryKind::kManaged)) {
    return call.Return(cudaErrorInvalidValue);
  }
  HostFrees(*allocation, call.caller());
  // The program must not build on either.
  if (call.machine().free_synchronizes) {
    call.WaitForDeviceSilently(allocation->device);
  } else {
    // What cudaMemcpy has left there when it returned is CUDA's to look after.
    call.WaitForLegacySilently(allocation->device);
  }
  // Another thread may have freed it meanwhile.
  if (Begins(call, dev_ptr) == nullptr) {
    return call.Return(cudaErrorInvalidValue);
  }
  ReleaseOnDevice(call.machine(), Begins(call, dev_ptr));
  return call.Return(cudaSuccess);
}

cudaError_t cudaMallocHost(void** ptr, size_t size) {
  return AllocateHost(__func__, ptr, size, cudaHostAllocDefault);
}

cudaError_t cudaHostAlloc(void** host, size_t size, unsigned flags) {
  return AllocateHost(__func__, host, size, flags);
}

cudaError_t cudaFreeHost(void* ptr) {
  Call call(__func__, CallNs());
  if (call.refused()) return call.Return(call.refusal());
  if (const cudaError_t error = call.CheckUnsafe()) return call.Return(error);
  if (ptr == nullptr) return call.Return(cudaSuccess);
  const Allocation* const allocation = Begins(call, ptr);
  if (allocation == nullptr || allocation->kind != MemoryKind::kPinned) {
    return call.Return(cudaErrorInvalidValue);
  }
  HostFrees(*allocation, call.caller());
  // Any device may be using it.
  for (int i = 0; i < call.machine().profile.device_count(); ++i) {
    call.WaitForDevice(i);
  }
  if (Begins(call, ptr) == nullptr) return call.Return(cudaErrorInvalidValue);
  call.machine().memory.Release(Begins(call, ptr));
  return call.Return(cudaSuccess);
}

cudaError_t cudaHostRegister(void* ptr, size_t size, unsigned flags) {
  const Profile& profile = TheMachine().profile;
  Call call(__func__, profile.allocation_ns);
  if (call.refused()) return call.Return(call.refusal());
  if (const cudaError_t error = call.CheckUnsafe()) return call.Return(error);
  const unsigned known = cudaHostRegisterPortable | cudaHostRegisterMapped |
                         cudaHostRegisterIoMemory | cudaHostRegisterReadOnly;
  if (ptr == nullptr || size == 0 || (flags & ~known) != 0) {
    return call.Return(cudaErrorInvalidValue);
  }
  Registry& memory = call.machine().memory;
  if (const Allocation* const known = memory.FindOverlap(ptr, size)) {
    return call.Return(known->kind == MemoryKind::kRegistered
                           ? cudaErrorHostMemoryAlreadyRegistered
                           : cudaErrorInvalidValue);
  }
  // Pages that nobody has touched must be found first, as in cudaHostAlloc.
  const double rate = IsUntouched(ptr, size) ? profile.host_alloc_gb_per_s
                                             : profile.page_lock_gb_per_s;
  if (!CanPageLock(call.machine(), size) ||
      memory.Register(ptr, size, call.thread().device, flags,
                      profile.registered_alias != 0) == nullptr) {
    return call.Return(cudaErrorMemoryAllocation);
  }
  call.Charge(static_cast<double>(size) / rate);
  return call.Return(cudaSuccess);
}

cudaError_t cudaHostUnregister(void* ptr) {
  Call call(__func__, CallNs());
  if (call.refused()) return call.Return(call.refusal());
  if (const cudaError_t error = call.CheckUnsafe()) return call.Return(error);
  if (ptr == nullptr) return call.Return(cudaErrorInvalidValue);
  const Allocation* const known = call.machine().memory.Find(ptr);
  if (known == nullptr) return call.Return(cudaErrorHostMemoryNotRegistered);
  if (known->base != ptr || known->kind != MemoryKind::kRegistered) {
    return call.Return(cudaErrorInvalidValue);
  }
  HostFrees(*known, call.caller());
  for (int i = 0; i < call.machine().profile.device_count(); ++i) {
    call.WaitForDevice(i);
  }
  if (Begins(call, ptr) == nullptr) {
    return call.Return(cudaErrorHostMemoryNotRegistered);
  }
  call.machine().memory.Release(Begins(call, ptr));
  return call.Return(cudaSuccess);
}

cudaError_t cudaHostGetDevicePointer(void** device, void* host,
                                     unsigned flags) {
  Call call(__func__, TheMachine().profile.pointer_query_ns);
  if (call.refused()) return call.Return(call.refusal());
  if (device == nullptr || host == nullptr || flags != 0) {
    return call.Return(cudaErrorInvalidValue);
  }
  const Allocation* const found = call.machine().memory.Find(host);
  if (found == nullptr || (found->kind != MemoryKind::kPinned &&
                           found->kind != MemoryKind::kRegistered)) {
    return call.Return(cudaErrorInvalidValue);
  }
  char* const base = found->alias != nullptr ? found->alias : found->base;
  *device = base + (static_cast<char*>(host) - found->base);
  return call.Return(cudaSuccess);
}

cudaError_t cudaHostGetFlags(unsigned* flags, void* host) {
  Call call(__func__, TheMachine().profile.pointer_query_ns);
  if (call.refused()) return call.Return(call.refusal());
  const Allocation* const found = call.machine().memory.Find(host);
  if (flags == nullptr || found == nullptr ||
      found->kind == MemoryKind::kDevice) {
    return call.Return(cudaErrorInvalidValue);
  }
  *flags = found->kind == MemoryKind::kManaged
               ? cudaHostAllocMapped
               : found->flags | cudaHostAllocMapped;
  return call.Return(cudaSuccess);
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes,
                                     const void* ptr) {
  Call call(__func__, TheMachine().profile.pointer_query_ns);
  if (call.refused()) return call.Return(call.refusal());
  if (attributes == nullptr) return call.Return(cudaErrorInvalidValue);
  std::memset(attributes, 0, sizeof(*attributes));
  Allocation* const found = call.machine().memory.Find(ptr);
  if (found == nullptr) {
    attributes->type = cudaMemoryTypeUnregistered;
    attributes->device = cudaInvalidDeviceId;
    attributes->hostPointer = const_cast<void*>(ptr);
    return call.Return(cudaSuccess);
  }
  const size_t offset = found->OffsetOf(ptr);
  char* const host = found->base + offset;
  attributes->device = found->device;
  attributes->devicePointer =
      found->alias != nullptr ? found->alias + offset : host;
  switch (found->kind) {
    case MemoryKind::kDevice:
      attributes->type = cudaMemoryTypeDevice;
      break;
    case MemoryKind::kManaged:
      attributes->type = cudaMemoryTypeManaged;
      attributes->hostPointer = host;
      break;
    default:
      attributes->type = cudaMemoryTypeHost;
      attributes->hostPointer = host;
      break;
  }
  return call.Return(cudaSuccess);
}
