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

#include "testing/sim/vtime.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "testing/sim/profile.h"
#include "testing/sim/queue.h"
#include "testing/sim/trace.h"

namespace conveyor {
namespace sim {
namespace {

// The links of a device; two that all share follow those of the last.
enum Link : size_t {
  kUp,      // PCIe, host to device.
  kDown,    // PCIe, device to host.
  kDuplex,  // PCIe, both together.
  kOut,     // To other devices.
  kIn,      // From other devices.
  kInOut,   // Both together.
  kMemory,  // The device's own.
  kLinksPerDevice,
};

// The copy engines of a device.
enum EngineKind : size_t {
  kUploads,
  kDownloads,
  kOthers,
  kEnginesPerDevice,
};

// Whether it takes its turn on a copy engine.
bool UsesEngine(const Op& op) {
  return (op.work.kind == OpKind::kCopy || op.work.kind == OpKind::kPrefetch) &&
         !op.work.transfers.empty();
}

size_t LinkOf(int device, Link link) {
  return static_cast<size_t>(device) * kLinksPerDevice + link;
}

}  // namespace

VirtualTime::VirtualTime(const Profile& profile)
    : profile_(profile), capacity_(FullCapacity(profile)) {
  engines_.resize(static_cast<size_t>(profile.device_count()) *
                  kEnginesPerDevice);
}

std::vector<double> VirtualTime::FullCapacity(const Profile& profile) {
  std::vector<double> capacity;
  for (int i = 0; i < profile.device_count(); ++i) {
    capacity.insert(
        capacity.end(),
        {profile.h2d_gb_per_s, profile.d2h_gb_per_s, profile.duplex_gb_per_s,
         profile.peer_gb_per_s, profile.peer_gb_per_s,
         profile.peer_duplex_gb_per_s, profile.device_memory_gb_per_s});
  }
  capacity.push_back(profile.host_memory_gb_per_s);
  capacity.push_back(0);  // What host threads copy, by how many they are.
  return capacity;
}

void VirtualTime::SetLinkFactor(int from, int to, double factor) {
  shares_stale_ = true;
  if (from == cudaCpuDeviceId) {
    capacity_[LinkOf(to, kUp)] = profile_.h2d_gb_per_s * factor;
  } else if (to == cudaCpuDeviceId) {
    capacity_[LinkOf(from, kDown)] = profile_.d2h_gb_per_s * factor;
  } else {
    capacity_[PairLink(from, to)] = profile_.peer_gb_per_s * factor;
  }
}

void VirtualTime::ResetLinkFactors() {
  shares_stale_ = true;
  for (const auto& link : pair_links_) capacity_[link.second] = kNever;
  const std::vector<double> full = FullCapacity(profile_);
  std::copy(full.begin(), full.end(), capacity_.begin());
}

size_t VirtualTime::HostCopies() const {
  return LinkOf(profile_.device_count(), kUp) + 1;
}

double VirtualTime::UploadRate(int device) const {
  return capacity_[LinkOf(device, kUp)];
}

double VirtualTime::DownloadRate(int device) const {
  return capacity_[LinkOf(device, kDown)];
}

void VirtualTime::Enqueued(Stream* stream) {
  if (stream->time_state != StreamTime::kIdle) return;
  stream->time_state = StreamTime::kReady;
  ready_.push_back(stream);
}

void VirtualTime::FunctionReturned(Stream* stream) {
  if (stream->time_state != StreamTime::kFunction) return;
  due_functions_.erase(
      std::find(due_functions_.begin(), due_functions_.end(), stream));
  stream->time_state = StreamTime::kReady;
  ready_.push_back(stream);
}

void VirtualTime::AdvanceTo(double ns) {
  while (Step(ns)) {
  }
}

bool VirtualTime::RunUntil(Point point) {
  while (point.stream->timed < point.index) {
    if (!Step(kNever)) return false;
  }
  return true;
}

bool VirtualTime::Step(double limit) {
  StartReady();
  if (shares_stale_) ShareLinks();
  double next = timers_.empty() ? kNever : timers_.top().at;
  Lane* first = nullptr;
  for (Lane* const lane : busy_lanes_) {
    const double end = EndOf(*lane);
    if (end < next || (end == next && first != nullptr &&
                       lane->flows.top().order < first->flows.top().order)) {
      next = end;
      first = lane;
    }
  }
  if (next == kNever || next > limit) {
    if (limit != kNever && limit > now_) PassTime(limit);
    return false;
  }
  PassTime(next);
  if (first == nullptr) {
    Stream* const stream = timers_.top().stream;
    timers_.pop();
    FireTimer(stream);
    return true;
  }
  Stream* const stream = first->flows.top().stream;
  first->flows.pop();
  if (first->flows.empty()) {
    busy_lanes_.erase(std::find(busy_lanes_.begin(), busy_lanes_.end(), first));
  }
  shares_stale_ = true;
  if (--stream->flows == 0) {
    ReleaseEngine(stream);
    Complete(stream);
  }
  return true;
}

void VirtualTime::StartReady() {
  // StartHead may add to it.
  for (size_t i = 0; i < ready_.size(); ++i) StartHead(ready_[i]);
  ready_.clear();
}

void VirtualTime::StartHead(Stream* stream) {
  stream->time_state = StreamTime::kIdle;
  while (stream->timed < stream->last) {
    Op& op = stream->at(stream->timed + 1);
    for (const Point& point : op.after) {
      if (point.stream->timed < point.index) {
        point.stream->time_waiters.push_back(stream);
        stream->time_state = StreamTime::kBlocked;
        return;
      }
    }
    if (op.issued > now_) {
      SetTimer(stream, op.issued, StreamTime::kIssue);
      return;
    }
    if (op.work.kind == OpKind::kHostFunction) {
      if (op.begun < 0) op.begun = now_;
      if (!op.returned) {
        stream->time_state = StreamTime::kFunction;
        op.not_before = now_;
        due_functions_.push_back(stream);
        return;
      }
      SetTimer(stream,
               std::max(op.not_before, now_ + op.function_ns) + op.delay_ns,
               StreamTime::kEnd);
      return;
    }
    if (op.work.kind == OpKind::kHostCopy) {
      StartFlows(stream);
      return;
    }
    if (op.work.kind == OpKind::kKernel || op.work.kind == OpKind::kSet) {
      op.begun = now_;
      SetTimer(stream, now_ + profile_.kernel_gap_ns + op.delay_ns,
               StreamTime::kGap);
      return;
    }
    if (UsesEngine(op)) {
      Engine* const engine = EngineOf(op);
      if (engine->user != nullptr) {
        engine->queue.push_back(stream);
        stream->time_state = StreamTime::kEngine;
        return;
      }
      engine->user = stream;
      op.begun = now_;
      SetTimer(stream, now_ + GapOf(op), StreamTime::kGap);
      return;
    }
    if (op.delay_ns > 0) {
      op.begun = now_;
      SetTimer(stream, now_ + op.delay_ns, StreamTime::kEnd);
      return;
    }
    Complete(stream);
    // Completing has put it among the ready ones.
    return;
  }
}

void VirtualTime::FireTimer(Stream* stream) {
  switch (stream->time_state) {
    case StreamTime::kIssue:
      StartHead(stream);
      break;
    case StreamTime::kGap:
      StartFlows(stream);
      break;
    default:
      Complete(stream);
      break;
  }
}

void VirtualTime::StartFlows(Stream* stream) {
  const Op& op = stream->at(stream->timed + 1);
  stream->time_state = StreamTime::kFlows;
  for (const Transfer& transfer : op.work.transfers) {
    Lane* const lane = LaneOf(transfer);
    if (lane->flows.empty()) {
      lane->moved = 0;
      busy_lanes_.push_back(lane);
    }
    lane->flows.push({lane->moved + transfer.bytes, next_order_++, stream});
    ++stream->flows;
  }
  shares_stale_ = true;
  if (stream->flows == 0) Complete(stream);
}

void VirtualTime::Complete(Stream* stream) {
  Op& op = stream->at(stream->timed + 1);
  if (op.work.record != nullptr) op.work.record->time = now_;
  if (op.begun < 0) op.begun = now_;
  // Host copies stand among the calls.
  if (TheTrace().on() && op.work.kind != OpKind::kHostCopy) {
    TheTrace().AddOperation(op, now_);
  }
  ++stream->timed;
  stream->timed_at = now_;
  stream->time_state = StreamTime::kReady;
  ready_.push_back(stream);
  for (Stream* const waiter : stream->time_waiters) {
    waiter->time_state = StreamTime::kReady;
    ready_.push_back(waiter);
  }
  stream->time_waiters.clear();
  stream->Trim();
}

void VirtualTime::ReleaseEngine(Stream* stream) {
  const Op& op = stream->at(stream->timed + 1);
  if (!UsesEngine(op)) return;
  Engine* const engine = EngineOf(op);
  engine->user = nullptr;
  if (engine->queue.empty()) return;
  engine->user = engine->queue.front();
  engine->queue.pop_front();
  Op& next = engine->user->at(engine->user->timed + 1);
  next.begun = now_;
  SetTimer(engine->user, now_ + GapOf(next), StreamTime::kGap);
}

double VirtualTime::GapOf(const Op& op) const {
  if (op.work.gap_ns >= 0) return op.work.gap_ns + op.delay_ns;
  const bool download = op.work.transfers.front().path == Path::kDownload;
  return (download ? profile_.download_gap_ns : profile_.copy_gap_ns) +
         op.delay_ns;
}

void VirtualTime::SetTimer(Stream* stream, double at, StreamTime state) {
  stream->time_state = state;
  timers_.push({at, next_order_++, stream});
}

VirtualTime::Engine* VirtualTime::EngineOf(const Op& op) {
  const Transfer& transfer = op.work.transfers.front();
  size_t engine = kOthers;
  switch (transfer.path) {
    case Path::kUpload:
    case Path::kMigrateIn:
      engine = kUploads;
      break;
    case Path::kDownload:
    case Path::kMigrateOut:
      engine = kDownloads;
      break;
    default:
      break;
  }
  return &engines_[static_cast<size_t>(transfer.device) * kEnginesPerDevice +
                   engine];
}

double VirtualTime::LimitOf(Path path) const {
  switch (path) {
    case Path::kUpload:
      return profile_.h2d_gb_per_s;
    case Path::kDownload:
      return profile_.d2h_gb_per_s;
    case Path::kPeer:
      return profile_.peer_gb_per_s;
    case Path::kStaged:
      return std::min(profile_.h2d_gb_per_s, profile_.d2h_gb_per_s);
    case Path::kLocal:
      return profile_.device_memory_gb_per_s;
    case Path::kZeroCopyRead:
      return profile_.zero_copy_read_gb_per_s;
    case Path::kZeroCopyWrite:
      return profile_.zero_copy_write_gb_per_s;
    case Path::kMigrateIn:
      return profile_.managed_in_gb_per_s;
    case Path::kMigrateOut:
      return profile_.managed_out_gb_per_s;
    case Path::kHostCopy:
      return profile_.host_copy_gb_per_s[0];
    case Path::kManagedPeer:
      return profile_.managed_peer_gb_per_s;
  }
  return 0;
}

VirtualTime::Lane* VirtualTime::LaneOf(const Transfer& transfer) {
  for (const std::unique_ptr<Lane>& lane : lanes_) {
    if (lane->path == transfer.path && lane->device == transfer.device &&
        lane->peer == transfer.peer) {
      return lane.get();
    }
  }
  lanes_.push_back(std::make_unique<Lane>(MakeLane(transfer)));
  return lanes_.back().get();
}

size_t VirtualTime::PairLink(int from, int to) {
  const auto added =
      pair_links_.emplace(std::make_pair(from, to), capacity_.size());
  // As fast as the devices are, but for a fault.
  if (added.second) capacity_.push_back(kNever);
  return added.first->second;
}

VirtualTime::Lane VirtualTime::MakeLane(const Transfer& transfer) {
  const size_t host = LinkOf(profile_.device_count(), kUp);
  const int device = transfer.device;
  const int peer = transfer.peer;
  Lane lane;
  lane.path = transfer.path;
  lane.device = device;
  lane.peer = peer;
  lane.limit = LimitOf(transfer.path);
  const auto pass = [&lane](size_t link) {
    lane.links[lane.link_count++] = link;
  };
  switch (transfer.path) {
    case Path::kUpload:
    case Path::kZeroCopyRead:
    case Path::kMigrateIn:
      pass(LinkOf(device, kUp));
      pass(LinkOf(device, kDuplex));
      pass(host);
      break;
    case Path::kDownload:
    case Path::kZeroCopyWrite:
    case Path::kMigrateOut:
      pass(LinkOf(device, kDown));
      pass(LinkOf(device, kDuplex));
      pass(host);
      break;
    case Path::kPeer:
    case Path::kManagedPeer:
      if (profile_.nvlink != 0) {
        pass(LinkOf(device, kOut));
        pass(LinkOf(device, kInOut));
        pass(LinkOf(peer, kIn));
        pass(LinkOf(peer, kInOut));
      } else {
        pass(LinkOf(device, kDown));
        pass(LinkOf(device, kDuplex));
        pass(LinkOf(peer, kUp));
        pass(LinkOf(peer, kDuplex));
      }
      pass(PairLink(device, peer));
      break;
    case Path::kStaged:
      pass(LinkOf(device, kDown));
      pass(LinkOf(device, kDuplex));
      pass(LinkOf(peer, kUp));
      pass(LinkOf(peer, kDuplex));
      pass(host);
      break;
    case Path::kLocal:
      pass(LinkOf(device, kMemory));
      break;
    case Path::kHostCopy:
      pass(HostCopies());
      break;
  }
  return lane;
}

double VirtualTime::EndOf(const Lane& lane) const {
  return now_ + std::max(0.0, lane.flows.top().end - lane.moved) / lane.rate;
}

void VirtualTime::ShareLinks() {
  shares_stale_ = false;
  users_.assign(capacity_.size(), 0);
  for (Lane* const lane : busy_lanes_) {
    lane->rate = 0;
    for (size_t i = 0; i < lane->link_count; ++i) {
      users_[lane->links[i]] += static_cast<double>(lane->flows.size());
    }
  }
  const size_t copies = HostCopies();
  if (users_[copies] > 0) {
    capacity_[copies] = RateOfThreads(profile_.host_copy_gb_per_s,
                                      static_cast<int>(users_[copies]));
  }
  left_ = capacity_;
  // The flows that get least are settled first; the others share the rest.
  for (size_t settled = 0; settled < busy_lanes_.size(); ++settled) {
    Lane* least = nullptr;
    double least_rate = kNever;
    for (Lane* const lane : busy_lanes_) {
      if (lane->rate > 0) continue;
      double rate = lane->limit;
      for (size_t i = 0; i < lane->link_count; ++i) {
        const size_t link = lane->links[i];
        rate = std::min(rate, left_[link] / users_[link]);
      }
      if (rate < least_rate) {
        least_rate = rate;
        least = lane;
      }
    }
    // Never quite nothing, whatever rounding has left over.
    least->rate = std::max(least_rate, 1e-6);
    const auto flows = static_cast<double>(least->flows.size());
    for (size_t i = 0; i < least->link_count; ++i) {
      left_[least->links[i]] -= least->rate * flows;
      users_[least->links[i]] -= flows;
    }
  }
}

void VirtualTime::PassTime(double at) {
  if (at <= now_) return;
  for (Lane* const lane : busy_lanes_) lane->moved += lane->rate * (at - now_);
  now_ = at;
}

}  // namespace sim
}  // namespace conveyor
