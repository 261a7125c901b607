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

#include "testing/sim/disturbed.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "testing/sim/damage.h"
#include "testing/sim/faults.h"
#include "testing/sim/machine.h"
#include "testing/sim/queue.h"
#include "testing/sim/registry.h"

namespace conveyor {
namespace sim {
namespace {

constexpr size_t kPage = 4096;

// Rows of bytes, where an operation writes them.
struct Target {
  char* address;
  size_t pitch;
  size_t width;
  size_t height;

  size_t size() const { return width * height; }
  size_t extent() const {
    return size() == 0 ? 0 : pitch * (height - 1) + width;
  }
  // The ith byte, row by row.
  char& at(size_t i) const { return address[i / width * pitch + i % width]; }
};

// What the operation writes, and the links that this passes.
struct Written {
  Target target;
  std::vector<LinkEnds> links;
};

Target TargetOf(const Work& copy) {
  return {copy.dst, copy.dst_pitch, copy.width, copy.height};
}

// The links by which a kernel of `device` writes to the allocation. Where
// managed memory is, it does not say.
std::vector<LinkEnds> LinksTo(const Allocation& allocation, int device) {
  switch (allocation.kind) {
    case MemoryKind::kPinned:
    case MemoryKind::kRegistered:
      return {{device, cudaCpuDeviceId}};
    case MemoryKind::kDevice:
      if (allocation.device == device) return {};
      return {{device, allocation.device}};
    default:
      return {};
  }
}

std::vector<Written> WrittenBy(Machine& machine, const Op& op) {
  const Work& work = op.work;
  if (work.kind == OpKind::kCopy) {
    return {{TargetOf(work), LinksOf(work.route)}};
  }
  std::vector<Written> all;
  for (const Range& range : work.writes) {
    const Allocation* const found = machine.memory.Find(range.address);
    if (found == nullptr) continue;
    char* const host = found->base + found->OffsetOf(range.address);
    all.push_back({{host, range.size, range.size, 1},
                   LinksTo(*found, op.stream->device)});
  }
  return all;
}

// What a link made of the target's bytes, which were `before`.
void Corrupt(const Target& target, const Corruption& corruption,
             const std::vector<char>& before) {
  const size_t unit = corruption.unit_bytes;
  const size_t step = unit * corruption.every;
  for (size_t begin = step - unit; begin < target.size(); begin += step) {
    const size_t end = std::min(begin + unit, target.size());
    for (size_t i = begin; i < end; ++i) {
      target.at(i) = corruption.damage == Damage::kFlip
                         ? static_cast<char>(~target.at(i))
                         : before[i];
    }
  }
}

// Takes the target's bytes down before the effect, and corrupts them after it.
class CorruptedWrite {
 public:
  explicit CorruptedWrite(const Written& written) : target_(written.target) {
    for (const LinkEnds& link : written.links) {
      const Corruption* const found = TheFaults().CorruptionOf(link);
      if (found != nullptr) corruptions_.push_back(*found);
    }
    if (corruptions_.empty()) return;
    before_.resize(target_.size());
    for (size_t i = 0; i < before_.size(); ++i) before_[i] = target_.at(i);
  }

  void Finish() const {
    for (const Corruption& corruption : corruptions_) {
      Corrupt(target_, corruption, before_);
    }
  }

 private:
  Target target_;
  std::vector<Corruption> corruptions_;
  std::vector<char> before_;
};

// Puts what one device sees in place of other devices' memory there while an
// effect runs, page by page, and takes it away again. Effects run one at a
// time, and the host may not look at device memory.
class PeerView {
 public:
  PeerView(Machine& machine, int viewer) : machine_(machine), viewer_(viewer) {}

  // What is written comes before what is read.
  void Open(const void* address, size_t size, bool written) {
    Allocation* const found = machine_.memory.Find(address);
    if (size == 0 || found == nullptr || found->kind != MemoryKind::kDevice) {
      return;
    }
    const PeerWrites writes = TheFaults().PeerWritesOf(viewer_, found->device);
    const size_t first = found->OffsetOf(address) / kPage * kPage;
    const size_t end = found->OffsetOf(address) + size;
    for (size_t offset = first; offset < end; offset += kPage) {
      if (writes == PeerWrites::kMirrored) OpenMirror(found, offset, written);
      if (writes == PeerWrites::kLost && written) Keep(found, offset);
    }
  }

  void Close() {
    for (Page& page : pages_) {
      if (page.mirror != nullptr) {
        std::swap_ranges(page.mirror->begin(), page.mirror->end(),
                         page.address);
      } else {
        std::memcpy(page.address, page.kept.data(), page.kept.size());
      }
    }
  }

 private:
  struct Page {
    char* address;
    std::vector<char>* mirror;  // Null: it is restored from `kept`.
    std::vector<char> kept;
  };

  static std::vector<char> Contents(const Allocation& allocation,
                                    size_t offset) {
    const char* const begin = allocation.base + offset;
    return {begin, begin + std::min(kPage, allocation.size - offset)};
  }

  void OpenMirror(Allocation* allocation, size_t offset, bool written) {
    char* const address = allocation->base + offset;
    if (allocation->mirrors == nullptr) {
      allocation->mirrors = std::make_shared<Mirrors>();
    }
    auto& mirrors = allocation->mirrors->pages[viewer_];
    if (written && mirrors.count(offset) == 0) {
      mirrors[offset] = Contents(*allocation, offset);
    }
    const auto mirror = mirrors.find(offset);
    if (mirror == mirrors.end() || !opened_.insert(address).second) return;
    std::swap_ranges(mirror->second.begin(), mirror->second.end(), address);
    pages_.push_back({address, &mirror->second, {}});
  }

  void Keep(Allocation* allocation, size_t offset) {
    char* const address = allocation->base + offset;
    if (!opened_.insert(address).second) return;
    pages_.push_back({address, nullptr, Contents(*allocation, offset)});
  }

  Machine& machine_;
  const int viewer_;
  std::set<char*> opened_;
  std::vector<Page> pages_;
};

// Opens what `op` writes to and reads from peers. A copy from one device to
// another is a write of the one and, its other end, a read of the other.
std::vector<PeerView> OpenPeerViews(Machine& machine, const Op& op) {
  const Work& work = op.work;
  std::vector<PeerView> views;
  if (work.kind == OpKind::kKernel) {
    views.emplace_back(machine, op.stream->device);
    for (const Range& range : work.writes) {
      views[0].Open(range.address, range.size, true);
    }
    for (const Range& range : work.reads) {
      views[0].Open(range.address, range.size, false);
    }
  } else if (work.route.path == Path::kPeer) {
    views.emplace_back(machine, work.route.device);
    views[0].Open(work.dst, TargetOf(work).extent(), true);
    views.emplace_back(machine, work.route.peer);
    const Target source = {nullptr, work.src_pitch, work.width, work.height};
    views[1].Open(work.src, source.extent(), false);
  }
  return views;
}

}  // namespace

cudaError_t FindBrokenLink(const Work& work) {
  if (work.kind == OpKind::kCopy) return TheFaults().BrokenOn(work.route);
  for (const Transfer& transfer : work.transfers) {
    if (const cudaError_t error = TheFaults().BrokenOn(transfer)) return error;
  }
  return cudaSuccess;
}

void RunDisturbed(Machine& machine, const Op& op,
                  const std::function<void()>& effect) {
  std::vector<PeerView> views = OpenPeerViews(machine, op);
  std::vector<CorruptedWrite> writes;
  for (const Written& written : WrittenBy(machine, op)) {
    writes.emplace_back(written);
  }
  effect();
  for (const CorruptedWrite& write : writes) write.Finish();
  for (PeerView& view : views) view.Close();
}

void ForgetMirrors(Machine& machine) {
  for (const auto& entry : machine.memory.all()) {
    if (entry.second.mirrors != nullptr) entry.second.mirrors->pages.clear();
  }
}

}  // namespace sim
}  // namespace conveyor
