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
// File: trace.h
// -----------------------------------------------------------------------------
//
// A record of all calls and operations in virtual time, and its form for
// chrome://tracing and Perfetto. It holds nothing that depends on real time, on
// addresses or on the ids of real threads.

#ifndef CONVEYOR_TESTING_SIM_TRACE_H_
#define CONVEYOR_TESTING_SIM_TRACE_H_

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "testing/sim/operation.h"
#include "testing/sim/queue.h"
#include "testing/sim/traced.h"

namespace conveyor {
namespace sim {

// Guarded by the machine's lock.
class TraceLog {
 public:
  // Whether anybody wants to know: all that it costs otherwise.
  bool on() const { return on_; }

  // Forgets what it has. `zero` is where the written form's time begins.
  void Start(double zero);
  void Stop() { on_ = false; }

  // A call of the calling thread, which returns now.
  void AddCall(const char* name, bool legacy, cudaError_t error, double start,
               double end);
  // `op` has completed in virtual time.
  void AddOperation(const Op& op, double end);

  std::vector<TracedOperation> Operations() const;
  std::vector<TracedCall> Calls() const;

  // In the Chrome trace event format. The same calls and times give the same
  // bytes.
  std::string Json(const std::string& machine) const;

 private:
  // An operation, by its stream and its place there.
  using Place = std::pair<uint64_t, uint64_t>;
  struct Entry {
    TracedOperation operation;
    Place place;
    std::vector<Place> after;  // In other streams.
    double queued;
    double start;
    double end;
  };
  struct CallEntry {
    const char* name;
    int thread;
    bool legacy;
    cudaError_t error;
    double start;
    double end;
  };

  bool on_ = false;
  double zero_ = 0;
  uint64_t session_ = 0;
  int threads_ = 0;
  std::vector<Entry> operations_;
  std::vector<CallEntry> calls_;
};

TraceLog& TheTrace();

// What a test calls it.
Operation OperationOf(const Work& work);

// Writes all of `text`. False if the file cannot be written.
bool WriteFile(const std::string& path, const std::string& text);

}  // namespace sim
}  // namespace conveyor

#endif  // CONVEYOR_TESTING_SIM_TRACE_H_
