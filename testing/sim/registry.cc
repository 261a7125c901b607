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
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>
#include <utility>

#include "testing/sim/managed.h"

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

// Maps `file` at two addresses; null for any.
bool MapTwice(int file, size_t size, void* first, void* second, char** at_first,
              char** at_second) {
  const auto map = [file, size](void* at) {
    return mmap(at, size, PROT_READ | PROT_WRITE,
                MAP_SHARED | (at != nullptr ? MAP_FIXED : 0), file, 0);
  };
  void* const one = map(first);
  void* const other = map(second);
  if (one == MAP_FAILED || other == MAP_FAILED) return false;
  *at_first = static_cast<char*>(one);
  *at_second = static_cast<char*>(other);
  return true;
}

bool WriteAll(int file, const char* from, size_t size) {
  for (size_t done = 0; done < size;) {
    // Not pwrite: address sanitizer would object to whole pages of the heap.
    const long written =
        syscall(SYS_pwrite64, file, from + done, size - done, done);
    if (written <= 0) return false;
    done += static_cast<size_t>(written);
  }
  return true;
}

// Gives the pages at `host` a second address, `alias`: they become a file's,
// with what they held.
bool AliasPages(char* host, size_t size, char* alias) {
  if (size == 0) return true;
  const int file = memfd_create("conveyor_sim_registered", MFD_CLOEXEC);
  char* same = nullptr;
  const bool ok = file >= 0 && ftruncate(file, static_cast<off_t>(size)) == 0 &&
                  WriteAll(file, host, size) &&
                  MapTwice(file, size, host, alias, &same, &alias);
  if (file >= 0) close(file);
  return ok;
}

// The same for a page that has a second address already.
bool AliasAgain(char* host, char* alias) {
  return mremap(host, 0, kPage, MREMAP_MAYMOVE | MREMAP_FIXED, alias) !=
         MAP_FAILED;
}

}  // namespace

const char* NameOf(MemoryKind kind) {
  switch (kind) {
    case MemoryKind::kDevice:
      return "device memory";
    case MemoryKind::kPinned:
      return "pinned memory";
    case MemoryKind::kRegistered:
      return "registered memory";
    case MemoryKind::kManaged:
      return "managed memory";
    case MemoryKind::kPageable:
      break;
  }
  return "memory";
}

Allocation* Registry::Allocate(MemoryKind kind, size_t size, int device,
                               unsigned flags) {
  const size_t mapped = RoundUp(size);
  if (mapped < size) return nullptr;
  char* map = MapGuarded(mapped);
  if (map == nullptr) return nullptr;
  if (kind == MemoryKind::kPinned) {
    // Touched for the first time in large steps: page faults are what costs.
    madvise(map, mapped, MADV_HUGEPAGE);
  } else if (!Poison(map, mapped)) {
    munmap(map, mapped + kPage);
    return nullptr;
  }
  Allocation allocation = {kind,  map,     size, device,
                           flags, nullptr, map,  mapped + kPage};
  if (kind == MemoryKind::kManaged) {
    allocation.managed = std::make_shared<ManagedPages>(size);
  }
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
                  MapTwice(file, mapped, nullptr, nullptr, &host, &alias);
  close(file);
  if (!ok) return nullptr;
  Allocation allocation = {
      MemoryKind::kPinned, host, size, device, flags, alias, host, mapped};
  by_alias_[reinterpret_cast<uintptr_t>(alias)] =
      reinterpret_cast<uintptr_t>(host);
  return &by_base_.emplace(reinterpret_cast<uintptr_t>(host), allocation)
              .first->second;
}

bool Registry::HasAliasedPage(uintptr_t page) const {
  const auto overlaps = [page](const Allocation& allocation) {
    const auto base = reinterpret_cast<uintptr_t>(allocation.base);
    return allocation.kind == MemoryKind::kRegistered &&
           allocation.alias != nullptr && base < page + kPage &&
           base + allocation.size > page;
  };
  for (auto it = by_base_.lower_bound(page + kPage); it != by_base_.begin();) {
    if (overlaps((--it)->second)) return true;
    if (it->first < page) break;
  }
  return false;
}

bool Registry::AddAlias(Allocation* allocation) {
  const auto base = reinterpret_cast<uintptr_t>(allocation->base);
  const uintptr_t first = base / kPage * kPage;
  const size_t mapped = RoundUp(base + allocation->size - first);
  void* const reserved =
      mmap(nullptr, mapped, PROT_NONE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (reserved == MAP_FAILED) return false;
  char* const host = reinterpret_cast<char*>(first);
  char* const alias = static_cast<char*>(reserved);
  // Only the first and the last page can belong to another registration too.
  const size_t last = mapped - kPage;
  const bool first_shared = HasAliasedPage(first);
  const bool last_shared = last > 0 && HasAliasedPage(first + last);
  const size_t from = first_shared ? kPage : 0;
  const size_t to = last_shared ? last : mapped;
  const bool ok = (!first_shared || AliasAgain(host, alias)) &&
                  (!last_shared || AliasAgain(host + last, alias + last)) &&
                  AliasPages(host + from, to - from, alias + from);
  if (!ok) {
    munmap(reserved, mapped);
    return false;
  }
  allocation->alias = alias + (base - first);
  allocation->mapping = alias;
  allocation->mapping_size = mapped;
  by_alias_[reinterpret_cast<uintptr_t>(allocation->alias)] = base;
  return true;
}

Allocation* Registry::Register(void* host, size_t size, int device,
                               unsigned flags, bool alias) {
  if (FindOverlap(host, size) != nullptr) return nullptr;
  Allocation allocation = {MemoryKind::kRegistered,
                           static_cast<char*>(host),
                           size,
                           device,
                           flags,
                           nullptr,
                           nullptr,
                           0};
  const auto base = reinterpret_cast<uintptr_t>(host);
  if (alias && !AddAlias(&allocation)) return nullptr;
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
