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

// What Conveyor takes for granted of the runtime's headers. Compiled against
// the simulated ones and against a toolkit's: both keep to it. Toolkits other
// than CUDA 13.0 may differ, and are not checked.

#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <type_traits>

#if CUDART_VERSION == 13000

namespace {

// Enumerators and flags.
static_assert(cudaSuccess == 0, "");
static_assert(cudaErrorInvalidValue == 1, "");
static_assert(cudaErrorMemoryAllocation == 2, "");
static_assert(cudaErrorInitializationError == 3, "");
static_assert(cudaErrorCudartUnloading == 4, "");
static_assert(cudaErrorProfilerDisabled == 5, "");
static_assert(cudaErrorProfilerNotInitialized == 6, "");
static_assert(cudaErrorProfilerAlreadyStarted == 7, "");
static_assert(cudaErrorProfilerAlreadyStopped == 8, "");
static_assert(cudaErrorInvalidConfiguration == 9, "");
static_assert(cudaErrorInvalidPitchValue == 12, "");
static_assert(cudaErrorInvalidHostPointer == 16, "");
static_assert(cudaErrorInvalidDevicePointer == 17, "");
static_assert(cudaErrorInvalidMemcpyDirection == 21, "");
static_assert(cudaErrorInsufficientDriver == 35, "");
static_assert(cudaErrorCallRequiresNewerDriver == 36, "");
static_assert(cudaErrorDevicesUnavailable == 46, "");
static_assert(cudaErrorLaunchFileScopedTex == 66, "");
static_assert(cudaErrorLaunchFileScopedSurf == 67, "");
static_assert(cudaErrorNoDevice == 100, "");
static_assert(cudaErrorInvalidDevice == 101, "");
static_assert(cudaErrorDeviceUninitialized == 201, "");
static_assert(cudaErrorUnmapBufferObjectFailed == 206, "");
static_assert(cudaErrorECCUncorrectable == 214, "");
static_assert(cudaErrorUnsupportedLimit == 215, "");
static_assert(cudaErrorDeviceAlreadyInUse == 216, "");
static_assert(cudaErrorPeerAccessUnsupported == 217, "");
static_assert(cudaErrorNvlinkUncorrectable == 220, "");
static_assert(cudaErrorOperatingSystem == 304, "");
static_assert(cudaErrorInvalidResourceHandle == 400, "");
static_assert(cudaErrorIllegalState == 401, "");
static_assert(cudaErrorNotReady == 600, "");
static_assert(cudaErrorIllegalAddress == 700, "");
static_assert(cudaErrorLaunchOutOfResources == 701, "");
static_assert(cudaErrorLaunchTimeout == 702, "");
static_assert(cudaErrorLaunchIncompatibleTexturing == 703, "");
static_assert(cudaErrorPeerAccessAlreadyEnabled == 704, "");
static_assert(cudaErrorPeerAccessNotEnabled == 705, "");
static_assert(cudaErrorSetOnActiveProcess == 708, "");
static_assert(cudaErrorContextIsDestroyed == 709, "");
static_assert(cudaErrorAssert == 710, "");
static_assert(cudaErrorTooManyPeers == 711, "");
static_assert(cudaErrorHostMemoryAlreadyRegistered == 712, "");
static_assert(cudaErrorHostMemoryNotRegistered == 713, "");
static_assert(cudaErrorHardwareStackError == 714, "");
static_assert(cudaErrorIllegalInstruction == 715, "");
static_assert(cudaErrorMisalignedAddress == 716, "");
static_assert(cudaErrorInvalidAddressSpace == 717, "");
static_assert(cudaErrorLaunchFailure == 719, "");
static_assert(cudaErrorNotPermitted == 800, "");
static_assert(cudaErrorNotSupported == 801, "");
static_assert(cudaErrorSystemNotReady == 802, "");
static_assert(cudaErrorSystemDriverMismatch == 803, "");
static_assert(cudaErrorCompatNotSupportedOnDevice == 804, "");
static_assert(cudaErrorStreamCaptureUnsupported == 900, "");
static_assert(cudaErrorStreamCaptureInvalidated == 901, "");
static_assert(cudaErrorStreamCaptureMerge == 902, "");
static_assert(cudaErrorStreamCaptureUnmatched == 903, "");
static_assert(cudaErrorStreamCaptureUnjoined == 904, "");
static_assert(cudaErrorStreamCaptureIsolation == 905, "");
static_assert(cudaErrorStreamCaptureImplicit == 906, "");
static_assert(cudaErrorCapturedEvent == 907, "");
static_assert(cudaErrorStreamCaptureWrongThread == 908, "");
static_assert(cudaErrorTimeout == 909, "");
static_assert(cudaErrorGraphExecUpdateFailure == 910, "");
static_assert(cudaErrorUnknown == 999, "");
static_assert(cudaMemcpyHostToHost == 0, "");
static_assert(cudaMemcpyHostToDevice == 1, "");
static_assert(cudaMemcpyDeviceToHost == 2, "");
static_assert(cudaMemcpyDeviceToDevice == 3, "");
static_assert(cudaMemcpyDefault == 4, "");
static_assert(cudaMemoryTypeUnregistered == 0, "");
static_assert(cudaMemoryTypeHost == 1, "");
static_assert(cudaMemoryTypeDevice == 2, "");
static_assert(cudaMemoryTypeManaged == 3, "");
static_assert(cudaStreamCaptureStatusNone == 0, "");
static_assert(cudaStreamCaptureStatusActive == 1, "");
static_assert(cudaStreamCaptureStatusInvalidated == 2, "");
static_assert(cudaStreamCaptureModeGlobal == 0, "");
static_assert(cudaStreamCaptureModeThreadLocal == 1, "");
static_assert(cudaStreamCaptureModeRelaxed == 2, "");
static_assert(cudaMemLocationTypeInvalid == 0, "");
static_assert(cudaMemLocationTypeNone == 0, "");
static_assert(cudaMemLocationTypeDevice == 1, "");
static_assert(cudaMemLocationTypeHost == 2, "");
static_assert(cudaMemLocationTypeHostNuma == 3, "");
static_assert(cudaMemLocationTypeHostNumaCurrent == 4, "");
static_assert(cudaMemPoolReuseFollowEventDependencies == 1, "");
static_assert(cudaMemPoolReuseAllowOpportunistic == 2, "");
static_assert(cudaMemPoolReuseAllowInternalDependencies == 3, "");
static_assert(cudaMemPoolAttrReleaseThreshold == 4, "");
static_assert(cudaMemPoolAttrReservedMemCurrent == 5, "");
static_assert(cudaMemPoolAttrReservedMemHigh == 6, "");
static_assert(cudaMemPoolAttrUsedMemCurrent == 7, "");
static_assert(cudaMemPoolAttrUsedMemHigh == 8, "");
static_assert(cudaMemAllocationTypeInvalid == 0, "");
static_assert(cudaMemAllocationTypePinned == 1, "");
static_assert(cudaMemAllocationTypeManaged == 2, "");
static_assert(cudaMemAllocationTypeMax == 0x7FFFFFFF, "");
static_assert(cudaMemHandleTypeNone == 0, "");
static_assert(cudaMemHandleTypePosixFileDescriptor == 1, "");
static_assert(cudaMemHandleTypeWin32 == 2, "");
static_assert(cudaMemHandleTypeWin32Kmt == 4, "");
static_assert(cudaMemHandleTypeFabric == 8, "");
static_assert(cudaMemAccessFlagsProtNone == 0, "");
static_assert(cudaMemAccessFlagsProtRead == 1, "");
static_assert(cudaMemAccessFlagsProtReadWrite == 3, "");
static_assert(cudaMemcpySrcAccessOrderInvalid == 0, "");
static_assert(cudaMemcpySrcAccessOrderStream == 1, "");
static_assert(cudaMemcpySrcAccessOrderDuringApiCall == 2, "");
static_assert(cudaMemcpySrcAccessOrderAny == 3, "");
static_assert(cudaMemcpyFlagDefault == 0, "");
static_assert(cudaMemcpyFlagPreferOverlapWithCompute == 1, "");
static_assert(cudaMemAdviseSetReadMostly == 1, "");
static_assert(cudaMemAdviseUnsetReadMostly == 2, "");
static_assert(cudaMemAdviseSetPreferredLocation == 3, "");
static_assert(cudaMemAdviseUnsetPreferredLocation == 4, "");
static_assert(cudaMemAdviseSetAccessedBy == 5, "");
static_assert(cudaMemAdviseUnsetAccessedBy == 6, "");
static_assert(cudaMemRangeAttributeReadMostly == 1, "");
static_assert(cudaMemRangeAttributePreferredLocation == 2, "");
static_assert(cudaMemRangeAttributeAccessedBy == 3, "");
static_assert(cudaMemRangeAttributeLastPrefetchLocation == 4, "");
static_assert(cudaMemRangeAttributePreferredLocationType == 5, "");
static_assert(cudaMemRangeAttributePreferredLocationId == 6, "");
static_assert(cudaMemRangeAttributeLastPrefetchLocationType == 7, "");
static_assert(cudaMemRangeAttributeLastPrefetchLocationId == 8, "");
static_assert(cudaComputeModeDefault == 0, "");
static_assert(cudaComputeModeExclusive == 1, "");
static_assert(cudaComputeModeProhibited == 2, "");
static_assert(cudaComputeModeExclusiveProcess == 3, "");
static_assert(cudaDevP2PAttrPerformanceRank == 1, "");
static_assert(cudaDevP2PAttrAccessSupported == 2, "");
static_assert(cudaDevP2PAttrNativeAtomicSupported == 3, "");
static_assert(cudaDevP2PAttrCudaArrayAccessSupported == 4, "");
static_assert(cudaDevP2PAttrOnlyPartialNativeAtomicSupported == 5, "");
static_assert(cudaDevAttrMaxThreadsPerBlock == 1, "");
static_assert(cudaDevAttrMaxBlockDimX == 2, "");
static_assert(cudaDevAttrMaxBlockDimY == 3, "");
static_assert(cudaDevAttrMaxBlockDimZ == 4, "");
static_assert(cudaDevAttrMaxGridDimX == 5, "");
static_assert(cudaDevAttrMaxGridDimY == 6, "");
static_assert(cudaDevAttrMaxGridDimZ == 7, "");
static_assert(cudaDevAttrMaxSharedMemoryPerBlock == 8, "");
static_assert(cudaDevAttrTotalConstantMemory == 9, "");
static_assert(cudaDevAttrWarpSize == 10, "");
static_assert(cudaDevAttrMaxPitch == 11, "");
static_assert(cudaDevAttrMaxRegistersPerBlock == 12, "");
static_assert(cudaDevAttrClockRate == 13, "");
static_assert(cudaDevAttrTextureAlignment == 14, "");
static_assert(cudaDevAttrGpuOverlap == 15, "");
static_assert(cudaDevAttrMultiProcessorCount == 16, "");
static_assert(cudaDevAttrKernelExecTimeout == 17, "");
static_assert(cudaDevAttrIntegrated == 18, "");
static_assert(cudaDevAttrCanMapHostMemory == 19, "");
static_assert(cudaDevAttrComputeMode == 20, "");
static_assert(cudaDevAttrConcurrentKernels == 31, "");
static_assert(cudaDevAttrEccEnabled == 32, "");
static_assert(cudaDevAttrPciBusId == 33, "");
static_assert(cudaDevAttrPciDeviceId == 34, "");
static_assert(cudaDevAttrTccDriver == 35, "");
static_assert(cudaDevAttrMemoryClockRate == 36, "");
static_assert(cudaDevAttrGlobalMemoryBusWidth == 37, "");
static_assert(cudaDevAttrL2CacheSize == 38, "");
static_assert(cudaDevAttrMaxThreadsPerMultiProcessor == 39, "");
static_assert(cudaDevAttrAsyncEngineCount == 40, "");
static_assert(cudaDevAttrUnifiedAddressing == 41, "");
static_assert(cudaDevAttrPciDomainId == 50, "");
static_assert(cudaDevAttrComputeCapabilityMajor == 75, "");
static_assert(cudaDevAttrComputeCapabilityMinor == 76, "");
static_assert(cudaDevAttrStreamPrioritiesSupported == 78, "");
static_assert(cudaDevAttrMaxSharedMemoryPerMultiprocessor == 81, "");
static_assert(cudaDevAttrManagedMemory == 83, "");
static_assert(cudaDevAttrIsMultiGpuBoard == 84, "");
static_assert(cudaDevAttrMultiGpuBoardGroupID == 85, "");
static_assert(cudaDevAttrHostNativeAtomicSupported == 86, "");
static_assert(cudaDevAttrPageableMemoryAccess == 88, "");
static_assert(cudaDevAttrConcurrentManagedAccess == 89, "");
static_assert(cudaDevAttrComputePreemptionSupported == 90, "");
static_assert(cudaDevAttrCanUseHostPointerForRegisteredMem == 91, "");
static_assert(cudaDevAttrCooperativeLaunch == 95, "");
static_assert(cudaDevAttrHostRegisterSupported == 99, "");
static_assert(cudaDevAttrPageableMemoryAccessUsesHostPageTables == 100, "");
static_assert(cudaDevAttrDirectManagedMemAccessFromHost == 101, "");
static_assert(cudaDevAttrHostRegisterReadOnlySupported == 113, "");
static_assert(cudaDevAttrMaxBlocksPerMultiprocessor == 106, "");
static_assert(cudaDevAttrMemoryPoolsSupported == 115, "");
static_assert(cudaDevAttrIpcEventSupport == 125, "");
static_assert(cudaDevAttrNumaConfig == 130, "");
static_assert(cudaDevAttrNumaId == 131, "");
static_assert(cudaDevAttrHostNumaId == 134, "");
static_assert(cudaStreamDefault == 0x00, "");
static_assert(cudaStreamNonBlocking == 0x01, "");
static_assert(cudaEventDefault == 0x00, "");
static_assert(cudaEventBlockingSync == 0x01, "");
static_assert(cudaEventDisableTiming == 0x02, "");
static_assert(cudaEventInterprocess == 0x04, "");
static_assert(cudaEventRecordDefault == 0x00, "");
static_assert(cudaEventRecordExternal == 0x01, "");
static_assert(cudaEventWaitDefault == 0x00, "");
static_assert(cudaEventWaitExternal == 0x01, "");
static_assert(cudaHostAllocDefault == 0x00, "");
static_assert(cudaHostAllocPortable == 0x01, "");
static_assert(cudaHostAllocMapped == 0x02, "");
static_assert(cudaHostAllocWriteCombined == 0x04, "");
static_assert(cudaHostRegisterDefault == 0x00, "");
static_assert(cudaHostRegisterPortable == 0x01, "");
static_assert(cudaHostRegisterMapped == 0x02, "");
static_assert(cudaHostRegisterIoMemory == 0x04, "");
static_assert(cudaHostRegisterReadOnly == 0x08, "");
static_assert(cudaMemAttachGlobal == 0x01, "");
static_assert(cudaMemAttachHost == 0x02, "");
static_assert(cudaMemAttachSingle == 0x04, "");
static_assert(cudaPeerAccessDefault == 0x00, "");
static_assert(cudaDeviceScheduleAuto == 0x00, "");
static_assert(cudaDeviceScheduleSpin == 0x01, "");
static_assert(cudaDeviceScheduleYield == 0x02, "");
static_assert(cudaDeviceScheduleBlockingSync == 0x04, "");
static_assert(cudaDeviceScheduleMask == 0x07, "");
static_assert(cudaDeviceMapHost == 0x08, "");
static_assert(cudaCpuDeviceId == -1, "");
static_assert(cudaInvalidDeviceId == -2, "");

// Layouts.
static_assert(sizeof(cudaDeviceProp) == 1008, "");
static_assert(offsetof(cudaDeviceProp, name) == 0, "");
static_assert(offsetof(cudaDeviceProp, uuid) == 256, "");
static_assert(offsetof(cudaDeviceProp, luid) == 272, "");
static_assert(offsetof(cudaDeviceProp, luidDeviceNodeMask) == 280, "");
static_assert(offsetof(cudaDeviceProp, totalGlobalMem) == 288, "");
static_assert(offsetof(cudaDeviceProp, sharedMemPerBlock) == 296, "");
static_assert(offsetof(cudaDeviceProp, regsPerBlock) == 304, "");
static_assert(offsetof(cudaDeviceProp, warpSize) == 308, "");
static_assert(offsetof(cudaDeviceProp, memPitch) == 312, "");
static_assert(offsetof(cudaDeviceProp, maxThreadsPerBlock) == 320, "");
static_assert(offsetof(cudaDeviceProp, maxThreadsDim) == 324, "");
static_assert(offsetof(cudaDeviceProp, maxGridSize) == 336, "");
static_assert(offsetof(cudaDeviceProp, totalConstMem) == 352, "");
static_assert(offsetof(cudaDeviceProp, major) == 360, "");
static_assert(offsetof(cudaDeviceProp, minor) == 364, "");
static_assert(offsetof(cudaDeviceProp, textureAlignment) == 368, "");
static_assert(offsetof(cudaDeviceProp, texturePitchAlignment) == 376, "");
static_assert(offsetof(cudaDeviceProp, multiProcessorCount) == 384, "");
static_assert(offsetof(cudaDeviceProp, integrated) == 388, "");
static_assert(offsetof(cudaDeviceProp, canMapHostMemory) == 392, "");
static_assert(offsetof(cudaDeviceProp, maxTexture1D) == 396, "");
static_assert(offsetof(cudaDeviceProp, maxTexture1DMipmap) == 400, "");
static_assert(offsetof(cudaDeviceProp, maxTexture2D) == 404, "");
static_assert(offsetof(cudaDeviceProp, maxTexture2DMipmap) == 412, "");
static_assert(offsetof(cudaDeviceProp, maxTexture2DLinear) == 420, "");
static_assert(offsetof(cudaDeviceProp, maxTexture2DGather) == 432, "");
static_assert(offsetof(cudaDeviceProp, maxTexture3D) == 440, "");
static_assert(offsetof(cudaDeviceProp, maxTexture3DAlt) == 452, "");
static_assert(offsetof(cudaDeviceProp, maxTextureCubemap) == 464, "");
static_assert(offsetof(cudaDeviceProp, maxTexture1DLayered) == 468, "");
static_assert(offsetof(cudaDeviceProp, maxTexture2DLayered) == 476, "");
static_assert(offsetof(cudaDeviceProp, maxTextureCubemapLayered) == 488, "");
static_assert(offsetof(cudaDeviceProp, maxSurface1D) == 496, "");
static_assert(offsetof(cudaDeviceProp, maxSurface2D) == 500, "");
static_assert(offsetof(cudaDeviceProp, maxSurface3D) == 508, "");
static_assert(offsetof(cudaDeviceProp, maxSurface1DLayered) == 520, "");
static_assert(offsetof(cudaDeviceProp, maxSurface2DLayered) == 528, "");
static_assert(offsetof(cudaDeviceProp, maxSurfaceCubemap) == 540, "");
static_assert(offsetof(cudaDeviceProp, maxSurfaceCubemapLayered) == 544, "");
static_assert(offsetof(cudaDeviceProp, surfaceAlignment) == 552, "");
static_assert(offsetof(cudaDeviceProp, concurrentKernels) == 560, "");
static_assert(offsetof(cudaDeviceProp, ECCEnabled) == 564, "");
static_assert(offsetof(cudaDeviceProp, pciBusID) == 568, "");
static_assert(offsetof(cudaDeviceProp, pciDeviceID) == 572, "");
static_assert(offsetof(cudaDeviceProp, pciDomainID) == 576, "");
static_assert(offsetof(cudaDeviceProp, tccDriver) == 580, "");
static_assert(offsetof(cudaDeviceProp, asyncEngineCount) == 584, "");
static_assert(offsetof(cudaDeviceProp, unifiedAddressing) == 588, "");
static_assert(offsetof(cudaDeviceProp, memoryBusWidth) == 592, "");
static_assert(offsetof(cudaDeviceProp, l2CacheSize) == 596, "");
static_assert(offsetof(cudaDeviceProp, persistingL2CacheMaxSize) == 600, "");
static_assert(offsetof(cudaDeviceProp, maxThreadsPerMultiProcessor) == 604, "");
static_assert(offsetof(cudaDeviceProp, streamPrioritiesSupported) == 608, "");
static_assert(offsetof(cudaDeviceProp, globalL1CacheSupported) == 612, "");
static_assert(offsetof(cudaDeviceProp, localL1CacheSupported) == 616, "");
static_assert(offsetof(cudaDeviceProp, sharedMemPerMultiprocessor) == 624, "");
static_assert(offsetof(cudaDeviceProp, regsPerMultiprocessor) == 632, "");
static_assert(offsetof(cudaDeviceProp, managedMemory) == 636, "");
static_assert(offsetof(cudaDeviceProp, isMultiGpuBoard) == 640, "");
static_assert(offsetof(cudaDeviceProp, multiGpuBoardGroupID) == 644, "");
static_assert(offsetof(cudaDeviceProp, hostNativeAtomicSupported) == 648, "");
static_assert(offsetof(cudaDeviceProp, pageableMemoryAccess) == 652, "");
static_assert(offsetof(cudaDeviceProp, concurrentManagedAccess) == 656, "");
static_assert(offsetof(cudaDeviceProp, computePreemptionSupported) == 660, "");
static_assert(offsetof(cudaDeviceProp, canUseHostPointerForRegisteredMem) ==
                  664,
              "");
static_assert(offsetof(cudaDeviceProp, cooperativeLaunch) == 668, "");
static_assert(offsetof(cudaDeviceProp, sharedMemPerBlockOptin) == 672, "");
static_assert(offsetof(cudaDeviceProp,
                       pageableMemoryAccessUsesHostPageTables) == 680,
              "");
static_assert(offsetof(cudaDeviceProp, directManagedMemAccessFromHost) == 684,
              "");
static_assert(offsetof(cudaDeviceProp, maxBlocksPerMultiProcessor) == 688, "");
static_assert(offsetof(cudaDeviceProp, accessPolicyMaxWindowSize) == 692, "");
static_assert(offsetof(cudaDeviceProp, reservedSharedMemPerBlock) == 696, "");
static_assert(offsetof(cudaDeviceProp, hostRegisterSupported) == 704, "");
static_assert(offsetof(cudaDeviceProp, sparseCudaArraySupported) == 708, "");
static_assert(offsetof(cudaDeviceProp, hostRegisterReadOnlySupported) == 712,
              "");
static_assert(offsetof(cudaDeviceProp, timelineSemaphoreInteropSupported) ==
                  716,
              "");
static_assert(offsetof(cudaDeviceProp, memoryPoolsSupported) == 720, "");
static_assert(offsetof(cudaDeviceProp, gpuDirectRDMASupported) == 724, "");
static_assert(offsetof(cudaDeviceProp, gpuDirectRDMAFlushWritesOptions) == 728,
              "");
static_assert(offsetof(cudaDeviceProp, gpuDirectRDMAWritesOrdering) == 732, "");
static_assert(offsetof(cudaDeviceProp, memoryPoolSupportedHandleTypes) == 736,
              "");
static_assert(offsetof(cudaDeviceProp, deferredMappingCudaArraySupported) ==
                  740,
              "");
static_assert(offsetof(cudaDeviceProp, ipcEventSupported) == 744, "");
static_assert(offsetof(cudaDeviceProp, clusterLaunch) == 748, "");
static_assert(offsetof(cudaDeviceProp, unifiedFunctionPointers) == 752, "");
static_assert(offsetof(cudaDeviceProp, deviceNumaConfig) == 756, "");
static_assert(offsetof(cudaDeviceProp, deviceNumaId) == 760, "");
static_assert(offsetof(cudaDeviceProp, mpsEnabled) == 764, "");
static_assert(offsetof(cudaDeviceProp, hostNumaId) == 768, "");
static_assert(offsetof(cudaDeviceProp, gpuPciDeviceID) == 772, "");
static_assert(offsetof(cudaDeviceProp, gpuPciSubsystemID) == 776, "");
static_assert(offsetof(cudaDeviceProp, hostNumaMultinodeIpcSupported) == 780,
              "");
static_assert(offsetof(cudaDeviceProp, reserved) == 784, "");
static_assert(sizeof(cudaPointerAttributes) == 88, "");
static_assert(offsetof(cudaPointerAttributes, type) == 0, "");
static_assert(offsetof(cudaPointerAttributes, device) == 4, "");
static_assert(offsetof(cudaPointerAttributes, devicePointer) == 8, "");
static_assert(offsetof(cudaPointerAttributes, hostPointer) == 16, "");
static_assert(offsetof(cudaPointerAttributes, reserved) == 24, "");
static_assert(sizeof(cudaMemLocation) == 8, "");
static_assert(offsetof(cudaMemLocation, type) == 0, "");
static_assert(offsetof(cudaMemLocation, id) == 4, "");
static_assert(sizeof(cudaUUID_t) == 16, "");
static_assert(sizeof(cudaGraphEdgeData) == 8, "");
static_assert(sizeof(cudaMemPoolProps) == 88, "");
static_assert(offsetof(cudaMemPoolProps, allocType) == 0, "");
static_assert(offsetof(cudaMemPoolProps, handleTypes) == 4, "");
static_assert(offsetof(cudaMemPoolProps, location) == 8, "");
static_assert(offsetof(cudaMemPoolProps, win32SecurityAttributes) == 16, "");
static_assert(offsetof(cudaMemPoolProps, maxSize) == 24, "");
static_assert(offsetof(cudaMemPoolProps, usage) == 32, "");
static_assert(offsetof(cudaMemPoolProps, reserved) == 34, "");
static_assert(sizeof(cudaMemAccessDesc) == 12, "");
static_assert(offsetof(cudaMemAccessDesc, location) == 0, "");
static_assert(offsetof(cudaMemAccessDesc, flags) == 8, "");
static_assert(sizeof(cudaMemcpyAttributes) == 24, "");
static_assert(offsetof(cudaMemcpyAttributes, srcAccessOrder) == 0, "");
static_assert(offsetof(cudaMemcpyAttributes, srcLocHint) == 4, "");
static_assert(offsetof(cudaMemcpyAttributes, dstLocHint) == 12, "");
static_assert(offsetof(cudaMemcpyAttributes, flags) == 20, "");

// Signatures.
static_assert(std::is_same<decltype(&cudaGetErrorName),
                           const char* (*)(cudaError_t)>::value,
              "");
static_assert(std::is_same<decltype(&cudaGetErrorString),
                           const char* (*)(cudaError_t)>::value,
              "");
static_assert(
    std::is_same<decltype(&cudaGetLastError), cudaError_t (*)()>::value, "");
static_assert(
    std::is_same<decltype(&cudaPeekAtLastError), cudaError_t (*)()>::value, "");
static_assert(
    std::is_same<decltype(&cudaGetDeviceCount), cudaError_t (*)(int*)>::value,
    "");
static_assert(
    std::is_same<decltype(&cudaGetDevice), cudaError_t (*)(int*)>::value, "");
static_assert(
    std::is_same<decltype(&cudaSetDevice), cudaError_t (*)(int)>::value, "");
static_assert(
    std::is_same<decltype(&cudaInitDevice),
                 cudaError_t (*)(int, unsigned int, unsigned int)>::value,
    "");
static_assert(std::is_same<decltype(&cudaSetDeviceFlags),
                           cudaError_t (*)(unsigned int)>::value,
              "");
static_assert(std::is_same<decltype(&cudaGetDeviceFlags),
                           cudaError_t (*)(unsigned int*)>::value,
              "");
static_assert(std::is_same<decltype(&cudaDeviceGetAttribute),
                           cudaError_t (*)(int*, cudaDeviceAttr, int)>::value,
              "");
static_assert(std::is_same<decltype(&cudaGetDeviceProperties),
                           cudaError_t (*)(cudaDeviceProp*, int)>::value,
              "");
static_assert(
    std::is_same<decltype(&cudaDeviceReset), cudaError_t (*)()>::value, "");
static_assert(
    std::is_same<decltype(&cudaDeviceSynchronize), cudaError_t (*)()>::value,
    "");
static_assert(std::is_same<decltype(&cudaDeviceGetPCIBusId),
                           cudaError_t (*)(char*, int, int)>::value,
              "");
static_assert(std::is_same<decltype(&cudaDeviceGetByPCIBusId),
                           cudaError_t (*)(int*, const char*)>::value,
              "");
static_assert(std::is_same<decltype(&cudaDeviceGetStreamPriorityRange),
                           cudaError_t (*)(int*, int*)>::value,
              "");
static_assert(
    std::is_same<decltype(&cudaDriverGetVersion), cudaError_t (*)(int*)>::value,
    "");
static_assert(std::is_same<decltype(&cudaRuntimeGetVersion),
                           cudaError_t (*)(int*)>::value,
              "");
static_assert(std::is_same<decltype(&cudaMemGetInfo),
                           cudaError_t (*)(size_t*, size_t*)>::value,
              "");
static_assert(std::is_same<decltype(&cudaDeviceCanAccessPeer),
                           cudaError_t (*)(int*, int, int)>::value,
              "");
static_assert(std::is_same<decltype(&cudaDeviceEnablePeerAccess),
                           cudaError_t (*)(int, unsigned int)>::value,
              "");
static_assert(std::is_same<decltype(&cudaDeviceDisablePeerAccess),
                           cudaError_t (*)(int)>::value,
              "");
static_assert(
    std::is_same<decltype(&cudaDeviceGetP2PAttribute),
                 cudaError_t (*)(int*, cudaDeviceP2PAttr, int, int)>::value,
    "");
static_assert(std::is_same<decltype(&cudaStreamCreate),
                           cudaError_t (*)(cudaStream_t*)>::value,
              "");
static_assert(std::is_same<decltype(&cudaStreamCreateWithFlags),
                           cudaError_t (*)(cudaStream_t*, unsigned int)>::value,
              "");
static_assert(
    std::is_same<decltype(&cudaStreamCreateWithPriority),
                 cudaError_t (*)(cudaStream_t*, unsigned int, int)>::value,
    "");
static_assert(std::is_same<decltype(&cudaStreamDestroy),
                           cudaError_t (*)(cudaStream_t)>::value,
              "");
static_assert(std::is_same<decltype(&cudaStreamGetFlags),
                           cudaError_t (*)(cudaStream_t, unsigned int*)>::value,
              "");
static_assert(std::is_same<decltype(&cudaStreamGetPriority),
                           cudaError_t (*)(cudaStream_t, int*)>::value,
              "");
static_assert(std::is_same<decltype(&cudaStreamGetDevice),
                           cudaError_t (*)(cudaStream_t, int*)>::value,
              "");
static_assert(
    std::is_same<decltype(&cudaStreamGetId),
                 cudaError_t (*)(cudaStream_t, unsigned long long*)>::value,
    "");
static_assert(std::is_same<decltype(&cudaStreamQuery),
                           cudaError_t (*)(cudaStream_t)>::value,
              "");
static_assert(std::is_same<decltype(&cudaStreamSynchronize),
                           cudaError_t (*)(cudaStream_t)>::value,
              "");
static_assert(std::is_same<decltype(&cudaStreamWaitEvent),
                           cudaError_t (*)(cudaStream_t, cudaEvent_t,
                                           unsigned int)>::value,
              "");
static_assert(
    std::is_same<decltype(&cudaLaunchHostFunc),
                 cudaError_t (*)(cudaStream_t, cudaHostFn_t, void*)>::value,
    "");
static_assert(std::is_same<decltype(&cudaEventCreate),
                           cudaError_t (*)(cudaEvent_t*)>::value,
              "");
static_assert(std::is_same<decltype(&cudaEventCreateWithFlags),
                           cudaError_t (*)(cudaEvent_t*, unsigned int)>::value,
              "");
static_assert(std::is_same<decltype(&cudaEventDestroy),
                           cudaError_t (*)(cudaEvent_t)>::value,
              "");
static_assert(std::is_same<decltype(&cudaEventRecord),
                           cudaError_t (*)(cudaEvent_t, cudaStream_t)>::value,
              "");
static_assert(std::is_same<decltype(&cudaEventRecordWithFlags),
                           cudaError_t (*)(cudaEvent_t, cudaStream_t,
                                           unsigned int)>::value,
              "");
static_assert(std::is_same<decltype(&cudaEventQuery),
                           cudaError_t (*)(cudaEvent_t)>::value,
              "");
static_assert(std::is_same<decltype(&cudaEventSynchronize),
                           cudaError_t (*)(cudaEvent_t)>::value,
              "");
static_assert(
    std::is_same<decltype(&cudaEventElapsedTime),
                 cudaError_t (*)(float*, cudaEvent_t, cudaEvent_t)>::value,
    "");
static_assert(
    std::is_same<decltype(&cudaMalloc), cudaError_t (*)(void**, size_t)>::value,
    "");
static_assert(
    std::is_same<decltype(&cudaMallocPitch),
                 cudaError_t (*)(void**, size_t*, size_t, size_t)>::value,
    "");
static_assert(std::is_same<decltype(&cudaMallocHost),
                           cudaError_t (*)(void**, size_t)>::value,
              "");
static_assert(
    std::is_same<decltype(&cudaMallocManaged),
                 cudaError_t (*)(void**, size_t, unsigned int)>::value,
    "");
static_assert(
    std::is_same<decltype(&cudaMallocAsync),
                 cudaError_t (*)(void**, size_t, cudaStream_t)>::value,
    "");
static_assert(std::is_same<decltype(&cudaFree), cudaError_t (*)(void*)>::value,
              "");
static_assert(
    std::is_same<decltype(&cudaFreeHost), cudaError_t (*)(void*)>::value, "");
static_assert(std::is_same<decltype(&cudaFreeAsync),
                           cudaError_t (*)(void*, cudaStream_t)>::value,
              "");
static_assert(
    std::is_same<decltype(&cudaHostAlloc),
                 cudaError_t (*)(void**, size_t, unsigned int)>::value,
    "");
static_assert(std::is_same<decltype(&cudaHostRegister),
                           cudaError_t (*)(void*, size_t, unsigned int)>::value,
              "");
static_assert(
    std::is_same<decltype(&cudaHostUnregister), cudaError_t (*)(void*)>::value,
    "");
static_assert(std::is_same<decltype(&cudaHostGetDevicePointer),
                           cudaError_t (*)(void**, void*, unsigned int)>::value,
              "");
static_assert(std::is_same<decltype(&cudaHostGetFlags),
                           cudaError_t (*)(unsigned int*, void*)>::value,
              "");
static_assert(
    std::is_same<decltype(&cudaPointerGetAttributes),
                 cudaError_t (*)(cudaPointerAttributes*, const void*)>::value,
    "");
static_assert(std::is_same<decltype(&cudaMemcpy),
                           cudaError_t (*)(void*, const void*, size_t,
                                           cudaMemcpyKind)>::value,
              "");
static_assert(
    std::is_same<decltype(&cudaMemcpyAsync),
                 cudaError_t (*)(void*, const void*, size_t, cudaMemcpyKind,
                                 cudaStream_t)>::value,
    "");
static_assert(
    std::is_same<decltype(&cudaMemcpy2D),
                 cudaError_t (*)(void*, size_t, const void*, size_t, size_t,
                                 size_t, cudaMemcpyKind)>::value,
    "");
static_assert(
    std::is_same<decltype(&cudaMemcpy2DAsync),
                 cudaError_t (*)(void*, size_t, const void*, size_t, size_t,
                                 size_t, cudaMemcpyKind, cudaStream_t)>::value,
    "");
static_assert(
    std::is_same<decltype(&cudaMemcpyPeer),
                 cudaError_t (*)(void*, int, const void*, int, size_t)>::value,
    "");
static_assert(std::is_same<decltype(&cudaMemcpyPeerAsync),
                           cudaError_t (*)(void*, int, const void*, int, size_t,
                                           cudaStream_t)>::value,
              "");
static_assert(std::is_same<decltype(&cudaMemset),
                           cudaError_t (*)(void*, int, size_t)>::value,
              "");
static_assert(
    std::is_same<decltype(&cudaMemsetAsync),
                 cudaError_t (*)(void*, int, size_t, cudaStream_t)>::value,
    "");
static_assert(
    std::is_same<decltype(&cudaMemset2D),
                 cudaError_t (*)(void*, size_t, int, size_t, size_t)>::value,
    "");
static_assert(std::is_same<decltype(&cudaMemset2DAsync),
                           cudaError_t (*)(void*, size_t, int, size_t, size_t,
                                           cudaStream_t)>::value,
              "");
static_assert(std::is_same<decltype(&cudaDeviceGetDefaultMemPool),
                           cudaError_t (*)(cudaMemPool_t*, int)>::value,
              "");
static_assert(std::is_same<decltype(&cudaDeviceGetMemPool),
                           cudaError_t (*)(cudaMemPool_t*, int)>::value,
              "");
static_assert(std::is_same<decltype(&cudaDeviceSetMemPool),
                           cudaError_t (*)(int, cudaMemPool_t)>::value,
              "");
static_assert(std::is_same<decltype(&cudaMallocFromPoolAsync),
                           cudaError_t (*)(void**, size_t, cudaMemPool_t,
                                           cudaStream_t)>::value,
              "");
static_assert(std::is_same<decltype(&cudaMemPoolCreate),
                           cudaError_t (*)(cudaMemPool_t*,
                                           const cudaMemPoolProps*)>::value,
              "");
static_assert(std::is_same<decltype(&cudaMemPoolDestroy),
                           cudaError_t (*)(cudaMemPool_t)>::value,
              "");
static_assert(std::is_same<decltype(&cudaMemPoolTrimTo),
                           cudaError_t (*)(cudaMemPool_t, size_t)>::value,
              "");
static_assert(
    std::is_same<decltype(&cudaMemPoolSetAttribute),
                 cudaError_t (*)(cudaMemPool_t, cudaMemPoolAttr, void*)>::value,
    "");
static_assert(
    std::is_same<decltype(&cudaMemPoolGetAttribute),
                 cudaError_t (*)(cudaMemPool_t, cudaMemPoolAttr, void*)>::value,
    "");
static_assert(
    std::is_same<decltype(&cudaMemPoolSetAccess),
                 cudaError_t (*)(cudaMemPool_t, const cudaMemAccessDesc*,
                                 size_t)>::value,
    "");
static_assert(std::is_same<decltype(&cudaMemPoolGetAccess),
                           cudaError_t (*)(cudaMemAccessFlags*, cudaMemPool_t,
                                           cudaMemLocation*)>::value,
              "");
static_assert(
    std::is_same<decltype(&cudaMemcpyBatchAsync),
                 cudaError_t (*)(void* const*, const void* const*,
                                 const size_t*, size_t, cudaMemcpyAttributes*,
                                 size_t*, size_t, cudaStream_t)>::value,
    "");
static_assert(
    std::is_same<decltype(&cudaMemAdvise),
                 cudaError_t (*)(const void*, size_t, cudaMemoryAdvise,
                                 cudaMemLocation)>::value,
    "");
static_assert(std::is_same<decltype(&cudaMemPrefetchAsync),
                           cudaError_t (*)(const void*, size_t, cudaMemLocation,
                                           unsigned int, cudaStream_t)>::value,
              "");
static_assert(std::is_same<decltype(&cudaMemRangeGetAttribute),
                           cudaError_t (*)(void*, size_t, cudaMemRangeAttribute,
                                           const void*, size_t)>::value,
              "");
static_assert(
    std::is_same<decltype(&cudaMemRangeGetAttributes),
                 cudaError_t (*)(void**, size_t*, cudaMemRangeAttribute*,
                                 size_t, const void*, size_t)>::value,
    "");
static_assert(std::is_same<decltype(&cudaStreamIsCapturing),
                           cudaError_t (*)(cudaStream_t,
                                           cudaStreamCaptureStatus*)>::value,
              "");
static_assert(
    std::is_same<decltype(&cudaStreamGetCaptureInfo),
                 cudaError_t (*)(cudaStream_t, cudaStreamCaptureStatus*,
                                 unsigned long long*, cudaGraph_t*,
                                 const cudaGraphNode_t**,
                                 const cudaGraphEdgeData**, size_t*)>::value,
    "");
static_assert(
    std::is_same<decltype(&cudaStreamBeginCapture),
                 cudaError_t (*)(cudaStream_t, cudaStreamCaptureMode)>::value,
    "");
static_assert(std::is_same<decltype(&cudaStreamEndCapture),
                           cudaError_t (*)(cudaStream_t, cudaGraph_t*)>::value,
              "");
static_assert(std::is_same<decltype(&cudaThreadExchangeStreamCaptureMode),
                           cudaError_t (*)(cudaStreamCaptureMode*)>::value,
              "");
static_assert(std::is_same<decltype(&cudaGraphInstantiate),
                           cudaError_t (*)(cudaGraphExec_t*, cudaGraph_t,
                                           unsigned long long)>::value,
              "");
static_assert(
    std::is_same<decltype(&cudaGraphLaunch),
                 cudaError_t (*)(cudaGraphExec_t, cudaStream_t)>::value,
    "");
static_assert(std::is_same<decltype(&cudaGraphGetNodes),
                           cudaError_t (*)(cudaGraph_t, cudaGraphNode_t*,
                                           size_t*)>::value,
              "");
static_assert(std::is_same<decltype(&cudaGraphDestroy),
                           cudaError_t (*)(cudaGraph_t)>::value,
              "");
static_assert(std::is_same<decltype(&cudaGraphExecDestroy),
                           cudaError_t (*)(cudaGraphExec_t)>::value,
              "");
static_assert(
    std::is_same<decltype(&cudaProfilerStart), cudaError_t (*)()>::value, "");
static_assert(
    std::is_same<decltype(&cudaProfilerStop), cudaError_t (*)()>::value, "");

}  // namespace

#endif  // CUDART_VERSION == 13000
