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
// File: graph.h
// -----------------------------------------------------------------------------
//
// What a capture has made, and what cudaGraphInstantiate makes of it.

#ifndef CONVEYOR_TESTING_SIM_GRAPH_H_
#define CONVEYOR_TESTING_SIM_GRAPH_H_

#include <cstddef>
#include <vector>

#include "testing/sim/queue.h"

namespace conveyor {
namespace sim {

struct GraphNode {
  Work work;
  int device = 0;
  std::vector<size_t> after;  // Nodes with smaller numbers.
  size_t branch = 0;          // Of an executable graph.
};

// The nodes are in an order that CUDA allows.
struct Graph {
  std::vector<GraphNode> nodes;
};

// Nodes of one device, one after the other.
struct Branch {
  int device;
  size_t last_node;
  Stream* stream = nullptr;  // Of its own, from the first launch that needs it.
};

struct ExecutableGraph {
  std::vector<GraphNode> nodes;
  std::vector<Branch> branches;
  // Of the last launch, if its point has a stream: the next one comes after it.
  EventRecord end;
};

// Puts the nodes into as few branches as it finds at once: each goes on where a
// node that it comes after has ended.
ExecutableGraph MakeExecutable(const Graph& graph);

}  // namespace sim
}  // namespace conveyor

#endif  // CONVEYOR_TESTING_SIM_GRAPH_H_
