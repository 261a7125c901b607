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

// Names and texts of errors.

#include <cuda_runtime_api.h>

namespace {

struct ErrorText {
  const char* name;
  const char* text;
};

ErrorText Find(cudaError_t error) {
  switch (error) {
    case cudaSuccess:
      return {"cudaSuccess", "no error"};
    case cudaErrorInvalidValue:
      return {"cudaErrorInvalidValue", "invalid argument"};
    case cudaErrorMemoryAllocation:
      return {"cudaErrorMemoryAllocation", "out of memory"};
    case cudaErrorInitializationError:
      return {"cudaErrorInitializationError", "initialization error"};
    case cudaErrorCudartUnloading:
      return {"cudaErrorCudartUnloading", "driver shutting down"};
    case cudaErrorProfilerDisabled:
      return {"cudaErrorProfilerDisabled", "profiler disabled"};
    case cudaErrorProfilerNotInitialized:
      return {"cudaErrorProfilerNotInitialized", "profiler not initialized"};
    case cudaErrorProfilerAlreadyStarted:
      return {"cudaErrorProfilerAlreadyStarted", "profiler already started"};
    case cudaErrorProfilerAlreadyStopped:
      return {"cudaErrorProfilerAlreadyStopped", "profiler already stopped"};
    case cudaErrorInvalidConfiguration:
      return {"cudaErrorInvalidConfiguration",
              "invalid configuration argument"};
    case cudaErrorInvalidPitchValue:
      return {"cudaErrorInvalidPitchValue", "invalid pitch argument"};
    case cudaErrorInvalidHostPointer:
      return {"cudaErrorInvalidHostPointer", "invalid host pointer"};
    case cudaErrorInvalidDevicePointer:
      return {"cudaErrorInvalidDevicePointer", "invalid device pointer"};
    case cudaErrorInvalidMemcpyDirection:
      return {"cudaErrorInvalidMemcpyDirection",
              "invalid copy direction for memcpy"};
    case cudaErrorInsufficientDriver:
      return {"cudaErrorInsufficientDriver", "insufficient driver"};
    case cudaErrorCallRequiresNewerDriver:
      return {"cudaErrorCallRequiresNewerDriver", "call requires newer driver"};
    case cudaErrorDevicesUnavailable:
      return {"cudaErrorDevicesUnavailable", "devices unavailable"};
    case cudaErrorLaunchFileScopedTex:
      return {"cudaErrorLaunchFileScopedTex", "launch file scoped tex"};
    case cudaErrorLaunchFileScopedSurf:
      return {"cudaErrorLaunchFileScopedSurf", "launch file scoped surf"};
    case cudaErrorNoDevice:
      return {"cudaErrorNoDevice", "no CUDA-capable device is detected"};
    case cudaErrorInvalidDevice:
      return {"cudaErrorInvalidDevice", "invalid device ordinal"};
    case cudaErrorDeviceUninitialized:
      return {"cudaErrorDeviceUninitialized", "device uninitialized"};
    case cudaErrorUnmapBufferObjectFailed:
      return {"cudaErrorUnmapBufferObjectFailed", "unmap buffer object failed"};
    case cudaErrorECCUncorrectable:
      return {"cudaErrorECCUncorrectable", "eccuncorrectable"};
    case cudaErrorUnsupportedLimit:
      return {"cudaErrorUnsupportedLimit", "unsupported limit"};
    case cudaErrorDeviceAlreadyInUse:
      return {"cudaErrorDeviceAlreadyInUse", "device already in use"};
    case cudaErrorPeerAccessUnsupported:
      return {"cudaErrorPeerAccessUnsupported", "peer access unsupported"};
    case cudaErrorNvlinkUncorrectable:
      return {"cudaErrorNvlinkUncorrectable", "nvlink uncorrectable"};
    case cudaErrorOperatingSystem:
      return {"cudaErrorOperatingSystem", "operating system"};
    case cudaErrorInvalidResourceHandle:
      return {"cudaErrorInvalidResourceHandle", "invalid resource handle"};
    case cudaErrorIllegalState:
      return {"cudaErrorIllegalState", "illegal state"};
    case cudaErrorNotReady:
      return {"cudaErrorNotReady", "device not ready"};
    case cudaErrorIllegalAddress:
      return {"cudaErrorIllegalAddress",
              "an illegal memory access was encountered"};
    case cudaErrorLaunchOutOfResources:
      return {"cudaErrorLaunchOutOfResources", "launch out of resources"};
    case cudaErrorLaunchTimeout:
      return {"cudaErrorLaunchTimeout", "launch timeout"};
    case cudaErrorLaunchIncompatibleTexturing:
      return {"cudaErrorLaunchIncompatibleTexturing",
              "launch incompatible texturing"};
    case cudaErrorPeerAccessAlreadyEnabled:
      return {"cudaErrorPeerAccessAlreadyEnabled",
              "peer access is already enabled"};
    case cudaErrorPeerAccessNotEnabled:
      return {"cudaErrorPeerAccessNotEnabled",
              "peer access has not been enabled"};
    case cudaErrorSetOnActiveProcess:
      return {"cudaErrorSetOnActiveProcess", "set on active process"};
    case cudaErrorContextIsDestroyed:
      return {"cudaErrorContextIsDestroyed", "context is destroyed"};
    case cudaErrorAssert:
      return {"cudaErrorAssert", "assert"};
    case cudaErrorTooManyPeers:
      return {"cudaErrorTooManyPeers", "too many peers"};
    case cudaErrorHostMemoryAlreadyRegistered:
      return {"cudaErrorHostMemoryAlreadyRegistered",
              "part or all of the requested memory range is already mapped"};
    case cudaErrorHostMemoryNotRegistered:
      return {"cudaErrorHostMemoryNotRegistered",
              "pointer does not correspond to a registered memory region"};
    case cudaErrorHardwareStackError:
      return {"cudaErrorHardwareStackError", "hardware stack error"};
    case cudaErrorIllegalInstruction:
      return {"cudaErrorIllegalInstruction", "illegal instruction"};
    case cudaErrorMisalignedAddress:
      return {"cudaErrorMisalignedAddress", "misaligned address"};
    case cudaErrorInvalidAddressSpace:
      return {"cudaErrorInvalidAddressSpace", "invalid address space"};
    case cudaErrorLaunchFailure:
      return {"cudaErrorLaunchFailure", "unspecified launch failure"};
    case cudaErrorNotPermitted:
      return {"cudaErrorNotPermitted", "operation not permitted"};
    case cudaErrorNotSupported:
      return {"cudaErrorNotSupported", "operation not supported"};
    case cudaErrorSystemNotReady:
      return {"cudaErrorSystemNotReady", "system not ready"};
    case cudaErrorSystemDriverMismatch:
      return {"cudaErrorSystemDriverMismatch", "system driver mismatch"};
    case cudaErrorCompatNotSupportedOnDevice:
      return {"cudaErrorCompatNotSupportedOnDevice",
              "compat not supported on device"};
    case cudaErrorStreamCaptureUnsupported:
      return {"cudaErrorStreamCaptureUnsupported",
              "operation not permitted when stream is capturing"};
    case cudaErrorStreamCaptureInvalidated:
      return {"cudaErrorStreamCaptureInvalidated",
              "operation failed due to a previous error during capture"};
    case cudaErrorStreamCaptureMerge:
      return {"cudaErrorStreamCaptureMerge", "stream capture merge"};
    case cudaErrorStreamCaptureUnmatched:
      return {"cudaErrorStreamCaptureUnmatched", "stream capture unmatched"};
    case cudaErrorStreamCaptureUnjoined:
      return {"cudaErrorStreamCaptureUnjoined", "stream capture unjoined"};
    case cudaErrorStreamCaptureIsolation:
      return {"cudaErrorStreamCaptureIsolation", "stream capture isolation"};
    case cudaErrorStreamCaptureImplicit:
      return {"cudaErrorStreamCaptureImplicit", "stream capture implicit"};
    case cudaErrorCapturedEvent:
      return {"cudaErrorCapturedEvent", "captured event"};
    case cudaErrorStreamCaptureWrongThread:
      return {"cudaErrorStreamCaptureWrongThread",
              "stream capture wrong thread"};
    case cudaErrorTimeout:
      return {"cudaErrorTimeout", "timeout"};
    case cudaErrorGraphExecUpdateFailure:
      return {"cudaErrorGraphExecUpdateFailure", "graph exec update failure"};
    case cudaErrorUnknown:
      return {"cudaErrorUnknown", "unknown error"};
  }
  return {"unrecognized error code", "unrecognized error code"};
}

}  // namespace

const char* cudaGetErrorName(cudaError_t error) { return Find(error).name; }

const char* cudaGetErrorString(cudaError_t error) { return Find(error).text; }
