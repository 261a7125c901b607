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

#include "transfer/stager.h"

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "absl/log/check.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "testing/devices.h"
#include "testing/pattern.h"
#include "testing/status_matchers.h"
#include "testing/stream_gate.h"
#include "third_party/cuda/host_threads.h"
#include "transfer/device.h"
#include "transfer/device_buffer.h"
#include "transfer/event.h"
#include "transfer/pinned_buffer.h"
#include "transfer/stream.h"
#include "transfer/transfer.h"

namespace conveyor {
namespace {

using ::testing::HasSubstr;

constexpr size_t kMiB = 1 << 20;
// Two slots, so that transfers of a few MiB go round the ring many times.
constexpr StagerOptions kSmallRing = {/*max_threads=*/6,
                                      /*ring_bytes=*/512 << 10,
                                      /*slot_bytes=*/256 << 10,
                                      /*min_bytes=*/0};

class StagerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    CONVEYOR_REQUIRE_DEVICES(1);
    ASSERT_OK_AND_ASSIGN(Stream stream, Stream::Create(DeviceId(0)));
    stream_.emplace(std::move(stream));
    ASSERT_OK_AND_ASSIGN(Stream other, Stream::Create(DeviceId(0)));
    other_.emplace(std::move(other));
    ASSERT_OK_AND_ASSIGN(Stager stager, Stager::Create(kSmallRing));
    stager_.emplace(std::move(stager));
  }

  static DeviceBuffer<char> OnDevice(size_t size) {
    auto buffer = DeviceBuffer<char>::Create(size, DeviceId(0));
    CHECK_OK(buffer);
    return *std::move(buffer);
  }

  Stream& stream() { return *stream_; }
  Stream& other() { return *other_; }

  std::optional<Stream> stream_;
  std::optional<Stream> other_;
  std::optional<Stager> stager_;
};

// There and back, of every size about the edges of pieces and slots, and from
// addresses that are aligned to nothing.
TEST_F(StagerTest, MovesEveryByte) {
  const size_t sizes[] = {
      1,           2,        4095,         4097,     kMiB - 1,
      kMiB,        kMiB + 1, kMiB + 12345, 3 * kMiB, 5 * kMiB - 7,
      9 * kMiB + 3};
  DeviceBuffer<char> device = OnDevice(10 * kMiB);
  std::vector<char> source(10 * kMiB);
  std::vector<char> result(10 * kMiB);
  uint64_t seed = 1;
  for (const size_t size : sizes) {
    for (const size_t offset : {size_t{0}, size_t{1}, size_t{63}}) {
      ++seed;
      const auto src = absl::MakeSpan(source).subspan(offset, size);
      const auto dst = absl::MakeSpan(result).subspan(offset + 1, size);
      const auto there = device.span().subspan(offset, size);
      FillPattern(src, seed);
      std::memset(result.data(), 0, result.size());
      ASSERT_OK(stager_->Upload(there, src, stream())) << size;
      ASSERT_OK(stager_->Download(dst, there, stream())) << size;
      ASSERT_OK(VerifyPattern(dst, seed)) << size << " at " << offset;
      EXPECT_EQ(result[offset], 0);
      EXPECT_EQ(result[offset + 1 + size], 0);
    }
  }
}

TEST_F(StagerTest, MovesElements) {
  std::vector<double> source(kMiB);
  for (size_t i = 0; i < source.size(); ++i) source[i] = static_cast<double>(i);
  ASSERT_OK_AND_ASSIGN(auto device,
                       DeviceBuffer<double>::Create(kMiB, DeviceId(0)));
  std::vector<double> result(kMiB);
  ASSERT_OK(stager_->Upload(device, source, stream()));
  ASSERT_OK(stager_->Download(result, device, stream()));
  EXPECT_EQ(result, source);
}

TEST_F(StagerTest, TheSourceMayChangeWhenUploadReturns) {
  DeviceBuffer<char> device = OnDevice(5 * kMiB);
  std::vector<char> source(5 * kMiB);
  FillPattern(absl::MakeSpan(source), /*seed=*/1);
  ASSERT_OK(stager_->Upload(device, source, stream()));
  std::memset(source.data(), 0, source.size());
  std::vector<char> result(5 * kMiB);
  ASSERT_OK(stager_->Download(result, device, stream()));
  EXPECT_OK(VerifyPattern(absl::MakeSpan(result), /*seed=*/1));
}

TEST_F(StagerTest, RunsAfterEarlierWorkOfItsStream) {
  DeviceBuffer<char> device = OnDevice(3 * kMiB);
  std::vector<char> source(3 * kMiB, 7);
  ASSERT_OK_AND_ASSIGN(StreamGate gate,
                       StreamGate::Hold(stream().ref().native()));
  ASSERT_EQ(cudaMemsetAsync(device.span().device_pointer(), 1, 3 * kMiB,
                            stream().ref().native()),
            cudaSuccess);
  ASSERT_OK_AND_ASSIGN(const Transfer transfer,
                       stager_->UploadAsync(device, source, stream()));
  EXPECT_THAT(transfer.Ready(), IsOkAndHolds(false));
  gate.Open();
  ASSERT_OK(transfer.Wait());
  EXPECT_FALSE(gate.timed_out());
  std::vector<char> result(3 * kMiB);
  ASSERT_OK(stager_->Download(result, device, stream()));
  EXPECT_EQ(result, source);
}

TEST_F(StagerTest, JoinOrdersAnotherStreamAfterIt) {
  DeviceBuffer<char> device = OnDevice(3 * kMiB);
  DeviceBuffer<char> copy = OnDevice(3 * kMiB);
  std::vector<char> source(3 * kMiB);
  FillPattern(absl::MakeSpan(source), /*seed=*/5);
  ASSERT_OK_AND_ASSIGN(const Transfer transfer,
                       stager_->UploadAsync(device, source, stream()));
  ASSERT_OK(transfer.Join(other()));
  ASSERT_EQ(cudaMemcpyAsync(copy.span().device_pointer(),
                            device.span().device_pointer(), 3 * kMiB,
                            cudaMemcpyDeviceToDevice, other().ref().native()),
            cudaSuccess);
  std::vector<char> result(3 * kMiB);
  ASSERT_OK(stager_->Download(result, copy, other()));
  EXPECT_OK(VerifyPattern(absl::MakeSpan(result), /*seed=*/5));
}

// Neither may take slots while its stream waits for the other one's copy.
TEST_F(StagerTest, TwoStreamsThatWaitForEachOthersCopiesGoOn) {
  DeviceBuffer<char> first = OnDevice(3 * kMiB);
  DeviceBuffer<char> second = OnDevice(3 * kMiB);
  std::vector<char> source(3 * kMiB);
  FillPattern(absl::MakeSpan(source), /*seed=*/9);
  ASSERT_OK_AND_ASSIGN(Event uploaded, Event::Create(DeviceId(0)));
  ASSERT_OK_AND_ASSIGN(StreamGate gate,
                       StreamGate::Hold(stream().ref().native()));
  // The copy on `stream` waits for the gate; that on `other` need not, and its
  // end is what opens it.
  ASSERT_OK_AND_ASSIGN(const Transfer late,
                       stager_->UploadAsync(first, source, stream()));
  ASSERT_OK_AND_ASSIGN(const Transfer soon,
                       stager_->UploadAsync(second, source, other()));
  ASSERT_OK(soon.Join(other()));
  ASSERT_OK(uploaded.Record(other()));
  ASSERT_OK(uploaded.Synchronize());
  gate.Open();
  ASSERT_OK(late.Wait());
  EXPECT_FALSE(gate.timed_out());
  std::vector<char> result(3 * kMiB);
  for (DeviceBuffer<char>* const device : {&first, &second}) {
    ASSERT_OK(stager_->Download(result, *device, stream()));
    EXPECT_OK(VerifyPattern(absl::MakeSpan(result), /*seed=*/9));
  }
}

TEST_F(StagerTest, ManyTransfersAtOnce) {
  constexpr size_t kCount = 12;
  std::vector<DeviceBuffer<char>> devices;
  std::vector<std::vector<char>> sources(kCount, std::vector<char>(2 * kMiB));
  std::vector<Transfer> transfers;
  for (size_t i = 0; i < kCount; ++i) {
    devices.push_back(OnDevice(2 * kMiB));
    FillPattern(absl::MakeSpan(sources[i]), i);
    ASSERT_OK_AND_ASSIGN(Transfer transfer,
                         stager_->UploadAsync(devices[i], sources[i],
                                              i % 2 == 0 ? stream() : other()));
    transfers.push_back(std::move(transfer));
  }
  for (const Transfer& transfer : transfers) ASSERT_OK(transfer.Wait());
  std::vector<std::vector<char>> results(kCount, std::vector<char>(2 * kMiB));
  transfers.clear();
  for (size_t i = 0; i < kCount; ++i) {
    ASSERT_OK_AND_ASSIGN(
        Transfer transfer,
        stager_->DownloadAsync(results[i], devices[i], stream()));
    transfers.push_back(std::move(transfer));
  }
  for (const Transfer& transfer : transfers) ASSERT_OK(transfer.Wait());
  EXPECT_EQ(results, sources);
}

TEST_F(StagerTest, ThreadsShareIt) {
  const auto work = [this](uint64_t thread) {
    ASSERT_OK_AND_ASSIGN(Stream stream, Stream::Create(DeviceId(0)));
    DeviceBuffer<char> device = OnDevice(2 * kMiB);
    std::vector<char> source(2 * kMiB);
    std::vector<char> result(2 * kMiB);
    for (uint64_t i = 0; i < 5; ++i) {
      FillPattern(absl::MakeSpan(source), thread * 100 + i);
      ASSERT_OK(stager_->Upload(device, source, stream));
      ASSERT_OK(stager_->Download(result, device, stream));
      ASSERT_OK(VerifyPattern(absl::MakeSpan(result), thread * 100 + i));
    }
  };
  std::vector<HostThread> threads;
  for (uint64_t i = 0; i < 4; ++i) threads.emplace_back([&, i] { work(i); });
}

TEST_F(StagerTest, APartlyPinnedRangeIsMoved) {
  std::vector<char> source(4 * kMiB);
  FillPattern(absl::MakeSpan(source), /*seed=*/4);
  constexpr size_t kPage = 4096;
  char* const page = reinterpret_cast<char*>(
      (reinterpret_cast<uintptr_t>(source.data()) + kPage) / kPage * kPage);
  ASSERT_EQ(cudaHostRegister(page, kMiB, cudaHostRegisterDefault), cudaSuccess);
  DeviceBuffer<char> device = OnDevice(4 * kMiB);
  std::vector<char> result(4 * kMiB);
  EXPECT_OK(stager_->Upload(device, source, stream()));
  EXPECT_OK(stager_->Download(result, device, stream()));
  EXPECT_EQ(cudaHostUnregister(page), cudaSuccess);
  EXPECT_EQ(result, source);
}

TEST_F(StagerTest, NoElementsAreOk) {
  DeviceBuffer<char> device = OnDevice(0);
  std::vector<char> none;
  EXPECT_OK(stager_->Upload(device, none, stream()));
  ASSERT_OK_AND_ASSIGN(const Transfer transfer,
                       stager_->DownloadAsync(none, device, stream()));
  EXPECT_OK(transfer.Wait());
  EXPECT_OK(transfer.Join(stream()));
  EXPECT_THAT(transfer.Ready(), IsOkAndHolds(true));
}

TEST_F(StagerTest, DifferentSizesAreRefused) {
  DeviceBuffer<char> device = OnDevice(5);
  std::vector<char> source(4);
  EXPECT_THAT(stager_->Upload(device, source, stream()),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("equally many elements")));
}

// A worker would read it as if it were the host's.
TEST_F(StagerTest, DeviceMemoryThatIsGivenAsTheHostsIsRefused) {
  DeviceBuffer<char> device = OnDevice(2 * kMiB);
  DeviceBuffer<char> other_device = OnDevice(2 * kMiB);
  const absl::Span<char> wrong(other_device.span().device_pointer(), 2 * kMiB);
  EXPECT_THAT(stager_->Upload(device, wrong, stream()),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("give it as a DeviceSpan")));
  EXPECT_THAT(stager_->DownloadAsync(wrong, device, stream()),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("give it as a DeviceSpan")));
}

TEST_F(StagerTest, ACaptureIsRefusedAndStaysValid) {
  DeviceBuffer<char> device = OnDevice(2 * kMiB);
  std::vector<char> source(2 * kMiB);
  // Its thread and ring are there.
  ASSERT_OK(stager_->Upload(device, source, other()));
  ASSERT_OK(other().ref().Synchronize());
  ASSERT_EQ(cudaStreamBeginCapture(stream().ref().native(),
                                   cudaStreamCaptureModeGlobal),
            cudaSuccess);
  EXPECT_THAT(stager_->Upload(device, source, stream()),
              StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_THAT(stager_->UploadAsync(device, source, stream()),
              StatusIs(absl::StatusCode::kFailedPrecondition));
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamEndCapture(stream().ref().native(), &graph), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
}

TEST_F(StagerTest, FewThreadsMoveTheSameBytes) {
  StagerOptions options = kSmallRing;
  options.max_threads = 1;
  ASSERT_OK_AND_ASSIGN(Stager stager, Stager::Create(options));
  DeviceBuffer<char> device = OnDevice(20 * kMiB);
  std::vector<char> source(20 * kMiB);
  std::vector<char> result(20 * kMiB);
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    FillPattern(absl::MakeSpan(source), seed);
    ASSERT_OK(stager.Upload(device, source, stream()));
    ASSERT_OK(stager.Download(result, device, stream()));
    ASSERT_OK(VerifyPattern(absl::MakeSpan(result), seed));
  }
}

TEST_F(StagerTest, LittleIsLeftToCudasOwnCopy) {
  StagerOptions options = kSmallRing;
  options.min_bytes = kMiB + 1;
  ASSERT_OK_AND_ASSIGN(Stager stager, Stager::Create(options));
  DeviceBuffer<char> device = OnDevice(kMiB);
  std::vector<char> source(kMiB);
  FillPattern(absl::MakeSpan(source), /*seed=*/8);
  ASSERT_OK(stager.Upload(device, source, stream()));
  std::vector<char> result(kMiB);
  ASSERT_OK(stager.Download(result, device, stream()));
  EXPECT_EQ(result, source);
}

TEST_F(StagerTest, TheLastHandleWaitsForTransfers) {
  DeviceBuffer<char> device = OnDevice(5 * kMiB);
  std::vector<char> source(5 * kMiB);
  FillPattern(absl::MakeSpan(source), /*seed=*/6);
  ASSERT_OK_AND_ASSIGN(const Transfer transfer,
                       stager_->UploadAsync(device, source, stream()));
  stager_.reset();
  EXPECT_THAT(transfer.Ready(), IsOkAndHolds(true));
  ASSERT_OK(transfer.Wait());
}

TEST_F(StagerTest, OptionsAreChecked) {
  EXPECT_THAT(Stager::Create({-1, 64 << 20, 4 << 20, 0}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("max_threads is -1")));
  EXPECT_THAT(Stager::Create({0, 7 << 20, 4 << 20, 0}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("ring_bytes is 7340032")));
  EXPECT_THAT(Stager::Create({0, 64 << 20, 100, 0}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("slot_bytes is 100")));
}

}  // namespace
}  // namespace conveyor
