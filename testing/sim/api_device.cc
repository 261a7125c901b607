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

#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

#include "testing/sim/api.h"
#include "testing/sim/capture.h"
#include "testing/sim/device_memory.h"
#include "testing/sim/machine.h"
#include "testing/sim/pool.h"
#include "testing/sim/profile.h"
#include "testing/sim/sync_sites.h"

using conveyor::sim::Call;
using conveyor::sim::CheckDeviceWait;
using conveyor::sim::Device;
using conveyor::sim::IgnoresSync;
using conveyor::sim::InvalidateCapture;
using conveyor::sim::Machine;
using conveyor::sim::Pool;
using conveyor::sim::Profile;
using conveyor::sim::ReapStreams;
using conveyor::sim::Stream;
using conveyor::sim::TheMachine;
using conveyor::sim::TrimPools;

namespace {

double CallNs() { return TheMachine().profile.call_ns; }

// Where the simulated machine's cards sit.
constexpr int kFirstBus = 0x19;

cudaDeviceProp Properties(const Profile& profile, int device) {
  cudaDeviceProp prop;
  std::memset(&prop, 0, sizeof(prop));
  std::snprintf(prop.name, sizeof(prop.name), "%s", profile.gpu.c_str());
  std::memcpy(prop.uuid.bytes, "CONVEYOR-SIM-", 13);
  prop.uuid.bytes[15] = static_cast<char>(device);
  prop.totalGlobalMem = profile.memory_bytes();
  prop.sharedMemPerBlock = 48 << 10;
  prop.regsPerBlock = 65536;
  prop.warpSize = 32;
  prop.memPitch = 0x7fffffff;
  prop.maxThreadsPerBlock = 1024;
  prop.maxThreadsDim[0] = prop.maxThreadsDim[1] = 1024;
  prop.maxThreadsDim[2] = 64;
  prop.maxGridSize[0] = 0x7fffffff;
  prop.maxGridSize[1] = prop.maxGridSize[2] = 65535;
  prop.totalConstMem = 64 << 10;
  const int capability = static_cast<int>(profile.compute_capability);
  prop.major = capability / 10;
  prop.minor = capability % 10;
  prop.textureAlignment = 512;
  prop.multiProcessorCount = static_cast<int>(profile.multiprocessors);
  prop.canMapHostMemory = 1;
  prop.concurrentKernels = 1;
  prop.ECCEnabled = 1;
  prop.pciBusID = kFirstBus + device;
  prop.asyncEngineCount = static_cast<int>(profile.copy_engines);
  prop.unifiedAddressing = 1;
  prop.memoryBusWidth = 6016;
  prop.l2CacheSize = 60 << 20;
  prop.maxThreadsPerMultiProcessor = 2048;
  prop.streamPrioritiesSupported = 1;
  prop.globalL1CacheSupported = prop.localL1CacheSupported = 1;
  prop.sharedMemPerMultiprocessor = 228 << 10;
  prop.regsPerMultiprocessor = 65536;
  prop.managedMemory = 1;
  prop.concurrentManagedAccess = profile.concurrent_managed != 0;
  prop.computePreemptionSupported = 1;
  prop.canUseHostPointerForRegisteredMem = profile.registered_alias == 0;
  prop.cooperativeLaunch = 1;
  prop.sharedMemPerBlockOptin = 227 << 10;
  prop.maxBlocksPerMultiProcessor = 32;
  prop.hostRegisterSupported = 1;
  prop.hostRegisterReadOnlySupported = 1;
  prop.memoryPoolsSupported = 1;
  prop.ipcEventSupported = 1;

  return prop;
}

cudaError_t Attribute(const cudaDeviceProp& prop, cudaDeviceAttr attr,
                      int* value) {
  switch (attr) {
    case cudaDevAttrMaxThreadsPerBlock:
      *value = prop.maxThreadsPerBlock;
      return cudaSuccess;
    case cudaDevAttrMaxBlockDimX:
      *value = prop.maxThreadsDim[0];
      return cudaSuccess;
    case cudaDevAttrMaxBlockDimY:
      *value = prop.maxThreadsDim[1];
      return cudaSuccess;
    case cudaDevAttrMaxBlockDimZ:
      *value = prop.maxThreadsDim[2];
      return cudaSuccess;
    case cudaDevAttrMaxGridDimX:
      *value = prop.maxGridSize[0];
      return cudaSuccess;
    case cudaDevAttrMaxGridDimY:
      *value = prop.maxGridSize[1];
      return cudaSuccess;
    case cudaDevAttrMaxGridDimZ:
      *value = prop.maxGridSize[2];
      return cudaSuccess;
    case cudaDevAttrMaxSharedMemoryPerBlock:
      *value = static_cast<int>(prop.sharedMemPerBlock);
      return cudaSuccess;
    case cudaDevAttrTotalConstantMemory:
      *value = static_cast<int>(prop.totalConstMem);
      return cudaSuccess;
    case cudaDevAttrWarpSize:
      *value = prop.warpSize;
      return cudaSuccess;
    case cudaDevAttrMaxPitch:
      *value = static_cast<int>(prop.memPitch);
      return cudaSuccess;
    case cudaDevAttrMaxRegistersPerBlock:
      *value = prop.regsPerBlock;
      return cudaSuccess;
    case cudaDevAttrTextureAlignment:
      *value = static_cast<int>(prop.textureAlignment);
      return cudaSuccess;
    case cudaDevAttrGpuOverlap:
      *value = 1;
      return cudaSuccess;
    case cudaDevAttrClockRate:
      *value = 1980000;
      return cudaSuccess;
    case cudaDevAttrMemoryClockRate:
      *value = 3201000;
      return cudaSuccess;
    case cudaDevAttrMultiProcessorCount:
      *value = prop.multiProcessorCount;
      return cudaSuccess;
    case cudaDevAttrCanMapHostMemory:
      *value = prop.canMapHostMemory;
      return cudaSuccess;
    case cudaDevAttrConcurrentKernels:
      *value = prop.concurrentKernels;
      return cudaSuccess;
    case cudaDevAttrEccEnabled:
      *value = prop.ECCEnabled;
      return cudaSuccess;
    case cudaDevAttrPciBusId:
      *value = prop.pciBusID;
      return cudaSuccess;
    case cudaDevAttrPciDeviceId:
      *value = prop.pciDeviceID;
      return cudaSuccess;
    case cudaDevAttrPciDomainId:
      *value = prop.pciDomainID;
      return cudaSuccess;
    case cudaDevAttrGlobalMemoryBusWidth:
      *value = prop.memoryBusWidth;
      return cudaSuccess;
    case cudaDevAttrL2CacheSize:
      *value = prop.l2CacheSize;
      return cudaSuccess;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      *value = prop.maxThreadsPerMultiProcessor;
      return cudaSuccess;
    case cudaDevAttrAsyncEngineCount:
      *value = prop.asyncEngineCount;
      return cudaSuccess;
    case cudaDevAttrUnifiedAddressing:
      *value = prop.unifiedAddressing;
      return cudaSuccess;
    case cudaDevAttrComputeCapabilityMajor:
      *value = prop.major;
      return cudaSuccess;
    case cudaDevAttrComputeCapabilityMinor:
      *value = prop.minor;
      return cudaSuccess;
    case cudaDevAttrStreamPrioritiesSupported:
      *value = prop.streamPrioritiesSupported;
      return cudaSuccess;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      *value = static_cast<int>(prop.sharedMemPerMultiprocessor);
      return cudaSuccess;
    case cudaDevAttrManagedMemory:
      *value = prop.managedMemory;
      return cudaSuccess;
    case cudaDevAttrConcurrentManagedAccess:
      *value = prop.concurrentManagedAccess;
      return cudaSuccess;
    case cudaDevAttrComputePreemptionSupported:
      *value = prop.computePreemptionSupported;
      return cudaSuccess;
    case cudaDevAttrCanUseHostPointerForRegisteredMem:
      *value = prop.canUseHostPointerForRegisteredMem;
      return cudaSuccess;
    case cudaDevAttrCooperativeLaunch:
      *value = prop.cooperativeLaunch;
      return cudaSuccess;
    case cudaDevAttrHostRegisterSupported:
      *value = prop.hostRegisterSupported;
      return cudaSuccess;
    case cudaDevAttrHostRegisterReadOnlySupported:
      *value = prop.hostRegisterReadOnlySupported;
      return cudaSuccess;
    case cudaDevAttrMemoryPoolsSupported:
      *value = prop.memoryPoolsSupported;
      return cudaSuccess;
    case cudaDevAttrIpcEventSupport:
      *value = prop.ipcEventSupported;
      return cudaSuccess;
    case cudaDevAttrMaxBlocksPerMultiprocessor:
      *value = prop.maxBlocksPerMultiProcessor;
      return cudaSuccess;
    case cudaDevAttrHostNumaId:
      *value = prop.hostNumaId;
      return cudaSuccess;
    case cudaDevAttrNumaId:
      *value = -1;
      return cudaSuccess;
    case cudaDevAttrKernelExecTimeout:
    case cudaDevAttrIntegrated:
    case cudaDevAttrComputeMode:
    case cudaDevAttrTccDriver:
    case cudaDevAttrIsMultiGpuBoard:
    case cudaDevAttrMultiGpuBoardGroupID:
    case cudaDevAttrHostNativeAtomicSupported:
    case cudaDevAttrPageableMemoryAccess:
    case cudaDevAttrPageableMemoryAccessUsesHostPageTables:
    case cudaDevAttrDirectManagedMemAccessFromHost:
    case cudaDevAttrNumaConfig:
      *value = 0;
      return cudaSuccess;
  }
  return cudaErrorInvalidValue;
}

// Of a device that has no memory in use: what its pools were before any call.
void ResetPools(Machine& machine, int device) {
  Device& owner = machine.devices[static_cast<size_t>(device)];
  owner.current_pool = owner.default_pool;
  const std::shared_ptr<Pool> kept = *machine.pools.Get(owner.default_pool);
  machine.pools.RemoveIf([&](const std::shared_ptr<Pool>& pool) {
    return pool->device == device && pool != kept;
  });
  *kept = Pool();
  kept->device = device;
  machine.pools.ForEach([device](const std::shared_ptr<Pool>& pool) {
    pool->peers.erase(device);
  });
}

// "0000:19:00.0".
std::string BusId(int device) {
  char text[16];
  std::snprintf(text, sizeof(text), "0000:%02X:00.0",
                static_cast<unsigned>(kFirstBus + device));
  return text;
}

}  // namespace

cudaError_t cudaGetDeviceCount(int* count) {
  Call call(__func__, CallNs());
  if (call.refused()) return call.Return(call.refusal());
  if (count == nullptr) return call.Return(cudaErrorInvalidValue);
  *count = call.machine().profile.device_count();
  return call.Return(cudaSuccess);
}

cudaError_t cudaGetDevice(int* device) {
  Call call(__func__, CallNs());
  if (call.refused()) return call.Return(call.refusal());
  if (device == nullptr) return call.Return(cudaErrorInvalidValue);
  *device = call.thread().device;
  return call.Return(cudaSuccess);
}

cudaError_t cudaSetDevice(int device) {
  Call call(__func__, CallNs());
  // Not refused by a corrupted device: it may be left.
  if (call.refused() && call.refusal() != call.device().error) {
    return call.Return(call.refusal());
  }
  if (!call.IsDevice(device)) return call.Return(cudaErrorInvalidDevice);
  call.thread().device = device;
  return call.Return(call.device().error);
}

cudaError_t cudaInitDevice(int device, unsigned, unsigned) {
  Call call(__func__, CallNs());
  if (call.refused()) return call.Return(call.refusal());
  return call.Return(call.IsDevice(device) ? cudaSuccess
                                           : cudaErrorInvalidDevice);
}

cudaError_t cudaSetDeviceFlags(unsigned flags) {
  Call call(__func__, CallNs());
  if (call.refused()) return call.Return(call.refusal());
  const unsigned known = cudaDeviceScheduleMask | cudaDeviceMapHost;
  return call.Return((flags & ~known) == 0 ? cudaSuccess
                                           : cudaErrorInvalidValue);
}

cudaError_t cudaGetDeviceFlags(unsigned* flags) {
  Call call(__func__, CallNs());
  if (call.refused()) return call.Return(call.refusal());
  if (flags == nullptr) return call.Return(cudaErrorInvalidValue);
  *flags = cudaDeviceMapHost;
  return call.Return(cudaSuccess);
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attr,
                                   int device) {
  Call call(__func__, CallNs());
  if (call.refused()) return call.Return(call.refusal());
  if (value == nullptr) return call.Return(cudaErrorInvalidValue);
  if (!call.IsDevice(device)) return call.Return(cudaErrorInvalidDevice);
  return call.Return(
      Attribute(Properties(call.machine().profile, device), attr, value));
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* prop, int device) {
  Call call(__func__, CallNs());
  if (call.refused()) return call.Return(call.refusal());
  if (prop == nullptr) return call.Return(cudaErrorInvalidValue);
  if (!call.IsDevice(device)) return call.Return(cudaErrorInvalidDevice);
  *prop = Properties(call.machine().profile, device);
  return call.Return(cudaSuccess);
}

cudaError_t cudaDeviceSynchronize() {
  if (IgnoresSync(__func__, __builtin_return_address(0))) return cudaSuccess;
  Call call(__func__, CallNs());
  if (call.refused()) return call.Return(call.refusal());
  if (const cudaError_t error =
          CheckDeviceWait(call.machine(), call.thread().device)) {
    return call.Return(error);
  }
  call.WaitForDevice(call.thread().device);
  TrimPools(call.machine());
  return call.Return(call.device().error);
}

cudaError_t cudaDeviceReset() {
  Call call(__func__, CallNs());
  if (call.thread().in_effect || call.thread().in_host_function) {
    return call.Return(call.refusal());
  }
  const int device = call.thread().device;
  if (const cudaError_t error = CheckDeviceWait(call.machine(), device)) {
    return call.Return(error);
  }
  call.WaitForDevice(device);
  Machine& machine = call.machine();
  machine.streams.RemoveIf([device](Stream* const& stream) {
    if (stream->device != device) return false;
    InvalidateCapture(stream);
    stream->live = false;
    return true;
  });
  ReapStreams(machine, device);
  machine.events.RemoveIf([device](const conveyor::sim::Event& event) {
    return event.device == device;
  });
  call.device().error = cudaSuccess;
  call.device().peers.clear();
  for (Device& other : machine.devices) other.peers.erase(device);
  machine.memory.ReleaseAll(device);
  call.device().used_bytes = 0;
  ResetPools(machine, device);
  return call.Return(cudaSuccess);
}

cudaError_t cudaDeviceGetPCIBusId(char* pci_bus_id, int len, int device) {
  Call call(__func__, CallNs());
  if (call.refused()) return call.Return(call.refusal());
  if (pci_bus_id == nullptr || len <= 0) {
    return call.Return(cudaErrorInvalidValue);
  }
  if (!call.IsDevice(device)) return call.Return(cudaErrorInvalidDevice);
  const std::string id = BusId(device);
  if (static_cast<size_t>(len) <= id.size()) {
    return call.Return(cudaErrorInvalidValue);
  }
  std::memcpy(pci_bus_id, id.c_str(), id.size() + 1);
  return call.Return(cudaSuccess);
}

cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* pci_bus_id) {
  Call call(__func__, CallNs());
  if (call.refused()) return call.Return(call.refusal());
  if (device == nullptr || pci_bus_id == nullptr) {
    return call.Return(cudaErrorInvalidValue);
  }
  unsigned domain = 0;
  unsigned bus = 0;
  unsigned slot = 0;
  if (std::sscanf(pci_bus_id, "%x:%x:%x", &domain, &bus, &slot) != 3 &&
      std::sscanf(pci_bus_id, "%x:%x", &bus, &slot) != 2) {
    return call.Return(cudaErrorInvalidValue);
  }
  for (int i = 0; i < call.machine().profile.device_count(); ++i) {
    if (BusId(i) == pci_bus_id) {
      *device = i;
      return call.Return(cudaSuccess);
    }
  }
  return call.Return(cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least_priority,
                                             int* greatest_priority) {
  Call call(__func__, CallNs());
  if (call.refused()) return call.Return(call.refusal());
  if (least_priority != nullptr) *least_priority = 0;
  if (greatest_priority != nullptr) *greatest_priority = -5;
  return call.Return(cudaSuccess);
}

cudaError_t cudaDriverGetVersion(int* driver_version) {
  Call call(__func__, CallNs());
  if (call.refused()) return call.Return(call.refusal());
  if (driver_version == nullptr) return call.Return(cudaErrorInvalidValue);
  *driver_version = CUDART_VERSION;
  return call.Return(cudaSuccess);
}

cudaError_t cudaRuntimeGetVersion(int* runtime_version) {
  Call call(__func__, CallNs());
  if (call.refused()) return call.Return(call.refusal());
  if (runtime_version == nullptr) return call.Return(cudaErrorInvalidValue);
  *runtime_version = CUDART_VERSION;
  return call.Return(cudaSuccess);
}

cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  Call call(__func__, CallNs());
  if (call.refused()) return call.Return(call.refusal());
  const Device& device = call.device();
  if (free != nullptr) *free = device.memory_bytes - device.used_bytes;
  if (total != nullptr) *total = call.machine().profile.memory_bytes();
  return call.Return(cudaSuccess);
}

cudaError_t cudaProfilerStart() {
  Call call(__func__, CallNs());
  return call.Return(call.refusal());
}

cudaError_t cudaProfilerStop() {
  Call call(__func__, CallNs());
  return call.Return(call.refusal());
}
