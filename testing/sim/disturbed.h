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
// File: disturbed.h
// -----------------------------------------------------------------------------
//
// Effects where links and peer writes do not do what they should.

#ifndef CONVEYOR_TESTING_SIM_DISTURBED_H_
#define CONVEYOR_TESTING_SIM_DISTURBED_H_

#include <cuda_runtime_api.h>

#include <cstddef>
#include <functional>
#include <map>
#include <vector>

#include "testing/sim/machine.h"
#include "testing/sim/queue.h"

namespace conveyor {
namespace sim {

// What other devices see in place of the pages of an allocation, because their
// writes went to a mirror: by device and offset.
struct Mirrors {
  std::map<int, std::map<size_t, std::vector<char>>> pages;
};

// All under the machine's lock.

// What the operation fails with because it passes a broken link, or
// cudaSuccess.
cudaError_t FindBrokenLink(const Work& work);

// Runs `effect`, which moves the bytes of `op`, a copy or a kernel, and makes
// of it what the faults in force do.
void RunDisturbed(Machine& machine, const Op& op,
                  const std::function<void()>& effect);

// Forgets all mirrors.
void ForgetMirrors(Machine& machine);

}  // namespace sim
}  // namespace conveyor

#endif  // CONVEYOR_TESTING_SIM_DISTURBED_H_
