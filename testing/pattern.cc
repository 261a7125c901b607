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

#include "testing/pattern.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace conveyor {
namespace {

constexpr size_t kWordBytes = sizeof(uint64_t);

// The finalizer of splitmix64. It is a bijection: no two words of a pattern are
// equal, and Unmix finds the index of one.
constexpr uint64_t Mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

constexpr uint64_t UnshiftXor(uint64_t z, int shift) {
  uint64_t result = z;
  for (int known = shift; known < 64; known += shift) {
    result = z ^ (result >> shift);
  }
  return result;
}

constexpr uint64_t Unmix(uint64_t z) {
  z = UnshiftXor(z, 31) * 0x319642b2d24d8ec3u;
  z = UnshiftXor(z, 27) * 0x96de1b173f119089u;
  return UnshiftXor(z, 30);
}
static_assert(Unmix(Mix(0x0123456789abcdefu)) == 0x0123456789abcdefu, "");

// Different seeds start far apart in the same sequence.
constexpr uint64_t Start(uint64_t seed) {
  return Mix(seed + 0x9e3779b97f4a7c15u);
}

// How many bytes at the front of a range lie before its first whole word.
size_t HeadBytes(size_t num_bytes, uint64_t offset) {
  return std::min<uint64_t>(num_bytes,
                            (kWordBytes - offset % kWordBytes) % kWordBytes);
}

size_t CountWrongBytes(const unsigned char* src, size_t num_bytes,
                       uint64_t seed, uint64_t offset) {
  size_t wrong = 0;
  for (size_t i = 0; i < num_bytes; ++i) {
    wrong += src[i] != PatternByte(seed, offset + i);
  }
  return wrong;
}

// Where in the pattern the bytes at the front of `found` belong, in words;
// empty if nowhere below 1 TiB.
std::string Belongs(const unsigned char* found, size_t num_bytes,
                    uint64_t seed) {
  constexpr uint64_t kFarthestWord = uint64_t{1} << 37;
  for (size_t skip = 0; skip < kWordBytes; ++skip) {
    if (skip + kWordBytes > num_bytes) break;
    uint64_t word;
    std::memcpy(&word, found + skip, kWordBytes);
    const uint64_t index = Unmix(word) - Start(seed);
    if (index < kFarthestWord && index * kWordBytes >= skip) {
      return absl::StrCat("; what is there belongs at byte ",
                          index * kWordBytes - skip, " of the pattern");
    }
  }
  return "";
}

absl::Status Difference(const unsigned char* src, size_t num_bytes,
                        size_t first, uint64_t seed, uint64_t offset) {
  return absl::DataLossError(absl::StrFormat(
      "byte %d of %d (byte %d of pattern %d) is 0x%02x and should be 0x%02x; "
      "%d bytes are wrong%s",
      first, num_bytes, offset + first, seed, src[first],
      PatternByte(seed, offset + first),
      CountWrongBytes(src, num_bytes, seed, offset),
      Belongs(src + first, num_bytes - first, seed)));
}

}  // namespace

uint8_t PatternByte(uint64_t seed, uint64_t position) {
  const uint64_t word = Mix(Start(seed) + position / kWordBytes);
  unsigned char bytes[kWordBytes];
  std::memcpy(bytes, &word, kWordBytes);
  return bytes[position % kWordBytes];
}

void FillPattern(void* dst, size_t num_bytes, uint64_t seed, uint64_t offset) {
  unsigned char* const out = static_cast<unsigned char*>(dst);
  const size_t head = HeadBytes(num_bytes, offset);
  const size_t words = (num_bytes - head) / kWordBytes;
  const size_t tail = head + words * kWordBytes;
  for (size_t i = 0; i < head; ++i) out[i] = PatternByte(seed, offset + i);
  const uint64_t first_word = Start(seed) + (offset + head) / kWordBytes;
  for (size_t i = 0; i < words; ++i) {
    const uint64_t word = Mix(first_word + i);
    std::memcpy(out + head + i * kWordBytes, &word, kWordBytes);
  }
  for (size_t i = tail; i < num_bytes; ++i) {
    out[i] = PatternByte(seed, offset + i);
  }
}

absl::Status VerifyPattern(const void* src, size_t num_bytes, uint64_t seed,
                           uint64_t offset) {
  const unsigned char* const in = static_cast<const unsigned char*>(src);
  const size_t head = HeadBytes(num_bytes, offset);
  const size_t words = (num_bytes - head) / kWordBytes;
  const size_t tail = head + words * kWordBytes;
  for (size_t i = 0; i < head; ++i) {
    if (in[i] != PatternByte(seed, offset + i)) {
      return Difference(in, num_bytes, i, seed, offset);
    }
  }
  const uint64_t first_word = Start(seed) + (offset + head) / kWordBytes;
  for (size_t i = 0; i < words; ++i) {
    const uint64_t expected = Mix(first_word + i);
    uint64_t found;
    std::memcpy(&found, in + head + i * kWordBytes, kWordBytes);
    if (found != expected) {
      size_t first = head + i * kWordBytes;
      while (in[first] == PatternByte(seed, offset + first)) ++first;
      return Difference(in, num_bytes, first, seed, offset);
    }
  }
  for (size_t i = tail; i < num_bytes; ++i) {
    if (in[i] != PatternByte(seed, offset + i)) {
      return Difference(in, num_bytes, i, seed, offset);
    }
  }
  return absl::OkStatus();
}

}  // namespace conveyor
