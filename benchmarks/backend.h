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
// File: backend.h
// -----------------------------------------------------------------------------
//
// Which machine answers: a real one, or the simulated one.

#ifndef CONVEYOR_BENCHMARKS_BACKEND_H_
#define CONVEYOR_BENCHMARKS_BACKEND_H_

#include <cuda_runtime_api.h>

#include "absl/strings/string_view.h"

namespace conveyor {
namespace bench {

#ifdef CONVEYOR_SIMULATED_CUDART
inline constexpr bool kSimulated = true;
#else
inline constexpr bool kSimulated = false;
#endif

// "cuda" or "simulated", as in the JSON of a run.
inline constexpr absl::string_view kBackend = kSimulated ? "simulated" : "cuda";

}  // namespace bench
}  // namespace conveyor

#endif  // CONVEYOR_BENCHMARKS_BACKEND_H_
