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

#include "testing/sim/effects.h"

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstring>
#include <memory>

#include "testing/sim/access.h"
#include "testing/sim/device_memory.h"
#include "testing/sim/disturbed.h"
#include "testing/sim/faults.h"
#include "testing/sim/fibers.h"
#include "testing/sim/machine.h"
#include "testing/sim/managed_guard.h"
#include "testing/sim/queue.h"
#include "testing/sim/registry.h"

namespace conveyor {
namespace sim {
namespace {

// Whether [address, address + size) is still memory that CUDA knows.
bool Reachable(Machine& machine, const void* address, size_t size) {
  if (size == 0) return true;
  const Allocation* const allocation = machine.memory.Find(address);
  return allocation != nullptr &&
         size <= allocation->size - allocation->OffsetOf(address);
}

// Whether a kernel of `device` may touch the range as well.
bool Accessible(Machine& machine, int device, const Range& range) {
  return range.size == 0 ||
         (Reachable(machine, range.address, range.size) &&
          MayAccess(machine, device, *machine.memory.Find(range.address)));
}

size_t Extent(size_t pitch, size_t width, size_t height) {
  return height == 0 || width == 0 ? 0 : pitch * (height - 1) + width;
}

bool AllReachable(Machine& machine, int device, const Work& work) {
  switch (work.kind) {
    case OpKind::kCopy:
      return (!work.dst_known ||
              Reachable(machine, work.dst,
                        Extent(work.dst_pitch, work.width, work.height))) &&
             (!work.src_known ||
              Reachable(machine, work.src,
                        Extent(work.src_pitch, work.width, work.height)));
    case OpKind::kSet:
      return Reachable(machine, work.dst,
                       Extent(work.dst_pitch, work.width, work.height));
    case OpKind::kKernel:
      for (const auto* ranges : {&work.reads, &work.writes}) {
        for (const Range& range : *ranges) {
          if (!Accessible(machine, device, range)) return false;
        }
      }
      return true;
    default:
      return true;
  }
}

}  // namespace

void CopyRows(const Work& work) {
  if (work.dst_pitch == work.width && work.src_pitch == work.width) {
    std::memmove(work.dst, work.src, work.width * work.height);
    return;
  }
  for (size_t row = 0; row < work.height; ++row) {
    std::memmove(work.dst + row * work.dst_pitch,
                 work.src + row * work.src_pitch, work.width);
  }
}

void ApplyEffect(Machine& machine, Op& op) {
  const Work& work = op.work;
  Device& device = machine.devices[static_cast<size_t>(op.stream->device)];
  if (device.error != cudaSuccess) return;
  if (!AllReachable(machine, op.stream->device, work)) {
    device.error = cudaErrorIllegalAddress;
    return;
  }
  const ManagedWindow window(machine);
  const bool disturbed = TheFaults().disturbs_effects();
  if (disturbed) {
    device.error = FindBrokenLink(work);
    if (device.error != cudaSuccess) return;
  }
  switch (work.kind) {
    case OpKind::kCopy:
      if (disturbed) {
        RunDisturbed(machine, op, [&work] { CopyRows(work); });
      } else {
        CopyRows(work);
      }
      break;
    case OpKind::kSet:
      for (size_t row = 0; row < work.height; ++row) {
        std::memset(work.dst + row * work.dst_pitch, work.value, work.width);
      }
      break;
    case OpKind::kKernel: {
      Thread& self = ThisThread();
      self.in_effect = true;
      if (disturbed) {
        RunDisturbed(machine, op, [&] { RunOnFiber(op, work.body); });
      } else {
        RunOnFiber(op, work.body);
      }
      self.in_effect = false;
      break;
    }
    case OpKind::kFree:
      if (Allocation* const allocation = machine.memory.Find(work.dst)) {
        ReleaseOnDevice(machine, allocation);
      }
      break;
    default:
      break;
  }
  op.work.staged.reset();
  op.work.body = nullptr;
}

}  // namespace sim
}  // namespace conveyor
