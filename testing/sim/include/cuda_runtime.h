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
// File: cuda_runtime.h
// -----------------------------------------------------------------------------
//
// The C++ forms of some functions of cuda_runtime_api.h.

#ifndef CONVEYOR_TESTING_SIM_INCLUDE_CUDA_RUNTIME_H_
#define CONVEYOR_TESTING_SIM_INCLUDE_CUDA_RUNTIME_H_

#include "cuda_runtime_api.h"

template <typename T>
cudaError_t cudaMalloc(T** devPtr, size_t size) {
  return ::cudaMalloc(reinterpret_cast<void**>(devPtr), size);
}

template <typename T>
cudaError_t cudaMallocAsync(T** devPtr, size_t size, cudaStream_t stream) {
  return ::cudaMallocAsync(reinterpret_cast<void**>(devPtr), size, stream);
}

template <typename T>
cudaError_t cudaMallocAsync(T** ptr, size_t size, cudaMemPool_t pool,
                            cudaStream_t stream) {
  return ::cudaMallocFromPoolAsync(reinterpret_cast<void**>(ptr), size, pool,
                                   stream);
}

template <typename T>
cudaError_t cudaMallocFromPoolAsync(T** ptr, size_t size, cudaMemPool_t pool,
                                    cudaStream_t stream) {
  return ::cudaMallocFromPoolAsync(reinterpret_cast<void**>(ptr), size, pool,
                                   stream);
}

template <typename T>
cudaError_t cudaMallocManaged(T** devPtr, size_t size,
                              unsigned int flags = cudaMemAttachGlobal) {
  return ::cudaMallocManaged(reinterpret_cast<void**>(devPtr), size, flags);
}

template <typename T>
cudaError_t cudaHostAlloc(T** ptr, size_t size, unsigned int flags) {
  return ::cudaHostAlloc(reinterpret_cast<void**>(ptr), size, flags);
}

template <typename T>
cudaError_t cudaMallocHost(T** ptr, size_t size,
                           unsigned int flags = cudaHostAllocDefault) {
  return ::cudaHostAlloc(reinterpret_cast<void**>(ptr), size, flags);
}

template <typename T>
cudaError_t cudaHostGetDevicePointer(T** pDevice, void* pHost,
                                     unsigned int flags) {
  return ::cudaHostGetDevicePointer(reinterpret_cast<void**>(pDevice), pHost,
                                    flags);
}

// One set of attributes for all pieces.
template <typename T, typename U>
cudaError_t cudaMemcpyBatchAsync(T* const* dsts, U* const* srcs,
                                 const size_t* sizes, size_t count,
                                 cudaMemcpyAttributes attr,
                                 cudaStream_t stream) {
  size_t first = 0;
  return ::cudaMemcpyBatchAsync((void* const*)dsts, (const void* const*)srcs,
                                sizes, count, &attr, &first, 1, stream);
}

#endif  // CONVEYOR_TESTING_SIM_INCLUDE_CUDA_RUNTIME_H_
