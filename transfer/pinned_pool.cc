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

#include "transfer/pinned_pool.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/log/log.h"
#include "absl/status/status.h"
#include "absl/status/status_macros.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "third_party/cuda/host_clock.h"
#include "third_party/cuda/host_threads.h"
#include "transfer/device.h"
#include "transfer/event.h"
#include "transfer/internal/capture.h"
#include "transfer/internal/host_limit.h"
#include "transfer/internal/locked_memory.h"
#include "transfer/internal/numa_node.h"
#include "transfer/stream.h"

namespace conveyor {
namespace internal {

struct PooledBlock {
  char* address = nullptr;
  size_t size = 0;       // Of its class.
  size_t requested = 0;  // While somebody holds it.
  struct Slab* slab = nullptr;
  // The last uses, each complete or not, and then events to be used again.
  std::vector<Event> events;
  size_t pending = 0;
};

// Memory that is page-locked at once: one large block or several small ones.
struct Slab {
  explicit Slab(LockedMemory memory) : memory(std::move(memory)) {}

  LockedMemory memory;
  std::vector<std::unique_ptr<PooledBlock>> blocks;
};

namespace {

constexpr size_t kPage = 4096;
// Page-locking less at once is not worth its call.
constexpr size_t kSlab = 2 << 20;
// How many free blocks are asked whether their use is complete.
constexpr size_t kBlocksAsked = 4;

// Eight sizes to a doubling, and never less than a page apart.
size_t ClassOf(size_t num_bytes) {
  size_t power = kPage;
  while (power <= num_bytes / 2) power *= 2;
  const size_t step = std::max(kPage, power / 8);
  return (num_bytes + step - 1) / step * step;
}

// What is page-locked for a new block of that class.
size_t SlabOf(size_t block_size) {
  return block_size * std::max<size_t>(1, kSlab / block_size);
}

// Whether the uses of `block` are complete; forgets those that are.
absl::StatusOr<bool> IsIdle(PooledBlock& block) {
  for (size_t i = 0; i < block.pending;) {
    ABSL_ASSIGN_OR_RETURN(const bool ready, block.events[i].Ready());
    if (ready) {
      std::swap(block.events[i], block.events[--block.pending]);
    } else {
      ++i;
    }
  }
  return block.pending == 0;
}

absl::Status WaitUntilIdle(PooledBlock& block) {
  while (block.pending > 0) {
    ABSL_RETURN_IF_ERROR(block.events[block.pending - 1].Synchronize());
    --block.pending;
  }
  return absl::OkStatus();
}

}  // namespace

class PinnedPoolState {
 public:
  PinnedPoolState(size_t max_bytes, std::string limit_source,
                  std::optional<int> node, int threads)
      : max_bytes_(max_bytes),
        limit_source_(std::move(limit_source)),
        node_(node),
        threads_(threads) {}

  // Nobody holds a block; what still uses one is waited for.
  ~PinnedPoolState();

  absl::StatusOr<PooledBlock*> Acquire(size_t num_bytes);
  void GiveBack(PooledBlock* block);
  absl::Status Trim();
  PinnedPoolStats stats();

 private:
  using FreeBlocks = std::deque<PooledBlock*>;  // The longest free first.

  // A free block whose use is complete, or null.
  absl::StatusOr<PooledBlock*> TakeIdle(size_t block_size)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Page-locks new blocks and takes one. Releases the lock meanwhile.
  absl::StatusOr<PooledBlock*> MakeBlock(size_t block_size)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Releases slabs without use, until `wanted` bytes may be reserved.
  absl::Status TrimFor(size_t wanted) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::StatusOr<bool> IsUnused(Slab& slab)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status Exhausted(size_t num_bytes)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const size_t max_bytes_;
  const std::string limit_source_;
  const std::optional<int> node_;
  const int threads_;

  HostMutex mutex_;
  std::vector<std::unique_ptr<Slab>> slabs_ ABSL_GUARDED_BY(mutex_);
  std::map<size_t, FreeBlocks> free_ ABSL_GUARDED_BY(mutex_);  // By class.
  size_t reserved_ ABSL_GUARDED_BY(mutex_) = 0;
  size_t used_ ABSL_GUARDED_BY(mutex_) = 0;
  size_t requested_ ABSL_GUARDED_BY(mutex_) = 0;
  size_t made_ ABSL_GUARDED_BY(mutex_) = 0;
  size_t reused_ ABSL_GUARDED_BY(mutex_) = 0;
  int64_t making_ns_ ABSL_GUARDED_BY(mutex_) = 0;
};

PinnedPoolState::~PinnedPoolState() {
  for (const auto& slab : slabs_) {
    for (const auto& block : slab->blocks) {
      const absl::Status waited = WaitUntilIdle(*block);
      if (!waited.ok())
        LOG(ERROR) << "ending a pool of pinned memory: " << waited;
    }
  }
}

absl::StatusOr<PooledBlock*> PinnedPoolState::Acquire(size_t num_bytes) {
  if (num_bytes > max_bytes_) {
    HostMutexLock lock(&mutex_);
    return Exhausted(num_bytes);
  }
  const size_t size = ClassOf(num_bytes);
  HostMutexLock lock(&mutex_);
  ABSL_ASSIGN_OR_RETURN(PooledBlock * block, TakeIdle(size));
  if (block == nullptr) {
    ABSL_RETURN_IF_ERROR(TrimFor(SlabOf(size)));
    if (reserved_ + SlabOf(size) <= max_bytes_) {
      ABSL_ASSIGN_OR_RETURN(block, MakeBlock(size));
    } else if (FreeBlocks& blocks = free_[size]; !blocks.empty()) {
      block = blocks.front();
      blocks.pop_front();
      mutex_.Unlock();
      const absl::Status waited = WaitUntilIdle(*block);
      mutex_.Lock();
      if (!waited.ok()) {
        blocks.push_back(block);
        return waited;
      }
      ++reused_;
    } else {
      return Exhausted(num_bytes);
    }
  }
  block->requested = num_bytes;
  used_ += block->size;
  requested_ += num_bytes;
  return block;
}

absl::StatusOr<PooledBlock*> PinnedPoolState::TakeIdle(size_t block_size) {
  FreeBlocks& blocks = free_[block_size];
  for (size_t i = 0; i < std::min(blocks.size(), kBlocksAsked); ++i) {
    ABSL_ASSIGN_OR_RETURN(const bool idle, IsIdle(*blocks[i]));
    if (!idle) continue;
    PooledBlock* const block = blocks[i];
    blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(i));
    ++reused_;
    return block;
  }
  return nullptr;
}

absl::StatusOr<PooledBlock*> PinnedPoolState::MakeBlock(size_t block_size) {
  const size_t num_bytes = SlabOf(block_size);
  reserved_ += num_bytes;
  mutex_.Unlock();
  const int64_t begin = HostNowNs();
  absl::StatusOr<LockedMemory> memory =
      LockedMemory::Create(num_bytes, node_, threads_);
  const int64_t took_ns = HostNowNs() - begin;
  mutex_.Lock();
  if (!memory.ok()) {
    reserved_ -= num_bytes;
    return memory.status();
  }
  making_ns_ += took_ns;
  slabs_.push_back(std::make_unique<Slab>(*std::move(memory)));
  Slab& slab = *slabs_.back();
  FreeBlocks& free = free_[block_size];
  for (size_t offset = 0; offset < num_bytes; offset += block_size) {
    auto block = std::make_unique<PooledBlock>();
    block->address = slab.memory.address() + offset;
    block->size = block_size;
    block->slab = &slab;
    free.push_back(block.get());
    slab.blocks.push_back(std::move(block));
    ++made_;
  }
  PooledBlock* const last = free.back();
  free.pop_back();
  return last;
}

absl::StatusOr<bool> PinnedPoolState::IsUnused(Slab& slab) {
  for (const auto& block : slab.blocks) {
    const FreeBlocks& free = free_[block->size];
    if (std::find(free.begin(), free.end(), block.get()) == free.end()) {
      return false;
    }
    ABSL_ASSIGN_OR_RETURN(const bool idle, IsIdle(*block));
    if (!idle) return false;
  }
  return true;
}

absl::Status PinnedPoolState::TrimFor(size_t wanted) {
  for (size_t i = 0; i < slabs_.size() && reserved_ + wanted > max_bytes_;) {
    Slab& slab = *slabs_[i];
    ABSL_ASSIGN_OR_RETURN(const bool unused, IsUnused(slab));
    if (!unused) {
      ++i;
      continue;
    }
    for (const auto& block : slab.blocks) {
      FreeBlocks& free = free_[block->size];
      free.erase(std::find(free.begin(), free.end(), block.get()));
    }
    reserved_ -= slab.memory.size_bytes();
    slabs_.erase(slabs_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return absl::OkStatus();
}

absl::Status PinnedPoolState::Trim() {
  HostMutexLock lock(&mutex_);
  return TrimFor(max_bytes_);
}

absl::Status PinnedPoolState::Exhausted(size_t num_bytes) {
  return absl::ResourceExhaustedError(absl::StrCat(
      "PinnedPool::Acquire of ", num_bytes,
      " bytes of host pinned memory: the "
      "pool may hold ",
      max_bytes_, " bytes (", limit_source_, "), and blocks of ", used_,
      " bytes are in use; raise PinnedPoolOptions::max_bytes"));
}

void PinnedPoolState::GiveBack(PooledBlock* block) {
  HostMutexLock lock(&mutex_);
  used_ -= block->size;
  requested_ -= block->requested;
  free_[block->size].push_back(block);
}

PinnedPoolStats PinnedPoolState::stats() {
  HostMutexLock lock(&mutex_);
  return {max_bytes_,
          reserved_,
          used_,
          requested_,
          made_,
          reused_,
          absl::Nanoseconds(making_ns_),
          node_};
}

}  // namespace internal

absl::StatusOr<PinnedPool> PinnedPool::Create(
    const PinnedPoolOptions& options) {
  if (options.touch_threads <= 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("PinnedPoolOptions::touch_threads is ",
                     options.touch_threads, "; it must be positive"));
  }
  std::optional<int> node;
  if (options.near_device.has_value()) {
    ABSL_ASSIGN_OR_RETURN(node, internal::NumaNodeOf(*options.near_device));
  }
  size_t max_bytes = options.max_bytes;
  std::string source = "PinnedPoolOptions::max_bytes";
  if (max_bytes == 0) {
    const internal::HostLimit limit = internal::ReadHostLimit();
    max_bytes = limit.available_bytes / 2;
    source = absl::StrCat("half of what ", limit.source, " had left");
  }
  return PinnedPool(std::make_shared<internal::PinnedPoolState>(
      max_bytes, std::move(source), node, options.touch_threads));
}

absl::StatusOr<PinnedBlock> PinnedPool::Acquire(size_t num_bytes) {
  if (num_bytes == 0) return PinnedBlock(nullptr, nullptr);
  ABSL_ASSIGN_OR_RETURN(internal::PooledBlock * block,
                        state_->Acquire(num_bytes));
  return PinnedBlock(state_, block);
}

absl::Status PinnedPool::Trim() { return state_->Trim(); }

PinnedPoolStats PinnedPool::stats() const { return state_->stats(); }

PinnedBlock& PinnedBlock::operator=(PinnedBlock&& other) noexcept {
  if (this != &other) {
    GiveBack();
    state_ = std::move(other.state_);
    block_ = std::exchange(other.block_, nullptr);
  }
  return *this;
}

void PinnedBlock::GiveBack() {
  if (block_ == nullptr) return;
  state_->GiveBack(std::exchange(block_, nullptr));
  state_ = nullptr;
}

absl::Status PinnedBlock::UsedOn(StreamRef stream) {
  ABSL_RETURN_IF_ERROR(
      internal::RefuseIfCapturing(stream.native(), "PinnedBlock::UsedOn"));
  if (block_ == nullptr) return absl::OkStatus();
  // Keeps a block that is used again and again from gathering events.
  ABSL_RETURN_IF_ERROR(internal::IsIdle(*block_).status());
  std::vector<Event>& events = block_->events;
  size_t found = block_->pending;
  while (found < events.size() && events[found].device() != stream.device()) {
    ++found;
  }
  if (found == events.size()) {
    ABSL_ASSIGN_OR_RETURN(Event event, Event::Create(stream.device()));
    events.push_back(std::move(event));
  }
  ABSL_RETURN_IF_ERROR(events[found].Record(stream));
  std::swap(events[found], events[block_->pending]);
  ++block_->pending;
  return absl::OkStatus();
}

char* PinnedBlock::data() {
  return block_ == nullptr ? nullptr : block_->address;
}

size_t PinnedBlock::size_bytes() const {
  return block_ == nullptr ? 0 : block_->requested;
}

}  // namespace conveyor
