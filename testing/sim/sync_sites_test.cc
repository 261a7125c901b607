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

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "gtest/gtest.h"

namespace conveyor {
namespace sim {
namespace {

// Two places, by their addresses.
void Here() {}
void There() {}

std::string OffsetOf(void (*place)()) {
  Dl_info info;
  if (dladdr(reinterpret_cast<void*>(place), &info) == 0) return "";
  std::ostringstream text;
  text << "0x" << std::hex
       << reinterpret_cast<uintptr_t>(place) -
              reinterpret_cast<uintptr_t>(info.dli_fbase);
  return text.str();
}

// The environment is read once, so this is one test.
TEST(SyncSitesTest, LogsEachPlaceOnceAndIgnoresTheListed) {
  const std::string log = ::testing::TempDir() + "/sync_sites.log";
  setenv("CONVEYOR_SIM_SYNC_LOG", log.c_str(), 1);
  setenv("CONVEYOR_SIM_IGNORE_SYNC", ("0x1," + OffsetOf(&Here)).c_str(), 1);

  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(IgnoresSync("cudaHere", reinterpret_cast<void*>(&Here)));
    EXPECT_FALSE(IgnoresSync("cudaThere", reinterpret_cast<void*>(&There)));
  }

  std::ifstream file(log);
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(), OffsetOf(&Here) + " cudaHere\n" + OffsetOf(&There) +
                            " cudaThere\n");
}

}  // namespace
}  // namespace sim
}  // namespace conveyor
