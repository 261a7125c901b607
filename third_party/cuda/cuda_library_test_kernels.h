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
// File: cuda_library_test_kernels.h
// -----------------------------------------------------------------------------
//
// A kernel for cuda_library_test.

#ifndef CONVEYOR_THIRD_PARTY_CUDA_CUDA_LIBRARY_TEST_KERNELS_H_
#define CONVEYOR_THIRD_PARTY_CUDA_CUDA_LIBRARY_TEST_KERNELS_H_

#include <cuda_runtime_api.h>

#include <cstdint>

#include "third_party/cuda/launch.h"

namespace conveyor {

// Writes 3 * i + offset to out[i], on `stream`.
cudaError_t Triple(LaunchStream stream, int64_t* out, int64_t n,
                   int64_t offset);

}  // namespace conveyor

#endif  // CONVEYOR_THIRD_PARTY_CUDA_CUDA_LIBRARY_TEST_KERNELS_H_
