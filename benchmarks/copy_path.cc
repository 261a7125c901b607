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

#include "benchmarks/copy_path.h"

#include <cuda_runtime_api.h>

#include <cstddef>

#include "absl/status/status.h"
#include "absl/status/status_macros.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "benchmarks/copy_buffers.h"
#include "benchmarks/raw/copy.h"
#include "transfer/copy.h"
#include "transfer/cuda_status.h"
#include "transfer/event.h"
#include "transfer/stager.h"
#include "transfer/stream.h"

namespace conveyor {
namespace bench {
namespace {

absl::Status RawStatus(cudaError_t error, absl::string_view call,
                       size_t num_bytes) {
  return ToStatus(error, absl::StrCat(call, " of ", num_bytes, " bytes, raw"));
}

template <Place kDst, Place kSrc, cudaMemcpyKind kKind>
absl::Status RawAsync(CopyBuffers& buffers, size_t num_bytes, int count) {
  return RawStatus(
      raw::EnqueueCopies(buffers.Address(kDst), buffers.Address(kSrc),
                         num_bytes, kKind, buffers.stream().native(), count),
      "cudaMemcpyAsync", num_bytes);
}

absl::Status OursH2dPinned(CopyBuffers& buffers, size_t num_bytes, int count) {
  const auto dst = buffers.Device(num_bytes);
  const auto src = buffers.Pinned(num_bytes);
  for (int i = 0; i < count; ++i) {
    ABSL_RETURN_IF_ERROR(CopyAsync(dst, src, buffers.stream()));
  }
  return absl::OkStatus();
}

absl::Status OursD2hPinned(CopyBuffers& buffers, size_t num_bytes, int count) {
  const auto dst = buffers.Pinned(num_bytes);
  const auto src = buffers.Device(num_bytes);
  for (int i = 0; i < count; ++i) {
    ABSL_RETURN_IF_ERROR(CopyAsync(dst, src, buffers.stream()));
  }
  return absl::OkStatus();
}

absl::Status RawH2dPageable(CopyBuffers& buffers, size_t num_bytes, int count) {
  return RawStatus(raw::UploadPageable(buffers.Address(Place::kDevice),
                                       buffers.Address(Place::kPageableSource),
                                       num_bytes, count),
                   "cudaMemcpy", num_bytes);
}

absl::Status OursH2dPageable(CopyBuffers& buffers, size_t num_bytes,
                             int count) {
  const auto dst = buffers.Device(num_bytes);
  const auto src = buffers.PageableSource(num_bytes);
  for (int i = 0; i < count; ++i) {
    ABSL_RETURN_IF_ERROR(buffers.stager().Upload(dst, src, buffers.stream()));
  }
  return buffers.stream().Synchronize();
}

absl::Status RawD2hPageable(CopyBuffers& buffers, size_t num_bytes, int count) {
  return RawStatus(
      raw::DownloadPageable(buffers.Address(Place::kPageable),
                            buffers.Address(Place::kDevice), num_bytes, count),
      "cudaMemcpy", num_bytes);
}

absl::Status OursD2hPageable(CopyBuffers& buffers, size_t num_bytes,
                             int count) {
  const auto dst = buffers.Pageable(num_bytes);
  const auto src = buffers.Device(num_bytes);
  for (int i = 0; i < count; ++i) {
    ABSL_RETURN_IF_ERROR(buffers.stager().Download(dst, src, buffers.stream()));
  }
  return absl::OkStatus();
}

absl::Status OursD2d(CopyBuffers& buffers, size_t num_bytes, int count) {
  const auto dst = buffers.OtherDeviceRange(num_bytes);
  const auto src = buffers.Device(num_bytes);
  for (int i = 0; i < count; ++i) {
    ABSL_RETURN_IF_ERROR(CopyAsync(dst, src, buffers.stream()));
  }
  return absl::OkStatus();
}

absl::Status RawD2hFresh(CopyBuffers& buffers, size_t num_bytes, int count) {
  return RawStatus(
      raw::DownloadPageable(buffers.Address(Place::kFresh),
                            buffers.Address(Place::kDevice), num_bytes, count),
      "cudaMemcpy", num_bytes);
}

absl::Status OursD2hFresh(CopyBuffers& buffers, size_t num_bytes, int count) {
  const auto dst = buffers.Fresh(num_bytes);
  const auto src = buffers.Device(num_bytes);
  for (int i = 0; i < count; ++i) {
    ABSL_RETURN_IF_ERROR(buffers.stager().Download(dst, src, buffers.stream()));
  }
  return absl::OkStatus();
}

absl::Status RawDuplex(CopyBuffers& buffers, size_t num_bytes, int count) {
  return RawStatus(
      raw::EnqueueBothWays(
          {buffers.Address(Place::kDevice), buffers.Address(Place::kPinned),
           cudaMemcpyHostToDevice, buffers.stream().native()},
          {buffers.Address(Place::kOtherPinned),
           buffers.Address(Place::kOtherDeviceRange), cudaMemcpyDeviceToHost,
           buffers.other_stream().native()},
          num_bytes, count, buffers.event().native(),
          buffers.other_event().native()),
      "cudaMemcpyAsync both ways", num_bytes);
}

absl::Status OursDuplex(CopyBuffers& buffers, size_t num_bytes, int count) {
  const StreamRef there = buffers.stream();
  const StreamRef back = buffers.other_stream();
  ABSL_RETURN_IF_ERROR(buffers.event().Record(there));
  ABSL_RETURN_IF_ERROR(StreamWaitEvent(back, buffers.event()));
  for (int i = 0; i < count; ++i) {
    ABSL_RETURN_IF_ERROR(
        CopyAsync(buffers.Device(num_bytes), buffers.Pinned(num_bytes), there));
    ABSL_RETURN_IF_ERROR(CopyAsync(buffers.OtherPinned(num_bytes),
                                   buffers.OtherDeviceRange(num_bytes), back));
  }
  ABSL_RETURN_IF_ERROR(buffers.other_event().Record(back));
  return StreamWaitEvent(there, buffers.other_event());
}

absl::Status RawPeerBothWays(CopyBuffers& buffers, size_t num_bytes,
                             int count) {
  return RawStatus(
      raw::EnqueueBothWays(
          {buffers.Address(Place::kPeer), buffers.Address(Place::kDevice),
           cudaMemcpyDeviceToDevice, buffers.stream().native()},
          {buffers.Address(Place::kOtherDeviceRange),
           buffers.Address(Place::kOtherPeer), cudaMemcpyDeviceToDevice,
           buffers.peer_stream().native()},
          num_bytes, count, buffers.event().native(),
          buffers.peer_event().native()),
      "cudaMemcpyAsync both ways", num_bytes);
}

absl::Status RawPeerAndWait(CopyBuffers& buffers, size_t num_bytes, int count) {
  return RawStatus(raw::CopyAndWait(buffers.Address(Place::kPeer),
                                    buffers.Address(Place::kDevice), num_bytes,
                                    cudaMemcpyDeviceToDevice,
                                    buffers.stream().native(), count),
                   "cudaMemcpyAsync", num_bytes);
}

constexpr CopyPath kPaths[] = {
    {"h2d_pinned", "cudaMemcpyAsync", Place::kDevice, Place::kPinned,
     CopyPath::Timing::kEvents, 0,
     RawAsync<Place::kDevice, Place::kPinned, cudaMemcpyHostToDevice>,
     OursH2dPinned},
    {"d2h_pinned", "cudaMemcpyAsync", Place::kPinned, Place::kDevice,
     CopyPath::Timing::kEvents, 0,
     RawAsync<Place::kPinned, Place::kDevice, cudaMemcpyDeviceToHost>,
     OursD2hPinned},
    {"h2d_pageable", "cudaMemcpy", Place::kDevice, Place::kPageableSource,
     CopyPath::Timing::kHost, 0, RawH2dPageable, OursH2dPageable},
    {"d2h_pageable", "cudaMemcpy", Place::kPageable, Place::kDevice,
     CopyPath::Timing::kHost, 0, RawD2hPageable, OursD2hPageable},
    {"d2h_fresh", "cudaMemcpy", Place::kFresh, Place::kDevice,
     CopyPath::Timing::kHost, 0, RawD2hFresh, OursD2hFresh},
    {"duplex", "cudaMemcpyAsync", Place::kDevice, Place::kPinned,
     CopyPath::Timing::kEvents, 0, RawDuplex, OursDuplex,
     CopyPath::Route{Place::kOtherPinned, Place::kOtherDeviceRange}},
    {"d2d", "cudaMemcpyAsync", Place::kOtherDeviceRange, Place::kDevice,
     CopyPath::Timing::kEvents, 0,
     RawAsync<Place::kOtherDeviceRange, Place::kDevice,
              cudaMemcpyDeviceToDevice>,
     OursD2d},
    {"issue_cost_4k", "cudaMemcpyAsync", Place::kDevice, Place::kPinned,
     CopyPath::Timing::kIssue, 4096,
     RawAsync<Place::kDevice, Place::kPinned, cudaMemcpyHostToDevice>,
     OursH2dPinned},
    {"peer_one_way", "cudaMemcpyAsync", Place::kPeer, Place::kDevice,
     CopyPath::Timing::kEvents, 0,
     RawAsync<Place::kPeer, Place::kDevice, cudaMemcpyDeviceToDevice>, nullptr},
    {"peer_both_ways", "cudaMemcpyAsync", Place::kPeer, Place::kDevice,
     CopyPath::Timing::kEvents, 0, RawPeerBothWays, nullptr,
     CopyPath::Route{Place::kOtherDeviceRange, Place::kOtherPeer}},
    {"peer_4k", "cudaMemcpyAsync", Place::kPeer, Place::kDevice,
     CopyPath::Timing::kHost, 4096, RawPeerAndWait, nullptr},
};

}  // namespace

absl::Span<const CopyPath> CopyPaths() { return kPaths; }

}  // namespace bench
}  // namespace conveyor
