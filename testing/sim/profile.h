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
// File: profile.h
// -----------------------------------------------------------------------------
//
// What a simulated machine is made of: the figures of profiles/*.txt.

#ifndef CONVEYOR_TESTING_SIM_PROFILE_H_
#define CONVEYOR_TESTING_SIM_PROFILE_H_

#include <array>
#include <cstddef>
#include <string>

namespace conveyor {
namespace sim {

// What 1, 2, 4, 8, 16 and 32 threads get together.
using PerThreads = std::array<double, 6>;

// Primitive figures; what they mean stands beside them in profiles/h200x2.txt.
struct Profile {
  std::string name;
  std::string gpu;
  double devices;
  double memory_gib;
  double multiprocessors;
  double compute_capability;
  double copy_engines;
  double nvlink;
  double peer_access;
  double h2d_gb_per_s;
  double d2h_gb_per_s;
  double duplex_gb_per_s;
  double zero_copy_read_gb_per_s;
  double zero_copy_write_gb_per_s;
  double peer_gb_per_s;
  double peer_duplex_gb_per_s;
  double managed_in_gb_per_s;
  double managed_out_gb_per_s;
  double managed_peer_gb_per_s;
  double host_memory_gb_per_s;
  double device_memory_gb_per_s;
  double pageable_h2d_gb_per_s;
  double pageable_d2h_gb_per_s;
  double page_lock_gb_per_s;
  double host_alloc_gb_per_s;
  double first_touch_gb_per_s;
  double driver_touch_gb_per_s;
  double copy_gap_ns;
  double download_gap_ns;
  double batch_small_gap_ns;
  double batch_middle_gap_ns;
  double batch_large_gap_ns;
  double kernel_gap_ns;
  double host_function_ns;
  double call_ns;
  double pointer_query_ns;
  double copy_issue_ns;
  double kernel_issue_ns;
  double graph_issue_ns;
  double event_issue_ns;
  double query_ns;
  double wake_ns;
  double allocation_ns;
  double clock_ns;
  double queue_depth;
  double registered_alias;
  double concurrent_managed;
  double host_cores;
  PerThreads host_copy_gb_per_s;
  PerThreads streaming_copy_gb_per_s;

  int device_count() const { return static_cast<int>(devices); }
  size_t memory_bytes() const {
    return static_cast<size_t>(memory_gib * (1 << 30));
  }
};

// What `threads` threads get together that copy at the same time within the
// host's memory, in GB/s: between the counts of the profile in proportion,
// beyond 32 no more. `rates` is host_copy_gb_per_s or streaming_copy_gb_per_s.
double RateOfThreads(const PerThreads& rates, int threads);

// The profile of that name. Ends the process with the names there are if it is
// unknown, or with the fault if its text is not complete.
Profile LoadProfile(const std::string& name);

}  // namespace sim
}  // namespace conveyor

#endif  // CONVEYOR_TESTING_SIM_PROFILE_H_
