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
// File: cuda_runtime_api.h
// -----------------------------------------------------------------------------
//
// The CUDA runtime as far as Conveyor uses it, for builds with no toolkit.
// Names and signatures are those of CUDA 13.0; NVIDIA's documentation says what
// they do, and testing/sim does it.

#ifndef CONVEYOR_TESTING_SIM_INCLUDE_CUDA_RUNTIME_API_H_
#define CONVEYOR_TESTING_SIM_INCLUDE_CUDA_RUNTIME_API_H_

#include "driver_types.h"

#define CUDART_VERSION 13000
#define CUDART_CB

extern "C" {

// Errors.
const char* cudaGetErrorName(cudaError_t error);
const char* cudaGetErrorString(cudaError_t error);
cudaError_t cudaGetLastError(void);
cudaError_t cudaPeekAtLastError(void);

// Devices.
cudaError_t cudaGetDeviceCount(int* count);
cudaError_t cudaGetDevice(int* device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaInitDevice(int device, unsigned int device_flags,
                           unsigned int flags);
cudaError_t cudaSetDeviceFlags(unsigned int flags);
cudaError_t cudaGetDeviceFlags(unsigned int* flags);
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attr, int device);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* prop, int device);
cudaError_t cudaDeviceReset(void);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaDeviceGetPCIBusId(char* pci_bus_id, int len, int device);
cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* pci_bus_id);
cudaError_t cudaDeviceGetStreamPriorityRange(int* least_priority,
                                             int* greatest_priority);
cudaError_t cudaDriverGetVersion(int* driver_version);
cudaError_t cudaRuntimeGetVersion(int* runtime_version);
cudaError_t cudaMemGetInfo(size_t* free, size_t* total);

// Peers.
cudaError_t cudaDeviceCanAccessPeer(int* can_access_peer, int device,
                                    int peer_device);
cudaError_t cudaDeviceEnablePeerAccess(int peer_device, unsigned int flags);
cudaError_t cudaDeviceDisablePeerAccess(int peer_device);
cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr attr,
                                      int src_device, int dst_device);

// Streams.
cudaError_t cudaStreamCreate(cudaStream_t* stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int flags);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream,
                                         unsigned int flags, int priority);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int* flags);
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority);
cudaError_t cudaStreamGetDevice(cudaStream_t stream, int* device);
cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* stream_id);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event,
                                unsigned int flags = 0);
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn,
                               void* user_data);

// Events.
cudaError_t cudaEventCreate(cudaEvent_t* event);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = 0);
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream = 0,
                                     unsigned int flags = 0);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t start, cudaEvent_t end);

// Memory.
cudaError_t cudaMalloc(void** dev_ptr, size_t size);
cudaError_t cudaMallocPitch(void** dev_ptr, size_t* pitch, size_t width,
                            size_t height);
cudaError_t cudaMallocHost(void** ptr, size_t size);
cudaError_t cudaMallocManaged(void** dev_ptr, size_t size,
                              unsigned int flags = cudaMemAttachGlobal);
cudaError_t cudaMallocAsync(void** dev_ptr, size_t size, cudaStream_t stream);
cudaError_t cudaFree(void* dev_ptr);
cudaError_t cudaFreeHost(void* ptr);
cudaError_t cudaFreeAsync(void* dev_ptr, cudaStream_t stream);
cudaError_t cudaHostAlloc(void** host, size_t size, unsigned int flags);
cudaError_t cudaHostRegister(void* ptr, size_t size, unsigned int flags);
cudaError_t cudaHostUnregister(void* ptr);
cudaError_t cudaHostGetDevicePointer(void** device, void* host,
                                     unsigned int flags);
cudaError_t cudaHostGetFlags(unsigned int* flags, void* host);
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes,
                                     const void* ptr);

// Copies.
cudaError_t cudaMemcpy(void* dst, const void* src, size_t count,
                       cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void* dst, const void* src, size_t count,
                            cudaMemcpyKind kind, cudaStream_t stream = 0);
cudaError_t cudaMemcpy2D(void* dst, size_t dpitch, const void* src,
                         size_t spitch, size_t width, size_t height,
                         cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DAsync(void* dst, size_t dpitch, const void* src,
                              size_t spitch, size_t width, size_t height,
                              cudaMemcpyKind kind, cudaStream_t stream = 0);
cudaError_t cudaMemcpyPeer(void* dst, int dst_device, const void* src,
                           int src_device, size_t count);
cudaError_t cudaMemcpyPeerAsync(void* dst, int dst_device, const void* src,
                                int src_device, size_t count,
                                cudaStream_t stream = 0);
cudaError_t cudaMemcpyBatchAsync(void* const* dsts, const void* const* srcs,
                                 const size_t* sizes, size_t count,
                                 cudaMemcpyAttributes* attrs,
                                 size_t* attrs_idxs, size_t num_attrs,
                                 cudaStream_t stream);
cudaError_t cudaMemset(void* dev_ptr, int value, size_t count);
cudaError_t cudaMemsetAsync(void* dev_ptr, int value, size_t count,
                            cudaStream_t stream = 0);
cudaError_t cudaMemset2D(void* dev_ptr, size_t pitch, int value, size_t width,
                         size_t height);
cudaError_t cudaMemset2DAsync(void* dev_ptr, size_t pitch, int value,
                              size_t width, size_t height,
                              cudaStream_t stream = 0);

// Memory pools.
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* mem_pool, int device);
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* mem_pool, int device);
cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t mem_pool);
cudaError_t cudaMallocFromPoolAsync(void** ptr, size_t size,
                                    cudaMemPool_t mem_pool,
                                    cudaStream_t stream);
cudaError_t cudaMemPoolCreate(cudaMemPool_t* mem_pool,
                              const cudaMemPoolProps* pool_props);
cudaError_t cudaMemPoolDestroy(cudaMemPool_t mem_pool);
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t mem_pool, size_t min_bytes_to_keep);
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t mem_pool,
                                    cudaMemPoolAttr attr, void* value);
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t mem_pool,
                                    cudaMemPoolAttr attr, void* value);
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t mem_pool,
                                 const cudaMemAccessDesc* desc_list,
                                 size_t count);
cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* flags,
                                 cudaMemPool_t mem_pool,
                                 cudaMemLocation* location);

// Managed memory.
cudaError_t cudaMemAdvise(const void* dev_ptr, size_t count,
                          cudaMemoryAdvise advice, cudaMemLocation location);
cudaError_t cudaMemPrefetchAsync(const void* dev_ptr, size_t count,
                                 cudaMemLocation location, unsigned int flags,
                                 cudaStream_t stream = 0);
cudaError_t cudaMemRangeGetAttribute(void* data, size_t data_size,
                                     cudaMemRangeAttribute attribute,
                                     const void* dev_ptr, size_t count);
cudaError_t cudaMemRangeGetAttributes(void** data, size_t* data_sizes,
                                      cudaMemRangeAttribute* attributes,
                                      size_t num_attributes,
                                      const void* dev_ptr, size_t count);

// Capture and graphs.
cudaError_t cudaStreamIsCapturing(cudaStream_t stream,
                                  cudaStreamCaptureStatus* capture_status);
cudaError_t cudaStreamGetCaptureInfo(
    cudaStream_t stream, cudaStreamCaptureStatus* capture_status_out,
    unsigned long long* id_out = 0, cudaGraph_t* graph_out = 0,
    const cudaGraphNode_t** dependencies_out = 0,
    const cudaGraphEdgeData** edge_data_out = 0,
    size_t* num_dependencies_out = 0);
cudaError_t cudaStreamBeginCapture(cudaStream_t stream,
                                   cudaStreamCaptureMode mode);
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph);
cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* graph_exec, cudaGraph_t graph,
                                 unsigned long long flags = 0);
cudaError_t cudaGraphLaunch(cudaGraphExec_t graph_exec, cudaStream_t stream);
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes,
                              size_t* num_nodes);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graph_exec);

}  // extern "C"

#endif  // CONVEYOR_TESTING_SIM_INCLUDE_CUDA_RUNTIME_API_H_
