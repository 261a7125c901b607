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

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "testing/sim/api.h"
#include "testing/sim/copies.h"
#include "testing/sim/machine.h"
#include "testing/sim/profile.h"
#include "testing/sim/queue.h"
#include "testing/sim/registry.h"
#include "testing/sim/untouched.h"
#include "testing/sim/vtime.h"

using conveyor::sim::Allocation;
using conveyor::sim::Call;
using conveyor::sim::CopyRequest;
using conveyor::sim::IsUntouched;
using conveyor::sim::MakeCopy;
using conveyor::sim::MemoryKind;
using conveyor::sim::OpKind;
using conveyor::sim::Path;
using conveyor::sim::Point;
using conveyor::sim::Profile;
using conveyor::sim::ReachesPool;
using conveyor::sim::ResolveSide;
using conveyor::sim::Side;
using conveyor::sim::StageSource;
using conveyor::sim::Stream;
using conveyor::sim::TheMachine;
using conveyor::sim::Work;

namespace {

// The driver sets so much pageable memory aside without waiting for its turn:
// 1 MiB it does, 4 MiB not.
constexpr size_t kAsideBytes = 1 << 20;
// The last part of a staged copy, still on its way when the call returns.
constexpr size_t kTailBytes = 256 << 10;

// From pageable memory: read at the call. Large ones, and those of blocking
// calls, wait for their turn and go through a staging buffer, of which the last
// part is still to be moved when the call returns.
cudaError_t PageableUpload(Call& call, Stream* stream, Work work,
                           bool synchronous) {
  const size_t bytes = work.width * work.height;
  const Profile& profile = call.machine().profile;
  if (bytes <= kAsideBytes && !synchronous) {
    StageSource(&work);
    call.Charge(static_cast<double>(bytes) / profile.host_copy_gb_per_s[0]);
    return call.Enqueue(stream, std::move(work));
  }
  const bool flat =
      work.dst_pitch == work.width && work.src_pitch == work.width;
  if (flat) {
    work.width = bytes;
    work.height = 1;
  }
  // One row, or the last rows.
  Work tail = work;
  if (flat) {
    const size_t head = bytes - std::min(bytes, kTailBytes);
    work.width = head;
    tail.dst += head;
    tail.src += head;
    tail.width -= head;
    tail.dst_pitch = tail.src_pitch = tail.width;
    work.dst_pitch = work.src_pitch = work.width;
  } else {
    const size_t rows =
        std::min(work.height, std::max<size_t>(1, kTailBytes / work.width));
    work.height -= rows;
    tail.dst += work.height * work.dst_pitch;
    tail.src += work.height * work.src_pitch;
    tail.height = rows;
  }
  // The host's time covers the first part; the tail is a copy of its own.
  work.transfers.clear();
  tail.transfers.front().bytes =
      static_cast<double>(tail.width) * static_cast<double>(tail.height);
  Point head;
  if (const cudaError_t error = call.Enqueue(stream, std::move(work), &head)) {
    return error;
  }
  call.Wait(head);
  if (const cudaError_t error = call.DeviceOf(stream).error) return error;
  call.Charge(static_cast<double>(bytes) /
              std::min(profile.pageable_h2d_gb_per_s,
                       call.machine().time->UploadRate(stream->device)));
  StageSource(&tail);
  return call.Enqueue(stream, std::move(tail));
}

// From the first byte of the destination to its last.
size_t Extent(const CopyRequest& request) {
  return request.dst_pitch * (request.height - 1) + request.width;
}

cudaError_t Copy(Call& call, const CopyRequest& request, Stream* stream,
                 bool synchronous, bool devices_named = false) {
  if (request.width == 0 || request.height == 0) return cudaSuccess;
  Side dst;
  Side src;
  Work work;
  if (const cudaError_t error = MakeCopy(call, request, &dst, &src, &work)) {
    return error;
  }
  if (!devices_named &&
      (!ReachesPool(call, *stream, dst) || !ReachesPool(call, *stream, src))) {
    return cudaErrorInvalidValue;
  }
  const bool host_to_host =
      !dst.on_device() && !src.on_device() && !dst.managed() && !src.managed();
  const double bytes =
      static_cast<double>(request.width) * static_cast<double>(request.height);
  if (stream->capture != nullptr) return call.Enqueue(stream, std::move(work));
  if (src.pageable() && !host_to_host) {
    return PageableUpload(call, stream, std::move(work), synchronous);
  }
  const Profile& profile = call.machine().profile;
  // What goes through the host's hands costs its time, once it is their turn,
  // and more if it is the first to touch its pages.
  double host_ns = 0;
  if (host_to_host) {
    host_ns = bytes / profile.host_copy_gb_per_s[0];
  } else if (dst.pageable()) {
    // However little it is, it comes by way of a copy that is waited for.
    host_ns = profile.download_gap_ns + profile.wake_ns +
              bytes / std::min(profile.pageable_d2h_gb_per_s,
                               call.machine().time->DownloadRate(src.device));
    work.transfers.clear();
  }
  if (dst.pageable() && IsUntouched(request.dst, Extent(request))) {
    host_ns += bytes / (host_to_host ? profile.first_touch_gb_per_s
                                     : profile.driver_touch_gb_per_s);
  }
  Point end;
  if (const cudaError_t error = call.Enqueue(stream, std::move(work), &end)) {
    return error;
  }
  // Only between devices does a copy that looks blocking return at once.
  const bool between_devices = dst.on_device() && src.on_device();
  if (host_to_host || dst.pageable() || (synchronous && !between_devices)) {
    call.Wait(end);
    call.Charge(host_ns);
  }
  return call.DeviceOf(stream).error;
}

cudaError_t Set(Call& call, void* dst, size_t pitch, int value, size_t width,
                size_t height, Stream* stream, bool synchronous) {
  if (width == 0 || height == 0) return cudaSuccess;
  if (height > 1 && pitch < width) return cudaErrorInvalidValue;
  if (dst == nullptr) return cudaErrorInvalidValue;
  size_t extent = 0;
  if (__builtin_mul_overflow(pitch, height - 1, &extent) ||
      __builtin_add_overflow(extent, width, &extent)) {
    return cudaErrorInvalidValue;
  }
  Side side;
  const void* address = dst;
  if (!ResolveSide(call, &address, extent, &side) || side.pageable()) {
    return cudaErrorInvalidValue;
  }
  Work work;
  work.kind = OpKind::kSet;
  work.value = static_cast<uint8_t>(value);
  work.dst = static_cast<char*>(const_cast<void*>(address));
  work.dst_pitch = pitch;
  work.width = width;
  work.height = height;
  work.dst_known = true;
  work.transfers = {
      {side.on_device() || side.managed() ? Path::kLocal : Path::kZeroCopyWrite,
       side.on_device() || side.managed() ? side.device : stream->device,
       side.device, static_cast<double>(width) * static_cast<double>(height)}};
  Point end;
  if (const cudaError_t error = call.Enqueue(stream, std::move(work), &end)) {
    return error;
  }
  if (synchronous && !side.on_device()) call.Wait(end);
  return call.DeviceOf(stream).error;
}

// A call that copies: on the legacy default stream if it takes none.
cudaError_t CopyCall(const char* name, const CopyRequest& request) {
  Call call(name, TheMachine().profile.copy_issue_ns);
  if (call.refused()) return call.Return(call.refusal());
  return call.Return(Copy(call, request, call.device().legacy, true));
}

cudaError_t CopyCall(const char* name, const CopyRequest& request,
                     cudaStream_t stream) {
  Call call(name, TheMachine().profile.copy_issue_ns);
  if (call.refused()) return call.Return(call.refusal());
  Stream* const found = call.Find(stream);
  if (found == nullptr) return call.Return(cudaErrorInvalidResourceHandle);
  return call.Return(Copy(call, request, found, false));
}

CopyRequest Flat(void* dst, const void* src, size_t count,
                 cudaMemcpyKind kind) {
  return {dst, count, src, count, count, 1, kind};
}

// Whether `address` is memory of `device`, as cudaMemcpyPeer wants it.
bool IsOf(Call& call, const void* address, int device) {
  const Allocation* const found = call.machine().memory.Find(address);
  return found != nullptr &&
         (found->kind != MemoryKind::kDevice || found->device == device);
}

cudaError_t PeerCopy(Call& call, void* dst, int dst_device, const void* src,
                     int src_device, size_t count, Stream* stream,
                     bool synchronous) {
  if (!call.IsDevice(dst_device) || !call.IsDevice(src_device)) {
    return cudaErrorInvalidDevice;
  }
  if (count > 0 &&
      (!IsOf(call, dst, dst_device) || !IsOf(call, src, src_device))) {
    return cudaErrorInvalidValue;
  }
  return Copy(call, Flat(dst, src, count, cudaMemcpyDefault), stream,
              synchronous, true);
}

}  // namespace

cudaError_t cudaMemcpy(void* dst, const void* src, size_t count,
                       cudaMemcpyKind kind) {
  return CopyCall(__func__, Flat(dst, src, count, kind));
}

cudaError_t cudaMemcpyAsync(void* dst, const void* src, size_t count,
                            cudaMemcpyKind kind, cudaStream_t stream) {
  return CopyCall(__func__, Flat(dst, src, count, kind), stream);
}

cudaError_t cudaMemcpy2D(void* dst, size_t dpitch, const void* src,
                         size_t spitch, size_t width, size_t height,
                         cudaMemcpyKind kind) {
  return CopyCall(__func__, {dst, dpitch, src, spitch, width, height, kind});
}

cudaError_t cudaMemcpy2DAsync(void* dst, size_t dpitch, const void* src,
                              size_t spitch, size_t width, size_t height,
                              cudaMemcpyKind kind, cudaStream_t stream) {
  return CopyCall(__func__, {dst, dpitch, src, spitch, width, height, kind},
                  stream);
}

cudaError_t cudaMemcpyPeer(void* dst, int dst_device, const void* src,
                           int src_device, size_t count) {
  Call call(__func__, TheMachine().profile.copy_issue_ns);
  if (call.refused()) return call.Return(call.refusal());
  return call.Return(PeerCopy(call, dst, dst_device, src, src_device, count,
                              call.device().legacy, true));
}

cudaError_t cudaMemcpyPeerAsync(void* dst, int dst_device, const void* src,
                                int src_device, size_t count,
                                cudaStream_t stream) {
  Call call(__func__, TheMachine().profile.copy_issue_ns);
  if (call.refused()) return call.Return(call.refusal());
  Stream* const found = call.Find(stream);
  if (found == nullptr) return call.Return(cudaErrorInvalidResourceHandle);
  return call.Return(
      PeerCopy(call, dst, dst_device, src, src_device, count, found, false));
}

cudaError_t cudaMemset(void* dev_ptr, int value, size_t count) {
  Call call(__func__, TheMachine().profile.copy_issue_ns);
  if (call.refused()) return call.Return(call.refusal());
  return call.Return(
      Set(call, dev_ptr, count, value, count, 1, call.device().legacy, true));
}

cudaError_t cudaMemsetAsync(void* dev_ptr, int value, size_t count,
                            cudaStream_t stream) {
  Call call(__func__, TheMachine().profile.copy_issue_ns);
  if (call.refused()) return call.Return(call.refusal());
  Stream* const found = call.Find(stream);
  if (found == nullptr) return call.Return(cudaErrorInvalidResourceHandle);
  return call.Return(Set(call, dev_ptr, count, value, count, 1, found, false));
}

cudaError_t cudaMemset2D(void* dev_ptr, size_t pitch, int value, size_t width,
                         size_t height) {
  Call call(__func__, TheMachine().profile.copy_issue_ns);
  if (call.refused()) return call.Return(call.refusal());
  return call.Return(Set(call, dev_ptr, pitch, value, width, height,
                         call.device().legacy, true));
}

cudaError_t cudaMemset2DAsync(void* dev_ptr, size_t pitch, int value,
                              size_t width, size_t height,
                              cudaStream_t stream) {
  Call call(__func__, TheMachine().profile.copy_issue_ns);
  if (call.refused()) return call.Return(call.refusal());
  Stream* const found = call.Find(stream);
  if (found == nullptr) return call.Return(cudaErrorInvalidResourceHandle);
  return call.Return(
      Set(call, dev_ptr, pitch, value, width, height, found, false));
}
