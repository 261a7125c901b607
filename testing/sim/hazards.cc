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

#include "testing/sim/hazards.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "testing/sim/access_history.h"
#include "testing/sim/call_site.h"
#include "testing/sim/fibers.h"
#include "testing/sim/hazard_reports.h"
#include "testing/sim/machine.h"
#include "testing/sim/managed_guard.h"
#include "testing/sim/queue.h"
#include "testing/sim/registry.h"
#include "testing/sim/stream_order.h"

namespace conveyor {
namespace sim {
namespace {

// A kernel's source that is no larger may be a flag, which the host is meant to
// change.
constexpr size_t kFlagBytes = 64;
// Of larger sources every page's beginning is compared, and of the ends all.
constexpr size_t kWholeBytes = 64 << 10;
constexpr size_t kPageBytes = 4096;
constexpr size_t kSampleBytes = 64;
// Histories grow by so many segments, at least, between two prunings.
constexpr size_t kPruneSegments = 4096;
constexpr size_t kFreesRemembered = 256;

// Host memory that a pending operation is going to read.
struct Source {
  std::shared_ptr<AccessHistory> history;  // Of its allocation.
  const char* address;
  size_t pitch;
  size_t width;
  size_t height;
};

struct PendingReader {
  DeedPtr deed;
  std::shared_ptr<const OrderClock> clock;
  std::vector<Source> sources;
  bool hashed = false;
  uint64_t hash = 0;
};

using OpKey = std::pair<const Stream*, uint64_t>;
using FunctionKey = std::pair<StreamOrder*, uint64_t>;

struct Freed {
  Allocation allocation;
  DeedPtr deed;
};

struct Retired {
  StreamOrder* order;
  uint64_t last;
  std::shared_ptr<const OrderClock> clock;
  bool blocking;
};

// Never destroyed, as the machine.
struct Hazards {
  std::map<OpKey, PendingReader> readers;
  // Host functions that have not returned, and who reads after which of them.
  std::map<StreamOrder*, std::deque<uint64_t>> functions;
  std::map<FunctionKey, std::vector<OpKey>> readers_after;
  // Of what is being enqueued.
  PendingReader next;
  // The last of each stream.
  std::map<const StreamOrder*, EmptyWait> empty_waits;
  // Destroyed streams whose end nobody knew, by device.
  std::map<int, std::vector<Retired>> retired;
  std::deque<Freed> freed;
  size_t segments_added = 0;
  size_t segments_allowed = kPruneSegments;
};

Hazards& TheHazards() {
  static auto* const hazards = new Hazards;
  return *hazards;
}

DeedPtr MakeDeed(const Caller& caller) {
  auto deed = std::make_shared<Deed>();
  deed->call = caller.call;
  deed->site = TakeCallSite(caller.local);
  return deed;
}

DeedPtr MakeDeed(const Caller& caller, Stream* stream, uint64_t index) {
  DeedPtr deed = MakeDeed(caller);
  deed->order = OrderOf(stream);
  deed->index = index;
  deed->stream = stream;
  deed->stream_id = stream->id;
  deed->device = stream->device;
  deed->legacy = stream->legacy;
  deed->blocking = stream->blocking;
  return deed;
}

// What a device with a corrupting error has been given will never be done.
bool IsBroken(int device) {
  return TheMachine().devices[static_cast<size_t>(device)].error != cudaSuccess;
}

// Whether it is of a call that looks as if it were complete on return, such as
// cudaMemcpy. That it is not matters to other streams, but that cudaFree takes
// care of it is taken for granted.
bool LooksBlocking(const Deed& deed) {
  return std::strncmp(deed.call, "cudaMem", 7) == 0 &&
         std::strstr(deed.call, "Async") == nullptr;
}

// What earlier deeds the accesses of one operation to one allocation meet.
class Conflicts {
 public:
  Conflicts(const Allocation& allocation, const DeedPtr& deed, bool writes)
      : allocation_(allocation), deed_(deed), writes_(writes) {}

  void Meet(const DeedPtr& earlier, bool earlier_writes, Extent bytes) {
    if (earlier_writes && !writes_ && !earlier->has_effect()) {
      // Changes before the read are its predecessor's.
      deed_->source_is_disputed = true;
    }
    const bool same_batch = earlier->batch != 0 &&
                            earlier->batch == deed_->batch &&
                            earlier->order == deed_->order;
    if (!earlier->frees && !same_batch &&
        IsAfter(*deed_->order, *earlier->order, earlier->index)) {
      return;
    }
    if (IsBroken(earlier->device)) return;
    earlier->source_is_disputed = true;
    for (Conflict& conflict : found_) {
      if (conflict.earlier != earlier) continue;
      conflict.bytes.first = std::min(conflict.bytes.first, bytes.first);
      conflict.bytes.end = std::max(conflict.bytes.end, bytes.end);
      return;
    }
    found_.push_back({earlier, earlier_writes, bytes});
  }

  void Report() const {
    const auto& waits = TheHazards().empty_waits;
    const auto wait = waits.find(deed_->order);
    for (const Conflict& conflict : found_) {
      if (conflict.earlier->frees) {
        ReportUseAfterFree(*conflict.earlier, *deed_, writes_, allocation_,
                           conflict.bytes);
      } else {
        ReportUnordered(*conflict.earlier, conflict.earlier_writes, *deed_,
                        writes_, allocation_, conflict.bytes,
                        wait == waits.end() ? nullptr : &wait->second);
      }
    }
  }

 private:
  struct Conflict {
    DeedPtr earlier;
    bool earlier_writes;
    Extent bytes;
  };

  const Allocation& allocation_;
  const DeedPtr& deed_;
  const bool writes_;
  std::vector<Conflict> found_;
};

// Rows of an allocation.
struct Rows {
  const void* address;
  size_t pitch;
  size_t width;
  size_t height;
};

void PruneAll(Machine& machine, Hazards* hazards) {
  size_t left = 0;
  for (const auto& entry : machine.memory.all()) {
    if (entry.second.history == nullptr) continue;
    entry.second.history->Prune();
    left += entry.second.history->size();
  }
  hazards->segments_added = 0;
  hazards->segments_allowed = std::max(kPruneSegments, left);
}

// Notes the access in `history` and reports what it conflicts with.
void AccessIn(const Allocation& allocation, AccessHistory* history,
              const DeedPtr& deed, bool writes, const Rows& rows) {
  Conflicts conflicts(allocation, deed, writes);
  const AccessHistory::Visitor visit = [&conflicts](const DeedPtr& earlier,
                                                    bool earlier_writes,
                                                    size_t first, size_t end) {
    conflicts.Meet(earlier, earlier_writes, {first, end});
  };
  size_t first = allocation.OffsetOf(rows.address);
  const bool flat = rows.pitch == rows.width || rows.height == 1;
  const size_t width = flat ? rows.width * rows.height : rows.width;
  for (size_t row = 0; row < (flat ? 1 : rows.height); ++row) {
    const size_t left = allocation.size - std::min(first, allocation.size);
    const size_t end = first + std::min(width, left);
    if (end > first) history->Access(deed, writes, first, end, visit);
    first += rows.pitch;
  }
  conflicts.Report();
}

void Access(Allocation* allocation, const DeedPtr& deed, bool writes,
            const Rows& rows) {
  if (allocation->history == nullptr) {
    allocation->history = std::make_shared<AccessHistory>();
  }
  const size_t before = allocation->history->size();
  AccessIn(*allocation, allocation->history.get(), deed, writes, rows);
  const size_t after = allocation->history->size();
  if (after > before) TheHazards().segments_added += after - before;
}

// Calls the function with each access of `work`: its rows, whether it writes,
// and whether it is a kernel's.
template <typename Function>
void ForEachAccess(const Work& work, Function function) {
  switch (work.kind) {
    case OpKind::kCopy:
      if (work.src_known) {
        function(Rows{work.src, work.src_pitch, work.width, work.height},
                 false);
      }
      if (work.dst_known) {
        function(Rows{work.dst, work.dst_pitch, work.width, work.height}, true);
      }
      break;
    case OpKind::kSet:
      function(Rows{work.dst, work.dst_pitch, work.width, work.height}, true);
      break;
    case OpKind::kKernel:
      for (const Range& range : work.reads) {
        function(Rows{range.address, range.size, range.size, 1}, false);
      }
      for (const Range& range : work.writes) {
        function(Rows{range.address, range.size, range.size, 1}, true);
      }
      break;
    default:
      break;
  }
}

// A kernel's range that is no memory any more.
void AccessNowhere(const void* address, const DeedPtr& deed, bool writes) {
  const auto& freed = TheHazards().freed;
  for (auto it = freed.rbegin(); it != freed.rend(); ++it) {
    const auto* const at = static_cast<const char*>(address);
    const Allocation& allocation = it->allocation;
    if (at < allocation.base || at >= allocation.base + allocation.size) {
      continue;
    }
    const size_t first = allocation.OffsetOf(address);
    ReportUseAfterFree(*it->deed, *deed, writes, allocation,
                       {first, allocation.size});
    return;
  }
}

void Remember(const Allocation& allocation, const DeedPtr& deed) {
  std::deque<Freed>& freed = TheHazards().freed;
  freed.push_back({allocation, deed});
  freed.back().allocation.history = nullptr;
  freed.back().allocation.pool = nullptr;
  freed.back().allocation.managed = nullptr;
  if (freed.size() > kFreesRemembered) freed.pop_front();
}

// The accesses of one operation.
class Enqueueing {
 public:
  Enqueueing(Machine& machine, Stream* stream, Work* work, const Caller& caller)
      : machine_(machine),
        work_(*work),
        deed_(MakeDeed(caller, stream, stream->last + 1)) {
    deed_->call = work->call;
    deed_->captured = work->captured;
    deed_->by_graph = work->captured != nullptr;
    deed_->batch = work->batch;
  }

  void Run() {
    if (work_.kind == OpKind::kFree) {
      Free();
      return;
    }
    ForEachAccess(work_, [&](const Rows& rows, bool writes) {
      if (rows.width != 0) Touch(rows, writes);
    });
    PendingReader& next = TheHazards().next;
    if (!next.sources.empty() && !deed_->source_is_disputed) {
      next.deed = deed_;
      next.clock = deed_->order->clock;
    } else {
      next = PendingReader();
    }
  }

 private:
  void Free() {
    Allocation* const found = machine_.memory.Find(work_.dst);
    if (found == nullptr) return;
    deed_->frees = true;
    Access(found, deed_, true, {found->base, found->size, found->size, 1});
    Remember(*found, deed_);
  }

  void Touch(const Rows& rows, bool writes) {
    Allocation* const found = machine_.memory.Find(rows.address);
    if (found == nullptr) return AccessNowhere(rows.address, deed_, writes);
    Access(found, deed_, writes, rows);
    if (found->kind == MemoryKind::kDevice) return;
    if (writes) {
      work_.watch |= kTeachesHost;
      work_.clock = deed_->order->clock;
      return;
    }
    // A kernel's may be a flag.
    if (work_.kind == OpKind::kKernel && rows.width <= kFlagBytes) return;
    const size_t first = found->OffsetOf(rows.address);
    TheHazards().next.sources.push_back(
        {found->history, found->base + first, rows.pitch,
         std::min(rows.width, found->size - first), rows.height});
  }

  Machine& machine_;
  Work& work_;
  const DeedPtr deed_;
};

uint64_t HashBytes(const char* bytes, size_t size, uint64_t hash) {
  constexpr uint64_t kFactor = 0x9e3779b97f4a7c15;
  size_t i = 0;
  // Four at a time: a multiplication takes longer than it occupies.
  uint64_t lanes[4] = {hash, ~hash, hash + 1, hash ^ kFactor};
  for (; i + 32 <= size; i += 32) {
    for (size_t lane = 0; lane < 4; ++lane) {
      uint64_t word = 0;
      std::memcpy(&word, bytes + i + 8 * lane, sizeof(word));
      lanes[lane] = (lanes[lane] ^ word) * kFactor;
      lanes[lane] ^= lanes[lane] >> 32;
    }
  }
  for (const uint64_t lane : lanes) hash = (hash ^ lane) * kFactor;
  for (; i < size; ++i) {
    hash = (hash ^ static_cast<unsigned char>(bytes[i])) * kFactor;
  }
  return hash ^ hash >> 32;
}

uint64_t HashRow(const char* row, size_t size, uint64_t hash) {
  if (size <= kWholeBytes) return HashBytes(row, size, hash);
  constexpr size_t kEnd = kWholeBytes / 2;
  hash = HashBytes(row, kEnd, hash);
  for (size_t at = kEnd; at < size - kEnd; at += kPageBytes) {
    hash = HashBytes(row + at, std::min(kSampleBytes, size - kEnd - at), hash);
  }
  return HashBytes(row + size - kEnd, kEnd, hash);
}

uint64_t HashOf(Machine& machine, const std::vector<Source>& sources) {
  const ManagedWindow window(machine);
  uint64_t hash = 1;
  for (const Source& source : sources) {
    for (size_t row = 0; row < source.height; ++row) {
      hash = HashRow(source.address + row * source.pitch, source.width, hash);
    }
  }
  return hash;
}

// Whether all is still the memory that it was.
bool AllThere(Machine& machine, const std::vector<Source>& sources) {
  return std::all_of(sources.begin(), sources.end(), [&](const Source& source) {
    const Allocation* const found = machine.memory.Find(source.address);
    return found != nullptr && found->history == source.history;
  });
}

// The last host function, in some stream, that comes before what was enqueued
// as `deed` and has not returned.
bool FindFunctionBefore(const PendingReader& reader, FunctionKey* key) {
  for (const auto& entry : TheHazards().functions) {
    StreamOrder* const order = entry.first;
    const uint64_t limit = order == reader.deed->order
                               ? reader.deed->index - 1
                               : IndexIn(reader.clock.get(), *order);
    const std::deque<uint64_t>& indices = entry.second;
    const auto after = std::upper_bound(indices.begin(), indices.end(), limit);
    if (after == indices.begin()) continue;
    *key = {order, *std::prev(after)};
    return true;
  }
  return false;
}

// Takes the reader's hash, or puts it off until host functions have returned:
// before that CUDA cannot run it, and the host may still write.
void HashOrWait(Machine& machine, const OpKey& key, PendingReader* reader) {
  FunctionKey function;
  if (FindFunctionBefore(*reader, &function)) {
    TheHazards().readers_after[function].push_back(key);
    return;
  }
  if (!AllThere(machine, reader->sources)) return;
  reader->hashed = true;
  reader->hash = HashOf(machine, reader->sources);
}

void FunctionReturned(Machine& machine, const Op& op) {
  Hazards& hazards = TheHazards();
  StreamOrder* const order = OrderOf(op.stream);
  const auto functions = hazards.functions.find(order);
  if (functions == hazards.functions.end()) return;
  functions->second.pop_front();
  if (functions->second.empty()) hazards.functions.erase(functions);
  const auto waiting = hazards.readers_after.find({order, op.index});
  if (waiting == hazards.readers_after.end()) return;
  const std::vector<OpKey> keys = std::move(waiting->second);
  hazards.readers_after.erase(waiting);
  for (const OpKey& key : keys) {
    const auto reader = hazards.readers.find(key);
    if (reader != hazards.readers.end()) {
      HashOrWait(machine, key, &reader->second);
    }
  }
}

// What the legacy default stream and blocking streams have of each other.
void AddLegacyOrder(Machine& machine, const Stream& stream,
                    StreamOrder* order) {
  const Device& device = machine.devices[static_cast<size_t>(stream.device)];
  const auto add = [&](Stream* before) {
    if (before == &stream || before->last == before->first) return;
    StreamOrder* const other = OrderOf(before);
    OrderAfter(order, *other, before->last, other->clock.get());
  };
  if (!stream.legacy) {
    if (stream.blocking) add(device.legacy);
    return;
  }
  for (Stream* const before : device.streams) {
    if (before->blocking) add(before);
  }
}

}  // namespace

void BeforeEnqueue(Machine& machine, Stream* stream, Work* work,
                   const Caller& caller) {
  work->watch = 0;
  FiberEnqueue(machine, stream, work, caller.local);
  if (!FindsHazards()) return;
  Hazards& hazards = TheHazards();
  StreamOrder* const order = OrderOf(stream);
  AddLegacyOrder(machine, *stream, order);
  work->clock = nullptr;
  if (work->record != nullptr) work->record->clock = order->clock;
  if (work->kind == OpKind::kHostFunction) {
    work->watch |= kTeachesHost;
    work->clock = order->clock;
    hazards.functions[order].push_back(stream->last + 1);
  } else if (work->kind != OpKind::kNothing &&
             work->kind != OpKind::kPrefetch) {
    Enqueueing(machine, stream, work, caller).Run();
    if (hazards.segments_added > hazards.segments_allowed) {
      PruneAll(machine, &hazards);
    }
  }
}

void AfterEnqueue(Machine& machine, Stream* stream, uint64_t index) {
  if (!FindsHazards()) return;
  Hazards& hazards = TheHazards();
  if (hazards.next.deed == nullptr) return;
  PendingReader reader = std::move(hazards.next);
  hazards.next = PendingReader();
  // Nobody can have changed it meanwhile.
  if (stream->effects >= index) return;
  stream->at(index).work.watch |= kReadsHost;
  const OpKey key = {stream, index};
  HashOrWait(machine, key,
             &hazards.readers.emplace(key, std::move(reader)).first->second);
}

void BeforeCapture(const Stream& stream, Work* work, const Caller& caller) {
  if (!FindsHazards()) return;
  work->captured = std::make_shared<CapturedCall>(
      CapturedCall{TakeCallSite(caller.local), stream.id, stream.device});
}

void BeforeEffect(Machine& machine, const Op& op) {
  if ((op.work.watch & kOnFiber) != 0) FiberBegin(machine, op);
  if ((op.work.watch & kReadsHost) == 0) return;
  Hazards& hazards = TheHazards();
  const auto found = hazards.readers.find({op.stream, op.index});
  if (found == hazards.readers.end()) return;
  const PendingReader reader = std::move(found->second);
  hazards.readers.erase(found);
  if (!reader.hashed || reader.deed->source_is_disputed ||
      !AllThere(machine, reader.sources) ||
      HashOf(machine, reader.sources) == reader.hash) {
    return;
  }
  const Source& source = reader.sources.front();
  const Allocation& allocation = *machine.memory.Find(source.address);
  const size_t first = allocation.OffsetOf(source.address);
  ReportChangedSource(
      *reader.deed, allocation,
      {first, first + source.pitch * (source.height - 1) + source.width});
}

void AfterEffect(Machine& machine, const Op& op) {
  if ((op.work.watch & kOnFiber) != 0) FiberEnd(op);
  if ((op.work.watch & kTeachesHost) == 0) return;
  LearnOf(OrderOf(op.stream), op.index, op.work.clock.get());
  if (op.work.kind == OpKind::kHostFunction) FunctionReturned(machine, op);
}

void HostFunctionStarts(Machine& machine, const Op& op) {
  if ((op.work.watch & kOnFiber) != 0) FiberBegin(machine, op);
  if (!FindsHazards()) return;
  StreamOrder* const order = OrderOf(op.stream);
  LearnOf(order, op.index - 1, op.work.clock.get());
}

void MarkOrder(Stream* stream, EventRecord* record) {
  FiberMark(stream, record);
  if (!FindsHazards()) return;
  record->clock = OrderOf(stream)->clock;
}

void WaitsFor(Stream* stream, const EventRecord& record) {
  FiberWaitsFor(stream, record);
  if (!FindsHazards()) return;
  OrderAfter(OrderOf(stream), *OrderOf(record.point.stream), record.point.index,
             record.clock.get());
}

void WaitsForNothing(Stream* stream, const Caller& caller) {
  if (!FindsHazards()) return;
  TheHazards().empty_waits[OrderOf(stream)] = {TakeCallSite(caller.local)};
}

void Learn(Machine& machine, Point point) {
  FiberLearn(machine, point.stream);
  if (!FindsHazards()) return;
  StreamOrder* const order = OrderOf(point.stream);
  LearnOf(order, point.index, order->clock.get());
  if (!point.stream->legacy) return;
  for (const Retired& retired : TheHazards().retired[point.stream->device]) {
    if (retired.blocking) {
      LearnOf(retired.order, retired.last, retired.clock.get());
    }
  }
}

void Learn(const EventRecord& record) {
  FiberLearn(record);
  if (!FindsHazards()) return;
  LearnOf(OrderOf(record.point.stream), record.point.index, record.clock.get());
}

void LearnDevice(Machine& machine, int device) {
  FiberLearnDevice(machine, device);
  if (!FindsHazards()) return;
  std::vector<Retired>& all = TheHazards().retired[device];
  for (const Retired& retired : all) {
    LearnOf(retired.order, retired.last, retired.clock.get());
  }
  all.clear();
}

void StreamEnds(Machine& machine, Stream* stream) {
  FiberEnds(machine, stream);
  if (!FindsHazards() || stream->last == stream->first) return;
  StreamOrder* const order = OrderOf(stream);
  TheHazards().empty_waits.erase(order);
  if (order->known >= stream->last) return;
  std::vector<Retired>& retired = TheHazards().retired[stream->device];
  retired.erase(std::remove_if(retired.begin(), retired.end(),
                               [](const Retired& old) {
                                 return old.order->known >= old.last;
                               }),
                retired.end());
  retired.push_back({order, stream->last, order->clock, stream->blocking});
  if (stream->blocking) {
    Stream* const legacy =
        machine.devices[static_cast<size_t>(stream->device)].legacy;
    OrderAfter(OrderOf(legacy), *order, stream->last, order->clock.get());
  }
}

void HostFrees(const Allocation& allocation, const Caller& caller) {
  if (!FindsHazards()) return;
  const DeedPtr freeing = MakeDeed(caller);
  Remember(allocation, freeing);
  if (allocation.history == nullptr) return;
  allocation.history->VisitAll(
      [&](const DeedPtr& use, bool writes, size_t first, size_t end) {
        if (LooksBlocking(*use) || IsBroken(use->device)) return;
        // Registered memory stays, and the host may go on reading it.
        if (allocation.kind != MemoryKind::kRegistered) {
          FiberHostFrees(allocation.base + first, end - first);
        }
        if (use->known()) return;
        use->source_is_disputed = true;
        ReportFreedInUse(*use, writes, *freeing, allocation, {first, end});
      });
}

void AllocatedIn(Stream* stream, Allocation* allocation, const Caller& caller) {
  if (!FindsHazards() || stream->last == stream->first ||
      OrderOf(stream)->known >= stream->last) {
    return;
  }
  Access(allocation, MakeDeed(caller, stream, stream->last), true,
         {allocation->base, allocation->size, allocation->size, 1});
}

}  // namespace sim
}  // namespace conveyor
