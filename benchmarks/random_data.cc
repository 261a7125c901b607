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

#include "benchmarks/random_data.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace conveyor {
namespace bench {

void FillWithRandomData(void* out, size_t num_bytes, uint64_t seed) {
  char* const bytes = static_cast<char*>(out);
  // SplitMix64: words of a counter, mixed.
  for (size_t i = 0; i < num_bytes; i += sizeof(uint64_t)) {
    uint64_t word = seed + (i / sizeof(uint64_t) + 1) * 0x9e3779b97f4a7c15;
    word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9;
    word = (word ^ (word >> 27)) * 0x94d049bb133111eb;
    word ^= word >> 31;
    std::memcpy(bytes + i, &word, std::min(sizeof(word), num_bytes - i));
  }
}

}  // namespace bench
}  // namespace conveyor
