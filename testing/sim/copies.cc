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

#include "testing/sim/copies.h"

#include <cuda_runtime_api.h>

#include <cstddef>
#include <vector>

#include "testing/sim/access.h"
#include "testing/sim/api.h"
#include "testing/sim/effects.h"
#include "testing/sim/fibers.h"
#include "testing/sim/machine.h"
#include "testing/sim/managed_guard.h"
#include "testing/sim/queue.h"
#include "testing/sim/registry.h"

namespace conveyor {
namespace sim {
namespace {

// What is said to be the device's must be memory that it can reach. What is
// said to be the host's may be anything: the driver looks at the address.
cudaError_t CheckKind(cudaMemcpyKind kind, const Side& dst, const Side& src) {
  const bool dst_said =
      kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool src_said =
      kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  return (dst_said && dst.pageable()) || (src_said && src.pageable())
             ? cudaErrorInvalidValue
             : cudaSuccess;
}

// Whether either device has been given access to the other end: what lets a
// copy between them take the direct way.
bool Joined(const Call& call, const Side& one, const Side& other) {
  const Machine& machine = call.machine();
  return machine.profile.peer_access != 0 &&
         (MayAccess(machine, one.device, *other.allocation) ||
          MayAccess(machine, other.device, *one.allocation));
}

// Over what the bytes travel.
std::vector<Transfer> Route(const Call& call, const Side& dst, const Side& src,
                            double bytes) {
  const bool to_device = dst.on_device() || dst.managed();
  const bool from_device = src.on_device() || src.managed();
  if (to_device && from_device) {
    if (dst.device != src.device) {
      const Path path = Joined(call, dst, src) ? Path::kPeer : Path::kStaged;
      return {{path, src.device, dst.device, bytes}};
    }
    // Read and written.
    return {{Path::kLocal, dst.device, dst.device, 2 * bytes}};
  }
  if (to_device) return {{Path::kUpload, dst.device, dst.device, bytes}};
  if (from_device) return {{Path::kDownload, src.device, src.device, bytes}};
  return {};
}

// What a trace calls a copy that is not between devices.
const char* LabelOf(const Side& dst, const Side& src) {
  const bool to_device = dst.on_device() || dst.managed();
  const bool from_device = src.on_device() || src.managed();
  if (to_device && from_device) return "device copy";
  if (!to_device && !from_device) return "host copy";
  switch (to_device ? src.kind : dst.kind) {
    case MemoryKind::kPinned:
      return to_device ? "pinned upload" : "pinned download";
    case MemoryKind::kRegistered:
      return to_device ? "registered upload" : "registered download";
    default:
      return to_device ? "pageable upload" : "pageable download";
  }
}

}  // namespace

bool ResolveSide(Call& call, const void** address, size_t extent, Side* side) {
  const Allocation* const found = call.machine().memory.Find(*address);
  if (found == nullptr) return true;
  const size_t offset = found->OffsetOf(*address);
  if (extent > found->size - offset) return false;
  *address = found->base + offset;
  *side = {found->kind, found->device, true, found};
  return true;
}

cudaError_t MakeCopy(Call& call, CopyRequest request, Side* dst, Side* src,
                     Work* work) {
  if (request.kind < cudaMemcpyHostToHost || request.kind > cudaMemcpyDefault) {
    return cudaErrorInvalidMemcpyDirection;
  }
  if (request.dst_pitch < request.width || request.src_pitch < request.width) {
    return request.height > 1 ? cudaErrorInvalidPitchValue
                              : cudaErrorInvalidValue;
  }
  if (request.dst == nullptr || request.src == nullptr) {
    return cudaErrorInvalidValue;
  }
  size_t dst_extent = 0;
  size_t src_extent = 0;
  if (__builtin_mul_overflow(request.dst_pitch, request.height - 1,
                             &dst_extent) ||
      __builtin_add_overflow(dst_extent, request.width, &dst_extent) ||
      __builtin_mul_overflow(request.src_pitch, request.height - 1,
                             &src_extent) ||
      __builtin_add_overflow(src_extent, request.width, &src_extent)) {
    return cudaErrorInvalidValue;
  }
  const void* dst_address = request.dst;
  if (!ResolveSide(call, &dst_address, dst_extent, dst) ||
      !ResolveSide(call, &request.src, src_extent, src)) {
    return cudaErrorInvalidValue;
  }
  request.dst = const_cast<void*>(dst_address);
  if (const cudaError_t error = CheckKind(request.kind, *dst, *src)) {
    return error;
  }
  work->kind = OpKind::kCopy;
  work->dst = static_cast<char*>(request.dst);
  work->src = static_cast<const char*>(request.src);
  work->dst_pitch = request.dst_pitch;
  work->src_pitch = request.src_pitch;
  work->width = request.width;
  work->height = request.height;
  work->dst_known = dst->known;
  work->src_known = src->known;
  work->transfers = Route(
      call, *dst, *src,
      static_cast<double>(request.width) * static_cast<double>(request.height));
  if (!work->transfers.empty()) work->route = work->transfers.front();
  work->label = LabelOf(*dst, *src);
  return cudaSuccess;
}

bool ReachesPool(const Call& call, const Stream& stream, const Side& side) {
  return side.allocation == nullptr || side.allocation->pool == nullptr ||
         MayAccess(call.machine(), stream.device, *side.allocation);
}

void StageSource(Work* work) {
  FiberHostReads(work->src, work->src_pitch, work->width, work->height);
  work->staged.reset(new char[work->width * work->height]);
  Work taken = *work;
  taken.dst = work->staged.get();
  taken.dst_pitch = work->width;
  const ManagedWindow window(TheMachine());
  CopyRows(taken);
  work->src = work->staged.get();
  work->src_pitch = work->width;
  work->src_known = false;
}

}  // namespace sim
}  // namespace conveyor
