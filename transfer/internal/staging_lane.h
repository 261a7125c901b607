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
// File: staging_lane.h
// -----------------------------------------------------------------------------
//
// The staging of one device: a ring of pinned slots, a stream for each
// direction, and the one thread that submits to them.

#ifndef CONVEYOR_TRANSFER_INTERNAL_STAGING_LANE_H_
#define CONVEYOR_TRANSFER_INTERNAL_STAGING_LANE_H_

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "third_party/cuda/host_threads.h"
#include "transfer/device.h"
#include "transfer/event.h"
#include "transfer/internal/locked_memory.h"
#include "transfer/internal/staging_workers.h"
#include "transfer/internal/transfer_state.h"
#include "transfer/stream.h"

namespace conveyor {
namespace internal {

// What is staged: `count` elements, whose sizes may differ on the two sides.
struct StagedRange {
  bool upload;
  char* device;
  char* host;  // Only read by an upload.
  size_t count;
  size_t device_element;  // Bytes.
  size_t host_element;
  // Copies or converts so many elements; called by several threads at once.
  std::function<void(void* to, const void* from, size_t count)> copy;
};

class StagingLane {
 public:
  // A ring of `slots` >= 2 times slot_bytes. kResourceExhausted if it cannot be
  // page-locked.
  static absl::StatusOr<std::unique_ptr<StagingLane>> Create(
      DeviceId device, size_t slots, size_t slot_bytes,
      StagingWorkers* workers);
  // Waits for all transfers.
  ~StagingLane();

  // Begins the transfer once `stream` has come to this point. Does not block.
  // Thread-safe.
  absl::StatusOr<std::shared_ptr<TransferState>> Submit(StagedRange range,
                                                        StreamRef stream);

 private:
  struct Slot {
    char* memory;
    Event copied;  // Recorded behind the last DMA from or to it.
  };
  enum class ChunkPhase { kArriving, kWithWorkers, kWorkersDone };
  struct Chunk {
    Slot* slot;
    size_t begin;  // Elements.
    StagedWork work;
    ChunkPhase phase;  // Changed by workers under the lane's mutex.
  };
  struct Job {
    Job(StagedRange range, Event begin, std::shared_ptr<TransferState> state)
        : range(std::move(range)),
          begin(std::move(begin)),
          state(std::move(state)) {}

    StagedRange range;
    Event begin;  // The caller's stream has come to the transfer.
    std::shared_ptr<TransferState> state;
    bool begun = false;
    size_t given = 0;  // Elements that have been given slots.
    std::deque<std::unique_ptr<Chunk>> chunks;  // In their order.
    absl::Status status;
  };

  StagingLane(DeviceId device, size_t slot_bytes, LockedMemory ring,
              Stream uploads, Stream downloads, StagingWorkers* workers);

  void Run();
  // Each does what can be done now, and returns whether that was anything.
  bool BeginJobs();
  bool FreeUploadedSlots();
  bool GiveSlots();
  bool GiveSlot(Job& job);
  bool AdvanceChunks(Job& job);
  bool EndJobs();

  void OpenForWorkers(Job& job, Chunk& chunk);
  absl::Status SubmitChunk(Job& job, Chunk& chunk);
  absl::Status EnqueueDma(const Job& job, const Chunk& chunk);
  size_t SlotElements(const Job& job) const;
  ChunkPhase PhaseOf(const Chunk& chunk);
  // Waits until a worker or a caller has something new, but not for long.
  void WaitForNews();

  const DeviceId device_;
  const size_t slot_bytes_;
  LockedMemory ring_;
  Stream uploads_;
  Stream downloads_;
  StagingWorkers* const workers_;
  StagingWorkers::Queue queue_;

  // The lane's thread's own.
  std::vector<std::unique_ptr<Slot>> slots_;
  std::vector<Slot*> free_slots_;
  std::deque<Slot*> uploading_;  // In the order of their DMAs.
  std::deque<std::unique_ptr<Job>> jobs_;
  size_t next_job_ = 0;

  HostMutex mutex_;
  HostCondVar news_;
  bool has_news_ ABSL_GUARDED_BY(mutex_) = false;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::deque<std::unique_ptr<Job>> submitted_ ABSL_GUARDED_BY(mutex_);

  HostThread thread_;  // Last: it uses all of the above.
};

}  // namespace internal
}  // namespace conveyor

#endif  // CONVEYOR_TRANSFER_INTERNAL_STAGING_LANE_H_
