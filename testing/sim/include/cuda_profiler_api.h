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
// File: cuda_profiler_api.h
// -----------------------------------------------------------------------------
//
// Profiler control. See cuda_runtime_api.h.

#ifndef CONVEYOR_TESTING_SIM_INCLUDE_CUDA_PROFILER_API_H_
#define CONVEYOR_TESTING_SIM_INCLUDE_CUDA_PROFILER_API_H_

#include "driver_types.h"

extern "C" {

cudaError_t cudaProfilerStart(void);
cudaError_t cudaProfilerStop(void);

}  // extern "C"

#endif  // CONVEYOR_TESTING_SIM_INCLUDE_CUDA_PROFILER_API_H_
