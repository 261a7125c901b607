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

#include "transfer/internal/staging_workers.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "third_party/cuda/host_threads.h"

namespace conveyor {
namespace internal {

StagingWorkers::~StagingWorkers() {
  std::vector<HostThread> threads;
  {
    HostMutexLock lock(&mutex_);
    stopping_ = true;
    opened_.NotifyAll();
    threads = std::move(threads_);
  }
  for (HostThread& thread : threads) thread.Join();
}

void StagingWorkers::Add(Queue* queue) {
  HostMutexLock lock(&mutex_);
  queues_.push_back(queue);
  while (threads_.size() < static_cast<size_t>(thread_count_)) {
    threads_.emplace_back([this] { Run(); });
  }
}

void StagingWorkers::Remove(Queue* queue) {
  HostMutexLock lock(&mutex_);
  queues_.erase(std::find(queues_.begin(), queues_.end(), queue));
}

void StagingWorkers::Open(Queue* queue, StagedWork* work) {
  work->claimed = 0;
  work->finished = 0;
  HostMutexLock lock(&mutex_);
  queue->open_.push_back(work);
  opened_.NotifyAll();
}

StagingWorkers::Queue* StagingWorkers::NextQueue() {
  for (size_t i = 0; i < queues_.size(); ++i) {
    Queue* const queue = queues_[next_queue_++ % queues_.size()];
    if (!queue->open_.empty()) return queue;
  }
  return nullptr;
}

void StagingWorkers::Run() {
  mutex_.Lock();
  while (true) {
    Queue* const queue = NextQueue();
    if (queue == nullptr) {
      if (stopping_) break;
      opened_.Wait(&mutex_);
      continue;
    }
    StagedWork& work = *queue->open_.front();
    const size_t begin = work.claimed;
    const size_t end = begin + std::min(work.piece, work.count - begin);
    work.claimed = end;
    if (end == work.count) queue->open_.pop_front();
    mutex_.Unlock();
    work.copy(begin, end);
    mutex_.Lock();
    work.finished += end - begin;
    if (work.finished == work.count) {
      // From here on the work may be gone.
      const auto done = std::move(work.done);
      mutex_.Unlock();
      done();
      mutex_.Lock();
    }
  }
  mutex_.Unlock();
}

}  // namespace internal
}  // namespace conveyor
