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
// File: saxpy_kernel.h
// -----------------------------------------------------------------------------
//
// The kernel of saxpy.h.

#ifndef CONVEYOR_CONSUMER_SAXPY_KERNEL_H_
#define CONVEYOR_CONSUMER_SAXPY_KERNEL_H_

#include <cuda_runtime_api.h>

#include <cstdint>

#include "third_party/cuda/launch.h"

namespace consumer {

// y[i] += a * x[i] for i in [0, n), on `stream`.
cudaError_t Saxpy(conveyor::LaunchStream stream, float a, const float* x,
                  float* y, int64_t n);

}  // namespace consumer

#endif  // CONVEYOR_CONSUMER_SAXPY_KERNEL_H_
