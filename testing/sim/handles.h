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
// File: handles.h
// -----------------------------------------------------------------------------
//
// Handles that are never dereferenced and never used twice, so that a destroyed
// one is refused.

#ifndef CONVEYOR_TESTING_SIM_HANDLES_H_
#define CONVEYOR_TESTING_SIM_HANDLES_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace conveyor {
namespace sim {

// Owns T and gives it out as `Handle`, a pointer type. Not thread-safe.
template <typename Handle, typename T>
class HandleTable {
 public:
  // `tag` tells the tables' handles apart.
  explicit HandleTable(uint64_t tag) : tag_(tag) {}

  Handle Add(std::unique_ptr<T> object) {
    size_t index = slots_.size();
    if (free_.empty()) {
      slots_.emplace_back();
    } else {
      index = free_.back();
      free_.pop_back();
    }
    Slot& slot = slots_[index];
    slot.object = std::move(object);
    ++slot.generation;
    ++live_;
    return ToHandle(index, slot.generation);
  }

  // Null if `handle` is not live.
  T* Get(Handle handle) const {
    const Slot* const slot = Find(handle);
    return slot == nullptr ? nullptr : slot->object.get();
  }

  // `handle` is live.
  std::unique_ptr<T> Remove(Handle handle) {
    Slot* const slot = const_cast<Slot*>(Find(handle));
    free_.push_back(static_cast<size_t>(slot - slots_.data()));
    --live_;
    return std::move(slot->object);
  }

  template <typename Function>
  void ForEach(Function function) const {
    for (const Slot& slot : slots_) {
      if (slot.object != nullptr) function(*slot.object);
    }
  }

  // Removes all that `predicate` holds for.
  template <typename Predicate>
  void RemoveIf(Predicate predicate) {
    for (size_t i = 0; i < slots_.size(); ++i) {
      if (slots_[i].object == nullptr || !predicate(*slots_[i].object)) {
        continue;
      }
      slots_[i].object.reset();
      free_.push_back(i);
      --live_;
    }
  }

  size_t live() const { return live_; }

 private:
  struct Slot {
    std::unique_ptr<T> object;
    uint32_t generation = 0;
  };

  // Addresses that no user program can map: tag, generation, slot.
  Handle ToHandle(size_t index, uint32_t generation) const {
    return reinterpret_cast<Handle>((uint64_t{0xc0} | tag_) << 56 |
                                    uint64_t{generation} << 24 |
                                    static_cast<uint64_t>(index));
  }

  const Slot* Find(Handle handle) const {
    const auto value = reinterpret_cast<uint64_t>(handle);
    const size_t index = value & 0xffffff;
    if (index >= slots_.size() || slots_[index].object == nullptr ||
        ToHandle(index, slots_[index].generation) != handle) {
      return nullptr;
    }
    return &slots_[index];
  }

  const uint64_t tag_;
  std::vector<Slot> slots_;
  std::vector<size_t> free_;
  size_t live_ = 0;
};

}  // namespace sim
}  // namespace conveyor

#endif  // CONVEYOR_TESTING_SIM_HANDLES_H_
