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
// File: peer.h
// -----------------------------------------------------------------------------
//
// The other GPU of the rows between two GPUs.

#ifndef CONVEYOR_BENCHMARKS_PEER_H_
#define CONVEYOR_BENCHMARKS_PEER_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "transfer/device.h"

namespace conveyor {
namespace bench {

// The first other device that `device` can reach directly, and that can reach
// it. kNotFound, with what the machine lacks, if there is none.
absl::StatusOr<DeviceId> FindPeer(DeviceId device);

// Gives each of the two access to the memory of the other, for good. OK if they
// have it already.
absl::Status EnablePeerAccess(DeviceId one, DeviceId other);

}  // namespace bench
}  // namespace conveyor

#endif  // CONVEYOR_BENCHMARKS_PEER_H_
