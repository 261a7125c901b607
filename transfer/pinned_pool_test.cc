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

#include "transfer/pinned_pool.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/status_macros.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "testing/devices.h"
#include "testing/pattern.h"
#include "testing/status_matchers.h"
#include "testing/stream_gate.h"
#include "third_party/cuda/host_threads.h"
#include "transfer/copy.h"
#include "transfer/device.h"
#include "transfer/device_buffer.h"
#include "transfer/stream.h"

namespace conveyor {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr size_t kBytes = 100000;
constexpr size_t kMiB = 1 << 20;

class PinnedPoolTest : public ::testing::Test {
 protected:
  void SetUp() override {
    CONVEYOR_REQUIRE_DEVICES(1);
    ASSERT_OK_AND_ASSIGN(Stream stream, Stream::Create(DeviceId(0)));
    stream_.emplace(std::move(stream));
    ASSERT_OK_AND_ASSIGN(pool_, MakePool({}));
  }

  static absl::StatusOr<std::optional<PinnedPool>> MakePool(
      const PinnedPoolOptions& options) {
    ABSL_ASSIGN_OR_RETURN(PinnedPool pool, PinnedPool::Create(options));
    return pool;
  }

  Stream& stream() { return *stream_; }

  std::optional<Stream> stream_;
  std::optional<PinnedPool> pool_;
};

TEST_F(PinnedPoolTest, ABlockIsPageLockedAndAsLargeAsAskedFor) {
  ASSERT_OK_AND_ASSIGN(PinnedBlock block, pool_->Acquire(kBytes));
  EXPECT_EQ(block.size_bytes(), kBytes);
  EXPECT_EQ(block.span().size(), kBytes);
  EXPECT_EQ(block.As<float>(kBytes / 4).size(), kBytes / 4);
  EXPECT_EQ(block.As<float>(kBytes).size(), kBytes / 4);
  cudaPointerAttributes attributes;
  ASSERT_EQ(cudaPointerGetAttributes(&attributes, block.data() + kBytes - 1),
            cudaSuccess);
  EXPECT_EQ(attributes.type, cudaMemoryTypeHost);
}

TEST_F(PinnedPoolTest, NoBytesAreOk) {
  ASSERT_OK_AND_ASSIGN(PinnedBlock block, pool_->Acquire(0));
  EXPECT_EQ(block.size_bytes(), 0u);
  EXPECT_EQ(block.data(), nullptr);
  EXPECT_OK(block.UsedOn(stream()));
  EXPECT_EQ(pool_->stats().reserved_bytes, 0u);
}

TEST_F(PinnedPoolTest, AFreeBlockIsUsedAgain) {
  const char* first = nullptr;
  {
    ASSERT_OK_AND_ASSIGN(PinnedBlock block, pool_->Acquire(3 * kMiB));
    first = block.data();
  }
  ASSERT_OK_AND_ASSIGN(PinnedBlock block, pool_->Acquire(3 * kMiB - 5));
  EXPECT_EQ(block.data(), first);
  EXPECT_EQ(pool_->stats().blocks_made, 1u);
  EXPECT_EQ(pool_->stats().blocks_reused, 1u);
}

// The block was given back, but a copy still reads it.
TEST_F(PinnedPoolTest, ABlockInUseIsNotHandedOut) {
  ASSERT_OK_AND_ASSIGN(auto device,
                       DeviceBuffer<char>::Create(3 * kMiB, DeviceId(0)));
  ASSERT_OK_AND_ASSIGN(StreamGate gate,
                       StreamGate::Hold(stream().ref().native()));
  const char* first = nullptr;
  {
    ASSERT_OK_AND_ASSIGN(PinnedBlock block, pool_->Acquire(3 * kMiB));
    first = block.data();
    FillPattern(block.data(), 3 * kMiB, /*seed=*/1);
    ASSERT_OK(CopyAsync(device, block.span(), stream()));
    ASSERT_OK(block.UsedOn(stream()));
  }
  {
    ASSERT_OK_AND_ASSIGN(PinnedBlock block, pool_->Acquire(3 * kMiB));
    EXPECT_NE(block.data(), first);
    std::memset(block.data(), 0xEE, 3 * kMiB);
  }
  gate.Open();
  std::vector<char> result(3 * kMiB);
  ASSERT_OK(Copy(result, device, stream()));
  EXPECT_OK(VerifyPattern(result.data(), result.size(), /*seed=*/1));
  EXPECT_FALSE(gate.timed_out());
}

TEST_F(PinnedPoolTest, ABlockIsFreeWhenEveryStreamIsDoneWithIt) {
  ASSERT_OK_AND_ASSIGN(Stream other, Stream::Create(DeviceId(0)));
  ASSERT_OK_AND_ASSIGN(StreamGate gate, StreamGate::Hold(other.ref().native()));
  const char* first = nullptr;
  {
    ASSERT_OK_AND_ASSIGN(PinnedBlock block, pool_->Acquire(3 * kMiB));
    first = block.data();
    ASSERT_OK(block.UsedOn(other));
    ASSERT_OK(block.UsedOn(stream()));
    ASSERT_OK(stream().ref().Synchronize());
  }
  ASSERT_OK_AND_ASSIGN(PinnedBlock second, pool_->Acquire(3 * kMiB));
  EXPECT_NE(second.data(), first);
  gate.Open();
  ASSERT_OK(other.ref().Synchronize());
  ASSERT_OK_AND_ASSIGN(PinnedBlock third, pool_->Acquire(3 * kMiB));
  EXPECT_EQ(third.data(), first);
}

// CUDA may give a new stream the handle of one that was destroyed with work.
TEST_F(PinnedPoolTest, TheUseOfADestroyedStreamCounts) {
  const char* first = nullptr;
  std::optional<StreamGate> gate;
  {
    ASSERT_OK_AND_ASSIGN(Stream doomed, Stream::Create(DeviceId(0)));
    ASSERT_OK_AND_ASSIGN(gate, StreamGate::Hold(doomed.ref().native()));
    ASSERT_OK_AND_ASSIGN(PinnedBlock block, pool_->Acquire(3 * kMiB));
    first = block.data();
    ASSERT_OK(block.UsedOn(doomed));
  }
  ASSERT_OK_AND_ASSIGN(Stream again, Stream::Create(DeviceId(0)));
  ASSERT_OK(again.ref().Synchronize());
  ASSERT_OK_AND_ASSIGN(PinnedBlock block, pool_->Acquire(3 * kMiB));
  EXPECT_NE(block.data(), first);
  gate->Open();
}

TEST_F(PinnedPoolTest, UseAgainAndAgainTakesOneEvent) {
  ASSERT_OK_AND_ASSIGN(PinnedBlock block, pool_->Acquire(kBytes));
  for (int i = 0; i < 1000; ++i) {
    ASSERT_OK(block.UsedOn(stream()));
    ASSERT_OK(stream().ref().Synchronize());
  }
}

TEST_F(PinnedPoolTest, WasteIsAnEighthOrAPage) {
  for (size_t size = 1; size < 40 * kMiB; size += size / 3 + 1) {
    ASSERT_OK_AND_ASSIGN(PinnedBlock block, pool_->Acquire(size));
    const PinnedPoolStats stats = pool_->stats();
    EXPECT_EQ(stats.requested_bytes, size);
    EXPECT_GE(stats.used_bytes, size);
    EXPECT_LE(stats.used_bytes, std::max(size + size / 8, size + 4095)) << size;
    block = PinnedBlock(std::move(block));
    ASSERT_OK(pool_->Trim());
  }
}

TEST_F(PinnedPoolTest, AFullPoolSaysHowToRaiseItsLimit) {
  ASSERT_OK_AND_ASSIGN(pool_, MakePool({{}, /*max_bytes=*/8 * kMiB, 2}));
  ASSERT_OK_AND_ASSIGN(PinnedBlock block, pool_->Acquire(5 * kMiB));
  const absl::Status full = pool_->Acquire(5 * kMiB).status();
  EXPECT_THAT(full, StatusIs(absl::StatusCode::kResourceExhausted,
                             AllOf(HasSubstr("5242880 bytes of host pinned"),
                                   HasSubstr("8388608"),
                                   HasSubstr("PinnedPoolOptions::max_bytes"))));
  EXPECT_THAT(pool_->Acquire(9 * kMiB),
              StatusIs(absl::StatusCode::kResourceExhausted));
  EXPECT_THAT(pool_->Acquire(~size_t{0}),
              StatusIs(absl::StatusCode::kResourceExhausted));
  EXPECT_EQ(pool_->stats().reserved_bytes, 5 * kMiB);
}

TEST_F(PinnedPoolTest, AFullPoolGivesUpOtherSizes) {
  ASSERT_OK_AND_ASSIGN(pool_, MakePool({{}, /*max_bytes=*/8 * kMiB, 2}));
  ASSERT_OK(pool_->Acquire(5 * kMiB).status());
  ASSERT_OK(pool_->Acquire(8 * kMiB).status());
  EXPECT_EQ(pool_->stats().reserved_bytes, 8 * kMiB);
}

TEST_F(PinnedPoolTest, AFullPoolWaitsForABlockThatWasGivenBack) {
  ASSERT_OK_AND_ASSIGN(pool_, MakePool({{}, /*max_bytes=*/8 * kMiB, 2}));
  ASSERT_OK_AND_ASSIGN(StreamGate gate,
                       StreamGate::Hold(stream().ref().native()));
  {
    ASSERT_OK_AND_ASSIGN(PinnedBlock block, pool_->Acquire(8 * kMiB));
    ASSERT_OK(block.UsedOn(stream()));
  }
  HostThread opener([&] { gate.Open(); });
  ASSERT_OK_AND_ASSIGN(PinnedBlock block, pool_->Acquire(8 * kMiB));
  EXPECT_THAT(stream().ref().Ready(), IsOkAndHolds(true));
  EXPECT_FALSE(gate.timed_out());
}

TEST_F(PinnedPoolTest, TrimReleasesWhatNobodyUses) {
  ASSERT_OK_AND_ASSIGN(PinnedBlock held, pool_->Acquire(3 * kMiB));
  ASSERT_OK(pool_->Acquire(5 * kMiB).status());
  ASSERT_OK(pool_->Acquire(kBytes).status());
  ASSERT_OK(pool_->Trim());
  EXPECT_EQ(pool_->stats().reserved_bytes, 3 * kMiB);
}

TEST_F(PinnedPoolTest, ABlockOutlivesItsPool) {
  ASSERT_OK_AND_ASSIGN(PinnedBlock block, pool_->Acquire(kBytes));
  pool_.reset();
  std::memset(block.data(), 1, kBytes);
}

TEST_F(PinnedPoolTest, APoolThatEndsWaitsForUse) {
  ASSERT_OK_AND_ASSIGN(auto device,
                       DeviceBuffer<char>::Create(kBytes, DeviceId(0)));
  ASSERT_OK_AND_ASSIGN(StreamGate gate,
                       StreamGate::Hold(stream().ref().native()));
  {
    ASSERT_OK_AND_ASSIGN(PinnedBlock block, pool_->Acquire(kBytes));
    FillPattern(block.data(), kBytes, /*seed=*/3);
    ASSERT_OK(CopyAsync(device, block.span(), stream()));
    ASSERT_OK(block.UsedOn(stream()));
  }
  HostThread opener([&] { gate.Open(); });
  pool_.reset();
  EXPECT_THAT(stream().ref().Ready(), IsOkAndHolds(true));
  std::vector<char> result(kBytes);
  ASSERT_OK(Copy(result, device, stream()));
  EXPECT_OK(VerifyPattern(result.data(), kBytes, /*seed=*/3));
}

TEST_F(PinnedPoolTest, ACaptureIsRefusedAndStaysValid) {
  ASSERT_OK_AND_ASSIGN(PinnedBlock block, pool_->Acquire(kBytes));
  ASSERT_EQ(cudaStreamBeginCapture(stream().ref().native(),
                                   cudaStreamCaptureModeGlobal),
            cudaSuccess);
  EXPECT_THAT(block.UsedOn(stream()),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("PinnedBlock::UsedOn")));
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamEndCapture(stream().ref().native(), &graph), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
}

TEST_F(PinnedPoolTest, OptionsAreChecked) {
  EXPECT_THAT(PinnedPool::Create({DeviceId(999), 0, 8}),
              StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(PinnedPool::Create({{}, 0, 0}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("touch_threads is 0")));
}

TEST_F(PinnedPoolTest, APoolNearADeviceWorksWhateverIsKnownOfItsNode) {
  ASSERT_OK_AND_ASSIGN(pool_, MakePool({DeviceId(0), 0, 8}));
  ASSERT_OK(pool_->Acquire(20 * kMiB).status());
  const PinnedPoolStats stats = pool_->stats();
  EXPECT_TRUE(!stats.numa_node.has_value() || *stats.numa_node >= 0);
  EXPECT_GT(stats.making, absl::ZeroDuration());
}

// Each thread fills a block, copies it away, gives it back, and checks later
// what has arrived: nobody else's bytes.
TEST_F(PinnedPoolTest, ThreadsShareIt) {
  ASSERT_OK_AND_ASSIGN(pool_, MakePool({{}, /*max_bytes=*/16 * kMiB, 2}));
  const auto work = [this](int thread) {
    ASSERT_OK_AND_ASSIGN(Stream stream, Stream::Create(DeviceId(0)));
    ASSERT_OK_AND_ASSIGN(auto device,
                         DeviceBuffer<char>::Create(kMiB, DeviceId(0)));
    std::vector<char> result(kMiB);
    for (int i = 0; i < 30; ++i) {
      const size_t size = kMiB - static_cast<size_t>(i * 1000 + thread);
      const auto seed = static_cast<uint64_t>(thread * 100 + i);
      {
        ASSERT_OK_AND_ASSIGN(PinnedBlock block, pool_->Acquire(size));
        FillPattern(block.data(), size, seed);
        ASSERT_OK(
            CopyAsync(device.span().subspan(0, size), block.span(), stream));
        ASSERT_OK(block.UsedOn(stream));
      }
      ASSERT_OK(Copy(absl::MakeSpan(result).first(size),
                     device.span().subspan(0, size), stream));
      ASSERT_OK(VerifyPattern(result.data(), size, seed));
    }
  };
  std::vector<HostThread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back([&work, i] { work(i); });
  threads.clear();
  EXPECT_EQ(pool_->stats().used_bytes, 0u);
}

}  // namespace
}  // namespace conveyor
