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
// File: versions.h
// -----------------------------------------------------------------------------
//
// The one place for what differs between CUDA toolkits 12.0 to 13.x. Each
// function has the newest toolkit's meaning.

#ifndef CONVEYOR_THIRD_PARTY_CUDA_VERSIONS_H_
#define CONVEYOR_THIRD_PARTY_CUDA_VERSIONS_H_

#include <cuda_runtime_api.h>

namespace conveyor {
namespace cuda_versions {

// The device of `stream`. cudaErrorNotSupported before 12.8, which cannot tell.
inline cudaError_t StreamDevice(cudaStream_t stream, int* device) {
#if CUDART_VERSION >= 12080
  return cudaStreamGetDevice(stream, device);
#else
  (void)stream;
  (void)device;
  return cudaErrorNotSupported;
#endif
}

// The NUMA node that is nearest to the device, or -1 if that is unknown: always
// before 12.2, which cannot tell.
inline cudaError_t HostNumaNode(int device, int* node) {
#if CUDART_VERSION >= 12020
  return cudaDeviceGetAttribute(node, cudaDevAttrHostNumaId, device);
#else
  (void)device;
  *node = -1;
  return cudaSuccess;
#endif
}

}  // namespace cuda_versions
}  // namespace conveyor

#endif  // CONVEYOR_THIRD_PARTY_CUDA_VERSIONS_H_
