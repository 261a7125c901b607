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

#include "transfer/internal/staging_lane.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/log/log.h"
#include "absl/status/status.h"
#include "absl/status/status_macros.h"
#include "absl/status/statusor.h"
#include "third_party/cuda/host_clock.h"
#include "third_party/cuda/host_threads.h"
#include "transfer/device.h"
#include "transfer/event.h"
#include "transfer/internal/copy_range.h"
#include "transfer/internal/locked_memory.h"
#include "transfer/internal/numa_node.h"
#include "transfer/internal/staging_workers.h"
#include "transfer/internal/transfer_state.h"
#include "transfer/memory_kind.h"
#include "transfer/stream.h"

namespace conveyor {
namespace internal {
namespace {

// Workers share a slot, so that its DMA begins soon: so many pieces each.
constexpr size_t kPiecesPerSlot = 8;
// Polls before the thread sleeps: as long as a piece takes.
constexpr int kPolls = 200;
// How late it sees what does not wake it: streams that have come to a transfer,
// and DMAs that are complete.
constexpr int64_t kNapNs = 50000;
constexpr int kTouchThreads = 8;

}  // namespace

absl::StatusOr<std::unique_ptr<StagingLane>> StagingLane::Create(
    DeviceId device, size_t slots, size_t slot_bytes, StagingWorkers* workers) {
  ABSL_ASSIGN_OR_RETURN(std::optional<int> node, NumaNodeOf(device));
  ABSL_ASSIGN_OR_RETURN(
      LockedMemory ring,
      LockedMemory::Create(slots * slot_bytes, node, kTouchThreads));
  ABSL_ASSIGN_OR_RETURN(Stream uploads, Stream::Create(device));
  ABSL_ASSIGN_OR_RETURN(Stream downloads, Stream::Create(device));
  std::unique_ptr<StagingLane> lane(
      new StagingLane(device, slot_bytes, std::move(ring), std::move(uploads),
                      std::move(downloads), workers));
  for (size_t i = 0; i < slots; ++i) {
    ABSL_ASSIGN_OR_RETURN(Event copied, Event::Create(device));
    lane->slots_.push_back(std::make_unique<Slot>(
        Slot{lane->ring_.address() + i * slot_bytes, std::move(copied)}));
    lane->free_slots_.push_back(lane->slots_.back().get());
  }
  lane->thread_ = HostThread([lane = lane.get()] { lane->Run(); });
  return lane;
}

StagingLane::StagingLane(DeviceId device, size_t slot_bytes, LockedMemory ring,
                         Stream uploads, Stream downloads,
                         StagingWorkers* workers)
    : device_(device),
      slot_bytes_(slot_bytes),
      ring_(std::move(ring)),
      uploads_(std::move(uploads)),
      downloads_(std::move(downloads)),
      workers_(workers) {
  workers_->Add(&queue_);
}

StagingLane::~StagingLane() {
  {
    HostMutexLock lock(&mutex_);
    stopping_ = true;
    has_news_ = true;
    news_.NotifyAll();
  }
  thread_.Join();
  workers_->Remove(&queue_);
  // The last uploads still read their slots.
  for (const Stream* const stream : {&uploads_, &downloads_}) {
    const absl::Status waited = stream->ref().Synchronize();
    if (!waited.ok())
      LOG(ERROR) << "ending the staging of " << device_ << ": " << waited;
  }
}

absl::StatusOr<std::shared_ptr<TransferState>> StagingLane::Submit(
    StagedRange range, StreamRef stream) {
  ABSL_ASSIGN_OR_RETURN(Event begin, Event::Create(device_));
  ABSL_ASSIGN_OR_RETURN(Event done, Event::Create(device_));
  ABSL_RETURN_IF_ERROR(begin.Record(stream));
  auto state = std::make_shared<TransferState>(std::move(done));
  auto job = std::make_unique<Job>(std::move(range), std::move(begin), state);
  HostMutexLock lock(&mutex_);
  submitted_.push_back(std::move(job));
  has_news_ = true;
  news_.NotifyAll();
  return state;
}

void StagingLane::Run() {
  // A capture that another thread has under way stays valid.
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  static_cast<void>(cudaThreadExchangeStreamCaptureMode(&mode));
  int idle = 0;
  while (true) {
    {
      HostMutexLock lock(&mutex_);
      while (jobs_.empty() && submitted_.empty() && !stopping_) {
        news_.Wait(&mutex_);
      }
      for (; !submitted_.empty(); submitted_.pop_front()) {
        jobs_.push_back(std::move(submitted_.front()));
      }
      if (jobs_.empty()) return;
      has_news_ = false;
    }
    bool moved = BeginJobs();
    moved |= FreeUploadedSlots();
    moved |= GiveSlots();
    for (const auto& job : jobs_) moved |= AdvanceChunks(*job);
    moved |= EndJobs();
    idle = moved ? 0 : idle + 1;
    if (idle > kPolls) {
      WaitForNews();
    } else if (idle > 0) {
      HostYield();
    }
  }
}

void StagingLane::WaitForNews() {
  const int64_t until = HostNowNs() + kNapNs;
  HostMutexLock lock(&mutex_);
  while (!has_news_ && news_.WaitUntil(&mutex_, until)) {
  }
}

bool StagingLane::BeginJobs() {
  bool moved = false;
  for (const auto& job : jobs_) {
    if (job->begun || !job->status.ok()) continue;
    const absl::StatusOr<bool> ready = job->begin.Ready();
    if (!ready.ok()) {
      job->status = ready.status();
    } else {
      job->begun = *ready;
    }
    moved |= job->begun || !job->status.ok();
  }
  return moved;
}

bool StagingLane::FreeUploadedSlots() {
  bool moved = false;
  while (!uploading_.empty()) {
    const absl::StatusOr<bool> ready = uploading_.front()->copied.Ready();
    if (ready.ok() && !*ready) break;
    if (!ready.ok()) uploads_.ref().Synchronize().IgnoreError();
    free_slots_.push_back(uploading_.front());
    uploading_.pop_front();
    moved = true;
  }
  return moved;
}

bool StagingLane::GiveSlots() {
  bool moved = false;
  // Transfers take turns, until none takes a slot.
  for (size_t passed = 0; !free_slots_.empty() && passed < jobs_.size();) {
    Job& job = *jobs_[next_job_++ % jobs_.size()];
    const bool gave = GiveSlot(job);
    passed = gave ? 0 : passed + 1;
    moved |= gave;
  }
  return moved;
}

size_t StagingLane::SlotElements(const Job& job) const {
  return slot_bytes_ / job.range.device_element;
}

bool StagingLane::GiveSlot(Job& job) {
  if (!job.begun || !job.status.ok() || job.given == job.range.count) {
    return false;
  }
  Slot* const slot = free_slots_.back();
  free_slots_.pop_back();
  auto chunk = std::make_unique<Chunk>();
  chunk->slot = slot;
  chunk->begin = job.given;
  chunk->work.count = std::min(SlotElements(job), job.range.count - job.given);
  job.given += chunk->work.count;
  job.chunks.push_back(std::move(chunk));
  Chunk& added = *job.chunks.back();
  if (job.range.upload) {
    OpenForWorkers(job, added);
    return true;
  }
  added.phase = ChunkPhase::kArriving;
  job.status = SubmitChunk(job, added);
  if (job.status.ok() && job.given == job.range.count) {
    job.status = job.state->Enqueued(downloads_, /*host_follows=*/true);
  }
  return true;
}

void StagingLane::OpenForWorkers(Job& job, Chunk& chunk) {
  chunk.phase = ChunkPhase::kWithWorkers;
  chunk.work.piece = std::max<size_t>(1, SlotElements(job) / kPiecesPerSlot);
  const StagedRange& range = job.range;
  char* const host = range.host + chunk.begin * range.host_element;
  char* const slot = chunk.slot->memory;
  chunk.work.copy = [&range, host, slot](size_t begin, size_t end) {
    char* const in_host = host + begin * range.host_element;
    char* const in_slot = slot + begin * range.device_element;
    if (range.upload) {
      range.copy(in_slot, in_host, end - begin);
    } else {
      range.copy(in_host, in_slot, end - begin);
    }
  };
  chunk.work.done = [this, &chunk] {
    HostMutexLock lock(&mutex_);
    chunk.phase = ChunkPhase::kWorkersDone;
    has_news_ = true;
    news_.NotifyAll();
  };
  workers_->Open(&queue_, &chunk.work);
}

absl::Status StagingLane::EnqueueDma(const Job& job, const Chunk& chunk) {
  const StagedRange& range = job.range;
  const size_t num_bytes = chunk.work.count * range.device_element;
  const CopyRange device = {range.device + chunk.begin * range.device_element,
                            num_bytes, 1, MemoryKind::kDevice, device_};
  const CopyRange slot = {chunk.slot->memory, num_bytes, 1, MemoryKind::kPinned,
                          DeviceId(-1)};
  return range.upload ? EnqueueCopy(device, slot, uploads_)
                      : EnqueueCopy(slot, device, downloads_);
}

absl::Status StagingLane::SubmitChunk(Job& job, Chunk& chunk) {
  const StreamRef stream = job.range.upload ? uploads_ : downloads_;
  ABSL_RETURN_IF_ERROR(EnqueueDma(job, chunk));
  absl::Status recorded = chunk.slot->copied.Record(stream);
  // Without the event nothing would say when the slot is free.
  if (!recorded.ok()) stream.Synchronize().IgnoreError();
  return recorded;
}

StagingLane::ChunkPhase StagingLane::PhaseOf(const Chunk& chunk) {
  HostMutexLock lock(&mutex_);
  return chunk.phase;
}

bool StagingLane::AdvanceChunks(Job& job) {
  bool moved = false;
  for (const auto& chunk : job.chunks) {
    if (PhaseOf(*chunk) != ChunkPhase::kArriving) continue;
    const absl::StatusOr<bool> ready = chunk->slot->copied.Ready();
    if (ready.ok() && !*ready) break;  // The others come after it.
    if (!ready.ok() || !job.status.ok()) {
      if (!ready.ok()) downloads_.ref().Synchronize().IgnoreError();
      if (job.status.ok()) job.status = ready.status();
      HostMutexLock lock(&mutex_);
      chunk->phase = ChunkPhase::kWorkersDone;
    } else {
      OpenForWorkers(job, *chunk);
    }
    moved = true;
  }
  while (!job.chunks.empty() &&
         PhaseOf(*job.chunks.front()) == ChunkPhase::kWorkersDone) {
    Chunk& chunk = *job.chunks.front();
    if (job.range.upload && job.status.ok()) {
      job.status = SubmitChunk(job, chunk);
      uploading_.push_back(chunk.slot);
      if (job.status.ok() &&
          chunk.begin + chunk.work.count == job.range.count) {
        job.status = job.state->Enqueued(uploads_, /*host_follows=*/false);
      }
    } else {
      free_slots_.push_back(chunk.slot);
    }
    job.chunks.pop_front();
    moved = true;
  }
  return moved;
}

bool StagingLane::EndJobs() {
  bool moved = false;
  for (size_t i = 0; i < jobs_.size();) {
    Job& job = *jobs_[i];
    const bool given = job.given == job.range.count || !job.status.ok();
    if (!given || !job.chunks.empty()) {
      ++i;
      continue;
    }
    if (!job.status.ok()) {
      // What it has begun to write belongs to the caller again.
      if (job.range.upload) uploads_.ref().Synchronize().IgnoreError();
      job.state->Fail(job.status);
    } else if (!job.range.upload) {
      job.state->Complete();
    }
    jobs_.erase(jobs_.begin() + static_cast<std::ptrdiff_t>(i));
    moved = true;
  }
  return moved;
}

}  // namespace internal
}  // namespace conveyor
