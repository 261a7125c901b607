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
#include <vector>

#include "testing/sim/api.h"
#include "testing/sim/capture.h"
#include "testing/sim/graph.h"
#include "testing/sim/hazards.h"
#include "testing/sim/machine.h"
#include "testing/sim/queue.h"

using conveyor::sim::BeginCapture;
using conveyor::sim::Branch;
using conveyor::sim::Call;
using conveyor::sim::Capture;
using conveyor::sim::EndCapture;
using conveyor::sim::EventRecord;
using conveyor::sim::ExecutableGraph;
using conveyor::sim::Graph;
using conveyor::sim::GraphNode;
using conveyor::sim::InvalidateCapture;
using conveyor::sim::Machine;
using conveyor::sim::MakeExecutable;
using conveyor::sim::MarkOrder;
using conveyor::sim::NewStream;
using conveyor::sim::NodeHandle;
using conveyor::sim::Point;
using conveyor::sim::ReapStreams;
using conveyor::sim::Stream;
using conveyor::sim::TheMachine;
using conveyor::sim::WaitsFor;
using conveyor::sim::Work;

namespace {

double CallNs() { return TheMachine().profile.call_ns; }

// Whether `stream` is capturing, and which stream that is.
cudaError_t GetStatus(Call& call, cudaStream_t stream,
                      cudaStreamCaptureStatus* status, Stream** found) {
  if (status == nullptr) return cudaErrorInvalidValue;
  *found = call.Find(stream);
  if (*found == nullptr) return cudaErrorInvalidResourceHandle;
  if ((*found)->legacy) {
    if (const cudaError_t error = QueryLegacy(call.machine(), **found)) {
      return error;
    }
  }
  if ((*found)->capture == nullptr) {
    *status = cudaStreamCaptureStatusNone;
  } else {
    *status = (*found)->capture->valid ? cudaStreamCaptureStatusActive
                                       : cudaStreamCaptureStatusInvalidated;
  }
  return cudaSuccess;
}

Work Mark(const char* label) {
  Work work;
  work.label = label;
  return work;
}

// Puts the nodes into `target`, and into streams of their own where they belong
// to other branches or another device. All of it comes after what `target` has
// and before what it gets, and after the graph's last launch.
cudaError_t Launch(Call& call, ExecutableGraph* graph, Stream* target) {
  std::vector<Branch>& branches = graph->branches;
  const auto is_in_target = [&](size_t branch) {
    return branch == 0 && branches[branch].device == target->device;
  };
  std::vector<Point> before;
  if (graph->end.point.stream != nullptr) {
    WaitsFor(target, graph->end);
    before.push_back(graph->end.point);
  }
  EventRecord start;
  if (const cudaError_t error =
          call.Enqueue(target, Mark("graph start"), before, &start.point)) {
    return error;
  }
  MarkOrder(target, &start);
  // What each node stands for, as if an event were recorded after it.
  std::vector<EventRecord> records;
  std::vector<EventRecord> ends(branches.size());
  for (const GraphNode& node : graph->nodes) {
    Branch& branch = branches[node.branch];
    const bool in_target = is_in_target(node.branch);
    if (!in_target && branch.stream == nullptr) {
      branch.stream = NewStream(call.machine(), branch.device,
                                cudaStreamNonBlocking, target->priority);
    }
    Stream* const stream = in_target ? target : branch.stream;
    std::vector<Point> after;
    const auto come_after = [&](const EventRecord& record) {
      WaitsFor(stream, record);
      after.push_back(record.point);
    };
    if (node.after.empty() && !in_target) come_after(start);
    for (const size_t other : node.after) {
      if (graph->nodes[other].branch != node.branch) come_after(records[other]);
    }
    records.emplace_back();
    if (const cudaError_t error = call.Enqueue(
            stream, node.work, std::move(after), &records.back().point)) {
      return error;
    }
    MarkOrder(stream, &records.back());
    ends[node.branch] = records.back();
  }
  std::vector<Point> joined;
  for (size_t i = 0; i < ends.size(); ++i) {
    if (is_in_target(i)) continue;
    WaitsFor(target, ends[i]);
    joined.push_back(ends[i].point);
  }
  if (const cudaError_t error = call.Enqueue(
          target, Mark("graph end"), std::move(joined), &graph->end.point)) {
    return error;
  }
  MarkOrder(target, &graph->end);
  return cudaSuccess;
}

}  // namespace

cudaError_t cudaStreamIsCapturing(cudaStream_t stream,
                                  cudaStreamCaptureStatus* capture_status) {
  Call call(__func__, CallNs());
  if (call.refused()) return call.Return(call.refusal());
  Stream* found = nullptr;
  return call.Return(GetStatus(call, stream, capture_status, &found));
}

cudaError_t cudaStreamGetCaptureInfo(
    cudaStream_t stream, cudaStreamCaptureStatus* capture_status_out,
    unsigned long long* id_out, cudaGraph_t* graph_out,
    const cudaGraphNode_t** dependencies_out,
    const cudaGraphEdgeData** edge_data_out, size_t* num_dependencies_out) {
  Call call(__func__, CallNs());
  if (call.refused()) return call.Return(call.refusal());
  // A graph that is not complete has no calls here.
  if (graph_out != nullptr) return call.Return(cudaErrorNotSupported);
  if (edge_data_out != nullptr && dependencies_out == nullptr) {
    return call.Return(cudaErrorInvalidValue);
  }
  Stream* found = nullptr;
  if (const cudaError_t error =
          GetStatus(call, stream, capture_status_out, &found)) {
    return call.Return(error);
  }
  if (*capture_status_out != cudaStreamCaptureStatusActive) {
    return call.Return(cudaSuccess);
  }
  Capture& capture = *found->capture;
  capture.shown.clear();
  for (const size_t node : capture.frontiers.at(found)) {
    capture.shown.push_back(NodeHandle(node));
  }
  capture.shown_edges.assign(capture.shown.size(), cudaGraphEdgeData());
  if (id_out != nullptr) *id_out = capture.id;
  if (dependencies_out != nullptr) *dependencies_out = capture.shown.data();
  if (edge_data_out != nullptr) *edge_data_out = capture.shown_edges.data();
  if (num_dependencies_out != nullptr) {
    *num_dependencies_out = capture.shown.size();
  }
  return call.Return(cudaSuccess);
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream,
                                   cudaStreamCaptureMode mode) {
  Call call(__func__, CallNs());
  if (call.refused()) return call.Return(call.refusal());
  Stream* const found = call.Find(stream);
  if (found == nullptr) return call.Return(cudaErrorInvalidResourceHandle);
  return call.Return(BeginCapture(call.machine(), call.thread(), found, mode));
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  Call call(__func__, CallNs());
  if (call.refused()) return call.Return(call.refusal());
  if (graph == nullptr) return call.Return(cudaErrorInvalidValue);
  Stream* const found = call.Find(stream);
  if (found == nullptr) return call.Return(cudaErrorInvalidResourceHandle);
  *graph = nullptr;
  std::vector<GraphNode> nodes;
  if (const cudaError_t error =
          EndCapture(call.machine(), call.thread(), found, &nodes)) {
    return call.Return(error);
  }
  *graph = call.machine().graphs.Add(
      std::make_unique<Graph>(Graph{std::move(nodes)}));
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

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* graph_exec, cudaGraph_t graph,
                                 unsigned long long flags) {
  Call call(__func__, TheMachine().profile.allocation_ns);
  if (call.refused()) return call.Return(call.refusal());
  const Graph* const found = call.machine().graphs.Get(graph);
  if (graph_exec == nullptr || found == nullptr || flags != 0) {
    return call.Return(cudaErrorInvalidValue);
  }
  *graph_exec = call.machine().executables.Add(
      std::make_unique<ExecutableGraph>(MakeExecutable(*found)));
  return call.Return(cudaSuccess);
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t graph_exec, cudaStream_t stream) {
  Call call(__func__, TheMachine().profile.graph_issue_ns);
  if (call.refused()) return call.Return(call.refusal());
  const ExecutableGraph* const found =
      call.machine().executables.Get(graph_exec);
  if (found == nullptr) return call.Return(cudaErrorInvalidValue);
  Stream* const target = call.Find(stream);
  if (target == nullptr) return call.Return(cudaErrorInvalidResourceHandle);
  if (target->capture != nullptr) {
    InvalidateCapture(target);
    return call.Return(cudaErrorStreamCaptureUnsupported);
  }
  ExecutableGraph launched = *found;
  const cudaError_t error = Launch(call, &launched, target);
  // Looked up again: the lock may have been let go.
  if (ExecutableGraph* const still =
          call.machine().executables.Get(graph_exec)) {
    still->branches = launched.branches;
    still->end = launched.end;
  }
  return call.Return(error);
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes,
                              size_t* num_nodes) {
  Call call(__func__, CallNs());
  if (call.refused()) return call.Return(call.refusal());
  const Graph* const found = call.machine().graphs.Get(graph);
  if (found == nullptr || num_nodes == nullptr) {
    return call.Return(cudaErrorInvalidValue);
  }
  // Nodes have no calls of their own here: any distinct values do.
  for (size_t i = 0; nodes != nullptr && i < *num_nodes; ++i) {
    nodes[i] = i < found->nodes.size() ? NodeHandle(i) : nullptr;
  }
  *num_nodes = found->nodes.size();
  return call.Return(cudaSuccess);
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  Call call(__func__, CallNs());
  if (call.refused()) return call.Return(call.refusal());
  if (call.machine().graphs.Get(graph) == nullptr) {
    return call.Return(cudaErrorInvalidValue);
  }
  call.machine().graphs.Remove(graph);
  return call.Return(cudaSuccess);
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graph_exec) {
  Call call(__func__, CallNs());
  if (call.refused()) return call.Return(call.refusal());
  Machine& machine = call.machine();
  const ExecutableGraph* const found = machine.executables.Get(graph_exec);
  if (found == nullptr) return call.Return(cudaErrorInvalidValue);
  // What is under way is still done.
  for (const Branch& branch : found->branches) {
    if (branch.stream == nullptr) continue;
    branch.stream->live = false;
    ReapStreams(machine, branch.device);
  }
  machine.executables.Remove(graph_exec);
  return call.Return(cudaSuccess);
}
