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

#include <cstddef>
#include <memory>
#include <utility>

#include "testing/sim/api.h"
#include "testing/sim/capture.h"
#include "testing/sim/device_memory.h"
#include "testing/sim/machine.h"
#include "testing/sim/queue.h"
#include "testing/sim/sync_sites.h"

using conveyor::sim::Call;
using conveyor::sim::CaptureRecord;
using conveyor::sim::Event;
using conveyor::sim::EventRecord;
using conveyor::sim::IgnoresSync;
using conveyor::sim::QueryCaptured;
using conveyor::sim::Stream;
using conveyor::sim::TheMachine;
using conveyor::sim::TimeCaptured;
using conveyor::sim::TrimPools;
using conveyor::sim::Work;

namespace {

double CallNs() { return TheMachine().profile.call_ns; }

cudaError_t Create(const char* name, cudaEvent_t* event, unsigned flags) {
  Call call(name, CallNs());
  if (call.refused()) return call.Return(call.refusal());
  const unsigned known =
      cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
  const bool interprocess = (flags & cudaEventInterprocess) != 0;
  if (event == nullptr || (flags & ~known) != 0 ||
      (interprocess && (flags & cudaEventDisableTiming) == 0)) {
    return call.Return(cudaErrorInvalidValue);
  }
  *event = call.machine().events.Add(std::make_unique<Event>(
      Event{call.thread().device, flags, nullptr, nullptr}));
  return call.Return(cudaSuccess);
}

cudaError_t Record(const char* name, cudaEvent_t event, cudaStream_t stream,
                   unsigned flags) {
  Call call(name, TheMachine().profile.event_issue_ns);
  if (call.refused()) return call.Return(call.refusal());
  Stream* const found = call.Find(stream);
  Event* const recorded = call.machine().events.Get(event);
  if (found == nullptr || recorded == nullptr ||
      found->device != recorded->device) {
    return call.Return(cudaErrorInvalidResourceHandle);
  }
  if (flags != cudaEventRecordDefault) {
    // External records are for captures, which cannot do them here.
    return call.Return(flags == cudaEventRecordExternal
                           ? cudaErrorIllegalState
                           : cudaErrorInvalidValue);
  }
  if (found->capture != nullptr) {
    return call.Return(CaptureRecord(found, recorded));
  }
  Work work;
  work.record = std::make_shared<EventRecord>();
  const std::shared_ptr<EventRecord> record = work.record;
  if (const cudaError_t error =
          call.Enqueue(found, std::move(work), &record->point)) {
    return call.Return(error);
  }
  // Looked up again: the lock may have been let go.
  Event* const still = call.machine().events.Get(event);
  if (still == nullptr) return call.Return(cudaErrorInvalidResourceHandle);
  still->record = record;
  still->captured = nullptr;
  return call.Return(cudaSuccess);
}

// Asking for an event may end captures, its own above all.
cudaError_t CheckQuery(Call& call, const Event& event) {
  if (event.captured != nullptr) return QueryCaptured(call.machine(), event);
  return call.CheckUnsafe();
}

}  // namespace

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return Create(__func__, event, cudaEventDefault);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return Create(__func__, event, flags);
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  Call call(__func__, CallNs());
  if (call.refused()) return call.Return(call.refusal());
  if (call.machine().events.Get(event) == nullptr) {
    return call.Return(cudaErrorInvalidResourceHandle);
  }
  call.machine().events.Remove(event);
  return call.Return(cudaSuccess);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  if (IgnoresSync(__func__, __builtin_return_address(0))) return cudaSuccess;
  return Record(__func__, event, stream, cudaEventRecordDefault);
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream,
                                     unsigned flags) {
  if (IgnoresSync(__func__, __builtin_return_address(0))) return cudaSuccess;
  return Record(__func__, event, stream, flags);
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  if (IgnoresSync(__func__, __builtin_return_address(0))) return cudaSuccess;
  Call call(__func__, TheMachine().profile.query_ns);
  if (call.refused()) return call.Return(call.refusal());
  const Event* const found = call.machine().events.Get(event);
  if (found == nullptr) return call.Return(cudaErrorInvalidResourceHandle);
  if (const cudaError_t error = CheckQuery(call, *found)) {
    return call.Return(error);
  }
  if (found->record != nullptr && !call.Reached(*found->record)) {
    return call.Return(cudaErrorNotReady);
  }
  return call.Return(
      call.machine().devices[static_cast<size_t>(found->device)].error);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  if (IgnoresSync(__func__, __builtin_return_address(0))) return cudaSuccess;
  Call call(__func__, CallNs());
  if (call.refused()) return call.Return(call.refusal());
  const Event* const found = call.machine().events.Get(event);
  if (found == nullptr) return call.Return(cudaErrorInvalidResourceHandle);
  if (const cudaError_t error = CheckQuery(call, *found)) {
    return call.Return(error);
  }
  const int device = found->device;
  // By value: the event may be recorded again, or destroyed, meanwhile.
  const std::shared_ptr<EventRecord> record = found->record;
  if (record != nullptr) call.Wait(*record);
  TrimPools(call.machine());
  return call.Return(call.machine().devices[static_cast<size_t>(device)].error);
}

cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t start,
                                 cudaEvent_t end) {
  Call call(__func__, CallNs());
  if (call.refused()) return call.Return(call.refusal());
  if (ms == nullptr) return call.Return(cudaErrorInvalidValue);
  const Event* const first = call.machine().events.Get(start);
  const Event* const second = call.machine().events.Get(end);
  for (const Event* event : {first, second}) {
    if (event != nullptr && event->captured != nullptr) {
      return call.Return(TimeCaptured(call.machine(), *event));
    }
    if (event == nullptr || event->record == nullptr ||
        (event->flags & cudaEventDisableTiming) != 0 ||
        event->device != first->device) {
      return call.Return(cudaErrorInvalidResourceHandle);
    }
  }
  if (!call.Reached(*first->record) || !call.Reached(*second->record)) {
    return call.Return(cudaErrorNotReady);
  }
  *ms = static_cast<float>((second->record->time - first->record->time) / 1e6);
  return call.Return(cudaSuccess);
}
