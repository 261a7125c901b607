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

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

namespace conveyor {
namespace bench {
namespace {

std::vector<uint8_t> Data(size_t num_bytes, uint64_t seed) {
  std::vector<uint8_t> data(num_bytes, 0);
  FillWithRandomData(data.data(), num_bytes, seed);
  return data;
}

TEST(RandomDataTest, TheSameForTheSameSeedOnly) {
  EXPECT_EQ(Data(1000, 1), Data(1000, 1));
  EXPECT_NE(Data(1000, 1), Data(1000, 2));
}

TEST(RandomDataTest, FillsEveryByteAndNoMore) {
  const std::vector<uint8_t> full = Data(64, 1);
  for (size_t size = 0; size < 20; ++size) {
    std::vector<uint8_t> data(size + 1, 0xA5);
    FillWithRandomData(data.data(), size, 1);
    for (size_t i = 0; i < size; ++i) EXPECT_EQ(data[i], full[i]) << i;
    EXPECT_EQ(data[size], 0xA5);
  }
}

TEST(RandomDataTest, NoTwoPlacesAreAlikeAndNoByteIsRare) {
  const std::vector<uint8_t> data = Data(1 << 16, 7);
  std::set<std::vector<uint8_t>> words;
  std::array<int, 256> count{};
  for (size_t i = 0; i < data.size(); ++i) {
    ++count[data[i]];
    if (i % 8 == 0) words.emplace(&data[i], &data[i] + 8);
  }
  EXPECT_EQ(words.size(), data.size() / 8);
  for (int i = 0; i < 256; ++i) {
    EXPECT_GT(count[i], 128) << i;  // 256 expected.
    EXPECT_LT(count[i], 512) << i;
  }
}

}  // namespace
}  // namespace bench
}  // namespace conveyor
