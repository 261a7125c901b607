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
// File: pattern.h
// -----------------------------------------------------------------------------
//
// Bytes that tell where they belong. Every 8 bytes of a pattern follow from its
// seed and their position, so that a chunk that is missing, misplaced, shifted
// or of another copy shows as a difference.
//
//   FillPattern(absl::MakeSpan(src), /*seed=*/1);
//   ...  // copy to a device and back
//   EXPECT_OK(VerifyPattern(absl::MakeConstSpan(dst), /*seed=*/1));
//
// A part of a pattern is filled and verified by `offset`, the position of its
// first byte in the pattern, in bytes.
//
// Patterns live in host memory; a managed or mapped range is host memory too.
// All functions are thread-safe for distinct ranges.

#ifndef CONVEYOR_TESTING_PATTERN_H_
#define CONVEYOR_TESTING_PATTERN_H_

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "absl/status/status.h"
#include "absl/types/span.h"

namespace conveyor {

// The byte at `position` of the pattern `seed`.
uint8_t PatternByte(uint64_t seed, uint64_t position);

// Fills `num_bytes` bytes at `dst`, of any alignment, with the pattern `seed`
// from byte `offset` of it on. Zero bytes are fine.
void FillPattern(void* dst, size_t num_bytes, uint64_t seed,
                 uint64_t offset = 0);

// OK if the `num_bytes` bytes at `src` are those of the pattern `seed` from
// byte `offset` of it on; else kDataLoss. The message has the offset in `src`
// of the first wrong byte, both bytes there, how many bytes are wrong, and, if
// what is found there belongs to another place of the same pattern, which.
absl::Status VerifyPattern(const void* src, size_t num_bytes, uint64_t seed,
                           uint64_t offset = 0);

// The same for elements. `offset` is in bytes here too.
template <typename T>
void FillPattern(absl::Span<T> dst, uint64_t seed, uint64_t offset = 0) {
  static_assert(std::is_trivially_copyable<T>::value,
                "a pattern is written over the bytes of an element");
  FillPattern(static_cast<void*>(dst.data()), dst.size() * sizeof(T), seed,
              offset);
}

template <typename T>
absl::Status VerifyPattern(absl::Span<T> src, uint64_t seed,
                           uint64_t offset = 0) {
  return VerifyPattern(static_cast<const void*>(src.data()),
                       src.size() * sizeof(T), seed, offset);
}

}  // namespace conveyor

#endif  // CONVEYOR_TESTING_PATTERN_H_
