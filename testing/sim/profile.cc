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

#include "testing/sim/profile.h"

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <sstream>
#include <string>

#include "testing/sim/profile_texts.h"

namespace conveyor {
namespace sim {
namespace {

struct Field {
  const char* key;
  double Profile::*value;
};

struct ListField {
  const char* key;
  PerThreads Profile::*values;
};

#define CONVEYOR_SIM_FIELD(name) \
  { #name, &Profile::name }
constexpr Field kFields[] = {
    CONVEYOR_SIM_FIELD(devices),
    CONVEYOR_SIM_FIELD(memory_gib),
    CONVEYOR_SIM_FIELD(multiprocessors),
    CONVEYOR_SIM_FIELD(compute_capability),
    CONVEYOR_SIM_FIELD(copy_engines),
    CONVEYOR_SIM_FIELD(nvlink),
    CONVEYOR_SIM_FIELD(peer_access),
    CONVEYOR_SIM_FIELD(h2d_gb_per_s),
    CONVEYOR_SIM_FIELD(d2h_gb_per_s),
    CONVEYOR_SIM_FIELD(duplex_gb_per_s),
    CONVEYOR_SIM_FIELD(zero_copy_read_gb_per_s),
    CONVEYOR_SIM_FIELD(zero_copy_write_gb_per_s),
    CONVEYOR_SIM_FIELD(peer_gb_per_s),
    CONVEYOR_SIM_FIELD(peer_duplex_gb_per_s),
    CONVEYOR_SIM_FIELD(managed_in_gb_per_s),
    CONVEYOR_SIM_FIELD(managed_out_gb_per_s),
    CONVEYOR_SIM_FIELD(managed_peer_gb_per_s),
    CONVEYOR_SIM_FIELD(host_memory_gb_per_s),
    CONVEYOR_SIM_FIELD(device_memory_gb_per_s),
    CONVEYOR_SIM_FIELD(pageable_h2d_gb_per_s),
    CONVEYOR_SIM_FIELD(pageable_d2h_gb_per_s),
    CONVEYOR_SIM_FIELD(page_lock_gb_per_s),
    CONVEYOR_SIM_FIELD(host_alloc_gb_per_s),
    CONVEYOR_SIM_FIELD(first_touch_gb_per_s),
    CONVEYOR_SIM_FIELD(driver_touch_gb_per_s),
    CONVEYOR_SIM_FIELD(copy_gap_ns),
    CONVEYOR_SIM_FIELD(download_gap_ns),
    CONVEYOR_SIM_FIELD(batch_small_gap_ns),
    CONVEYOR_SIM_FIELD(batch_middle_gap_ns),
    CONVEYOR_SIM_FIELD(batch_large_gap_ns),
    CONVEYOR_SIM_FIELD(kernel_gap_ns),
    CONVEYOR_SIM_FIELD(host_function_ns),
    CONVEYOR_SIM_FIELD(call_ns),
    CONVEYOR_SIM_FIELD(pointer_query_ns),
    CONVEYOR_SIM_FIELD(copy_issue_ns),
    CONVEYOR_SIM_FIELD(kernel_issue_ns),
    CONVEYOR_SIM_FIELD(graph_issue_ns),
    CONVEYOR_SIM_FIELD(event_issue_ns),
    CONVEYOR_SIM_FIELD(query_ns),
    CONVEYOR_SIM_FIELD(wake_ns),
    CONVEYOR_SIM_FIELD(allocation_ns),
    CONVEYOR_SIM_FIELD(clock_ns),
    CONVEYOR_SIM_FIELD(queue_depth),
    CONVEYOR_SIM_FIELD(registered_alias),
    CONVEYOR_SIM_FIELD(concurrent_managed),
    CONVEYOR_SIM_FIELD(host_cores),
};
constexpr ListField kListFields[] = {
    CONVEYOR_SIM_FIELD(host_copy_gb_per_s),
    CONVEYOR_SIM_FIELD(streaming_copy_gb_per_s),
};
#undef CONVEYOR_SIM_FIELD

[[noreturn]] void Die(const std::string& message) {
  std::fprintf(stderr, "[conveyor] simulated machine: %s\n", message.c_str());
  std::exit(1);
}

// Whether `text` is `count` numbers with spaces between them.
bool ParseNumbers(const std::string& text, double* numbers, size_t count) {
  const char* rest = text.c_str();
  for (size_t i = 0; i < count; ++i) {
    char* end = nullptr;
    numbers[i] = std::strtod(rest, &end);
    if (end == rest) return false;
    rest = end;
  }
  return *rest == '\0';
}

Profile Parse(const std::string& name, const char* text) {
  Profile profile;
  profile.name = name;
  std::set<std::string> missing = {"gpu"};
  for (const Field& field : kFields) missing.insert(field.key);
  for (const ListField& field : kListFields) missing.insert(field.key);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line[0] == '#') continue;
    const size_t space = line.find(' ');
    const std::string key = line.substr(0, space);
    const std::string value =
        space == std::string::npos ? "" : line.substr(space + 1);
    if (missing.erase(key) == 0) {
      Die("profile " + name + ": unknown or repeated: " + line);
    }
    if (key == "gpu") {
      profile.gpu = value;
      continue;
    }
    for (const Field& field : kFields) {
      if (key == field.key &&
          !ParseNumbers(value, &(profile.*field.value), 1)) {
        Die("profile " + name + ": not a number: " + line);
      }
    }
    for (const ListField& field : kListFields) {
      PerThreads& values = profile.*field.values;
      if (key == field.key &&
          !ParseNumbers(value, values.data(), values.size())) {
        Die("profile " + name + ": not six numbers: " + line);
      }
    }
  }
  if (!missing.empty()) {
    Die("profile " + name + " lacks " + *missing.begin());
  }
  return profile;
}

}  // namespace

double RateOfThreads(const PerThreads& rates, int threads) {
  if (threads <= 1) return rates[0];
  int fewer = 1;
  for (size_t i = 1; i < rates.size(); ++i, fewer *= 2) {
    if (threads > 2 * fewer) continue;
    const double share = static_cast<double>(threads - fewer) / fewer;
    return rates[i - 1] + share * (rates[i] - rates[i - 1]);
  }
  return rates.back();
}

Profile LoadProfile(const std::string& name) {
  std::string names;
  for (const ProfileText& profile : kProfileTexts) {
    if (name == profile.name) return Parse(name, profile.text);
    names += std::string(" ") + profile.name;
  }
  Die("there is no profile '" + name + "'; CONVEYOR_SIM_PROFILE is one of" +
      names);
}

}  // namespace sim
}  // namespace conveyor
