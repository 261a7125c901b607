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

#include "testing/sim/untouched.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace conveyor {
namespace sim {
namespace {

// The largest page that one touch brings in.
constexpr uintptr_t kBlockBytes = uintptr_t{2} << 20;
// With less, it depends on the address whether there is a whole block in it.
constexpr size_t kLeastBytes = size_t{4} << 20;

// Of a page's entry in /proc/self/pagemap: it is in memory, or swapped out.
constexpr uint64_t kTouched = uint64_t{3} << 62;

}  // namespace

bool IsUntouched(const void* address, size_t size) {
  if (size < kLeastBytes) return false;
  const auto page_bytes = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<uintptr_t>(address);
  uintptr_t page = (begin + kBlockBytes - 1) / kBlockBytes * kBlockBytes;
  const uintptr_t end = (begin + size) / kBlockBytes * kBlockBytes;
  const int file = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  bool untouched = page < end;
  while (untouched && page < end) {
    uint64_t entries[512];
    const size_t count = std::min<size_t>((end - page) / page_bytes, 512);
    const auto bytes = static_cast<ssize_t>(count * sizeof(uint64_t));
    const auto offset =
        static_cast<off_t>(page / page_bytes * sizeof(uint64_t));
    untouched =
        pread(file, entries, static_cast<size_t>(bytes), offset) == bytes &&
        std::none_of(entries, entries + count,
                     [](uint64_t entry) { return (entry & kTouched) != 0; });
    page += count * page_bytes;
  }
  close(file);
  return untouched;
}

}  // namespace sim
}  // namespace conveyor
