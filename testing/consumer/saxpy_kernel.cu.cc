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

#include "saxpy_kernel.h"

#include <cstdint>

#include "third_party/cuda/launch.h"

namespace consumer {
namespace {

struct SaxpyElement {
  float a;
  const float* x;
  float* y;
  __host__ __device__ void operator()(int64_t i) const { y[i] += a * x[i]; }
};

}  // namespace

cudaError_t Saxpy(conveyor::LaunchStream stream, float a, const float* x,
                  float* y, int64_t n) {
  return conveyor::ForEach(
      stream, n, SaxpyElement{a, x, y},
      conveyor::Reads(conveyor::Range(x, n), conveyor::Range(y, n)),
      conveyor::Writes(conveyor::Range(y, n)));
}

}  // namespace consumer
