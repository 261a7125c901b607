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

#include "transfer/internal/locked_memory.h"

#include <cuda_runtime_api.h>
#include <linux/mempolicy.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "third_party/cuda/host_threads.h"
#include "transfer/cuda_status.h"
#include "transfer/internal/release.h"

namespace conveyor {
namespace internal {
namespace {

constexpr size_t kHugePage = 2 << 20;
// Less is touched sooner than a thread is started.
constexpr size_t kBytesPerThread = 8 << 20;

size_t RoundUp(size_t size, size_t step) {
  return (size + step - 1) / step * step;
}

// Maps num_bytes, from a multiple of `alignment` on.
char* MapAligned(size_t num_bytes, size_t alignment) {
  const size_t mapped = num_bytes + alignment;
  void* const raw = mmap(nullptr, mapped, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (raw == MAP_FAILED) return nullptr;
  char* const begin = static_cast<char*>(raw);
  char* const address =
      begin + (RoundUp(reinterpret_cast<uintptr_t>(raw), alignment) -
               reinterpret_cast<uintptr_t>(raw));
  if (address > begin) munmap(begin, static_cast<size_t>(address - begin));
  const size_t rest = static_cast<size_t>(begin + mapped - address) - num_bytes;
  if (rest > 0) munmap(address + num_bytes, rest);
  return address;
}

// Asks for memory of that node. Where that is not allowed, as in some
// containers, the kernel places it as it likes.
void Prefer(int node, char* address, size_t num_bytes) {
  constexpr size_t kBits = 8 * sizeof(unsigned long);
  unsigned long nodes[1024 / kBits] = {};
  if (static_cast<size_t>(node) >= 1024) return;
  nodes[static_cast<size_t>(node) / kBits] |=
      1ul << (static_cast<size_t>(node) % kBits);
  syscall(SYS_mbind, address, num_bytes, MPOL_PREFERRED, nodes, 1024ul, 0u);
}

void TouchInParallel(char* address, size_t num_bytes, int threads) {
  const size_t count =
      std::clamp<size_t>(num_bytes / kBytesPerThread, 1,
                         static_cast<size_t>(std::max(threads, 1)));
  const size_t share = RoundUp(num_bytes / count, kHugePage);
  std::vector<HostThread> others;
  for (size_t begin = share; begin < num_bytes; begin += share) {
    others.emplace_back([=] {
      HostTouch(address + begin, std::min(share, num_bytes - begin));
    });
  }
  HostTouch(address, std::min(share, num_bytes));
}

}  // namespace

absl::StatusOr<LockedMemory> LockedMemory::Create(size_t num_bytes,
                                                  std::optional<int> node,
                                                  int threads) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  num_bytes = RoundUp(num_bytes, page);
  char* const address =
      MapAligned(num_bytes, num_bytes < kHugePage ? page : kHugePage);
  if (address == nullptr) {
    return absl::ResourceExhaustedError(
        absl::StrCat("mapping ", num_bytes,
                     " bytes of host pinned memory: ", std::strerror(errno)));
  }
  LockedMemory memory(nullptr, num_bytes);
  if (num_bytes >= kHugePage) madvise(address, num_bytes, MADV_HUGEPAGE);
  if (node.has_value()) Prefer(*node, address, num_bytes);
  TouchInParallel(address, num_bytes, threads);
  absl::Status registered = CallCuda(
      [&] {
        return cudaHostRegister(
            address, num_bytes,
            cudaHostRegisterPortable | cudaHostRegisterMapped);
      },
      [&] {
        return absl::StrCat("cudaHostRegister of ", num_bytes,
                            " bytes of host pinned memory");
      });
  if (!registered.ok()) {
    munmap(address, num_bytes);
    return registered;
  }
  memory.address_ = address;
  return memory;
}

LockedMemory::~LockedMemory() {
  if (address_ == nullptr) return;
  LogIfFailed(cudaHostUnregister(address_), "unregistering pinned memory");
  munmap(address_, num_bytes_);
}

}  // namespace internal
}  // namespace conveyor
