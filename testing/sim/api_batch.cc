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

// cudaMemcpyBatchAsync.

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "testing/sim/api.h"
#include "testing/sim/copies.h"
#include "testing/sim/machine.h"
#include "testing/sim/profile.h"
#include "testing/sim/queue.h"

using conveyor::sim::Call;
using conveyor::sim::MakeCopy;
using conveyor::sim::Point;
using conveyor::sim::Profile;
using conveyor::sim::ReachesPool;
using conveyor::sim::Side;
using conveyor::sim::StageSource;
using conveyor::sim::Stream;
using conveyor::sim::TheMachine;
using conveyor::sim::Work;

namespace {

// Measured at 4, 16 and 64 KiB; the sizes between are assumed.
constexpr size_t kSmallBytes = 8 << 10;
constexpr size_t kLargeBytes = 32 << 10;

struct Batch {
  void* const* dsts;
  const void* const* srcs;
  const size_t* sizes;
  size_t count;
  const cudaMemcpyAttributes* attributes;
  const size_t* first_pieces;
  size_t attribute_count;
};

struct Piece {
  Work work;
  cudaMemcpySrcAccessOrder order;
  bool pageable;  // The source.

  // Whether the call waits for earlier work in the stream, as an H200's does.
  bool waits() const {
    return pageable ? order == cudaMemcpySrcAccessOrderStream
                    : order == cudaMemcpySrcAccessOrderDuringApiCall;
  }
};

double GapNs(const Profile& profile, size_t size) {
  if (size <= kSmallBytes) return profile.batch_small_gap_ns;
  return size < kLargeBytes ? profile.batch_middle_gap_ns
                            : profile.batch_large_gap_ns;
}

bool HintIsValid(const Call& call, const cudaMemLocation& hint) {
  return hint.type != cudaMemLocationTypeDevice || call.IsDevice(hint.id);
}

bool AreValid(const Call& call, const cudaMemcpyAttributes& attributes) {
  return attributes.srcAccessOrder >= cudaMemcpySrcAccessOrderStream &&
         attributes.srcAccessOrder <= cudaMemcpySrcAccessOrderAny &&
         (attributes.flags &
          ~unsigned{cudaMemcpyFlagPreferOverlapWithCompute}) == 0 &&
         HintIsValid(call, attributes.srcLocHint) &&
         HintIsValid(call, attributes.dstLocHint);
}

bool AttributesAreValid(const Call& call, const Batch& batch) {
  if (batch.attributes == nullptr || batch.first_pieces == nullptr ||
      batch.attribute_count == 0 || batch.attribute_count > batch.count ||
      batch.first_pieces[0] != 0) {
    return false;
  }
  for (size_t i = 0; i < batch.attribute_count; ++i) {
    if (!AreValid(call, batch.attributes[i]) ||
        batch.first_pieces[i] >= batch.count ||
        (i > 0 && batch.first_pieces[i] <= batch.first_pieces[i - 1])) {
      return false;
    }
  }
  return true;
}

// Makes the pieces before the first that is refused. Returns why that is.
cudaError_t MakePieces(Call& call, const Batch& batch, const Stream& stream,
                       std::vector<Piece>* pieces) {
  size_t attribute = 0;
  for (size_t i = 0; i < batch.count; ++i) {
    if (attribute + 1 < batch.attribute_count &&
        batch.first_pieces[attribute + 1] == i) {
      ++attribute;
    }
    const size_t size = batch.sizes[i];
    if (size == 0) return cudaErrorInvalidValue;
    Piece piece;
    piece.order = batch.attributes[attribute].srcAccessOrder;
    Side dst;
    Side src;
    if (const cudaError_t error = MakeCopy(call,
                                           {batch.dsts[i], size, batch.srcs[i],
                                            size, size, 1, cudaMemcpyDefault},
                                           &dst, &src, &piece.work)) {
      return error;
    }
    if (!ReachesPool(call, stream, dst) || !ReachesPool(call, stream, src)) {
      return cudaErrorInvalidValue;
    }
    piece.pageable = src.pageable();
    piece.work.gap_ns = GapNs(call.machine().profile, size);
    pieces->push_back(std::move(piece));
  }
  return cudaSuccess;
}

// Numbers that depend on the seed and on what the stream has been given.
class Dice {
 public:
  Dice(uint64_t seed, const Stream& stream)
      : state_(seed * 0x9e3779b97f4a7c15 + stream.number * 0xbf58476d1ce4e5b9 +
               (stream.last - stream.first)) {}

  uint64_t Next() {
    state_ = state_ * 6364136223846793005 + 1442695040888963407;
    return state_ >> 33;
  }

 private:
  uint64_t state_;
};

}  // namespace

cudaError_t cudaMemcpyBatchAsync(void* const* dsts, const void* const* srcs,
                                 const size_t* sizes, size_t count,
                                 cudaMemcpyAttributes* attrs,
                                 size_t* attrs_idxs, size_t num_attrs,
                                 cudaStream_t stream) {
  Call call(__func__, TheMachine().profile.copy_issue_ns);
  if (call.refused()) return call.Return(call.refusal());
  Stream* const found = call.Find(stream);
  if (found == nullptr) return call.Return(cudaErrorInvalidResourceHandle);
  if (found->legacy) return call.Return(cudaErrorInvalidValue);
  const Batch batch = {dsts, srcs, sizes, count, attrs, attrs_idxs, num_attrs};
  if (dsts == nullptr || srcs == nullptr || sizes == nullptr || count == 0 ||
      !AttributesAreValid(call, batch)) {
    return call.Return(cudaErrorInvalidValue);
  }
  // The capture survives it.
  if (found->capture != nullptr) {
    return call.Return(cudaErrorStreamCaptureUnsupported);
  }
  std::vector<Piece> pieces;
  const cudaError_t refusal = MakePieces(call, batch, *found, &pieces);
  if (std::any_of(pieces.begin(), pieces.end(),
                  [](const Piece& piece) { return piece.waits(); })) {
    call.Wait(Point{found, found->last});
  }
  Dice dice(call.machine().seed, *found);
  for (Piece& piece : pieces) {
    // Any: now or later.
    if (piece.order == cudaMemcpySrcAccessOrderDuringApiCall ||
        (piece.order == cudaMemcpySrcAccessOrderAny && dice.Next() % 2 == 0)) {
      StageSource(&piece.work);
    }
  }
  // The pieces have no order among themselves.
  for (size_t i = pieces.size(); i > 1; --i) {
    std::swap(pieces[i - 1], pieces[dice.Next() % i]);
  }
  const uint64_t first = found->last + 1;
  for (Piece& piece : pieces) {
    piece.work.batch = first;
    if (const cudaError_t error = call.Enqueue(found, std::move(piece.work))) {
      return call.Return(error);
    }
  }
  const cudaError_t error = call.DeviceOf(found).error;
  return call.Return(error != cudaSuccess ? error : refusal);
}
