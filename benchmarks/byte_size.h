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
// File: byte_size.h
// -----------------------------------------------------------------------------
//
// Sizes in bytes, as people write them: 4KiB, 64M, 1GiB.

#ifndef CONVEYOR_BENCHMARKS_BYTE_SIZE_H_
#define CONVEYOR_BENCHMARKS_BYTE_SIZE_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace conveyor {
namespace bench {

// A positive number of bytes, with one of the suffixes B, K, KiB, M, MiB, G,
// GiB, or none: K is 2^10, M 2^20, G 2^30. kInvalidArgument for anything else.
absl::StatusOr<int64_t> ParseByteSize(absl::string_view text);

// "4 KiB", "1.5 MiB", "1000 B": the largest unit that `num_bytes` has at least
// one of, with what of a fraction is not zero.
std::string FormatByteSize(int64_t num_bytes);

}  // namespace bench
}  // namespace conveyor

#endif  // CONVEYOR_BENCHMARKS_BYTE_SIZE_H_
