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

#include "benchmarks/raw/copy.h"

#include <cuda_runtime_api.h>

#include <cstddef>

namespace conveyor {
namespace bench {
namespace raw {

cudaError_t EnqueueCopies(void* dst, const void* src, size_t num_bytes,
                          cudaMemcpyKind kind, cudaStream_t stream, int count) {
  for (int i = 0; i < count; ++i) {
    const cudaError_t error =
        cudaMemcpyAsync(dst, src, num_bytes, kind, stream);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

cudaError_t CopyAndWait(void* dst, const void* src, size_t num_bytes,
                        cudaMemcpyKind kind, cudaStream_t stream, int count) {
  for (int i = 0; i < count; ++i) {
    cudaError_t error = cudaMemcpyAsync(dst, src, num_bytes, kind, stream);
    if (error != cudaSuccess) return error;
    error = cudaStreamSynchronize(stream);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

cudaError_t EnqueueBothWays(const OneWay& there, const OneWay& back,
                            size_t num_bytes, int count, cudaEvent_t forked,
                            cudaEvent_t joined) {
  cudaError_t error = cudaEventRecord(forked, there.stream);
  if (error != cudaSuccess) return error;
  error = cudaStreamWaitEvent(back.stream, forked, 0);
  if (error != cudaSuccess) return error;
  const OneWay ways[] = {there, back};
  for (int i = 0; i < count; ++i) {
    for (const OneWay& way : ways) {
      error =
          cudaMemcpyAsync(way.dst, way.src, num_bytes, way.kind, way.stream);
      if (error != cudaSuccess) return error;
    }
  }
  error = cudaEventRecord(joined, back.stream);
  if (error != cudaSuccess) return error;
  return cudaStreamWaitEvent(there.stream, joined, 0);
}

cudaError_t UploadPageable(void* device, const void* host, size_t num_bytes,
                           int count) {
  for (int i = 0; i < count; ++i) {
    cudaError_t error =
        cudaMemcpy(device, host, num_bytes, cudaMemcpyHostToDevice);
    if (error != cudaSuccess) return error;
    error = cudaStreamSynchronize(cudaStreamLegacy);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

cudaError_t DownloadPageable(void* host, const void* device, size_t num_bytes,
                             int count) {
  for (int i = 0; i < count; ++i) {
    const cudaError_t error =
        cudaMemcpy(host, device, num_bytes, cudaMemcpyDeviceToHost);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

}  // namespace raw
}  // namespace bench
}  // namespace conveyor
