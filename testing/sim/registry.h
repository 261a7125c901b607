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
// File: registry.h
// -----------------------------------------------------------------------------
//
// The memory of the simulated machine: which addresses are of which kind.

#ifndef CONVEYOR_TESTING_SIM_REGISTRY_H_
#define CONVEYOR_TESTING_SIM_REGISTRY_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>

#include "testing/sim/managed.h"

namespace conveyor {
namespace sim {

struct Pool;
struct Mirrors;
class AccessHistory;

enum class MemoryKind { kPageable, kDevice, kPinned, kRegistered, kManaged };

// "pinned memory" and so on.
const char* NameOf(MemoryKind kind);

struct Allocation {
  MemoryKind kind;
  char* base;      // For the host; for the device too unless `alias` is set.
  size_t size;     // As asked for.
  int device;      // Current when it was made.
  unsigned flags;  // Of cudaHostAlloc or cudaHostRegister.
  char* alias;     // The device's address of host memory, if another one.
  void* mapping;   // Ours to unmap; null for registered memory.
  size_t mapping_size;
  std::shared_ptr<ManagedPages> managed = nullptr;  // Of kManaged.
  std::shared_ptr<Pool> pool = nullptr;             // That it is from.
  std::shared_ptr<Mirrors> mirrors = nullptr;       // By a fault.
  std::shared_ptr<AccessHistory> history = nullptr;

  // How far `address`, which lies in it, is from its beginning.
  size_t OffsetOf(const void* address) const {
    const auto* const at = static_cast<const char*>(address);
    const bool by_alias = alias != nullptr && at >= alias && at < alias + size;
    return static_cast<size_t>(at - (by_alias ? alias : base));
  }
};

// The ranges that cudaMalloc and its kin have handed out. Guarded by the
// machine's lock.
class Registry {
 public:
  // New memory. Device and managed memory costs nothing until it is touched,
  // and reads as poison (words that are NaN as float and double, 0x7ff4dead).
  // Null if the host has no more address space. `size` > 0.
  Allocation* Allocate(MemoryKind kind, size_t size, int device,
                       unsigned flags);
  // As Allocate, of host memory that the device sees at another address.
  Allocation* AllocateAliased(size_t size, int device, unsigned flags);
  // Notes [host, host + size) as registered; null if it overlaps a range that
  // is known. With `alias`, the device sees it at another address: its pages
  // are replaced, so that nothing else may write to them meanwhile.
  Allocation* Register(void* host, size_t size, int device, unsigned flags,
                       bool alias);
  // Forgets and unmaps.
  void Release(Allocation* allocation);

  // Releases what was made while `device` was current, but registered memory.
  void ReleaseAll(int device);

  // The allocation that holds `address` (host or alias), or null.
  Allocation* Find(const void* address);
  // The first allocation that shares a byte with the range, or null.
  Allocation* FindOverlap(const void* address, size_t size);

  const std::map<uintptr_t, Allocation>& all() const { return by_base_; }

 private:
  // Whether the page is part of a registration with an alias.
  bool HasAliasedPage(uintptr_t page) const;
  bool AddAlias(Allocation* allocation);

  std::map<uintptr_t, Allocation> by_base_;
  // Alias to base.
  std::map<uintptr_t, uintptr_t> by_alias_;
};

}  // namespace sim
}  // namespace conveyor

#endif  // CONVEYOR_TESTING_SIM_REGISTRY_H_
