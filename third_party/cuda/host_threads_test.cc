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

#include "third_party/cuda/host_threads.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "third_party/cuda/host_clock.h"

namespace conveyor {
namespace {

TEST(HostThreadTest, RunsAndIsJoined) {
  int ran = 0;
  HostThread thread([&ran] { ++ran; });
  thread.Join();
  EXPECT_EQ(ran, 1);
  thread.Join();
  {
    HostThread other([&ran] { ++ran; });
    HostThread moved(std::move(other));
  }
  EXPECT_EQ(ran, 2);
}

TEST(HostMutexTest, OneThreadAtATimeHoldsIt) {
  HostMutex mutex;
  bool held = false;
  int64_t count = 0;
  std::vector<HostThread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 500; ++n) {
        HostMutexLock lock(&mutex);
        EXPECT_FALSE(held);
        held = true;
        HostYield();
        ++count;
        held = false;
      }
    });
  }
  threads.clear();
  EXPECT_EQ(count, 2000);
}

// A queue of one place: every item that is put in comes out, in its order.
TEST(HostCondVarTest, HandsItemsFromThreadToThread) {
  HostMutex mutex;
  HostCondVar changed;
  int place = 0;
  HostThread producer([&] {
    for (int i = 1; i <= 500; ++i) {
      HostMutexLock lock(&mutex);
      while (place != 0) changed.Wait(&mutex);
      place = i;
      changed.NotifyOne();
    }
  });
  for (int i = 1; i <= 500; ++i) {
    HostMutexLock lock(&mutex);
    while (place == 0) changed.Wait(&mutex);
    ASSERT_EQ(place, i);
    place = 0;
    changed.NotifyOne();
  }
}

TEST(HostCondVarTest, NotifyAllWakesEverybody) {
  HostMutex mutex;
  HostCondVar changed;
  bool open = false;
  int through = 0;
  std::vector<HostThread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      HostMutexLock lock(&mutex);
      while (!open) changed.Wait(&mutex);
      ++through;
    });
  }
  {
    HostMutexLock lock(&mutex);
    open = true;
    changed.NotifyAll();
  }
  threads.clear();
  EXPECT_EQ(through, 4);
}

TEST(HostCondVarTest, AWaitEndsAtItsDeadline) {
  HostMutex mutex;
  HostCondVar changed;
  const int64_t deadline = HostNowNs() + 2000000;
  HostMutexLock lock(&mutex);
  while (changed.WaitUntil(&mutex, deadline)) {
  }
  EXPECT_GE(HostNowNs(), deadline);
}

TEST(HostCondVarTest, ADeadlineThatIsOverStillLetsTheMutexGo) {
  HostMutex mutex;
  HostCondVar changed;
  HostMutexLock lock(&mutex);
  EXPECT_FALSE(changed.WaitUntil(&mutex, HostNowNs() - 1));
}

TEST(HostSleepTest, SleepsSoLong) {
  const int64_t until = HostNowNs() + 2000000;
  HostSleepUntil(until);
  EXPECT_GE(HostNowNs(), until);
  HostSleepUntil(until);
}

TEST(HostYieldTest, AFlagOfAnotherThreadIsSeen) {
  std::atomic<bool> flag{false};
  HostThread thread([&flag] { flag = true; });
  while (!flag) HostYield();
}

TEST(HostCopyTest, CopiesWithAnyNumberOfThreads) {
  const size_t size = 100000;
  std::vector<char> from(size);
  for (size_t i = 0; i < size; ++i) from[i] = static_cast<char>(i * 7);
  std::vector<char> to(size);
  {
    std::vector<HostThread> threads;
    for (size_t i = 0; i < 4; ++i) {
      threads.emplace_back([&, i] {
        HostCopy(to.data() + i * size / 4, from.data() + i * size / 4,
                 size / 4);
      });
    }
  }
  EXPECT_EQ(from, to);
  HostCopy(nullptr, nullptr, 0);
}

}  // namespace
}  // namespace conveyor
