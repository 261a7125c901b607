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

// The thin layer when calls of the CUDA runtime fail: every failure is reported
// by name, and nothing is lost or leaked.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "testing/sim/sim.h"
#include "testing/status_matchers.h"
#include "transfer/copy.h"
#include "transfer/device.h"
#include "transfer/device_buffer.h"
#include "transfer/event.h"
#include "transfer/managed_buffer.h"
#include "transfer/mapped_buffer.h"
#include "transfer/memory_kind.h"
#include "transfer/pinned_buffer.h"
#include "transfer/pinned_pool.h"
#include "transfer/stager.h"
#include "transfer/stream.h"
#include "transfer/timer.h"
#include "transfer/transfer.h"
#include "transfer/transfer_stats.h"

namespace conveyor {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr DeviceId kDevice(0);

// One way to use the thin layer, and a CUDA call that it makes.
struct FaultCase {
  std::string name;
  std::string call;
  std::function<absl::Status(StreamRef)> use;
};

absl::Status CopyUpAndDown(StreamRef stream) {
  auto device = DeviceBuffer<int>::Create(1000, kDevice);
  if (!device.ok()) return device.status();
  std::vector<int> host(1000);
  if (absl::Status up = Copy(*device, host, stream); !up.ok()) return up;
  return Copy(host, *device, stream);
}

absl::Status CopyRows(StreamRef stream) {
  auto device = DeviceBuffer<int>::Create(1000, kDevice);
  if (!device.ok()) return device.status();
  std::vector<int> host(1000);
  return Copy2D(WithPitch(*device, 40), WithPitch(host, 80), 10, 12, stream);
}

absl::Status TimeSomething(StreamRef stream) {
  auto timer = Timer::Create(stream);
  if (!timer.ok()) return timer.status();
  if (absl::Status start = timer->Start(); !start.ok()) return start;
  if (absl::Status stop = timer->Stop(); !stop.ok()) return stop;
  return timer->Wait(1).status();
}

absl::Status CountSomething(StreamRef stream) {
  auto stats = TransferStats::Create(stream);
  if (!stats.ok()) return stats.status();
  auto interval = stats->BeginTransfer(stream);
  if (!interval.ok()) return interval.status();
  if (absl::Status end = stats->End(*interval); !end.ok()) return end;
  return stats->Wait().status();
}

absl::Status WaitForAnEvent(StreamRef stream) {
  auto event = Event::Create(kDevice);
  if (!event.ok()) return event.status();
  if (absl::Status record = event->Record(stream); !record.ok()) return record;
  if (absl::Status wait = StreamWaitEvent(stream, *event); !wait.ok()) {
    return wait;
  }
  if (auto ready = event->Ready(); !ready.ok()) return ready.status();
  return event->Synchronize();
}

absl::Status MapMemory(StreamRef) {
  auto mapped = MappedBuffer<int>::Create(10);
  if (!mapped.ok()) return mapped.status();
  return mapped->DevicePointer(kDevice).status();
}

absl::Status InspectMemory(StreamRef) {
  int local = 0;
  return InspectPointer(&local).status();
}

absl::Status StageUpAndDown(StreamRef stream) {
  auto device = DeviceBuffer<int>::Create(1 << 18, kDevice);
  if (!device.ok()) return device.status();
  std::vector<int> host(1 << 18);
  StagerOptions options;
  options.ring_bytes = 256 << 10;
  options.slot_bytes = 64 << 10;
  auto stager = Stager::Create(options);
  if (!stager.ok()) return stager.status();
  auto up = stager->UploadAsync(*device, host, stream);
  if (!up.ok()) return up.status();
  if (absl::Status done = up->Wait(); !done.ok()) return done;
  auto down = stager->DownloadAsync(host, *device, stream);
  if (!down.ok()) return down.status();
  return down->Wait();
}

absl::Status UsePooledMemory(StreamRef stream) {
  auto pool = PinnedPool::Create({});
  if (!pool.ok()) return pool.status();
  auto block = pool->Acquire(1000);
  if (!block.ok()) return block.status();
  return block->UsedOn(stream);
}

std::vector<FaultCase> FaultCases() {
  return {
      {"StagedMemcpy", "cudaMemcpyAsync", StageUpAndDown},
      {"StagedRecord", "cudaEventRecord", StageUpAndDown},
      {"StagedQuery", "cudaEventQuery", StageUpAndDown},
      {"StagerRegister", "cudaHostRegister", StageUpAndDown},
      {"StagerStream", "cudaStreamCreateWithFlags", StageUpAndDown},
      {"PoolRegister", "cudaHostRegister", UsePooledMemory},
      {"PoolRecord", "cudaEventRecord", UsePooledMemory},
      {"Malloc", "cudaMalloc", CopyUpAndDown},
      {"Memcpy", "cudaMemcpyAsync", CopyUpAndDown},
      {"Synchronize", "cudaStreamSynchronize", CopyUpAndDown},
      {"IsCapturing", "cudaStreamIsCapturing", CopyUpAndDown},
      {"Memcpy2D", "cudaMemcpy2DAsync", CopyRows},
      {"EventCreate", "cudaEventCreateWithFlags", TimeSomething},
      {"EventRecord", "cudaEventRecord", TimeSomething},
      {"ElapsedTime", "cudaEventElapsedTime", TimeSomething},
      {"StatsEventCreate", "cudaEventCreateWithFlags", CountSomething},
      {"StatsEventRecord", "cudaEventRecord", CountSomething},
      {"WaitEvent", "cudaStreamWaitEvent", WaitForAnEvent},
      {"EventQuery", "cudaEventQuery", WaitForAnEvent},
      {"EventSynchronize", "cudaEventSynchronize", WaitForAnEvent},
      {"HostAlloc", "cudaHostAlloc", MapMemory},
      {"HostGetDevicePointer", "cudaHostGetDevicePointer", MapMemory},
      {"PointerGetAttributes", "cudaPointerGetAttributes", InspectMemory},
      {"StreamCreate", "cudaStreamCreateWithFlags",
       [](StreamRef) { return Stream::Create(kDevice).status(); }},
      {"MallocManaged", "cudaMallocManaged",
       [](StreamRef) {
         return ManagedBuffer<int>::Create(10, kDevice).status();
       }},
      {"GetDevice", "cudaGetDevice",
       [](StreamRef) { return CurrentDevice().status(); }},
      {"GetDeviceCount", "cudaGetDeviceCount",
       [](StreamRef) { return DeviceCount().status(); }},
  };
}

class FaultTest : public ::testing::TestWithParam<FaultCase> {
 protected:
  void SetUp() override {
    ASSERT_OK_AND_ASSIGN(Stream stream, Stream::Create(kDevice));
    stream_ = std::move(stream);
  }
  void TearDown() override {
    sim::ClearFaults();
    cudaGetLastError();
  }

  std::optional<Stream> stream_;
};

TEST_P(FaultTest, IsReportedByNameAndLeaksNothing) {
  ASSERT_OK(GetParam().use(*stream_)) << "before the fault";
  const int live = sim::LiveHandles();
  // Each of the calls in turn, until the use no longer gets that far.
  int faults = 0;
  for (int nth = 1;; ++nth) {
    sim::FailNth(GetParam().call.c_str(), cudaErrorUnknown, nth);
    const absl::Status status = GetParam().use(*stream_);
    sim::ClearFaults();
    EXPECT_EQ(sim::LiveHandles(), live) << sim::DescribeLiveHandles();
    if (status.ok()) break;
    // Where it is the wait that fails, nothing tells when memory may be freed.
    if (GetParam().call == "cudaStreamSynchronize") sim::TakeHazards();
    ++faults;
    EXPECT_THAT(status, StatusIs(absl::StatusCode::kInternal,
                                 HasSubstr("cudaErrorUnknown")));
  }
  EXPECT_GT(faults, 0) << "makes no call of " << GetParam().call;
  EXPECT_OK(GetParam().use(*stream_)) << "after the fault";
}

INSTANTIATE_TEST_SUITE_P(ThinLayer, FaultTest,
                         ::testing::ValuesIn(FaultCases()),
                         [](const auto& info) { return info.param.name; });

class ThinLayerTest : public ::testing::Test {
 protected:
  void TearDown() override {
    sim::ClearFaults();
    cudaGetLastError();
  }
};

TEST_F(ThinLayerTest, OutOfPinnedMemoryIsNotMistakenForTheDevices) {
  sim::FailNth("cudaHostAlloc", cudaErrorMemoryAllocation, 1);
  EXPECT_THAT(PinnedBuffer<char>::Create(12345),
              StatusIs(absl::StatusCode::kResourceExhausted,
                       AllOf(HasSubstr("12345 bytes"),
                             HasSubstr("host pinned memory"))));
}

TEST_F(ThinLayerTest, AFailedCopyNamesBothRanges) {
  ASSERT_OK_AND_ASSIGN(Stream stream, Stream::Create(kDevice));
  ASSERT_OK_AND_ASSIGN(auto device, DeviceBuffer<int>::Create(100, kDevice));
  ASSERT_OK_AND_ASSIGN(auto pinned, PinnedBuffer<int>::Create(100));
  sim::FailNth("cudaMemcpyAsync", cudaErrorInvalidValue, 1);
  EXPECT_THAT(
      CopyAsync(device, pinned, stream),
      StatusIs(
          absl::StatusCode::kInvalidArgument,
          AllOf(HasSubstr("cudaMemcpyAsync, host to device on device 0"),
                HasSubstr("dst 100 elements of 4 bytes (400 bytes) of device "
                          "memory of device 0"),
                HasSubstr("src 100 elements of 4 bytes (400 bytes) of pinned "
                          "host memory"),
                HasSubstr("cudaErrorInvalidValue"))));
}

TEST_F(ThinLayerTest, NothingIsLiveWhenEverythingIsDestroyed) {
  const int live = sim::LiveHandles();
  {
    ASSERT_OK_AND_ASSIGN(Stream stream, Stream::Create(kDevice));
    ASSERT_OK_AND_ASSIGN(Event event, Event::Create(kDevice));
    ASSERT_OK_AND_ASSIGN(auto device, DeviceBuffer<int>::Create(1, kDevice));
    ASSERT_OK_AND_ASSIGN(auto pinned, PinnedBuffer<int>::Create(1));
    EXPECT_GT(sim::LiveHandles(), live);
  }
  EXPECT_EQ(sim::LiveHandles(), live) << sim::DescribeLiveHandles();
}

}  // namespace
}  // namespace conveyor
