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
// File: staging_workers.h
// -----------------------------------------------------------------------------
//
// The threads that copy between a caller's memory and pinned slots.

#ifndef CONVEYOR_TRANSFER_INTERNAL_STAGING_WORKERS_H_
#define CONVEYOR_TRANSFER_INTERNAL_STAGING_WORKERS_H_

#include <cstddef>
#include <deque>
#include <functional>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "third_party/cuda/host_threads.h"

namespace conveyor {
namespace internal {

// `count` elements to be copied, in pieces that several workers take.
struct StagedWork {
  // Copies the elements [begin, end); called by several threads at once.
  std::function<void(size_t begin, size_t end)> copy;
  size_t count = 0;
  size_t piece = 0;  // Elements of one piece.
  // Called once, by a worker, when all has been copied.
  std::function<void()> done;

  // The workers' own.
  size_t claimed = 0;
  size_t finished = 0;
};

// Shared by all that stage. Work of one queue is taken in its order, and queues
// take turns. Thread-safe.
class StagingWorkers {
 public:
  class Queue {
   private:
    friend class StagingWorkers;
    std::deque<StagedWork*> open_;
  };

  // Starts them at first use.
  explicit StagingWorkers(int threads) : thread_count_(threads) {}
  // All work must be done.
  ~StagingWorkers();

  // Registers a queue, and forgets it, once it is empty.
  void Add(Queue* queue);
  void Remove(Queue* queue);

  // `work` stays valid until its done has been called.
  void Open(Queue* queue, StagedWork* work);

  int thread_count() const { return thread_count_; }

 private:
  void Run();
  // The next queue that has work, or null.
  Queue* NextQueue() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const int thread_count_;
  HostMutex mutex_;
  HostCondVar opened_;
  std::vector<Queue*> queues_ ABSL_GUARDED_BY(mutex_);
  size_t next_queue_ ABSL_GUARDED_BY(mutex_) = 0;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<HostThread> threads_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace internal
}  // namespace conveyor

#endif  // CONVEYOR_TRANSFER_INTERNAL_STAGING_WORKERS_H_
