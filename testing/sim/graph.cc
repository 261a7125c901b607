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

#include "testing/sim/graph.h"

#include <cstddef>

namespace conveyor {
namespace sim {

ExecutableGraph MakeExecutable(const Graph& graph) {
  ExecutableGraph made;
  made.nodes = graph.nodes;
  for (size_t i = 0; i < made.nodes.size(); ++i) {
    GraphNode& node = made.nodes[i];
    node.branch = made.branches.size();
    for (const size_t before : node.after) {
      const size_t branch = made.nodes[before].branch;
      if (made.branches[branch].last_node == before &&
          made.branches[branch].device == node.device) {
        node.branch = branch;
        break;
      }
    }
    if (node.branch == made.branches.size()) {
      made.branches.push_back({node.device, i});
    }
    made.branches[node.branch].last_node = i;
  }
  return made;
}

}  // namespace sim
}  // namespace conveyor
