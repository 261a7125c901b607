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

#include "third_party/cuda/cuda_library_test_kernels.h"

#include <cstdint>

#include "third_party/cuda/launch.h"

namespace conveyor {
namespace {

struct TripleElement {
  int64_t* out;
  int64_t offset;
  __host__ __device__ void operator()(int64_t i) const {
    out[i] = 3 * i + offset;
  }
};

}  // namespace

cudaError_t Triple(LaunchStream stream, int64_t* out, int64_t n,
                   int64_t offset) {
  return ForEach(stream, n, TripleElement{out, offset}, Reads(),
                 Writes(Range(out, n)));
}

}  // namespace conveyor
