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

#include "benchmarks/byte_size.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"

namespace conveyor {
namespace bench {
namespace {

struct Unit {
  absl::string_view long_name;
  absl::string_view short_name;
  int64_t num_bytes;
};

// Largest first.
constexpr Unit kUnits[] = {
    {"GiB", "G", int64_t{1} << 30},
    {"MiB", "M", int64_t{1} << 20},
    {"KiB", "K", int64_t{1} << 10},
    {"B", "B", 1},
};

}  // namespace

absl::StatusOr<int64_t> ParseByteSize(absl::string_view text) {
  const size_t digits = text.find_first_not_of("0123456789");
  const absl::string_view suffix =
      digits == absl::string_view::npos ? "B" : text.substr(digits);
  int64_t number = 0;
  if (absl::SimpleAtoi(text.substr(0, digits), &number) && number > 0) {
    for (const Unit& unit : kUnits) {
      if (suffix != unit.long_name && suffix != unit.short_name) continue;
      if (number > std::numeric_limits<int64_t>::max() / unit.num_bytes) break;
      return number * unit.num_bytes;
    }
  }
  return absl::InvalidArgumentError(
      absl::StrCat("'", text, "' is no size: write 4096, 4KiB, 64MiB or 1GiB"));
}

std::string FormatByteSize(int64_t num_bytes) {
  for (const Unit& unit : kUnits) {
    if (num_bytes < unit.num_bytes) continue;
    return absl::StrFormat(
        "%.6g %s",
        static_cast<double>(num_bytes) / static_cast<double>(unit.num_bytes),
        unit.long_name);
  }
  return "0 B";
}

}  // namespace bench
}  // namespace conveyor
