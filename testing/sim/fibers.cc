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

#include "testing/sim/fibers.h"

#include <pthread.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "testing/sim/call_site.h"
#include "testing/sim/machine.h"
#include "testing/sim/queue.h"
#include "testing/sim/registry.h"

// Thread sanitizer's, where it is linked.
extern "C" {
#define CONVEYOR_WEAK __attribute__((weak))
CONVEYOR_WEAK void* __tsan_create_fiber(unsigned flags);
CONVEYOR_WEAK void __tsan_destroy_fiber(void* fiber);
CONVEYOR_WEAK void* __tsan_get_current_fiber();
CONVEYOR_WEAK void __tsan_switch_to_fiber(void* fiber, unsigned flags);
CONVEYOR_WEAK void __tsan_set_fiber_name(void* fiber, const char* name);
CONVEYOR_WEAK void __tsan_acquire(void* token);
CONVEYOR_WEAK void __tsan_release(void* token);
CONVEYOR_WEAK void __tsan_func_entry(void* return_address);
CONVEYOR_WEAK void __tsan_func_exit();
CONVEYOR_WEAK void __tsan_read_range(void* memory, unsigned long size);
CONVEYOR_WEAK void __tsan_write_range(void* memory, unsigned long size);
CONVEYOR_WEAK void __tsan_atomic8_store(volatile char* to, char value,
                                        int order);
CONVEYOR_WEAK void AnnotateBenignRaceSized(const char* file, int line,
                                           const volatile void* memory,
                                           size_t size, const char* text);
CONVEYOR_WEAK void AnnotateIgnoreSyncBegin(const char* file, int line);
CONVEYOR_WEAK void AnnotateIgnoreSyncEnd(const char* file, int line);
CONVEYOR_WEAK void AnnotateIgnoreReadsBegin(const char* file, int line);
CONVEYOR_WEAK void AnnotateIgnoreReadsEnd(const char* file, int line);
CONVEYOR_WEAK void AnnotateIgnoreWritesBegin(const char* file, int line);
CONVEYOR_WEAK void AnnotateIgnoreWritesEnd(const char* file, int line);
#undef CONVEYOR_WEAK
}

namespace conveyor {
namespace sim {

// Its address is what thread sanitizer keeps an order by.
struct SyncToken {
  uint64_t unused = 0;
};

// What an operation comes after and what may come after it.
struct FiberWork {
  SyncToken enqueued;
  std::vector<SyncTokenPtr> acquires;
  std::vector<SyncTokenPtr> releases;
  CallSite site;
  // Around a host function.
  SyncToken called;
  SyncToken returned;
};

struct StreamFibers {
  uint64_t id = 0;  // The stream's.
  void* operations = nullptr;
  // Host functions run without the machine's lock, so elsewhere.
  void* functions = nullptr;
  // Of the next operation.
  std::vector<SyncTokenPtr> acquires;
};

namespace {

// Switching makes no edge.
constexpr unsigned kNoSync = 1;
// Of larger ranges the ends are marked, and a word of every page.
constexpr size_t kWholeBytes = 1 << 20;
constexpr size_t kPageBytes = 4096;
constexpr size_t kWordBytes = 8;
// What an operation other than a kernel writes may be a flag that the host
// polls, if it is no larger.
constexpr size_t kFlagBytes = 8;

void BeginQuiet() {
  AnnotateIgnoreSyncBegin(__FILE__, __LINE__);
  AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
  AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
}

void EndQuiet() {
  AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
  AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
  AnnotateIgnoreSyncEnd(__FILE__, __LINE__);
}

// The reverse of Quiet, within one.
class Loud {
 public:
  Loud() { EndQuiet(); }
  ~Loud() { BeginQuiet(); }
};

// The calling thread is that fiber for a while.
class OnFiber {
 public:
  explicit OnFiber(void* fiber) : before_(__tsan_get_current_fiber()) {
    __tsan_switch_to_fiber(fiber, kNoSync);
  }
  ~OnFiber() { __tsan_switch_to_fiber(before_, kNoSync); }

 private:
  void* const before_;
};

// The calls that led to an operation, for the sanitizer's reports.
class Frames {
 public:
  explicit Frames(const CallSite& site) : site_(site) {
    for (size_t i = site.count; i > 0; --i) {
      __tsan_func_entry(site.frames[i - 1]);
    }
  }
  ~Frames() {
    for (size_t i = 0; i < site_.count; ++i) __tsan_func_exit();
  }

 private:
  const CallSite& site_;
};

void* MakeFiber(const char* what, uint64_t stream_id) {
  char name[64];
  std::snprintf(name, sizeof(name), "%s stream %llu", what,
                static_cast<unsigned long long>(stream_id));
  void* const fiber = __tsan_create_fiber(0);
  __tsan_set_fiber_name(fiber, name);
  return fiber;
}

StreamFibers& FibersOf(Stream* stream) {
  if (stream->fibers == nullptr) stream->fibers = new StreamFibers;
  StreamFibers& fibers = *stream->fibers;
  if (fibers.id == stream->id) return fibers;
  if (fibers.operations != nullptr) {
    __tsan_destroy_fiber(fibers.operations);
    __tsan_destroy_fiber(fibers.functions);
  }
  fibers.id = stream->id;
  fibers.operations = MakeFiber("operations of", stream->id);
  fibers.functions = MakeFiber("host functions of", stream->id);
  fibers.acquires.clear();
  return fibers;
}

// What destroyed streams of a device leave to wait for.
struct Ended {
  SyncTokenPtr all = std::make_shared<SyncToken>();
  SyncTokenPtr blocking = std::make_shared<SyncToken>();
};

Ended& EndedOf(int device) {
  static auto* const ended = new std::map<int, Ended>;
  return (*ended)[device];
}

// Makes `token` be released by the end of what `stream` has been given.
void ReleaseAtEnd(Stream* stream, const SyncTokenPtr& token) {
  if (stream->effects < stream->last) {
    stream->at(stream->last).work.fiber->releases.push_back(token);
    return;
  }
  const OnFiber on_fiber(FibersOf(stream).operations);
  __tsan_release(token.get());
}

SyncTokenPtr TokenAtEnd(Stream* stream) {
  auto token = std::make_shared<SyncToken>();
  ReleaseAtEnd(stream, token);
  return token;
}

template <typename Mark>
void ForEachPart(const void* memory, size_t size, Mark mark) {
  char* const bytes = static_cast<char*>(const_cast<void*>(memory));
  if (size <= kWholeBytes) {
    mark(bytes, size);
    return;
  }
  mark(bytes, kPageBytes);
  for (size_t at = kPageBytes; at < size - kPageBytes; at += kPageBytes) {
    const size_t into_page =
        (kPageBytes - reinterpret_cast<uintptr_t>(bytes + at) % kPageBytes) %
        kPageBytes;
    mark(bytes + at + into_page, kWordBytes);
  }
  mark(bytes + size - kPageBytes, kPageBytes);
}

void MarkRead(const void* memory, size_t size) {
  ForEachPart(memory, size,
              [](char* part, size_t bytes) { __tsan_read_range(part, bytes); });
}

void MarkWrite(const void* memory, size_t size) {
  ForEachPart(memory, size, [](char* part, size_t bytes) {
    __tsan_write_range(part, bytes);
  });
}

// `mark` for rows, as one where they touch.
template <typename Mark>
void ForRows(const void* memory, size_t pitch, size_t width, size_t height,
             Mark mark) {
  if (pitch == width || height == 1) {
    mark(memory, width * height);
    return;
  }
  for (size_t row = 0; row < height; ++row) {
    mark(static_cast<const char*>(memory) + row * pitch, width);
  }
}

// Writes a flag in host memory as the host's atomics expect it; false if it is
// none.
bool StoreFlag(Machine& machine, const Work& work) {
  if (work.width * work.height > kFlagBytes || work.height != 1) return false;
  const Allocation* const found = machine.memory.Find(work.dst);
  if (found == nullptr || found->kind == MemoryKind::kDevice) return false;
  for (size_t i = 0; i < work.width; ++i) {
    const char value =
        work.kind == OpKind::kSet ? static_cast<char>(work.value) : work.src[i];
    __tsan_atomic8_store(work.dst + i, value, __ATOMIC_RELEASE);
  }
  return true;
}

void MarkAccesses(Machine& machine, const Work& work) {
  switch (work.kind) {
    case OpKind::kCopy:
      if (work.staged == nullptr) {
        ForRows(work.src, work.src_pitch, work.width, work.height, MarkRead);
      }
      if (StoreFlag(machine, work)) break;
      ForRows(work.dst, work.dst_pitch, work.width, work.height, MarkWrite);
      break;
    case OpKind::kSet:
      if (StoreFlag(machine, work)) break;
      ForRows(work.dst, work.dst_pitch, work.width, work.height, MarkWrite);
      break;
    case OpKind::kFree:
      if (const Allocation* const found = machine.memory.Find(work.dst)) {
        MarkWrite(found->base, found->size);
      }
      break;
    default:
      break;
  }
}

}  // namespace

bool HasFibers() {
  static const bool has = [] {
    const char* const mode = std::getenv("CONVEYOR_SIM_FIBERS");
    return __tsan_create_fiber != nullptr &&
           (mode == nullptr || std::strcmp(mode, "off") != 0);
  }();
  return has;
}

Quiet::Quiet() {
  if (HasFibers()) BeginQuiet();
}

Quiet::~Quiet() {
  if (HasFibers()) EndQuiet();
}

void FiberThread() {
  if (!HasFibers()) return;
  pthread_attr_t attributes;
  void* base = nullptr;
  size_t size = 0;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
  pthread_attr_getstack(&attributes, &base, &size);
  pthread_attr_destroy(&attributes);
  AnnotateBenignRaceSized(__FILE__, __LINE__, base, size,
                          "a stack that fibers share");
}

void FiberEnqueue(Machine& machine, Stream* stream, Work* work,
                  const void* local) {
  if (!HasFibers()) return;
  const auto fiber = std::make_shared<FiberWork>();
  fiber->site = TakeCallSite(local);
  fiber->acquires = std::move(FibersOf(stream).acquires);
  FibersOf(stream).acquires.clear();
  const Device& device = machine.devices[static_cast<size_t>(stream->device)];
  const auto add = [&](Stream* before) {
    if (before != stream && before->last != before->first) {
      fiber->acquires.push_back(TokenAtEnd(before));
    }
  };
  if (stream->legacy) {
    for (Stream* const before : device.streams) {
      if (before->blocking) add(before);
    }
    fiber->acquires.push_back(EndedOf(stream->device).blocking);
  } else if (stream->blocking) {
    add(device.legacy);
  }
  if (work->record != nullptr) {
    work->record->token = std::make_shared<SyncToken>();
    fiber->releases.push_back(work->record->token);
  }
  work->fiber = fiber;
  work->watch |= kOnFiber;
  const Loud loud;
  __tsan_release(&fiber->enqueued);
}

void FiberBegin(Machine& machine, const Op& op) {
  FiberWork& fiber = *op.work.fiber;
  const OnFiber on_fiber(FibersOf(op.stream).operations);
  const Frames frames(fiber.site);
  __tsan_acquire(&fiber.enqueued);
  for (const SyncTokenPtr& token : fiber.acquires) __tsan_acquire(token.get());
  MarkAccesses(machine, op.work);
  if (op.work.kind == OpKind::kHostFunction) __tsan_release(&fiber.called);
}

void FiberEnd(const Op& op) {
  FiberWork& fiber = *op.work.fiber;
  const OnFiber on_fiber(FibersOf(op.stream).operations);
  if (op.work.kind == OpKind::kHostFunction) __tsan_acquire(&fiber.returned);
  for (const SyncTokenPtr& token : fiber.releases) __tsan_release(token.get());
}

void RunOnFiber(const Op& op, const std::function<void()>& body) {
  if (op.work.fiber == nullptr) return body();
  const OnFiber on_fiber(FibersOf(op.stream).operations);
  const Frames frames(op.work.fiber->site);
  body();
}

void CallOnFiber(const Op& op) {
  const Work& work = op.work;
  if (work.fiber == nullptr) return work.function(work.data);
  // Made when it was enqueued.
  const OnFiber on_fiber(op.stream->fibers->functions);
  __tsan_acquire(&work.fiber->called);
  work.function(work.data);
  __tsan_release(&work.fiber->returned);
}

void FiberWaitsFor(Stream* stream, const EventRecord& record) {
  if (HasFibers()) FibersOf(stream).acquires.push_back(record.token);
}

void FiberMark(Stream* stream, EventRecord* record) {
  if (HasFibers()) record->token = TokenAtEnd(stream);
}

void FiberLearn(Machine&, Stream* stream) {
  if (!HasFibers() || stream->last == stream->first) return;
  // Not on the stack: what an address has been used for stays with it until it
  // is freed.
  const auto token = std::make_unique<SyncToken>();
  {
    const OnFiber on_fiber(FibersOf(stream).operations);
    __tsan_release(token.get());
  }
  const Loud loud;
  __tsan_acquire(token.get());
  if (stream->legacy) __tsan_acquire(EndedOf(stream->device).blocking.get());
}

void FiberLearn(const EventRecord& record) {
  if (!HasFibers()) return;
  const Loud loud;
  __tsan_acquire(record.token.get());
}

void FiberLearnDevice(Machine&, int device) {
  if (!HasFibers()) return;
  void* const all = EndedOf(device).all.get();
  const Loud loud;
  __tsan_acquire(all);
}

void FiberEnds(Machine&, Stream* stream) {
  if (!HasFibers() || stream->last == stream->first) return;
  ReleaseAtEnd(stream, EndedOf(stream->device).all);
  if (stream->blocking) {
    ReleaseAtEnd(stream, EndedOf(stream->device).blocking);
  }
}

void FiberHostReads(const void* memory, size_t pitch, size_t width,
                    size_t height) {
  if (!HasFibers()) return;
  const Loud loud;
  ForRows(memory, pitch, width, height, MarkRead);
}

void FiberHostFrees(const void* memory, size_t size) {
  if (!HasFibers()) return;
  const Loud loud;
  MarkWrite(memory, size);
}

}  // namespace sim
}  // namespace conveyor
