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
// File: host_limit.h
// -----------------------------------------------------------------------------
//
// How much more host memory this process may use: what the host has left, or
// less where a control group, such as a container's, sets a limit.

#ifndef CONVEYOR_TRANSFER_INTERNAL_HOST_LIMIT_H_
#define CONVEYOR_TRANSFER_INTERNAL_HOST_LIMIT_H_

#include <cstddef>
#include <string>

namespace conveyor {
namespace internal {

struct HostLimit {
  // Page cache that would be given back counts as available. The largest value
  // if nothing is known.
  size_t available_bytes;
  // What sets it, for messages: "the host's memory" or the file of a limit.
  std::string source;
};

// Reads /proc/meminfo, /proc/self/cgroup and the control groups of version 1
// or 2 below `root`, which is "/" but in tests. Thread-safe.
HostLimit ReadHostLimit(const std::string& root = "/");

}  // namespace internal
}  // namespace conveyor

#endif  // CONVEYOR_TRANSFER_INTERNAL_HOST_LIMIT_H_
