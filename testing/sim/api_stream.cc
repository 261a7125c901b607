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

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "testing/sim/api.h"
#include "testing/sim/capture.h"
#include "testing/sim/device_memory.h"
#include "testing/sim/hazards.h"
#include "testing/sim/machine.h"
#include "testing/sim/queue.h"
#include "testing/sim/sync_sites.h"

using conveyor::sim::Call;
using conveyor::sim::CaptureWait;
using conveyor::sim::CheckLegacy;
using conveyor::sim::Event;
using conveyor::sim::IgnoresSync;
using conveyor::sim::InvalidateCapture;
using conveyor::sim::Machine;
using conveyor::sim::NewStream;
using conveyor::sim::OpKind;
using conveyor::sim::Point;
using conveyor::sim::ReapStreams;
using conveyor::sim::Stream;
using conveyor::sim::StreamEnds;
using conveyor::sim::TheMachine;
using conveyor::sim::TrimPools;
using conveyor::sim::WaitsFor;
using conveyor::sim::WaitsForNothing;
using conveyor::sim::Work;

namespace {

double CallNs() { return TheMachine().profile.call_ns; }

// As many priorities as an H200 has.
constexpr int kGreatestPriority = -5;

// Asking what a capturing stream is doing ends its capture.
cudaError_t CheckQuery(Call& call, Stream* stream) {
  if (stream->capture != nullptr) {
    InvalidateCapture(stream);
    return cudaErrorStreamCaptureUnsupported;
  }
  if (stream->legacy) {
    if (const cudaError_t error = CheckLegacy(call.machine(), *stream)) {
      return error;
    }
  }
  return call.CheckUnsafe();
}

cudaError_t Create(const char* name, cudaStream_t* stream, unsigned flags,
                   int priority) {
  Call call(name, CallNs());
  if (call.refused()) return call.Return(call.refusal());
  if (stream == nullptr || (flags & ~unsigned{cudaStreamNonBlocking}) != 0) {
    return call.Return(cudaErrorInvalidValue);
  }
  Machine& machine = call.machine();
  ReapStreams(machine, call.thread().device);
  Stream* const made =
      NewStream(machine, call.thread().device, flags,
                std::max(kGreatestPriority, std::min(priority, 0)));
  *stream = machine.streams.Add(std::make_unique<Stream*>(made));
  return call.Return(cudaSuccess);
}

}  // namespace

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return Create(__func__, stream, cudaStreamDefault, 0);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return Create(__func__, stream, flags, 0);
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags,
                                         int priority) {
  return Create(__func__, stream, flags, priority);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  Call call(__func__, CallNs());
  if (call.refused()) return call.Return(call.refusal());
  Machine& machine = call.machine();
  Stream** const found = machine.streams.Get(stream);
  if (found == nullptr) return call.Return(cudaErrorInvalidResourceHandle);
  InvalidateCapture(*found);
  StreamEnds(machine, *found);
  // What it holds is still done.
  const int device = (*found)->device;
  (*found)->live = false;
  machine.streams.Remove(stream);
  ReapStreams(machine, device);
  return call.Return(cudaSuccess);
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
  Call call(__func__, CallNs());
  if (call.refused()) return call.Return(call.refusal());
  if (flags == nullptr) return call.Return(cudaErrorInvalidValue);
  const Stream* const found = call.Find(stream);
  if (found == nullptr) return call.Return(cudaErrorInvalidResourceHandle);
  *flags = found->flags;
  return call.Return(cudaSuccess);
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  Call call(__func__, CallNs());
  if (call.refused()) return call.Return(call.refusal());
  if (priority == nullptr) return call.Return(cudaErrorInvalidValue);
  const Stream* const found = call.Find(stream);
  if (found == nullptr) return call.Return(cudaErrorInvalidResourceHandle);
  *priority = found->priority;
  return call.Return(cudaSuccess);
}

cudaError_t cudaStreamGetDevice(cudaStream_t stream, int* device) {
  Call call(__func__, CallNs());
  if (call.refused()) return call.Return(call.refusal());
  if (device == nullptr) return call.Return(cudaErrorInvalidValue);
  const Stream* const found = call.Find(stream);
  if (found == nullptr) return call.Return(cudaErrorInvalidResourceHandle);
  *device = found->device;
  return call.Return(cudaSuccess);
}

cudaError_t cudaStreamGetId(cudaStream_t stream,
                            unsigned long long* stream_id) {
  Call call(__func__, CallNs());
  if (call.refused()) return call.Return(call.refusal());
  if (stream_id == nullptr) return call.Return(cudaErrorInvalidValue);
  const Stream* const found = call.Find(stream);
  if (found == nullptr) return call.Return(cudaErrorInvalidResourceHandle);
  *stream_id = found->id;
  return call.Return(cudaSuccess);
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  if (IgnoresSync(__func__, __builtin_return_address(0))) return cudaSuccess;
  Call call(__func__, TheMachine().profile.query_ns);
  if (call.refused()) return call.Return(call.refusal());
  Stream* const found = call.Find(stream);
  if (found == nullptr) return call.Return(cudaErrorInvalidResourceHandle);
  if (const cudaError_t error = CheckQuery(call, found)) {
    return call.Return(error);
  }
  for (const Point& point : call.EndOf(found)) {
    if (!call.Reached(point)) return call.Return(cudaErrorNotReady);
  }
  return call.Return(call.device().error);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  if (IgnoresSync(__func__, __builtin_return_address(0))) return cudaSuccess;
  Call call(__func__, CallNs());
  if (call.refused()) return call.Return(call.refusal());
  Stream* const found = call.Find(stream);
  if (found == nullptr) return call.Return(cudaErrorInvalidResourceHandle);
  if (const cudaError_t error = CheckQuery(call, found)) {
    return call.Return(error);
  }
  call.Wait(call.EndOf(found));
  TrimPools(call.machine());
  return call.Return(call.DeviceOf(found).error);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event,
                                unsigned flags) {
  if (IgnoresSync(__func__, __builtin_return_address(0))) return cudaSuccess;
  Call call(__func__, TheMachine().profile.event_issue_ns);
  if (call.refused()) return call.Return(call.refusal());
  Stream* const found = call.Find(stream);
  const Event* const waited = call.machine().events.Get(event);
  if (found == nullptr || waited == nullptr) {
    return call.Return(cudaErrorInvalidResourceHandle);
  }
  if (flags != cudaEventWaitDefault) {
    // External waits are for captures, which cannot do them here.
    return call.Return(flags == cudaEventWaitExternal ? cudaErrorIllegalState
                                                      : cudaErrorInvalidValue);
  }
  if (found->capture != nullptr || waited->captured != nullptr) {
    return call.Return(CaptureWait(call.machine(), found, *waited));
  }
  // What was never recorded is complete.
  if (waited->record == nullptr) {
    WaitsForNothing(found, call.caller());
    return call.Return(cudaSuccess);
  }
  WaitsFor(found, *waited->record);
  return call.Return(
      call.Enqueue(found, Work(), {waited->record->point}, nullptr));
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn,
                               void* user_data) {
  Call call(__func__, TheMachine().profile.kernel_issue_ns);
  if (call.refused()) return call.Return(call.refusal());
  Stream* const found = call.Find(stream);
  if (found == nullptr) return call.Return(cudaErrorInvalidResourceHandle);
  if (fn == nullptr) return call.Return(cudaErrorInvalidValue);
  Work work;
  work.kind = OpKind::kHostFunction;
  work.function = fn;
  work.data = user_data;
  return call.Return(call.Enqueue(found, std::move(work)));
}
