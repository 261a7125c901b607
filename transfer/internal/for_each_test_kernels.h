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

// Kernels for for_each_test, and what a wrapper of a kernel looks like.

#ifndef CONVEYOR_TRANSFER_INTERNAL_FOR_EACH_TEST_KERNELS_H_
#define CONVEYOR_TRANSFER_INTERNAL_FOR_EACH_TEST_KERNELS_H_

#include <cuda_runtime_api.h>

#include <cstdint>

#include "third_party/cuda/launch.h"

namespace conveyor {
namespace internal {

// Adds i to values[i], for i in [0, n).
cudaError_t AddIndex(LaunchStream stream, int64_t* values, int64_t n);

// Sets flags[i] to i % 251, for i in [0, n).
cudaError_t MarkBytes(LaunchStream stream, uint8_t* flags, int64_t n);

}  // namespace internal
}  // namespace conveyor

#endif  // CONVEYOR_TRANSFER_INTERNAL_FOR_EACH_TEST_KERNELS_H_
