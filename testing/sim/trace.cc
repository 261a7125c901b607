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

#include "testing/sim/trace.h"

#include <cuda_runtime_api.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "testing/sim/operation.h"
#include "testing/sim/queue.h"
#include "testing/sim/traced.h"

namespace conveyor {
namespace sim {
namespace {

constexpr int kHostProcess = 0;  // Device i is process i + 1.

std::string Pair(const char* how, const Transfer& transfer) {
  return std::string(how) + " " + std::to_string(transfer.device) + " to " +
         std::to_string(transfer.peer);
}

std::string NameOf(const Work& work) {
  switch (OperationOf(work)) {
    case Operation::kCopy:
      if (work.route.path == Path::kPeer) return Pair("peer", work.route);
      if (work.route.path == Path::kStaged) return Pair("staged", work.route);
      return work.label;
    case Operation::kSet:
      return "memset";
    case Operation::kKernel:
      return "kernel";
    case Operation::kHostFunction:
      return "host function";
    case Operation::kEventRecord:
      return "event record";
    case Operation::kEventWait:
      return "event wait";
    case Operation::kFree:
      return "free";
    case Operation::kPrefetch:
      return "prefetch";
    case Operation::kGraph:
      return work.label;
  }
  return "operation";
}

size_t BytesOf(const Work& work) {
  if (work.kind == OpKind::kCopy || work.kind == OpKind::kSet) {
    return work.width * work.height;
  }
  double bytes = 0;
  for (const Transfer& transfer : work.transfers) bytes += transfer.bytes;
  return static_cast<size_t>(bytes);
}

int64_t Ns(double time) { return std::llround(time); }

// Microseconds, as the format has them, with all of the nanoseconds.
std::string Us(int64_t ns) {
  const bool negative = ns < 0;
  const uint64_t size =
      negative ? 0 - static_cast<uint64_t>(ns) : static_cast<uint64_t>(ns);
  char text[48];
  std::snprintf(text, sizeof(text), "%s%llu.%03llu", negative ? "-" : "",
                static_cast<unsigned long long>(size / 1000),
                static_cast<unsigned long long>(size % 1000));
  return text;
}

// One event: what all kinds have in common, and `rest`.
std::string Event(const char* phase, const std::string& name, int process,
                  int row, const std::string& rest) {
  return std::string("{\"ph\":\"") + phase + "\",\"name\":\"" + name +
         "\",\"pid\":" + std::to_string(process) +
         ",\"tid\":" + std::to_string(row) + rest + "}";
}

std::string RowName(const char* what, const std::string& name, int process,
                    int row) {
  return Event("M", what, process, row,
               ",\"args\":{\"name\":\"" + name + "\"}");
}

std::string Slice(const std::string& name, int process, int row, int64_t start,
                  int64_t end, const std::string& args) {
  return Event("X", name, process, row,
               ",\"ts\":" + Us(start) + ",\"dur\":" + Us(end - start) +
                   ",\"args\":{" + args + "}");
}

std::string Arrow(const char* phase, int process, int row, int64_t at,
                  size_t id) {
  return Event(phase, "event", process, row,
               ",\"cat\":\"event\",\"bp\":\"e\",\"id\":" + std::to_string(id) +
                   ",\"ts\":" + Us(at));
}

}  // namespace

Operation OperationOf(const Work& work) {
  switch (work.kind) {
    case OpKind::kCopy:
      return Operation::kCopy;
    case OpKind::kSet:
      return Operation::kSet;
    case OpKind::kKernel:
      return Operation::kKernel;
    case OpKind::kHostFunction:
      return Operation::kHostFunction;
    case OpKind::kFree:
      return Operation::kFree;
    case OpKind::kPrefetch:
      return Operation::kPrefetch;
    case OpKind::kNothing:
    case OpKind::kHostCopy:
      break;
  }
  if (work.record != nullptr) return Operation::kEventRecord;
  return *work.label != '\0' ? Operation::kGraph : Operation::kEventWait;
}

TraceLog& TheTrace() {
  static auto* const log = new TraceLog;
  return *log;
}

void TraceLog::Start(double zero) {
  on_ = true;
  zero_ = zero;
  ++session_;
  threads_ = 0;
  operations_.clear();
  calls_.clear();
}

void TraceLog::AddCall(const char* name, bool legacy, cudaError_t error,
                       double start, double end) {
  struct Row {
    uint64_t session = 0;
    int thread = 0;
  };
  thread_local Row row;
  if (row.session != session_) row = {session_, ++threads_};
  calls_.push_back({name, row.thread, legacy, error, start, end});
}

void TraceLog::AddOperation(const Op& op, double end) {
  const Stream& stream = *op.stream;
  Entry entry;
  entry.operation = {OperationOf(op.work),
                     NameOf(op.work),
                     stream.device,
                     stream.id,
                     stream.legacy,
                     BytesOf(op.work),
                     Ns(op.issued),
                     Ns(op.begun),
                     Ns(end)};
  // Indices go on where a stream is used again, hence the difference.
  entry.place = {stream.id, op.index - stream.first};
  for (const Point& point : op.after) {
    entry.after.emplace_back(point.stream->id,
                             point.index - point.stream->first);
  }
  entry.queued = op.issued;
  entry.start = op.begun;
  entry.end = end;
  operations_.push_back(std::move(entry));
}

std::vector<TracedOperation> TraceLog::Operations() const {
  std::vector<TracedOperation> all;
  for (const Entry& entry : operations_) all.push_back(entry.operation);
  return all;
}

std::vector<TracedCall> TraceLog::Calls() const {
  std::vector<TracedCall> all;
  for (const CallEntry& call : calls_) {
    all.push_back({call.name, call.thread, call.legacy, call.error,
                   Ns(call.start), Ns(call.end)});
  }
  return all;
}

std::string TraceLog::Json(const std::string& machine) const {
  const auto since = [this](double time) { return Ns(time - zero_); };
  std::vector<std::string> events;
  events.push_back(RowName("process_name", "host", kHostProcess, 0));
  for (int thread = 1; thread <= threads_; ++thread) {
    events.push_back(RowName("thread_name", "thread " + std::to_string(thread),
                             kHostProcess, thread));
  }
  for (const CallEntry& call : calls_) {
    std::string args = call.legacy ? "\"stream\":\"legacy\"" : "";
    if (call.error != cudaSuccess) {
      args += args.empty() ? "" : ",";
      args += "\"error\":" + std::to_string(call.error);
    }
    events.push_back(Slice(call.name, kHostProcess, call.thread,
                           since(call.start), since(call.end), args));
  }
  std::map<int, int> rows_of_device;
  std::map<uint64_t, int> row_of_stream;
  std::map<Place, const Entry*> records;
  size_t arrows = 0;
  for (const Entry& entry : operations_) {
    const TracedOperation& operation = entry.operation;
    const int process = operation.device + 1;
    int& rows = rows_of_device[operation.device];
    if (rows == 0) {
      events.push_back(RowName("process_name",
                               "device " + std::to_string(operation.device),
                               process, 0));
    }
    int& row = row_of_stream[operation.stream];
    if (row == 0) {
      row = ++rows;
      events.push_back(RowName("thread_name",
                               operation.legacy
                                   ? "legacy default stream"
                                   : "stream " + std::to_string(row),
                               process, row));
    }
    events.push_back(Slice(
        operation.name, process, row, since(entry.start), since(entry.end),
        "\"bytes\":" + std::to_string(operation.bytes) +
            ",\"queued_ns\":" + std::to_string(since(entry.queued)) +
            ",\"begun_ns\":" + std::to_string(since(entry.start)) +
            ",\"ended_ns\":" + std::to_string(since(entry.end))));
    if (operation.kind == Operation::kEventRecord) {
      records[entry.place] = &entry;
    }
    if (operation.kind != Operation::kEventWait) continue;
    for (const Place& place : entry.after) {
      const auto record = records.find(place);
      if (record == records.end()) continue;
      const TracedOperation& recorded = record->second->operation;
      ++arrows;
      events.push_back(Arrow("s", recorded.device + 1,
                             row_of_stream[recorded.stream],
                             since(record->second->end), arrows));
      events.push_back(Arrow("f", process, row, since(entry.end), arrows));
    }
  }
  std::string text =
      "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"machine\":\"" + machine +
      "\"},\"traceEvents\":[\n";
  for (size_t i = 0; i < events.size(); ++i) {
    text += events[i];
    text += i + 1 < events.size() ? ",\n" : "\n";
  }
  return text + "]}\n";
}

bool WriteFile(const std::string& path, const std::string& text) {
  std::FILE* const file = std::fopen(path.c_str(), "w");
  if (file == nullptr) return false;
  const bool written =
      std::fwrite(text.data(), 1, text.size(), file) == text.size();
  return std::fclose(file) == 0 && written;
}

}  // namespace sim
}  // namespace conveyor
