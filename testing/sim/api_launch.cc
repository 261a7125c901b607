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
#include <functional>
#include <utility>

#include "testing/sim/api.h"
#include "testing/sim/launch.h"
#include "testing/sim/machine.h"
#include "testing/sim/queue.h"

namespace conveyor {

// As in third_party/cuda/launch.h, which this folder does not depend on.
struct MemoryRange {
  const void* address;
  size_t num_bytes;
};

namespace sim {

cudaError_t LaunchKernel(cudaStream_t stream, std::function<void()> body,
                         const MemoryRange* reads, size_t read_count,
                         const MemoryRange* writes, size_t write_count) {
  Call call("cudaLaunchKernel", TheMachine().profile.kernel_issue_ns);
  if (call.refused()) return call.Return(call.refusal());
  Stream* const found = call.Find(stream);
  if (found == nullptr || found->device != call.thread().device) {
    return call.Return(cudaErrorInvalidResourceHandle);
  }
  Work work;
  work.kind = OpKind::kKernel;
  work.body = std::move(body);
  for (size_t i = 0; i < read_count; ++i) {
    work.reads.push_back({reads[i].address, reads[i].num_bytes});
  }
  for (size_t i = 0; i < write_count; ++i) {
    work.writes.push_back({writes[i].address, writes[i].num_bytes});
  }
  return call.Return(call.Enqueue(found, std::move(work)));
}

}  // namespace sim
}  // namespace conveyor
