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

#include "testing/hardware/gpu_lease.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "testing/status_matchers.h"

namespace conveyor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr absl::Duration kNoWait = absl::ZeroDuration();
// Long enough for any machine; no test waits so long unless it fails.
constexpr absl::Duration kLong = absl::Seconds(60);

class GpuLeaseTest : public ::testing::Test {
 protected:
  GpuLeaseTest() {
    std::string name = ::testing::TempDir() + "/locksXXXXXX";
    directory_ = mkdtemp(name.data());
    setenv("CONVEYOR_GPU_LOCK_DIR", directory_.c_str(), 1);
  }
  ~GpuLeaseTest() override { unsetenv("CONVEYOR_GPU_LOCK_DIR"); }

  std::string directory_;
  const std::vector<std::string> gpus_ = {"GPU-a", "GPU-b", "GPU-c"};
};

// Another process, which takes GPUs, says so and holds them until it is killed.
// Made by fork alone, so it inherits the leases of the test: make it first.
class Holder {
 public:
  Holder(int count, const std::vector<std::string>& gpus) {
    int held[2];
    if (pipe(held) != 0) abort();
    pid_ = fork();
    if (pid_ == 0) {
      const absl::StatusOr<GpuLease> lease = GpuLease::Take(count, gpus, kLong);
      const char ok = lease.ok() ? '1' : '0';
      if (write(held[1], &ok, 1) != 1) _exit(1);
      while (true) pause();
    }
    close(held[1]);
    held_ = held[0];
  }
  ~Holder() { Kill(); }

  // Blocks until it has tried to take its GPUs. Whether it has them.
  bool WaitUntilHeld() {
    char ok = '0';
    return read(held_, &ok, 1) == 1 && ok == '1';
  }

  void Kill() {
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = 0;
    close(held_);
  }

 private:
  pid_t pid_;
  int held_;
};

TEST_F(GpuLeaseTest, TakesDifferentGpusAndGivesThemBack) {
  {
    ASSERT_OK_AND_ASSIGN(const GpuLease two, GpuLease::Take(2, gpus_, kNoWait));
    EXPECT_THAT(two.uuids(), ElementsAre("GPU-a", "GPU-b"));
    EXPECT_EQ(two.VisibleDevices(), "GPU-a,GPU-b");
    ASSERT_OK_AND_ASSIGN(const GpuLease one, GpuLease::Take(1, gpus_, kNoWait));
    EXPECT_THAT(one.uuids(), ElementsAre("GPU-c"));
  }
  ASSERT_OK_AND_ASSIGN(const GpuLease all, GpuLease::Take(3, gpus_, kNoWait));
  EXPECT_EQ(all.VisibleDevices(), "GPU-a,GPU-b,GPU-c");
}

TEST_F(GpuLeaseTest, TooFewGpusIsNotBusyGpus) {
  EXPECT_THAT(GpuLease::Take(4, gpus_, kNoWait),
              StatusIs(absl::StatusCode::kResourceExhausted,
                       HasSubstr("4 GPUs are needed, and there are 3")));
}

TEST_F(GpuLeaseTest, NoGpusAreFine) {
  ASSERT_OK_AND_ASSIGN(const GpuLease none, GpuLease::Take(0, {}, kNoWait));
  EXPECT_THAT(none.uuids(), IsEmpty());
}

TEST_F(GpuLeaseTest, AnotherProcessHoldsItsGpus) {
  Holder holder(2, gpus_);
  ASSERT_TRUE(holder.WaitUntilHeld());
  EXPECT_THAT(GpuLease::Take(2, gpus_, kNoWait),
              StatusIs(absl::StatusCode::kDeadlineExceeded));
  ASSERT_OK_AND_ASSIGN(const GpuLease rest, GpuLease::Take(1, gpus_, kNoWait));
  EXPECT_THAT(rest.uuids(), ElementsAre("GPU-c"));
}

TEST_F(GpuLeaseTest, AKilledHolderHoldsNothing) {
  Holder holder(3, gpus_);
  ASSERT_TRUE(holder.WaitUntilHeld());
  EXPECT_THAT(GpuLease::Take(1, gpus_, kNoWait),
              StatusIs(absl::StatusCode::kDeadlineExceeded));
  holder.Kill();
  EXPECT_THAT(GpuLease::Take(3, gpus_, kNoWait), IsOk());
}

TEST_F(GpuLeaseTest, OneAfterTheOtherGetsAllGpus) {
  Holder first(3, gpus_);
  ASSERT_TRUE(first.WaitUntilHeld());
  Holder second(3, gpus_);
  first.Kill();
  EXPECT_TRUE(second.WaitUntilHeld());
}

TEST_F(GpuLeaseTest, OtherUsersCanLockTheFiles) {
  const mode_t before = umask(0077);
  const absl::StatusOr<GpuLease> lease = GpuLease::Take(1, gpus_, kNoWait);
  umask(before);
  ASSERT_OK(lease);
  for (const char* name : {"/conveyor-gpus.lock", "/conveyor-gpu-GPU-a.lock"}) {
    struct stat info;
    ASSERT_EQ(stat((directory_ + name).c_str(), &info), 0) << name;
    EXPECT_EQ(info.st_mode & 0777, 0644) << name;
  }
}

TEST_F(GpuLeaseTest, FailsWithTheReasonWhereThereIsNoDirectory) {
  setenv("CONVEYOR_GPU_LOCK_DIR", (directory_ + "/none").c_str(), 1);
  EXPECT_THAT(GpuLease::Take(1, gpus_, kNoWait),
              StatusIs(absl::StatusCode::kInternal,
                       HasSubstr("none/conveyor-gpus.lock")));
}

}  // namespace
}  // namespace conveyor
