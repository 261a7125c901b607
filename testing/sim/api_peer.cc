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

// Peer access. Whether it is enabled belongs to an ordered pair of devices and
// says what kernels may touch; copies between devices work without, staged.

#include <cuda_runtime_api.h>

#include "testing/sim/access.h"
#include "testing/sim/api.h"
#include "testing/sim/machine.h"

using conveyor::sim::Call;
using conveyor::sim::CanAccessPeer;
using conveyor::sim::TheMachine;

namespace {

double CallNs() { return TheMachine().profile.call_ns; }

}  // namespace

cudaError_t cudaDeviceCanAccessPeer(int* can_access_peer, int device,
                                    int peer_device) {
  Call call(__func__, CallNs());
  if (call.refused()) return call.Return(call.refusal());
  if (can_access_peer == nullptr) return call.Return(cudaErrorInvalidValue);
  if (!call.IsDevice(device) || !call.IsDevice(peer_device)) {
    return call.Return(cudaErrorInvalidDevice);
  }
  *can_access_peer = CanAccessPeer(call.machine(), device, peer_device);
  return call.Return(cudaSuccess);
}

cudaError_t cudaDeviceEnablePeerAccess(int peer_device, unsigned flags) {
  Call call(__func__, CallNs());
  if (call.refused()) return call.Return(call.refusal());
  if (flags != 0) return call.Return(cudaErrorInvalidValue);
  if (!call.IsDevice(peer_device)) return call.Return(cudaErrorInvalidDevice);
  if (!CanAccessPeer(call.machine(), call.thread().device, peer_device)) {
    return call.Return(cudaErrorPeerAccessUnsupported);
  }
  return call.Return(call.device().peers.insert(peer_device).second
                         ? cudaSuccess
                         : cudaErrorPeerAccessAlreadyEnabled);
}

cudaError_t cudaDeviceDisablePeerAccess(int peer_device) {
  Call call(__func__, CallNs());
  if (call.refused()) return call.Return(call.refusal());
  if (!call.IsDevice(peer_device)) return call.Return(cudaErrorInvalidDevice);
  return call.Return(call.device().peers.erase(peer_device) == 1
                         ? cudaSuccess
                         : cudaErrorPeerAccessNotEnabled);
}

cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr attr,
                                      int src_device, int dst_device) {
  Call call(__func__, CallNs());
  if (call.refused()) return call.Return(call.refusal());
  if (value == nullptr) return call.Return(cudaErrorInvalidValue);
  if (!call.IsDevice(src_device) || !call.IsDevice(dst_device) ||
      src_device == dst_device) {
    return call.Return(cudaErrorInvalidDevice);
  }
  const bool peers = CanAccessPeer(call.machine(), src_device, dst_device);
  const bool nvlink = call.machine().profile.nvlink != 0;
  switch (attr) {
    case cudaDevP2PAttrPerformanceRank:
      *value = nvlink ? 0 : 1;
      return call.Return(cudaSuccess);
    case cudaDevP2PAttrAccessSupported:
    case cudaDevP2PAttrCudaArrayAccessSupported:
      *value = peers;
      return call.Return(cudaSuccess);
    case cudaDevP2PAttrNativeAtomicSupported:
      *value = peers && nvlink;
      return call.Return(cudaSuccess);
    case cudaDevP2PAttrOnlyPartialNativeAtomicSupported:
      *value = 0;
      return call.Return(cudaSuccess);
  }
  return call.Return(cudaErrorInvalidValue);
}
