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

// Captured work and graphs.

#include <cuda_runtime.h>

#include <cstddef>
#include <vector>

#include "testing/sim/corpus/bench.h"
#include "testing/sim/corpus/program.h"

namespace conveyor {
namespace sim {
namespace {

// A graph of what `capture` puts into stream c, for one run of a program.
class CapturedGraph {
 public:
  template <typename Capture>
  CapturedGraph(Bench& m, Capture capture) {
    Bench::Check(cudaStreamBeginCapture(m.c, cudaStreamCaptureModeThreadLocal));
    capture();
    cudaGraph_t graph = nullptr;
    Bench::Check(cudaStreamEndCapture(m.c, &graph));
    Bench::Check(cudaGraphInstantiate(&executable_, graph, 0));
    Bench::Check(cudaGraphDestroy(graph));
  }
  ~CapturedGraph() { cudaGraphExecDestroy(executable_); }

  void Launch(cudaStream_t stream) const {
    Bench::Check(cudaGraphLaunch(executable_, stream));
  }

 private:
  cudaGraphExec_t executable_ = nullptr;
};

bool GraphReadsTooEarly(Bench& m) {
  const CapturedGraph graph(m, [&] { m.Copy(m.e, m.d, m.c); });
  m.Set(m.d, 2, m.a);
  graph.Launch(m.b);
  return m.Holds(m.e, 2);
}

bool GraphsResultReadTooEarly(Bench& m) {
  const CapturedGraph graph(m, [&] { m.Set(m.d, 2, m.c); });
  graph.Launch(m.a);
  m.Copy(m.e, m.d, m.b);
  return m.Holds(m.e, 2);
}

// Both write what they share.
bool TwoGraphsOneBuffer(Bench& m) {
  const CapturedGraph one(m, [&] { m.Set(m.d, 1, m.c); });
  const CapturedGraph other(m, [&] { m.Set(m.d, 2, m.c); });
  one.Launch(m.a);
  other.Launch(m.b);
  return m.Holds(m.d, 2);
}

bool GraphsSourceOverwritten(Bench& m) {
  const CapturedGraph graph(m, [&] { m.Copy(m.d, m.p, m.c); });
  HostFills(m.p, 2);
  graph.Launch(m.a);
  HostFills(m.p, 3);
  return m.Holds(m.d, 2);
}

// The next input is put in place while the graph may still read the last.
bool GraphRelaunchedTooEarly(Bench& m) {
  const CapturedGraph graph(m, [&] { m.Copy(m.e, m.d, m.c); });
  m.Set(m.d, 1, m.a);
  m.Order(m.a, m.b);
  graph.Launch(m.b);
  m.Set(m.d, 2, m.a);
  m.Order(m.a, m.b);
  graph.Launch(m.b);
  return m.Holds(m.e, 2);
}

// The capture has an event for one branch; the other one's wait is missing.
bool BranchesOfACapture(Bench& m) {
  const CapturedGraph graph(m, [&] {
    m.Set(m.d, 1, m.c);
    m.Order(m.c, m.b);
    m.Set(m.d, 2, m.b);
    m.Copy(m.e, m.d, m.c);
    m.Order(m.b, m.c);
  });
  graph.Launch(m.a);
  m.SyncAll();
  return true;
}

bool GraphFreedInFlight(Bench& m) {
  char* memory = nullptr;
  Bench::Check(cudaMalloc(&memory, kBytes));
  const CapturedGraph graph(m, [&] { m.Set(memory, 2, m.c); });
  graph.Launch(m.a);
  Bench::Check(cudaFree(memory));
  return true;
}

bool GraphInStreamOrder(Bench& m) {
  const CapturedGraph graph(m, [&] {
    m.Increment(m.d, m.c);
    m.Copy(m.e, m.d, m.c);
  });
  m.Set(m.d, 1, m.a);
  graph.Launch(m.a);
  graph.Launch(m.a);
  m.Increment(m.e, m.a);
  return m.Holds(m.e, 4);
}

// Launches of one graph come after each other, whatever their streams.
bool OneGraphInTwoStreams(Bench& m) {
  const CapturedGraph graph(m, [&] { m.Increment(m.d, m.c); });
  graph.Launch(m.a);
  graph.Launch(m.b);
  graph.Launch(m.a);
  return m.Holds(m.d, 3);
}

bool BranchesJoined(Bench& m) {
  const CapturedGraph graph(m, [&] {
    m.Set(m.d, 1, m.c);
    m.Order(m.c, m.b);
    m.Increment(m.d, m.b, kHalf);
    m.Increment(m.d + kHalf, m.c, kHalf);
    m.Order(m.b, m.c);
    m.Copy(m.e, m.d, m.c);
  });
  graph.Launch(m.a);
  return m.Holds(m.e, 2);
}

bool GraphThenEvent(Bench& m) {
  const CapturedGraph graph(m, [&] { m.Set(m.d, 2, m.c); });
  graph.Launch(m.a);
  m.Order(m.a, m.b);
  m.Copy(m.e, m.d, m.b);
  return m.Holds(m.e, 2);
}

bool GraphsSourceChangedBetweenLaunches(Bench& m) {
  const CapturedGraph graph(m, [&] { m.Copy(m.d, m.p, m.c); });
  for (char value = 1; value <= 3; ++value) {
    HostFills(m.p, value);
    graph.Launch(m.a);
    m.Sync(m.a);
  }
  return m.Holds(m.d, 3);
}

// What is captured has not been done.
bool CaptureAlone(Bench& m) {
  m.Set(m.d, 2, m.a);
  const CapturedGraph graph(m, [&] { m.Set(m.d, 3, m.c); });
  m.Copy(m.e, m.d, m.a);
  return m.Holds(m.e, 2);
}

bool GraphsWithTheirOwnBuffers(Bench& m) {
  const CapturedGraph one(m, [&] { m.Increment(m.d, m.c); });
  const CapturedGraph other(m, [&] { m.Increment(m.e, m.c); });
  for (int i = 0; i < 3; ++i) {
    one.Launch(m.a);
    other.Launch(m.b);
  }
  return m.Holds(m.d, 3) && m.Holds(m.e, 3);
}

}  // namespace

std::vector<Program> GraphPrograms() {
  const char* const set = "cudaMemsetAsync";
  const char* const copy = "cudaMemcpyAsync";
  return {
      {"graph_reads_too_early", GraphReadsTooEarly, Verdict::kHazard, set,
       copy},
      {"graphs_result_read_too_early", GraphsResultReadTooEarly,
       Verdict::kHazard, set, copy},
      {"two_graphs_one_buffer", TwoGraphsOneBuffer, Verdict::kHazard, set, set},
      {"graphs_source_overwritten", GraphsSourceOverwritten, Verdict::kHazard,
       copy, "the host writes"},
      {"graph_relaunched_too_early", GraphRelaunchedTooEarly, Verdict::kHazard,
       copy, set},
      {"branches_of_a_capture", BranchesOfACapture, Verdict::kHazard, set,
       copy},
      {"graph_freed_in_flight", GraphFreedInFlight, Verdict::kHazard, set,
       "cudaFree"},
      {"graph_in_stream_order", GraphInStreamOrder, Verdict::kRight},
      {"one_graph_in_two_streams", OneGraphInTwoStreams, Verdict::kRight},
      {"branches_joined", BranchesJoined, Verdict::kRight},
      {"graph_then_event", GraphThenEvent, Verdict::kRight},
      {"graphs_source_changed_between_launches",
       GraphsSourceChangedBetweenLaunches, Verdict::kRight},
      {"capture_alone", CaptureAlone, Verdict::kRight},
      {"graphs_with_their_own_buffers", GraphsWithTheirOwnBuffers,
       Verdict::kRight},
  };
}

}  // namespace sim
}  // namespace conveyor
