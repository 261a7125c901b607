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

#include "testing/sim/sync_sites.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <set>

namespace conveyor {
namespace sim {
namespace {

// Never destroyed, as the machine.
struct Sites {
  Sites() : log(std::getenv("CONVEYOR_SIM_SYNC_LOG")) {
    const char* list = std::getenv("CONVEYOR_SIM_IGNORE_SYNC");
    while (list != nullptr && *list != '\0') {
      char* end = nullptr;
      ignored.insert(std::strtoull(list, &end, 16));
      list = *end == ',' ? end + 1 : nullptr;
    }
  }

  const char* log;
  std::set<uintptr_t> ignored;
  std::mutex mutex;  // Guards `logged`.
  std::set<uintptr_t> logged;
};

Sites* TheSites() {
  static Sites* const sites =
      std::getenv("CONVEYOR_SIM_SYNC_LOG") != nullptr ||
              std::getenv("CONVEYOR_SIM_IGNORE_SYNC") != nullptr
          ? new Sites
          : nullptr;
  return sites;
}

// One write, so that processes that share the file do not mix their lines.
void Append(const char* path, const char* call, uintptr_t offset) {
  char line[128];
  const int size = std::snprintf(line, sizeof(line), "0x%llx %s\n",
                                 static_cast<unsigned long long>(offset), call);
  const int file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
  if (file < 0 || write(file, line, static_cast<size_t>(size)) != size) {
    std::perror("CONVEYOR_SIM_SYNC_LOG");
    std::abort();  // A log that lacks a place would say that nothing comes by.
  }
  close(file);
}

}  // namespace

bool IgnoresSync(const char* call, const void* caller) {
  Sites* const sites = TheSites();
  if (sites == nullptr) return false;
  Dl_info info;
  if (dladdr(caller, &info) == 0) return false;
  const uintptr_t offset = reinterpret_cast<uintptr_t>(caller) -
                           reinterpret_cast<uintptr_t>(info.dli_fbase);
  if (sites->log != nullptr) {
    const std::lock_guard<std::mutex> lock(sites->mutex);
    if (sites->logged.insert(offset).second) Append(sites->log, call, offset);
  }
  return sites->ignored.count(offset) != 0;
}

}  // namespace sim
}  // namespace conveyor
