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

#include "transfer/stager.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/status_macros.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "third_party/cuda/host_clock.h"
#include "third_party/cuda/host_threads.h"
#include "transfer/device.h"
#include "transfer/internal/capture.h"
#include "transfer/internal/copy_range.h"
#include "transfer/internal/staging_lane.h"
#include "transfer/internal/staging_workers.h"
#include "transfer/internal/transfer_state.h"
#include "transfer/memory_kind.h"
#include "transfer/stream.h"
#include "transfer/transfer.h"

namespace conveyor {
namespace internal {
namespace {

constexpr size_t kMinSlotBytes = 64 << 10;
constexpr int kMaxThreads = 16;
// With more threads staging always wins; with few it is tried, on so many
// bytes.
constexpr int kManyThreads = 6;
constexpr size_t kTrialBytes = 4 << 20;

int ThreadsFor(const StagerOptions& options) {
  if (options.max_threads > 0) return options.max_threads;
  return std::clamp(HostCores() - 2, 1, kMaxThreads);
}

// Bytes of what has been checked.
CopyRange Part(const CopyRange& range, size_t begin, size_t num_bytes) {
  CopyRange part = range;
  part.address = static_cast<const char*>(range.address) + begin;
  part.count = num_bytes;
  part.element_size = 1;
  return part;
}

absl::Status Check(const CopyRange& dst, const CopyRange& src,
                   StreamRef stream) {
  ABSL_RETURN_IF_ERROR(CheckCopy(dst, src, stream));
  return RefuseIfCapturing(stream.native(), "Stager");
}

}  // namespace

class StagerState {
 public:
  explicit StagerState(const StagerOptions& options)
      : options_(options), workers_(ThreadsFor(options)) {}

  absl::StatusOr<Transfer> Stage(const CopyRange& dst, const CopyRange& src,
                                 StreamRef stream);
  absl::Status StageAndWait(const CopyRange& dst, const CopyRange& src,
                            StreamRef stream);

 private:
  enum class Choice { kUnknown, kStage, kDirect };

  // The rest is for ranges that have been checked and are not empty.
  absl::StatusOr<StagingLane*> LaneOf(DeviceId device);
  absl::StatusOr<Transfer> Submit(const CopyRange& dst, const CopyRange& src,
                                  StreamRef stream);
  absl::Status StageAll(const CopyRange& dst, const CopyRange& src,
                        StreamRef stream);
  // Copies the first 2 * kTrialBytes, half by each way, to see which is faster.
  absl::StatusOr<Choice> Try(const CopyRange& dst, const CopyRange& src,
                             StreamRef stream);

  const StagerOptions options_;
  StagingWorkers workers_;
  HostMutex mutex_;
  // By device; they end before the workers do.
  std::map<int, std::unique_ptr<StagingLane>> lanes_ ABSL_GUARDED_BY(mutex_);
  Choice choices_[2] ABSL_GUARDED_BY(mutex_) = {};  // Downloads, uploads.
};

absl::StatusOr<StagingLane*> StagerState::LaneOf(DeviceId device) {
  HostMutexLock lock(&mutex_);
  std::unique_ptr<StagingLane>& lane = lanes_[device.ordinal()];
  if (lane == nullptr) {
    ABSL_ASSIGN_OR_RETURN(
        lane,
        StagingLane::Create(device, options_.ring_bytes / options_.slot_bytes,
                            options_.slot_bytes, &workers_));
  }
  return lane.get();
}

absl::StatusOr<Transfer> StagerState::Stage(const CopyRange& dst,
                                            const CopyRange& src,
                                            StreamRef stream) {
  ABSL_RETURN_IF_ERROR(Check(dst, src, stream));
  if (src.count == 0) return Transfer();
  return Submit(dst, src, stream);
}

absl::StatusOr<Transfer> StagerState::Submit(const CopyRange& dst,
                                             const CopyRange& src,
                                             StreamRef stream) {
  const bool upload = dst.kind == MemoryKind::kDevice;
  StagedRange range;
  range.upload = upload;
  range.device =
      static_cast<char*>(const_cast<void*>(upload ? dst.address : src.address));
  range.host =
      static_cast<char*>(const_cast<void*>(upload ? src.address : dst.address));
  range.count = src.num_bytes();
  range.device_element = 1;
  range.host_element = 1;
  range.copy = [](void* to, const void* from, size_t count) {
    HostCopy(to, from, count);
  };
  ABSL_ASSIGN_OR_RETURN(StagingLane * lane, LaneOf(stream.device()));
  ABSL_ASSIGN_OR_RETURN(std::shared_ptr<TransferState> state,
                        lane->Submit(std::move(range), stream));
  return Transfer(std::move(state));
}

absl::Status StagerState::StageAll(const CopyRange& dst, const CopyRange& src,
                                   StreamRef stream) {
  ABSL_ASSIGN_OR_RETURN(const Transfer transfer, Submit(dst, src, stream));
  if (dst.kind == MemoryKind::kDevice) return transfer.Join(stream);
  return transfer.Wait();
}

absl::StatusOr<StagerState::Choice> StagerState::Try(const CopyRange& dst,
                                                     const CopyRange& src,
                                                     StreamRef stream) {
  // What a first use does is not part of it, nor is earlier work.
  ABSL_RETURN_IF_ERROR(LaneOf(stream.device()).status());
  ABSL_RETURN_IF_ERROR(stream.Synchronize());
  const int64_t begin = HostNowNs();
  ABSL_RETURN_IF_ERROR(CopyAndWait(Part(dst, 0, kTrialBytes),
                                   Part(src, 0, kTrialBytes), stream));
  const int64_t middle = HostNowNs();
  ABSL_RETURN_IF_ERROR(StageAll(Part(dst, kTrialBytes, kTrialBytes),
                                Part(src, kTrialBytes, kTrialBytes), stream));
  ABSL_RETURN_IF_ERROR(stream.Synchronize());
  return HostNowNs() - middle < middle - begin ? Choice::kStage
                                               : Choice::kDirect;
}

absl::Status StagerState::StageAndWait(const CopyRange& dst,
                                       const CopyRange& src, StreamRef stream) {
  ABSL_RETURN_IF_ERROR(Check(dst, src, stream));
  const size_t num_bytes = src.num_bytes();
  if (num_bytes == 0) return absl::OkStatus();
  if (num_bytes < options_.min_bytes) return CopyAndWait(dst, src, stream);
  if (workers_.thread_count() >= kManyThreads) {
    return StageAll(dst, src, stream);
  }
  const size_t way = dst.kind == MemoryKind::kDevice ? 1 : 0;
  Choice choice = Choice::kUnknown;
  {
    HostMutexLock lock(&mutex_);
    choice = choices_[way];
  }
  size_t begin = 0;
  if (choice == Choice::kUnknown) {
    if (num_bytes < 2 * kTrialBytes) return CopyAndWait(dst, src, stream);
    ABSL_ASSIGN_OR_RETURN(choice, Try(dst, src, stream));
    begin = 2 * kTrialBytes;
    HostMutexLock lock(&mutex_);
    choices_[way] = choice;
  }
  if (begin == num_bytes) return absl::OkStatus();
  const CopyRange to = Part(dst, begin, num_bytes - begin);
  const CopyRange from = Part(src, begin, num_bytes - begin);
  return choice == Choice::kStage ? StageAll(to, from, stream)
                                  : CopyAndWait(to, from, stream);
}

}  // namespace internal

absl::StatusOr<Stager> Stager::Create(const StagerOptions& options) {
  if (options.max_threads < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("StagerOptions::max_threads is ", options.max_threads,
                     "; it must be positive, or 0 for the default"));
  }
  if (options.slot_bytes < internal::kMinSlotBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("StagerOptions::slot_bytes is ", options.slot_bytes,
                     "; it must be at least ", internal::kMinSlotBytes));
  }
  if (options.ring_bytes / options.slot_bytes < 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("StagerOptions::ring_bytes is ", options.ring_bytes,
                     "; it must be at least twice slot_bytes, which is ",
                     options.slot_bytes));
  }
  return Stager(std::make_shared<internal::StagerState>(options));
}

absl::Status Stager::StageAndWait(const internal::CopyRange& dst,
                                  const internal::CopyRange& src,
                                  StreamRef stream) {
  return state_->StageAndWait(dst, src, stream);
}

absl::StatusOr<Transfer> Stager::Stage(const internal::CopyRange& dst,
                                       const internal::CopyRange& src,
                                       StreamRef stream) {
  return state_->Stage(dst, src, stream);
}

}  // namespace conveyor
