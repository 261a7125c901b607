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
// File: random_data.h
// -----------------------------------------------------------------------------
//
// Incompressible bytes: a link or a memory that compresses gains nothing, and a
// piece that lands in the wrong place is seen.

#ifndef CONVEYOR_BENCHMARKS_RANDOM_DATA_H_
#define CONVEYOR_BENCHMARKS_RANDOM_DATA_H_

#include <cstddef>
#include <cstdint>

namespace conveyor {
namespace bench {

// Fills `num_bytes` from `out` on with pseudo-random bytes, the same for the
// same seed.
void FillWithRandomData(void* out, size_t num_bytes, uint64_t seed);

}  // namespace bench
}  // namespace conveyor

#endif  // CONVEYOR_BENCHMARKS_RANDOM_DATA_H_
