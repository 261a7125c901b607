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
// File: copy_path.h
// -----------------------------------------------------------------------------
//
// The copies that `conveyor bench` measures, each beside the raw call. A new
// row is one entry of the table in copy_path.cc.

#ifndef CONVEYOR_BENCHMARKS_COPY_PATH_H_
#define CONVEYOR_BENCHMARKS_COPY_PATH_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "benchmarks/copy_buffers.h"

namespace conveyor {
namespace bench {

struct CopyPath {
  enum class Timing {
    kEvents,  // Asynchronous copies, between two events on their stream.
    kHost,    // Blocking copies, by the host's clock.
    kIssue,   // Asynchronous copies, by the host's clock until all are issued.
  };

  // Makes `count` copies of `num_bytes` from `src` to `dst`, and as many of the
  // same size back if there is a way back.
  using Copies = absl::Status (*)(CopyBuffers& buffers, size_t num_bytes,
                                  int count);

  struct Route {
    Place dst;
    Place src;
  };

  absl::string_view name;
  absl::string_view baseline;  // The raw call's name.
  Place dst;
  Place src;
  Timing timing;
  int64_t only_bytes;  // The one size that means something; 0: every size.
  Copies raw;
  Copies ours;  // Null where Conveyor has none yet.
  // Another copy, at the same time. Each way has half of the bytes.
  std::optional<Route> back = std::nullopt;

  bool needs_peer() const { return OnPeer(dst) || OnPeer(src); }
  // How many ways there are.
  int ways() const { return back.has_value() ? 2 : 1; }
};

// All of them, in the order of the report.
absl::Span<const CopyPath> CopyPaths();

}  // namespace bench
}  // namespace conveyor

#endif  // CONVEYOR_BENCHMARKS_COPY_PATH_H_
