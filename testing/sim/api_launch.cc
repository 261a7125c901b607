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
#include <vector>

#include "testing/sim/api.h"
#include "testing/sim/launch.h"
#include "testing/sim/machine.h"
#include "testing/sim/memory_range.h"
#include "testing/sim/migrate.h"
#include "testing/sim/queue.h"
#include "testing/sim/registry.h"

namespace conveyor {

namespace sim {
namespace {

// Adds what it costs a kernel of `device` to touch the range.
void AddCost(Machine& machine, int device, const MemoryRange& range, bool read,
             std::vector<Transfer>* transfers) {
  const Allocation* const found = machine.memory.Find(range.address);
  if (found == nullptr || range.num_bytes == 0) return;
  if (found->managed != nullptr) {
    Touch(machine.profile, found->managed.get(), found->OffsetOf(range.address),
          range.num_bytes, device, read, transfers);
    return;
  }
  Transfer transfer = {Path::kLocal, device, device,
                       static_cast<double>(range.num_bytes)};
  if (found->kind == MemoryKind::kPinned ||
      found->kind == MemoryKind::kRegistered) {
    transfer.path = read ? Path::kZeroCopyRead : Path::kZeroCopyWrite;
  } else if (found->device != device) {
    transfer.path = Path::kPeer;
    transfer.device = read ? found->device : device;
    transfer.peer = read ? device : found->device;
  }
  AddTransfer(transfer, transfers);
}

}  // namespace

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
    AddCost(call.machine(), found->device, reads[i], true, &work.transfers);
  }
  for (size_t i = 0; i < write_count; ++i) {
    work.writes.push_back({writes[i].address, writes[i].num_bytes});
    AddCost(call.machine(), found->device, writes[i], false, &work.transfers);
  }
  return call.Return(call.Enqueue(found, std::move(work)));
}

}  // namespace sim
}  // namespace conveyor
