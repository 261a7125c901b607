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

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "testing/status_matchers.h"

namespace conveyor {
namespace {

using ::testing::HasSubstr;

std::vector<uint8_t> Pattern(size_t num_bytes, uint64_t seed,
                             uint64_t offset = 0) {
  std::vector<uint8_t> bytes(num_bytes);
  FillPattern(absl::MakeSpan(bytes), seed, offset);
  return bytes;
}

TEST(PatternTest, EveryAlignmentAndLengthOfAPartIsTheSameAsInTheWhole) {
  const std::vector<uint8_t> whole = Pattern(64, 3);
  for (size_t offset = 0; offset < 20; ++offset) {
    for (size_t size = 0; size <= 40; ++size) {
      SCOPED_TRACE(::testing::Message() << size << " bytes from " << offset);
      const std::vector<uint8_t> part = Pattern(size, 3, offset);
      EXPECT_EQ(part, std::vector<uint8_t>(whole.begin() + offset,
                                           whole.begin() + offset + size));
      EXPECT_OK(VerifyPattern(whole.data() + offset, size, 3, offset));
    }
  }
}

TEST(PatternTest, FillsNothingOutsideTheRange) {
  for (size_t misalignment = 0; misalignment < 8; ++misalignment) {
    std::vector<uint8_t> bytes(64, 0xee);
    FillPattern(bytes.data() + 8 + misalignment, 21, /*seed=*/1);
    for (size_t i = 0; i < bytes.size(); ++i) {
      if (i < 8 + misalignment || i >= 8 + misalignment + 21) {
        EXPECT_EQ(bytes[i], 0xee) << "byte " << i;
      }
    }
  }
}

TEST(PatternTest, AgreesWithPatternByteAtFarOffsets) {
  const uint64_t far = (uint64_t{1} << 40) + 5;
  const std::vector<uint8_t> bytes = Pattern(24, 9, far);
  for (size_t i = 0; i < bytes.size(); ++i) {
    EXPECT_EQ(bytes[i], PatternByte(9, far + i)) << "byte " << i;
  }
}

TEST(PatternTest, FindsAnySingleWrongByte) {
  const std::vector<uint8_t> right = Pattern(29, 4, /*offset=*/3);
  for (size_t i = 0; i < right.size(); ++i) {
    std::vector<uint8_t> wrong = right;
    wrong[i] ^= 0x01;
    EXPECT_THAT(VerifyPattern(absl::MakeSpan(wrong), 4, /*offset=*/3),
                StatusIs(absl::StatusCode::kDataLoss,
                         HasSubstr(absl::StrCat("byte ", i, " of 29 (byte ",
                                                i + 3, " of pattern 4)"))));
  }
}

TEST(PatternTest, TellsBothBytesAndHowManyAreWrong) {
  std::vector<uint8_t> bytes = Pattern(1000, 4);
  bytes[100] = PatternByte(4, 100) ^ 0xff;
  bytes[900] = PatternByte(4, 900) ^ 0xff;
  EXPECT_THAT(VerifyPattern(absl::MakeSpan(bytes), 4),
              StatusIs(absl::StatusCode::kDataLoss,
                       HasSubstr(absl::StrFormat(
                           "is 0x%02x and should be 0x%02x; 2 bytes are wrong",
                           bytes[100], PatternByte(4, 100)))));
}

TEST(PatternTest, TellsWhereAMisplacedChunkBelongs) {
  std::vector<uint8_t> bytes = Pattern(4096, 4);
  FillPattern(bytes.data() + 1024, 1024, 4, /*offset=*/3072);
  EXPECT_THAT(VerifyPattern(absl::MakeSpan(bytes), 4),
              StatusIs(absl::StatusCode::kDataLoss,
                       HasSubstr("what is there belongs at byte 3072 of")));
}

TEST(PatternTest, TellsWhereAShiftedChunkBelongs) {
  const std::vector<uint8_t> shifted = Pattern(64, 4, /*offset=*/1);
  EXPECT_THAT(VerifyPattern(absl::MakeSpan(shifted), 4),
              StatusIs(absl::StatusCode::kDataLoss,
                       HasSubstr("what is there belongs at byte 1 of")));
}

TEST(PatternTest, AnotherSeedOrZeroesDiffer) {
  const std::vector<uint8_t> other = Pattern(256, 5);
  EXPECT_THAT(VerifyPattern(absl::MakeSpan(other), 4),
              StatusIs(absl::StatusCode::kDataLoss));
  const std::vector<uint8_t> zeroes(256);
  EXPECT_THAT(VerifyPattern(absl::MakeSpan(zeroes), 4),
              StatusIs(absl::StatusCode::kDataLoss));
}

TEST(PatternTest, ElementsAreCountedAndOffsetsAreBytes) {
  std::vector<uint32_t> words(8);
  FillPattern(absl::MakeSpan(words), 6, /*offset=*/4);
  EXPECT_OK(VerifyPattern(absl::MakeConstSpan(words), 6, /*offset=*/4));
  uint8_t last;
  std::memcpy(&last, reinterpret_cast<uint8_t*>(words.data()) + 31, 1);
  EXPECT_EQ(last, PatternByte(6, 35));
}

TEST(PatternTest, NoBytesAreFine) {
  FillPattern(nullptr, 0, 1);
  EXPECT_OK(VerifyPattern(nullptr, 0, 1));
}

}  // namespace
}  // namespace conveyor
