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

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace conveyor {
namespace internal {
namespace {

using ::testing::EndsWith;

// A tree of files in place of /proc and /sys.
class HostLimitTest : public ::testing::Test {
 protected:
  HostLimitTest() {
    const auto* const test =
        ::testing::UnitTest::GetInstance()->current_test_info();
    root_ = ::testing::TempDir() + "/" + test->name() + "/";
  }

  void Write(const std::string& path, const std::string& text) {
    const std::filesystem::path file = root_ + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }

  std::string root_;
};

TEST_F(HostLimitTest, TheHostsMemoryIsTheLimit) {
  Write("proc/meminfo", "MemTotal: 900 kB\nMemAvailable:   500 kB\n");
  EXPECT_EQ(ReadHostLimit(root_).available_bytes, 500u << 10);
  EXPECT_EQ(ReadHostLimit(root_).source, "the host's memory");
}

TEST_F(HostLimitTest, NothingKnownIsNoLimit) {
  EXPECT_EQ(ReadHostLimit(root_).available_bytes,
            std::numeric_limits<size_t>::max());
}

TEST_F(HostLimitTest, AControlGroupLowersIt) {
  Write("proc/meminfo", "MemAvailable: 1000000 kB\n");
  Write("proc/self/cgroup", "0::/box/inner\n");
  Write("sys/fs/cgroup/box/inner/memory.max", "max\n");
  Write("sys/fs/cgroup/box/memory.max", "1000000\n");
  Write("sys/fs/cgroup/box/memory.current", "400000\n");
  EXPECT_EQ(ReadHostLimit(root_).available_bytes, 600000u);
  EXPECT_THAT(ReadHostLimit(root_).source, EndsWith("cgroup/box/memory.max"));
}

// A container often sees its own group as the root.
TEST_F(HostLimitTest, TheRootGroupCounts) {
  Write("proc/self/cgroup", "0::/\n");
  Write("sys/fs/cgroup/memory.max", "5000\n");
  EXPECT_EQ(ReadHostLimit(root_).available_bytes, 5000u);
}

TEST_F(HostLimitTest, PageCacheIsAvailable) {
  Write("proc/self/cgroup", "0::/box\n");
  Write("sys/fs/cgroup/box/memory.max", "1000\n");
  Write("sys/fs/cgroup/box/memory.current", "900\n");
  Write("sys/fs/cgroup/box/memory.stat",
        "anon 200\ninactive_file 600\nactive_file 100\n");
  EXPECT_EQ(ReadHostLimit(root_).available_bytes, 700u);
}

TEST_F(HostLimitTest, AGroupOverItsLimitLeavesNothing) {
  Write("proc/self/cgroup", "0::/box\n");
  Write("sys/fs/cgroup/box/memory.max", "1000\n");
  Write("sys/fs/cgroup/box/memory.current", "1200\n");
  EXPECT_EQ(ReadHostLimit(root_).available_bytes, 0u);
}

TEST_F(HostLimitTest, GroupsOfVersionOneCount) {
  Write("proc/self/cgroup", "7:cpu,cpuacct:/a\n4:hugetlb,memory:/box\n");
  Write("sys/fs/cgroup/memory/box/memory.limit_in_bytes", "1000\n");
  Write("sys/fs/cgroup/memory/box/memory.usage_in_bytes", "500\n");
  Write("sys/fs/cgroup/memory/box/memory.stat", "total_inactive_file 100\n");
  EXPECT_EQ(ReadHostLimit(root_).available_bytes, 600u);
}

TEST_F(HostLimitTest, ThisMachineHasMemory) {
  EXPECT_GT(ReadHostLimit().available_bytes, 0u);
}

}  // namespace
}  // namespace internal
}  // namespace conveyor
