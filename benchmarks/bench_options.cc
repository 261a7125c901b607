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

#include "benchmarks/bench_options.h"

#include <regex.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/status_macros.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/types/span.h"
#include "benchmarks/byte_size.h"

namespace conveyor {
namespace bench {
namespace {

constexpr int64_t kSmallest = 4096;
constexpr int64_t kLargest = int64_t{1} << 30;

std::vector<int64_t> PowersOf(int64_t factor) {
  std::vector<int64_t> sizes;
  for (int64_t size = kSmallest; size <= kLargest; size *= factor) {
    sizes.push_back(size);
  }
  return sizes;
}

absl::StatusOr<std::vector<int64_t>> ParseSizes(absl::string_view text) {
  if (text == "pow2") return PowersOf(2);
  if (text == "pow4") return PowersOf(4);
  std::vector<int64_t> sizes;
  for (absl::string_view item : absl::StrSplit(text, ',')) {
    ABSL_ASSIGN_OR_RETURN(const int64_t size, ParseByteSize(item));
    sizes.push_back(size);
  }
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

// A whole number of at least `least`.
absl::StatusOr<int> ParseCount(absl::string_view text, int least) {
  int number = 0;
  if (!absl::SimpleAtoi(text, &number) || number < least) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", text, "' is not a whole number of at least ", least));
  }
  return number;
}

// Sets the flag `name`, which has a value.
absl::Status SetFlag(absl::string_view name, absl::string_view value,
                     BenchOptions& options) {
  if (name == "json") {
    options.json_path = std::string(value);
  } else if (name == "targets") {
    options.targets = true;
    options.target_group = std::string(value);
  } else if (name == "filter") {
    ABSL_RETURN_IF_ERROR(Matches(std::string(value), "").status());
    options.filter = std::string(value);
  } else if (name == "sizes") {
    ABSL_ASSIGN_OR_RETURN(options.sizes, ParseSizes(value));
  } else if (name == "max_bytes") {
    ABSL_ASSIGN_OR_RETURN(options.max_bytes, ParseByteSize(value));
  } else if (name == "device") {
    ABSL_ASSIGN_OR_RETURN(options.device, ParseCount(value, 0));
  } else if (name == "pairs") {
    ABSL_ASSIGN_OR_RETURN(options.pairs, ParseCount(value, kMinPairs));
  } else {
    return absl::NotFoundError("");
  }
  return absl::OkStatus();
}

}  // namespace

absl::string_view BenchUsage() {
  return R"(conveyor bench: every copy of Conveyor beside the raw CUDA call.

  --json=FILE        also write the run as JSON, for tools
  --targets[=GROUP]  measure the targets alone (groups: one_gpu, one_host),
                     and fail if one is missed
  --filter=REGEX     only rows that match, as --filter='^h2d_' or
                     --filter='pinned/bytes:4096$'
  --sizes=LIST       sizes, as --sizes=4KiB,1MiB,1GiB; or pow4 (4 KiB to 1 GiB
                     in powers of four, the default) or pow2
  --max_bytes=SIZE   leave out larger sizes; 64MiB unless given on the simulated
                     machine
  --device=N         the GPU to measure, as CUDA counts them (0)
  --pairs=N          pairs of raw and ours for each row (20, the fewest)

Exit status: 0 if all is well, 1 if something failed, was wrong or a target of
--targets was missed, 2 for a bad command line.
)";
}

absl::StatusOr<BenchOptions> ParseBenchOptions(
    absl::Span<const absl::string_view> args) {
  BenchOptions options;
  options.sizes = PowersOf(4);
  bool chose_rows = false;
  for (absl::string_view arg : args) {
    if (arg == "--help" || arg == "-h") {
      options.help = true;
      continue;
    }
    if (arg == "--targets") {
      options.targets = true;
      continue;
    }
    const std::vector<absl::string_view> parts =
        absl::StrSplit(arg, absl::MaxSplits('=', 1));
    absl::string_view name = parts[0];
    if (!absl::ConsumePrefix(&name, "--")) {
      return absl::InvalidArgumentError(
          absl::StrCat("unexpected argument '", arg, "'"));
    }
    const bool has_value = parts.size() == 2 && !parts[1].empty();
    const absl::Status set =
        SetFlag(name, has_value ? parts[1] : absl::string_view(), options);
    if (absl::IsNotFound(set)) {
      return absl::InvalidArgumentError(absl::StrCat("unknown flag --", name));
    }
    if (!has_value) {
      return absl::InvalidArgumentError(
          absl::StrCat("--", name, " needs a value: --", name, "=..."));
    }
    if (!set.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("--", name, ": ", set.message()));
    }
    chose_rows = chose_rows || name == "filter" || name == "sizes";
  }
  if (options.targets && chose_rows) {
    return absl::InvalidArgumentError(
        "--targets measures rows of its own: leave out --filter and --sizes");
  }
  return options;
}

absl::StatusOr<bool> Matches(const std::string& pattern,
                             const std::string& text) {
  // Not std::regex, which throws.
  regex_t regex;
  const int error = regcomp(&regex, pattern.c_str(), REG_EXTENDED | REG_NOSUB);
  if (error != 0) {
    char message[128];
    regerror(error, &regex, message, sizeof(message));
    return absl::InvalidArgumentError(
        absl::StrCat("'", pattern, "' is no regular expression: ", message));
  }
  const bool matches = regexec(&regex, text.c_str(), 0, nullptr, 0) == 0;
  regfree(&regex);
  return matches;
}

}  // namespace bench
}  // namespace conveyor
