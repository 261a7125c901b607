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
// File: managed.h
// -----------------------------------------------------------------------------
//
// Managed memory: what has been advised about its pages, and where they are.

#ifndef CONVEYOR_TESTING_SIM_MANAGED_H_
#define CONVEYOR_TESTING_SIM_MANAGED_H_

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>

namespace conveyor {
namespace sim {

constexpr size_t kManagedPageBytes = 4096;

// The bit of a device, or of the host (cudaCpuDeviceId), in a set of places.
constexpr uint64_t PlaceBit(int place) { return uint64_t{1} << (place + 1); }

constexpr cudaMemLocation kNoLocation = {cudaMemLocationTypeInvalid,
                                         cudaInvalidDeviceId};

struct PageState {
  bool read_mostly = false;
  cudaMemLocation preferred = kNoLocation;
  cudaMemLocation prefetched = kNoLocation;  // The last time.
  uint64_t accessed_by = 0;                  // A set of places.
  // The places that hold the bytes; several only if they are read mostly. Pages
  // begin with the host: that it fills them cannot be seen.
  uint64_t resident = PlaceBit(cudaCpuDeviceId);
};

// The pages of one allocation. Ranges are bytes from its beginning and stand
// for all pages that they touch. Guarded by the machine's lock.
class ManagedPages {
 public:
  explicit ManagedPages(size_t size);

  // As much as was asked for, in whole pages.
  size_t size() const { return size_; }

  // Calls the function for each run of pages of one state, with its bytes.
  void ForEach(size_t offset, size_t size,
               const std::function<void(const PageState&, size_t)>& function);
  void Update(size_t offset, size_t size,
              const std::function<void(PageState*, size_t)>& function);

 private:
  using Runs = std::map<size_t, PageState>;

  // The run that begins at the page boundary `offset`, which may be the end.
  Runs::iterator SplitAt(size_t offset);

  size_t size_;
  Runs runs_;  // By their first byte; the next one ends each.
};

}  // namespace sim
}  // namespace conveyor

#endif  // CONVEYOR_TESTING_SIM_MANAGED_H_
