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
// File: queue.h
// -----------------------------------------------------------------------------
//
// Streams, the operations in them, and the edges between them.

#ifndef CONVEYOR_TESTING_SIM_QUEUE_H_
#define CONVEYOR_TESTING_SIM_QUEUE_H_

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace conveyor {
namespace sim {

// Of virtual time.
constexpr double kNever = std::numeric_limits<double>::infinity();

struct Stream;
struct Capture;
struct StreamOrder;
struct CapturedCall;
struct FiberWork;
struct StreamFibers;
struct SyncToken;
using SyncTokenPtr = std::shared_ptr<SyncToken>;
using OrderClock = std::vector<uint64_t>;  // stream_order.h

// After the operation `index` of `stream`, and so after all before it. Reached
// once the stream has completed that many.
struct Point {
  Stream* stream = nullptr;
  uint64_t index = 0;
};

// What an event stands for, from one record to the next.
struct EventRecord {
  Point point;
  double time = -1;  // Virtual; negative until then.
  // What comes before it, for the search for hazards.
  std::shared_ptr<const OrderClock> clock;
  SyncTokenPtr token;  // Of fibers.h.
};

// What an event stands for that was recorded in a capture.
struct CapturedRecord {
  uint64_t capture;
  std::vector<size_t> nodes;
};

struct Range {
  const void* address;
  size_t size;
};

enum class OpKind : uint8_t {
  kNothing,
  kCopy,
  kSet,
  kKernel,
  kHostFunction,
  kFree,
  kPrefetch,
  kHostCopy,  // By a host thread.
};

// What bytes travel over, for virtual time.
enum class Path : uint8_t {
  kUpload,
  kDownload,
  kPeer,           // From `device` to `peer`.
  kStaged,         // The same, by way of host memory.
  kLocal,          // In the device's memory.
  kZeroCopyRead,   // By a kernel, from host memory.
  kZeroCopyWrite,  // By a kernel, to host memory.
  kMigrateIn,      // Managed memory, from the host.
  kMigrateOut,     // Managed memory, to the host.
  kHostCopy,       // In host memory, by a host thread.
  kManagedPeer,    // As kPeer, by a kernel in managed memory that stays.
};

struct Transfer {
  Path path;
  int device;
  int peer;
  double bytes;
};

// Bits of Work::watch.
constexpr uint8_t kTeachesHost = 1;  // Its effect shows the host its order.
constexpr uint8_t kReadsHost = 2;    // The host must leave its source alone.
constexpr uint8_t kOnFiber = 4;      // Thread sanitizer sees it.

// What is to be done, without when: a graph's node as well.
struct Work {
  OpKind kind = OpKind::kNothing;
  uint8_t value = 0;  // Of kSet.
  char* dst = nullptr;
  const char* src = nullptr;
  size_t dst_pitch = 0;
  size_t src_pitch = 0;
  size_t width = 0;
  size_t height = 1;
  // A copy of the source taken at the call; `src` points into it.
  std::shared_ptr<char[]> staged;
  // Whether dst and src were memory that CUDA knows when this was enqueued.
  bool dst_known = false;
  bool src_known = false;
  // Empty for a copy that costs the host's time alone.
  std::vector<Transfer> transfers;
  // Of a copy: its transfer, whoever pays for it. No bytes: from host to host.
  Transfer route = {Path::kLocal, 0, 0, 0};
  const char* label = "";      // Of a copy or a graph's end, for traces.
  double gap_ns = -1;          // Of kCopy, unless it is the engine's.
  std::function<void()> body;  // Of kKernel.
  std::vector<Range> reads;
  std::vector<Range> writes;
  cudaHostFn_t function = nullptr;  // Of kHostFunction.
  void* data = nullptr;
  std::shared_ptr<EventRecord> record;  // Takes the time, if set.
  // For the search for hazards.
  const char* call = nullptr;  // Of the runtime, that made it.
  std::shared_ptr<const CapturedCall> captured;
  uint64_t batch = 0;  // Of pieces that have no order.
  uint8_t watch = 0;
  std::shared_ptr<const OrderClock> clock;  // What comes before it.
  std::shared_ptr<FiberWork> fiber;
};

// One operation of a stream.
struct Op {
  Work work;
  Stream* stream = nullptr;
  uint64_t index = 0;
  std::vector<Point> after;  // In other streams.
  // Runs as soon as that many later operations are in the stream; kWhenForced.
  uint8_t lateness = 0;
  double delay_ns = 0;      // By a fault.
  bool dispatched = false;  // A host function that its thread has.
  uint32_t tick = 0;        // When it was enqueued, for the ticker.
  double issued = 0;        // Virtual time at which the host was done with it.
  double begun = -1;  // Virtual time at which it began; negative until then.
  // Of a host function: whether it has returned, what it took of its thread's
  // clock, and before what it does not end; until it returns, when it was due.
  bool returned = false;
  double function_ns = 0;
  double not_before = 0;
};

constexpr uint8_t kWhenForced = 255;

// What a stream's next operation is doing in virtual time.
enum class StreamTime : uint8_t {
  kIdle,      // There is none.
  kReady,     // It may start.
  kBlocked,   // Waits for another stream.
  kIssue,     // Waits for the host, which enqueues it later.
  kFunction,  // A host function that has not returned.
  kEngine,    // Waits for its engine.
  kGap,       // Starting.
  kFlows,     // Moving bytes.
  kEnd,       // Ends at a known time.
};

struct Stream {
  int device = 0;
  bool blocking = true;
  bool legacy = false;
  bool live = true;
  unsigned flags = 0;
  int priority = 0;
  uint64_t id = 0;
  uint64_t number = 0;  // What the seed's choices go by.
  uint64_t first = 0;   // Index before its first operation.

  // Operations that lack effect or time. Indices never start again, so that a
  // Point stays true when a Stream is used again.
  std::deque<Op> ops;
  uint64_t last = 0;     // Enqueued.
  uint64_t effects = 0;  // Completed, in effect.
  uint64_t timed = 0;    // Completed, in virtual time.

  // Streams whose next effect waits for one of this stream.
  std::vector<Stream*> effect_waiters;
  Stream* waits_for = nullptr;

  StreamTime time_state = StreamTime::kIdle;
  double timed_at = 0;  // When the last operation completed.
  int flows = 0;        // Of the next operation, still moving.
  std::vector<Stream*> time_waiters;

  Capture* capture = nullptr;  // Under way in this stream.
  StreamFibers* fibers = nullptr;
  StreamOrder* order = nullptr;  // OrderOf() makes it.

  Op& at(uint64_t index) { return ops[index - (last - ops.size()) - 1]; }
  Op* next_effect() { return effects == last ? nullptr : &at(effects + 1); }
  // Forgets what is done in every respect.
  void Trim() {
    while (!ops.empty() && last - ops.size() < effects &&
           last - ops.size() < timed) {
      ops.pop_front();
    }
  }
};

struct Event {
  int device;
  unsigned flags;
  // At most one is set; none until it is recorded.
  std::shared_ptr<EventRecord> record;
  std::shared_ptr<CapturedRecord> captured;
};

}  // namespace sim
}  // namespace conveyor

#endif  // CONVEYOR_TESTING_SIM_QUEUE_H_
