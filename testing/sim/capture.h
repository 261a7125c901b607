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
// File: capture.h
// -----------------------------------------------------------------------------
//
// Stream capture, and the graphs that it makes.

#ifndef CONVEYOR_TESTING_SIM_CAPTURE_H_
#define CONVEYOR_TESTING_SIM_CAPTURE_H_

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "testing/sim/graph.h"
#include "testing/sim/machine.h"
#include "testing/sim/queue.h"

namespace conveyor {
namespace sim {

// One capture under way.
struct Capture {
  uint64_t id;
  cudaStreamCaptureMode mode;
  const Thread* thread;  // That began it.
  Stream* origin;
  bool valid = true;
  std::vector<GraphNode> nodes;  // In an order that CUDA allows.
  // The nodes that the next one of each captured stream comes after.
  std::map<Stream*, std::vector<size_t>> frontiers;
  // What cudaStreamGetCaptureInfo last gave out.
  std::vector<cudaGraphNode_t> shown;
  std::vector<cudaGraphEdgeData> shown_edges;
};

// All under the machine's lock.

// Whether a call that might disturb a capture is allowed to this thread now; if
// not, the captures that it would disturb become invalid.
cudaError_t CheckUnsafeCall(Machine& machine, const Thread& thread);

// The same for a call that waits for a whole device.
cudaError_t CheckDeviceWait(Machine& machine, int device);

// The same for work in a legacy default stream, which blocking streams order.
cudaError_t CheckLegacy(Machine& machine, const Stream& legacy);

// The same for a question about it, which disturbs no capture.
cudaError_t QueryLegacy(const Machine& machine, const Stream& legacy);

cudaError_t BeginCapture(Machine& machine, const Thread& thread, Stream* stream,
                         cudaStreamCaptureMode mode);
// On success and on failure the capture is over, unless the stream is the wrong
// one: then it is invalid.
cudaError_t EndCapture(Machine& machine, const Thread& thread, Stream* stream,
                       std::vector<GraphNode>* nodes);

// Adds work to the capture of `stream`.
cudaError_t CaptureWork(Stream* stream, Work work);
// Makes `event` stand for what `stream` has captured.
cudaError_t CaptureRecord(Stream* stream, Event* event);
// Makes `stream` wait for `event`, one of both being captured.
cudaError_t CaptureWait(Machine& machine, Stream* stream, const Event& event);

// What stands for a node, by its place in the graph.
cudaGraphNode_t NodeHandle(size_t node);

// What asking for the state of a captured event returns. Ends its capture.
cudaError_t QueryCaptured(Machine& machine, const Event& event);
// The same for its time, which ends nothing.
cudaError_t TimeCaptured(Machine& machine, const Event& event);

// For calls that no capture survives: marks that of `stream`, if there is one.
void InvalidateCapture(Stream* stream);

}  // namespace sim
}  // namespace conveyor

#endif  // CONVEYOR_TESTING_SIM_CAPTURE_H_
