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

#include "testing/sim/capture.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "testing/sim/graph.h"
#include "testing/sim/machine.h"
#include "testing/sim/queue.h"

namespace conveyor {
namespace sim {
namespace {

Capture* FindCapture(Machine& machine, uint64_t id) {
  for (const auto& capture : machine.captures) {
    if (capture->id == id) return capture.get();
  }
  return nullptr;
}

void Finish(Machine& machine, Capture* capture) {
  for (const auto& entry : capture->frontiers) entry.first->capture = nullptr;
  machine.captures.erase(
      std::find_if(machine.captures.begin(), machine.captures.end(),
                   [capture](const auto& c) { return c.get() == capture; }));
}

void Merge(std::vector<size_t>* into, const std::vector<size_t>& nodes) {
  std::set<size_t> all(into->begin(), into->end());
  all.insert(nodes.begin(), nodes.end());
  into->assign(all.begin(), all.end());
}

// Whether all that other streams captured comes before the origin's end.
bool AllJoined(const Capture& capture) {
  const std::vector<size_t>& end = capture.frontiers.at(capture.origin);
  std::vector<size_t> work = end;
  std::set<size_t> reached;
  while (!work.empty()) {
    const size_t node = work.back();
    work.pop_back();
    if (!reached.insert(node).second) continue;
    const std::vector<size_t>& before = capture.nodes[node].after;
    work.insert(work.end(), before.begin(), before.end());
  }
  for (const auto& entry : capture.frontiers) {
    for (const size_t node : entry.second) {
      if (reached.count(node) == 0) return false;
    }
  }
  return true;
}

// Whether a stream of `capture` and `legacy` wait for each other.
bool InOrderWith(const Capture& capture, const Stream& legacy) {
  return std::any_of(capture.frontiers.begin(), capture.frontiers.end(),
                     [&](const auto& entry) {
                       return entry.first->device == legacy.device &&
                              entry.first->blocking;
                     });
}

}  // namespace

cudaError_t CheckUnsafeCall(Machine& machine, const Thread& thread) {
  if (thread.capture_mode == cudaStreamCaptureModeRelaxed) return cudaSuccess;
  cudaError_t error = cudaSuccess;
  for (const auto& capture : machine.captures) {
    const bool own = capture->thread == &thread &&
                     capture->mode != cudaStreamCaptureModeRelaxed;
    const bool global = capture->mode == cudaStreamCaptureModeGlobal &&
                        thread.capture_mode == cudaStreamCaptureModeGlobal;
    if (!own && !global) continue;
    capture->valid = false;
    error = cudaErrorStreamCaptureUnsupported;
  }
  return error;
}

cudaError_t CheckDeviceWait(Machine& machine, int device) {
  cudaError_t error = cudaSuccess;
  for (const auto& capture : machine.captures) {
    for (const auto& entry : capture->frontiers) {
      if (entry.first->device != device) continue;
      capture->valid = false;
      error = cudaErrorStreamCaptureUnsupported;
    }
  }
  return error;
}

cudaError_t QueryLegacy(const Machine& machine, const Stream& legacy) {
  for (const auto& capture : machine.captures) {
    if (InOrderWith(*capture, legacy)) return cudaErrorStreamCaptureImplicit;
  }
  return cudaSuccess;
}

cudaError_t CheckLegacy(Machine& machine, const Stream& legacy) {
  const cudaError_t error = QueryLegacy(machine, legacy);
  for (const auto& capture : machine.captures) {
    if (InOrderWith(*capture, legacy)) capture->valid = false;
  }
  return error;
}

cudaError_t BeginCapture(Machine& machine, const Thread& thread, Stream* stream,
                         cudaStreamCaptureMode mode) {
  if (mode < cudaStreamCaptureModeGlobal ||
      mode > cudaStreamCaptureModeRelaxed) {
    return cudaErrorInvalidValue;
  }
  if (stream->legacy) return cudaErrorStreamCaptureUnsupported;
  if (stream->capture != nullptr) return cudaErrorIllegalState;
  auto capture = std::make_shared<Capture>();
  capture->id = machine.next_capture_id++;
  capture->mode = mode;
  capture->thread = &thread;
  capture->origin = stream;
  capture->frontiers[stream];
  stream->capture = capture.get();
  machine.captures.push_back(std::move(capture));
  return cudaSuccess;
}

cudaError_t EndCapture(Machine& machine, const Thread& thread, Stream* stream,
                       std::vector<GraphNode>* nodes) {
  Capture* const capture = stream->capture;
  if (capture == nullptr) return cudaErrorIllegalState;
  if (capture->origin != stream) {
    capture->valid = false;
    return cudaErrorStreamCaptureUnmatched;
  }
  cudaError_t error = cudaSuccess;
  if (capture->thread != &thread &&
      capture->mode != cudaStreamCaptureModeRelaxed) {
    error = cudaErrorStreamCaptureWrongThread;
  } else if (!capture->valid) {
    error = cudaErrorStreamCaptureInvalidated;
  } else if (!AllJoined(*capture)) {
    error = cudaErrorStreamCaptureUnjoined;
  } else {
    *nodes = std::move(capture->nodes);
  }
  Finish(machine, capture);
  return error;
}

cudaError_t CaptureWork(Stream* stream, Work work) {
  Capture& capture = *stream->capture;
  if (!capture.valid) return cudaErrorStreamCaptureInvalidated;
  std::vector<size_t>& frontier = capture.frontiers[stream];
  GraphNode node;
  node.work = std::move(work);
  node.device = stream->device;
  node.after = std::move(frontier);
  frontier = {capture.nodes.size()};
  capture.nodes.push_back(std::move(node));
  return cudaSuccess;
}

cudaError_t CaptureRecord(Stream* stream, Event* event) {
  const Capture& capture = *stream->capture;
  if (!capture.valid) return cudaErrorStreamCaptureInvalidated;
  event->record = nullptr;
  event->captured = std::make_shared<CapturedRecord>(
      CapturedRecord{capture.id, capture.frontiers.at(stream)});
  return cudaSuccess;
}

cudaError_t CaptureWait(Machine& machine, Stream* stream, const Event& event) {
  if (event.captured == nullptr) {
    // The capture cannot depend on what is outside it.
    if (event.record == nullptr && stream->capture->valid) return cudaSuccess;
    stream->capture->valid = false;
    return cudaErrorStreamCaptureIsolation;
  }
  Capture* const capture = FindCapture(machine, event.captured->capture);
  if (capture == nullptr) {
    InvalidateCapture(stream);
    return cudaErrorInvalidValue;
  }
  if (stream->capture != nullptr && stream->capture != capture) {
    capture->valid = false;
    stream->capture->valid = false;
    return cudaErrorStreamCaptureMerge;
  }
  if (!capture->valid) return cudaErrorStreamCaptureInvalidated;
  if (stream->legacy) {
    capture->valid = false;
    return cudaErrorStreamCaptureImplicit;
  }
  stream->capture = capture;
  Merge(&capture->frontiers[stream], event.captured->nodes);
  return cudaSuccess;
}

cudaGraphNode_t NodeHandle(size_t node) {
  return reinterpret_cast<cudaGraphNode_t>(node + 1);
}

cudaError_t QueryCaptured(Machine& machine, const Event& event) {
  Capture* const capture = FindCapture(machine, event.captured->capture);
  if (capture == nullptr) return cudaErrorInvalidValue;
  capture->valid = false;
  return cudaErrorCapturedEvent;
}

cudaError_t TimeCaptured(Machine& machine, const Event& event) {
  return FindCapture(machine, event.captured->capture) == nullptr
             ? cudaErrorInvalidValue
             : cudaErrorCapturedEvent;
}

void InvalidateCapture(Stream* stream) {
  if (stream->capture != nullptr) stream->capture->valid = false;
}

}  // namespace sim
}  // namespace conveyor
