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

#include "transfer/internal/for_each_test_kernels.h"

#include <cuda_runtime_api.h>

#include <cstdint>

#include "third_party/cuda/launch.h"

namespace conveyor {
namespace internal {
namespace {

struct AddIndexAt {
  int64_t* values;
  __host__ __device__ void operator()(int64_t i) const { values[i] += i; }
};

struct MarkByteAt {
  uint8_t* flags;
  __host__ __device__ void operator()(int64_t i) const {
    flags[i] = static_cast<uint8_t>(i % 251);
  }
};

}  // namespace

cudaError_t AddIndex(LaunchStream stream, int64_t* values, int64_t n) {
  return ForEach(stream, n, AddIndexAt{values}, Reads(Range(values, n)),
                 Writes(Range(values, n)));
}

cudaError_t MarkBytes(LaunchStream stream, uint8_t* flags, int64_t n) {
  return ForEach(stream, n, MarkByteAt{flags}, Reads(),
                 Writes(Range(flags, n)));
}

}  // namespace internal
}  // namespace conveyor
