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

#include "testing/sim/api.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "testing/sim/baton.h"
#include "testing/sim/capture.h"
#include "testing/sim/faults.h"
#include "testing/sim/hazards.h"
#include "testing/sim/machine.h"
#include "testing/sim/managed_guard.h"
#include "testing/sim/queue.h"
#include "testing/sim/scheduler.h"
#include "testing/sim/trace.h"

namespace conveyor {
namespace sim {
namespace {

// After which a context is of no more use.
bool Corrupts(cudaError_t error) {
  switch (error) {
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorLaunchFailure:
    case cudaErrorECCUncorrectable:
    case cudaErrorNvlinkUncorrectable:
      return true;
    default:
      return false;
  }
}

}  // namespace

Call::Call(const char* name, double cost_ns)
    : name_(name),
      machine_(TheMachine()),
      thread_(ThisThread()),
      start_(thread_.clock) {
  if (thread_.in_effect) {
    // This thread holds the lock already.
    refusal_ = cudaErrorNotPermitted;
    return;
  }
  lock_ = std::unique_lock<std::mutex>(machine_.mutex);
  MayPassBaton(machine_, lock_, thread_);
  Charge(cost_ns);
  if (thread_.in_host_function) {
    refusal_ = cudaErrorNotPermitted;
    return;
  }
  const Faults::OfCall fault = TheFaults().Take(name);
  Charge(fault.delay_ns);
  refusal_ = fault.error;
  if (Corrupts(refusal_)) device().error = refusal_;
  if (refusal_ == cudaSuccess) refusal_ = device().error;
  if (machine_.forked) refusal_ = cudaErrorInitializationError;
}

Stream* Call::Find(cudaStream_t handle) {
  if (handle == nullptr || handle == cudaStreamLegacy) {
    legacy_ = true;
    return device().legacy;
  }
  if (handle == cudaStreamPerThread) {
    thread_.default_streams.resize(machine_.devices.size());
    Stream*& stream =
        thread_.default_streams[static_cast<size_t>(thread_.device)];
    if (stream == nullptr) {
      stream = NewStream(machine_, thread_.device, cudaStreamDefault, 0);
    }
    return stream;
  }
  Stream** const stream = machine_.streams.Get(handle);
  return stream == nullptr ? nullptr : *stream;
}

cudaError_t Call::Enqueue(Stream* stream, Work work, std::vector<Point> after,
                          Point* at) {
  if (work.call == nullptr) work.call = name_;
  if (stream->capture != nullptr) {
    BeforeCapture(*stream, &work, caller());
    return CaptureWork(stream, std::move(work));
  }
  if (stream->legacy) {
    legacy_ = true;
    if (const cudaError_t error = CheckLegacy(machine_, *stream)) return error;
  }
  // The stream is full: the host waits until there is room.
  const auto depth = static_cast<uint64_t>(machine_.profile.queue_depth);
  if (stream->last - stream->timed >= depth) {
    WaitSilently({{stream, stream->last + 1 - depth}});
  }
  BeforeEnqueue(machine_, stream, &work, caller());
  const uint64_t index = sim::Enqueue(machine_, stream, std::move(work),
                                      std::move(after), thread_.clock);
  AfterEnqueue(machine_, stream, index);
  if (at != nullptr) *at = {stream, index};
  return cudaSuccess;
}

cudaError_t Call::CheckUnsafe() { return CheckUnsafeCall(machine_, thread_); }

double Call::Settle(Point point) {
  return WaitForPoint(machine_, lock_, thread_, point);
}

void Call::Wait(Point point) {
  WaitSilently({point});
  Learn(machine_, point);
}

void Call::Wait(const EventRecord& record) {
  Settle(record.point);
  WakeAt(record.time);
  Learn(record);
}

void Call::Wait(const std::vector<Point>& points) {
  WaitSilently(points);
  for (const Point& point : points) Learn(machine_, point);
}

void Call::WaitForDevice(int device) {
  Wait(EndOfDevice(device));
  LearnDevice(machine_, device);
}

void Call::WaitForDeviceSilently(int device) {
  WaitSilently(EndOfDevice(device));
}

void Call::WaitForLegacySilently(int device) {
  Stream* const legacy = machine_.devices[static_cast<size_t>(device)].legacy;
  WaitSilently({{legacy, legacy->last}});
}

void Call::WaitSilently(const std::vector<Point>& points) {
  double end = 0;
  for (const Point& point : points) {
    end = std::max(end, Settle(point));
  }
  WakeAt(end);
}

std::vector<Point> Call::EndOfDevice(int device) const {
  std::vector<Point> points;
  for (Stream* const stream :
       machine_.devices[static_cast<size_t>(device)].streams) {
    points.push_back({stream, stream->last});
  }
  return points;
}

std::vector<Point> Call::EndOf(Stream* stream) const {
  if (!stream->legacy) return {{stream, stream->last}};
  std::vector<Point> points;
  for (Stream* const other : DeviceOf(stream).streams) {
    if (other->blocking) points.push_back({other, other->last});
  }
  return points;
}

bool Call::HasReached(Point point) {
  machine_.time->AdvanceTo(thread_.clock);
  for (Stream* const stream :
       std::vector<Stream*>(machine_.time->due_functions())) {
    Force(machine_, {stream, stream->timed + 1});
  }
  const Stream& stream = *point.stream;
  if (stream.timed < point.index ||
      (stream.timed == point.index && stream.timed_at > thread_.clock)) {
    return false;
  }
  if (!Force(machine_, point)) return false;
  OpenManagedIfIdle(machine_, thread_.clock);
  return true;
}

bool Call::Reached(Point point) {
  if (!HasReached(point)) return false;
  Learn(machine_, point);
  return true;
}

bool Call::Reached(const EventRecord& record) {
  if (!HasReached(record.point) || record.time > thread_.clock) return false;
  Learn(record);
  return true;
}

void Call::WakeAt(double time) {
  if (time > thread_.clock) {
    Charge(time - thread_.clock + machine_.profile.wake_ns);
  }
  OpenManagedIfIdle(machine_, thread_.clock);
}

void Call::Charge(double ns) {
  thread_.clock += ns;
  machine_.latest_clock = std::max(machine_.latest_clock, thread_.clock);
}

cudaError_t Call::Return(cudaError_t error) {
  if (TheTrace().on()) {
    TheTrace().AddCall(name_, legacy_, error, start_, thread_.clock);
  }
  if (error == cudaErrorNotReady) {
    // No failure, and not kept. A host that polls must not keep the lock from
    // what it waits for.
    lock_.unlock();
    std::this_thread::yield();
  } else if (error != cudaSuccess) {
    thread_.last_error = error;
  }
  return error;
}

}  // namespace sim
}  // namespace conveyor
