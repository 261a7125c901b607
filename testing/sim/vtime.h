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
// File: vtime.h
// -----------------------------------------------------------------------------
//
// Virtual time: how long everything takes, computed apart from effects.
//
// An event-driven model. Copies take turns on their engine; what moves bytes at
// the same time shares the links, each flow as fast as the slowest link it
// passes lets it, with equal shares (max-min). Effects may happen in any order
// that CUDA allows, and the times stay the same.

#ifndef CONVEYOR_TESTING_SIM_VTIME_H_
#define CONVEYOR_TESTING_SIM_VTIME_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <queue>
#include <utility>
#include <vector>

#include "testing/sim/profile.h"
#include "testing/sim/queue.h"

namespace conveyor {
namespace sim {

// Guarded by the machine's lock. Times are virtual nanoseconds.
class VirtualTime {
 public:
  explicit VirtualTime(const Profile& profile);

  // Called when `stream` has got an operation.
  void Enqueued(Stream* stream);

  // Called when the host function that the head of `stream` in time may be has
  // returned.
  void FunctionReturned(Stream* stream);

  // Handles what happens next, if that is not after `limit`. If it is, lets
  // time pass until `limit` and returns false.
  bool Step(double limit);

  // Lets time pass until `ns`, if it is not there already.
  void AdvanceTo(double ns);

  // Lets time pass until the point is reached. False if a host function must
  // return first.
  bool RunUntil(Point point);

  double now() const { return now_; }

  // What a link from one device (or cudaCpuDeviceId) to another can carry, from
  // now on, as a part of what the profile says.
  void SetLinkFactor(int from, int to, double factor);
  void ResetLinkFactors();
  // What can pass between the host and a device, in bytes a nanosecond.
  double UploadRate(int device) const;
  double DownloadRate(int device) const;

  // Streams that wait for a host function that has not returned, in time.
  const std::vector<Stream*>& due_functions() const { return due_functions_; }

 private:
  struct Timer {
    double at;
    uint64_t order;
    Stream* stream;
    bool operator>(const Timer& other) const {
      return at != other.at ? at > other.at : order > other.order;
    }
  };

  // Bytes on their way, of one operation. It ends when each flow of its lane
  // has moved `end` bytes.
  struct Flow {
    double end;
    uint64_t order;
    Stream* stream;
    bool operator>(const Flow& other) const {
      return end != other.end ? end > other.end : order > other.order;
    }
  };

  // All flows over the same links: they have one rate.
  struct Lane {
    Path path;
    int device;
    int peer;
    double limit;  // Bytes a nanosecond, were a flow alone.
    size_t links[5];
    size_t link_count = 0;
    double rate = 0;
    double moved = 0;  // Bytes of each flow, since there were none.
    std::priority_queue<Flow, std::vector<Flow>, std::greater<Flow>> flows;
  };

  struct Engine {
    Stream* user = nullptr;
    std::deque<Stream*> queue;
  };

  // Starts what can start now.
  void StartReady();
  void StartHead(Stream* stream);
  void StartFlows(Stream* stream);
  void FireTimer(Stream* stream);
  void Complete(Stream* stream);
  void ReleaseEngine(Stream* stream);
  void SetTimer(Stream* stream, double at, StreamTime state);
  Engine* EngineOf(const Op& op);
  // From when the engine takes it until its bytes move.
  double GapOf(const Op& op) const;
  // The link that host threads share which copy in host memory.
  size_t HostCopies() const;
  // Of one transfer alone, in bytes a nanosecond.
  double LimitOf(Path path) const;
  // What the links can carry by the profile.
  static std::vector<double> FullCapacity(const Profile& profile);
  Lane* LaneOf(const Transfer& transfer);
  Lane MakeLane(const Transfer& transfer);
  // The one that carries what one device sends to another.
  size_t PairLink(int from, int to);
  // When the first of its flows ends.
  double EndOf(const Lane& lane) const;
  void ShareLinks();
  // Moves the flows' bytes up to `at`.
  void PassTime(double at);

  const Profile profile_;
  double now_ = 0;
  std::vector<double> capacity_;  // By link.
  std::map<std::pair<int, int>, size_t> pair_links_;
  std::vector<Engine> engines_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::vector<Lane*> busy_lanes_;  // That have flows.
  // While rates are found: what each link has left, and for how many flows.
  std::vector<double> left_;
  std::vector<double> users_;
  bool shares_stale_ = false;
  std::priority_queue<Timer, std::vector<Timer>, std::greater<Timer>> timers_;
  uint64_t next_order_ = 0;
  std::vector<Stream*> ready_;
  std::vector<Stream*> due_functions_;
};

}  // namespace sim
}  // namespace conveyor

#endif  // CONVEYOR_TESTING_SIM_VTIME_H_
