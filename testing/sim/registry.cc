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

#include "testing/sim/registry.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <utility>

namespace conveyor {
namespace sim {
namespace {

constexpr size_t kPage = 4096;
constexpr uint32_t kPoison = 0x7ff4dead;
// Smaller allocations are poisoned at once, larger ones page by page, when
// they are first touched.
constexpr size_t kEagerPoisonBytes = 256 << 10;
constexpr size_t kPoisonFileBytes = 16 << 20;

size_t RoundUp(size_t size) { return (size + kPage - 1) / kPage * kPage; }

void FillWithPoison(void* memory, size_t size) {
  for (size_t i = 0; i + sizeof(kPoison) <= size; i += sizeof(kPoison)) {
    std::memcpy(static_cast<char*>(memory) + i, &kPoison, sizeof(kPoison));
  }
}

// A file of poison, which lazily poisoned memory maps copy-on-write.
int PoisonFile() {
  static const int file = [] {
    const int made = memfd_create("conveyor_sim_poison", MFD_CLOEXEC);
    if (made < 0 || ftruncate(made, kPoisonFileBytes) != 0) return -1;
    void* map =
        mmap(nullptr, kPoisonFileBytes, PROT_WRITE, MAP_SHARED, made, 0);
    if (map == MAP_FAILED) return -1;
    FillWithPoison(map, kPoisonFileBytes);
    munmap(map, kPoisonFileBytes);
    return made;
  }();
  return file;
}

// `size` bytes and a page behind them that nobody may touch.
char* MapGuarded(size_t size) {
  void* map = mmap(nullptr, size + kPage, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (map == MAP_FAILED) return nullptr;
  mprotect(static_cast<char*>(map) + size, kPage, PROT_NONE);
  return static_cast<char*>(map);
}

bool Poison(char* map, size_t size) {
  if (size <= kEagerPoisonBytes || PoisonFile() < 0) {
    FillWithPoison(map, size);
    return true;
  }
  for (size_t done = 0; done < size; done += kPoisonFileBytes) {
    const size_t part = std::min(kPoisonFileBytes, size - done);
    if (mmap(map + done, part, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, PoisonFile(),
             0) == MAP_FAILED) {
      return false;
    }
  }
  return true;
}

// Maps `file` twice; false if that fails.
bool MapTwice(int file, size_t size, void* fixed, char** first, char** second) {
  void* a = mmap(fixed, size, PROT_READ | PROT_WRITE,
                 MAP_SHARED | (fixed != nullptr ? MAP_FIXED : 0), file, 0);
  if (a == MAP_FAILED) return false;
  void* b = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (b == MAP_FAILED) return false;
  *first = static_cast<char*>(a);
  *second = static_cast<char*>(b);
  return true;
}

}  // namespace

Allocation* Registry::Allocate(MemoryKind kind, size_t size, int device,
                               unsigned flags) {
  const size_t mapped = RoundUp(size);
  if (mapped < size) return nullptr;
  char* map = MapGuarded(mapped);
  if (map == nullptr) return nullptr;
  if (kind != MemoryKind::kPinned && !Poison(map, mapped)) {
    munmap(map, mapped + kPage);
    return nullptr;
  }
  Allocation allocation = {kind,  map,     size, device,        flags,
                           false, nullptr, map,  mapped + kPage};
  return &by_base_.emplace(reinterpret_cast<uintptr_t>(map), allocation)
              .first->second;
}

Allocation* Registry::AllocateAliased(size_t size, int device, unsigned flags) {
  const size_t mapped = RoundUp(size);
  const int file = memfd_create("conveyor_sim_host", MFD_CLOEXEC);
  if (file < 0) return nullptr;
  char* host = nullptr;
  char* alias = nullptr;
  const bool ok = ftruncate(file, static_cast<off_t>(mapped)) == 0 &&
                  MapTwice(file, mapped, nullptr, &host, &alias);
  close(file);
  if (!ok) return nullptr;
  Allocation allocation = {MemoryKind::kPinned,
                           host,
                           size,
                           device,
                           flags,
                           false,
                           alias,
                           host,
                           mapped};
  by_alias_[reinterpret_cast<uintptr_t>(alias)] =
      reinterpret_cast<uintptr_t>(host);
  return &by_base_.emplace(reinterpret_cast<uintptr_t>(host), allocation)
              .first->second;
}

Allocation* Registry::Register(void* host, size_t size, int device,
                               unsigned flags, bool alias) {
  if (FindOverlap(host, size) != nullptr) return nullptr;
  Allocation allocation = {MemoryKind::kRegistered,
                           static_cast<char*>(host),
                           size,
                           device,
                           flags,
                           false,
                           nullptr,
                           nullptr,
                           0};
  const auto base = reinterpret_cast<uintptr_t>(host);
  if (alias) {
    // The pages become a file's, so that they can be mapped twice.
    const uintptr_t first = base / kPage * kPage;
    const size_t mapped = RoundUp(base + size - first);
    const int file = memfd_create("conveyor_sim_registered", MFD_CLOEXEC);
    char* same = nullptr;
    char* second = nullptr;
    const bool ok =
        file >= 0 && ftruncate(file, static_cast<off_t>(mapped)) == 0 &&
        pwrite(file, reinterpret_cast<void*>(first), mapped, 0) ==
            static_cast<ssize_t>(mapped) &&
        MapTwice(file, mapped, reinterpret_cast<void*>(first), &same, &second);
    if (file >= 0) close(file);
    if (!ok) return nullptr;
    allocation.alias = second + (base - first);
    allocation.mapping = second;
    allocation.mapping_size = mapped;
    by_alias_[reinterpret_cast<uintptr_t>(allocation.alias)] = base;
  }
  return &by_base_.emplace(base, allocation).first->second;
}

void Registry::Release(Allocation* allocation) {
  const Allocation copy = *allocation;
  if (copy.alias != nullptr) {
    by_alias_.erase(reinterpret_cast<uintptr_t>(copy.alias));
    if (copy.kind == MemoryKind::kPinned) {
      munmap(copy.alias, copy.mapping_size);
    }
  }
  if (copy.mapping != nullptr) munmap(copy.mapping, copy.mapping_size);
  by_base_.erase(reinterpret_cast<uintptr_t>(copy.base));
}

void Registry::ReleaseAll(int device) {
  for (auto it = by_base_.begin(); it != by_base_.end();) {
    Allocation& allocation = (it++)->second;
    if (allocation.device == device &&
        allocation.kind != MemoryKind::kRegistered) {
      Release(&allocation);
    }
  }
}

Allocation* Registry::Find(const void* address) {
  const auto wanted = reinterpret_cast<uintptr_t>(address);
  auto next = by_base_.upper_bound(wanted);
  if (next != by_base_.begin()) {
    Allocation& allocation = std::prev(next)->second;
    if (wanted - reinterpret_cast<uintptr_t>(allocation.base) <
        allocation.size) {
      return &allocation;
    }
  }
  if (by_alias_.empty()) return nullptr;
  auto alias = by_alias_.upper_bound(wanted);
  if (alias == by_alias_.begin()) return nullptr;
  --alias;
  Allocation& allocation = by_base_.at(alias->second);
  return wanted - alias->first < allocation.size ? &allocation : nullptr;
}

Allocation* Registry::FindOverlap(const void* address, size_t size) {
  if (Allocation* found = Find(address)) return found;
  const auto first = reinterpret_cast<uintptr_t>(address);
  auto next = by_base_.upper_bound(first);
  if (next != by_base_.end() && next->first - first < size) {
    return &next->second;
  }
  return nullptr;
}

}  // namespace sim
}  // namespace conveyor
