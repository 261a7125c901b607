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

#include "transfer/internal/host_limit.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

namespace conveyor {
namespace internal {
namespace {

// Empty if there is no such file.
std::string ReadFile(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file),
          std::istreambuf_iterator<char>()};
}

std::optional<uint64_t> ReadNumber(const std::string& path) {
  uint64_t number = 0;
  // "max" is no number: there is no limit.
  if (!absl::SimpleAtoi(ReadFile(path), &number)) return std::nullopt;
  return number;
}

// The number after `key` in lines of "key number" or "key: number kB".
std::optional<uint64_t> FindNumber(const std::string& text,
                                   absl::string_view key) {
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    if (!absl::ConsumePrefix(&line, key)) continue;
    absl::ConsumePrefix(&line, ":");
    uint64_t number = 0;
    if (absl::StartsWith(line, " ") &&
        absl::SimpleAtoi(
            *absl::StrSplit(absl::StripLeadingAsciiWhitespace(line), ' ')
                 .begin(),
            &number)) {
      return number;
    }
  }
  return std::nullopt;
}

// The files of one version of control groups.
struct Version {
  absl::string_view mount;
  absl::string_view limit;
  absl::string_view usage;
  // Page cache that is the first to be given back, of the group and below.
  absl::string_view cache_key;
};

constexpr Version kVersion1 = {"sys/fs/cgroup/memory", "memory.limit_in_bytes",
                               "memory.usage_in_bytes", "total_inactive_file"};
constexpr Version kVersion2 = {"sys/fs/cgroup", "memory.max", "memory.current",
                               "inactive_file"};

// Lowers `limit` to what the group and those around it allow.
void ApplyGroups(const std::string& root, const Version& version,
                 absl::string_view group, HostLimit* limit) {
  while (true) {
    const std::string folder = absl::StrCat(root, version.mount, group);
    const std::string file = absl::StrCat(folder, "/", version.limit);
    if (const auto max = ReadNumber(file)) {
      const uint64_t usage =
          ReadNumber(absl::StrCat(folder, "/", version.usage)).value_or(0);
      const uint64_t cache =
          FindNumber(ReadFile(absl::StrCat(folder, "/memory.stat")),
                     version.cache_key)
              .value_or(0);
      const uint64_t used = usage - std::min(usage, cache);
      const uint64_t available = *max - std::min(*max, used);
      if (available < limit->available_bytes) *limit = {available, file};
    }
    if (group.empty()) return;
    group = group.substr(0, group.rfind('/'));
  }
}

}  // namespace

HostLimit ReadHostLimit(const std::string& root) {
  HostLimit limit = {std::numeric_limits<size_t>::max(), "nothing known"};
  if (const auto kib = FindNumber(ReadFile(absl::StrCat(root, "proc/meminfo")),
                                  "MemAvailable")) {
    limit = {*kib << 10, "the host's memory"};
  }
  const std::string groups = ReadFile(absl::StrCat(root, "proc/self/cgroup"));
  for (const absl::string_view line : absl::StrSplit(groups, '\n')) {
    // hierarchy:controllers:path
    const std::vector<absl::string_view> fields =
        absl::StrSplit(line, absl::MaxSplits(':', 2));
    if (fields.size() != 3) continue;
    const absl::string_view group =
        fields[2] == "/" ? absl::string_view() : fields[2];
    if (fields[1].empty()) {
      ApplyGroups(root, kVersion2, group, &limit);
    } else if (absl::StrContains(absl::StrCat(",", fields[1], ","),
                                 ",memory,")) {
      ApplyGroups(root, kVersion1, group, &limit);
    }
  }
  return limit;
}

}  // namespace internal
}  // namespace conveyor
