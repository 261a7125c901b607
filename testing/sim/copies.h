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
// File: copies.h
// -----------------------------------------------------------------------------
//
// What all calls that copy have in common: their arguments, and the work that
// they become.

#ifndef CONVEYOR_TESTING_SIM_COPIES_H_
#define CONVEYOR_TESTING_SIM_COPIES_H_

#include <cuda_runtime_api.h>

#include <cstddef>

#include "testing/sim/api.h"
#include "testing/sim/queue.h"
#include "testing/sim/registry.h"

namespace conveyor {
namespace sim {

// One end of a copy.
struct Side {
  MemoryKind kind = MemoryKind::kPageable;
  int device = 0;
  bool known = false;
  const Allocation* allocation = nullptr;  // That it is in, if it is known.

  bool on_device() const { return kind == MemoryKind::kDevice; }
  bool pageable() const { return kind == MemoryKind::kPageable; }
  bool managed() const { return kind == MemoryKind::kManaged; }
};

struct CopyRequest {
  void* dst;
  size_t dst_pitch;
  const void* src;
  size_t src_pitch;
  size_t width;
  size_t height;
  cudaMemcpyKind kind;
};

// Sets *side, and *address to where the host finds it. False if the range
// leaves the allocation that it begins in.
bool ResolveSide(Call& call, const void** address, size_t extent, Side* side);

// Checks the arguments of a copy of some bytes and makes the work of it.
cudaError_t MakeCopy(Call& call, CopyRequest request, Side* dst, Side* src,
                     Work* work);

// Whether a copy in `stream` that names no devices gets at that end. Of another
// device's memory only that of pools is out of reach.
bool ReachesPool(const Call& call, const Stream& stream, const Side& side);

// Replaces the source by a copy taken now.
void StageSource(Work* work);

}  // namespace sim
}  // namespace conveyor

#endif  // CONVEYOR_TESTING_SIM_COPIES_H_
