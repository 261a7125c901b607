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

#include <utility>

#include "testing/sim/api.h"
#include "testing/sim/machine.h"
#include "testing/sim/queue.h"

using conveyor::sim::Call;
using conveyor::sim::TheMachine;

namespace {

double CallNs() { return TheMachine().profile.call_ns; }

}  // namespace

cudaError_t cudaStreamIsCapturing(cudaStream_t stream,
                                  cudaStreamCaptureStatus* capture_status) {
  Call call(__func__, CallNs());
  if (call.refused()) return call.Return(call.refusal());
  if (capture_status == nullptr) return call.Return(cudaErrorInvalidValue);
  if (call.Find(stream) == nullptr) {
    return call.Return(cudaErrorInvalidResourceHandle);
  }
  *capture_status = cudaStreamCaptureStatusNone;
  return call.Return(cudaSuccess);
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  Call call(__func__, CallNs());
  if (call.refused()) return call.Return(call.refusal());
  if (mode == nullptr || *mode < cudaStreamCaptureModeGlobal ||
      *mode > cudaStreamCaptureModeRelaxed) {
    return call.Return(cudaErrorInvalidValue);
  }
  std::swap(*mode, call.thread().capture_mode);
  return call.Return(cudaSuccess);
}
