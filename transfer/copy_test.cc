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

#include "transfer/copy.h"

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "testing/devices.h"
#include "testing/pattern.h"
#include "testing/status_matchers.h"
#include "testing/stream_gate.h"
#include "transfer/device.h"
#include "transfer/device_buffer.h"
#include "transfer/device_span.h"
#include "transfer/internal/test_buffers.h"
#include "transfer/managed_buffer.h"
#include "transfer/mapped_buffer.h"
#include "transfer/pinned_buffer.h"
#include "transfer/pinned_span.h"
#include "transfer/stream.h"

namespace conveyor {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr DeviceId kDevice(0);

using internal::AddressOf;
using internal::Make;

using Bytes = std::vector<uint8_t>;

Bytes Pattern(size_t size, uint64_t seed) {
  Bytes bytes(size);
  FillPattern(absl::MakeSpan(bytes), seed);
  return bytes;
}

class CopyTest : public ::testing::Test {
 protected:
  void SetUp() override {
    CONVEYOR_REQUIRE_DEVICES(1);
    cudaGetLastError();
    ASSERT_OK_AND_ASSIGN(Stream stream, Stream::Create(kDevice));
    stream_ = std::move(stream);
  }

  StreamRef stream() const { return stream_->ref(); }
  cudaStream_t native() const { return stream_->ref().native(); }

  std::optional<Stream> stream_;
};

// ---- Every kind of memory to every kind, at the sizes where copies go wrong.

template <typename Pair>
class CopyKindsTest : public CopyTest {};

template <typename To, typename From>
struct Kinds {
  using Dst = To;
  using Src = From;
};
template <typename To>
using FromEach =
    ::testing::Types<Kinds<To, Bytes>, Kinds<To, PinnedBuffer<uint8_t>>,
                     Kinds<To, MappedBuffer<uint8_t>>,
                     Kinds<To, ManagedBuffer<uint8_t>>,
                     Kinds<To, DeviceBuffer<uint8_t>>>;

// How the pattern gets into the source, and out of the destination: by CUDA's
// own synchronous copy.
template <typename Buffer>
void Write(Buffer& buffer, const Bytes& bytes) {
  ASSERT_EQ(cudaMemcpy(AddressOf(buffer), bytes.data(), bytes.size(),
                       cudaMemcpyDefault),
            cudaSuccess);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

template <typename Buffer>
Bytes Read(Buffer& buffer, size_t size) {
  Bytes bytes(size);
  EXPECT_EQ(
      cudaMemcpy(bytes.data(), AddressOf(buffer), size, cudaMemcpyDefault),
      cudaSuccess);
  return bytes;
}

TYPED_TEST_SUITE_P(CopyKindsTest);

TYPED_TEST_P(CopyKindsTest, MovesEveryByteAndNoOther) {
  using Dst = typename TypeParam::Dst;
  using Src = typename TypeParam::Src;
  constexpr size_t kGuard = 64;
  for (const size_t size :
       {size_t{1}, size_t{3}, size_t{4095}, size_t{4096}, size_t{4097},
        size_t{65537}, (size_t{5} << 20) + 3}) {
    SCOPED_TRACE(size);
    const Bytes before = Pattern(size + kGuard, 1);
    const Bytes sent = Pattern(size, 2);
    ASSERT_OK_AND_ASSIGN(Dst dst, Make<Dst>(size + kGuard));
    ASSERT_OK_AND_ASSIGN(Src src, Make<Src>(size));
    Write(dst, before);
    Write(src, sent);

    ASSERT_OK(Copy(internal::View(dst).subspan(0, size), src, this->stream()));

    const Bytes after = Read(dst, size + kGuard);
    EXPECT_OK(VerifyPattern(absl::MakeSpan(after).subspan(0, size), 2));
    EXPECT_OK(VerifyPattern(absl::MakeSpan(after).subspan(size), 1, size));
  }
}

TYPED_TEST_P(CopyKindsTest, NothingIsFineAndUnequalCountsAreNot) {
  using Dst = typename TypeParam::Dst;
  using Src = typename TypeParam::Src;
  ASSERT_OK_AND_ASSIGN(Dst none, Make<Dst>(0));
  ASSERT_OK_AND_ASSIGN(Src nothing, Make<Src>(0));
  EXPECT_OK(Copy(none, nothing, this->stream()));
  ASSERT_OK_AND_ASSIGN(Dst dst, Make<Dst>(100));
  ASSERT_OK_AND_ASSIGN(Src src, Make<Src>(200));
  EXPECT_THAT(Copy(dst, src, this->stream()),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("dst has 100 elements of 1 bytes"),
                             HasSubstr("src has 200 elements"))));
  EXPECT_THAT(Copy(dst, nothing, this->stream()),
              StatusIs(absl::StatusCode::kInvalidArgument));
}

REGISTER_TYPED_TEST_SUITE_P(CopyKindsTest, MovesEveryByteAndNoOther,
                            NothingIsFineAndUnequalCountsAreNot);
INSTANTIATE_TYPED_TEST_SUITE_P(ToPageable, CopyKindsTest, FromEach<Bytes>);
INSTANTIATE_TYPED_TEST_SUITE_P(ToPinned, CopyKindsTest,
                               FromEach<PinnedBuffer<uint8_t>>);
INSTANTIATE_TYPED_TEST_SUITE_P(ToMapped, CopyKindsTest,
                               FromEach<MappedBuffer<uint8_t>>);
INSTANTIATE_TYPED_TEST_SUITE_P(ToManaged, CopyKindsTest,
                               FromEach<ManagedBuffer<uint8_t>>);
INSTANTIATE_TYPED_TEST_SUITE_P(ToDevice, CopyKindsTest,
                               FromEach<DeviceBuffer<uint8_t>>);

// ---- Asynchrony: what returns early does, and what is complete is.

TEST_F(CopyTest, AsyncReturnsBeforeTheCopyHasRun) {
  ASSERT_OK_AND_ASSIGN(auto device, DeviceBuffer<int>::Create(1000, kDevice));
  ASSERT_OK_AND_ASSIGN(auto up, PinnedBuffer<int>::Create(1000));
  ASSERT_OK_AND_ASSIGN(auto down, PinnedBuffer<int>::Create(1000));
  for (int i = 0; i < 1000; ++i) up[i] = i;
  for (int i = 0; i < 1000; ++i) down[i] = -1;
  ASSERT_OK_AND_ASSIGN(StreamGate gate, StreamGate::Hold(native()));

  ASSERT_OK(CopyAsync(device, up, stream()));
  ASSERT_OK(CopyAsync(down, device, stream()));

  EXPECT_THAT(stream().Ready(), IsOkAndHolds(false));
  EXPECT_EQ(down[999], -1) << "the copy ran before earlier work of its stream";
  up[999] = 12345;  // The copy has not read its source yet.
  gate.Open();
  ASSERT_OK(stream().Synchronize());
  EXPECT_EQ(down[0], 0);
  EXPECT_EQ(down[998], 998);
  EXPECT_EQ(down[999], 12345);
  EXPECT_FALSE(gate.timed_out());
}

TEST_F(CopyTest, AsyncTakesEveryKindButPageable) {
  constexpr size_t kSize = 10000;
  ASSERT_OK_AND_ASSIGN(auto device,
                       DeviceBuffer<uint8_t>::Create(kSize, kDevice));
  ASSERT_OK_AND_ASSIGN(auto other,
                       DeviceBuffer<uint8_t>::Create(kSize, kDevice));
  ASSERT_OK_AND_ASSIGN(auto pinned, PinnedBuffer<uint8_t>::Create(kSize));
  ASSERT_OK_AND_ASSIGN(auto mapped, MappedBuffer<uint8_t>::Create(kSize));
  ASSERT_OK_AND_ASSIGN(auto managed,
                       ManagedBuffer<uint8_t>::Create(kSize, kDevice));
  FillPattern(absl::MakeSpan(pinned.data(), kSize), 9);

  ASSERT_OK(CopyAsync(device, pinned, stream()));
  ASSERT_OK(CopyAsync(other, device, stream()));
  ASSERT_OK(CopyAsync(managed, other, stream()));
  ASSERT_OK(CopyAsync(device.span(), managed.span(), stream()));
  ASSERT_OK(CopyAsync(mapped.span(), device.span(), stream()));
  ASSERT_OK(stream().Synchronize());

  EXPECT_OK(VerifyPattern(absl::MakeSpan(mapped.span().data(), kSize), 9));
}

// CUDA's own synchronous copy from pageable memory returns before non-blocking
// streams see its last bytes.
TEST_F(CopyTest, BlockingCopyFromPageableIsVisibleToEveryStream) {
  constexpr size_t kSize = 1100000;
  ASSERT_OK_AND_ASSIGN(auto device,
                       DeviceBuffer<uint8_t>::Create(kSize, kDevice));
  ASSERT_OK_AND_ASSIGN(auto seen,
                       DeviceBuffer<uint8_t>::Create(kSize, kDevice));
  ASSERT_OK_AND_ASSIGN(Stream other, Stream::Create(kDevice));
  Bytes back(kSize);
  for (uint64_t round = 0; round < 200; ++round) {
    const Bytes sent = Pattern(kSize, round);
    ASSERT_OK(Copy(device, sent, stream()));
    ASSERT_OK(CopyAsync(seen, device, other));
    ASSERT_OK(Copy(back, seen, other));
    ASSERT_OK(VerifyPattern(absl::MakeSpan(back), round)) << "round " << round;
  }
}

// So does its synchronous copy within a device: it does not wait at all.
TEST_F(CopyTest, BlockingCopyWithinADeviceIsComplete) {
  constexpr size_t kSize = 64 << 20;
  ASSERT_OK_AND_ASSIGN(auto from,
                       DeviceBuffer<uint8_t>::Create(kSize, kDevice));
  ASSERT_OK_AND_ASSIGN(auto to, DeviceBuffer<uint8_t>::Create(kSize, kDevice));
  ASSERT_OK_AND_ASSIGN(auto tail, PinnedBuffer<uint8_t>::Create(1));
  ASSERT_OK_AND_ASSIGN(Stream other, Stream::Create(kDevice));
  for (int round = 1; round <= 20; ++round) {
    ASSERT_EQ(
        cudaMemsetAsync(from.span().device_pointer(), round, kSize, native()),
        cudaSuccess);
    ASSERT_OK(Copy(to, from, stream()));
    ASSERT_OK(CopyAsync(tail, to.span().subspan(kSize - 1), other));
    ASSERT_OK(other.ref().Synchronize());
    ASSERT_EQ(tail[0], round);
  }
}

TEST_F(CopyTest, BlockingCopyRunsAfterEarlierWorkOfItsStream) {
  ASSERT_OK_AND_ASSIGN(auto device,
                       DeviceBuffer<uint8_t>::Create(1000, kDevice));
  ASSERT_OK_AND_ASSIGN(auto pinned, PinnedBuffer<uint8_t>::Create(1000));
  FillPattern(absl::MakeSpan(pinned.data(), 1000), 3);
  ASSERT_OK(CopyAsync(device, pinned, stream()));
  Bytes down(1000);
  ASSERT_OK(Copy(down, device, stream()));
  EXPECT_OK(VerifyPattern(absl::MakeSpan(down), 3));
}

TEST_F(CopyTest, HostToHostRunsAfterEarlierWorkOfItsStream) {
  constexpr size_t kSize = 1 << 20;
  ASSERT_OK_AND_ASSIGN(auto device,
                       DeviceBuffer<uint8_t>::Create(kSize, kDevice));
  ASSERT_OK_AND_ASSIGN(auto pinned, PinnedBuffer<uint8_t>::Create(kSize));
  Bytes down(kSize);
  for (uint64_t round = 0; round < 20; ++round) {
    ASSERT_OK(Copy(device, Pattern(kSize, round), stream()));
    ASSERT_OK(CopyAsync(pinned, device, stream()));
    ASSERT_OK(Copy(down, pinned, stream()));
    ASSERT_OK(VerifyPattern(absl::MakeSpan(down), round)) << "round " << round;
  }
}

// One stray call on the legacy default stream would wait for what it holds.
TEST_F(CopyTest, CopiesDoNotTouchTheLegacyDefaultStream) {
  ASSERT_OK_AND_ASSIGN(auto device,
                       DeviceBuffer<uint8_t>::Create(1 << 20, kDevice));
  ASSERT_OK_AND_ASSIGN(auto other,
                       DeviceBuffer<uint8_t>::Create(1 << 20, kDevice));
  ASSERT_OK_AND_ASSIGN(auto pinned, PinnedBuffer<uint8_t>::Create(1 << 20));
  Bytes pageable = Pattern(1 << 20, 5);
  ASSERT_OK_AND_ASSIGN(StreamGate gate, StreamGate::Hold(cudaStreamLegacy));
  gate.WaitUntilReached();

  EXPECT_OK(Copy(device, pageable, stream()));
  EXPECT_OK(Copy(other, device, stream()));
  EXPECT_OK(Copy(pinned, other, stream()));
  EXPECT_OK(Copy(pageable, pinned, stream()));

  EXPECT_FALSE(gate.timed_out());
  gate.Open();
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

// ---- Arguments.

TEST_F(CopyTest, ElementsOfAnySizeAreCounted) {
  struct Particle {
    double position[3];
    int id;
  };
  ASSERT_OK_AND_ASSIGN(auto device, DeviceBuffer<Particle>::Create(3, kDevice));
  const std::vector<Particle> sent = {{{1, 2, 3}, 4}, {{5, 6, 7}, 8}, {{}, 9}};
  std::vector<Particle> received(3);
  ASSERT_OK(Copy(device, sent, stream()));
  ASSERT_OK(Copy(received, device, stream()));
  EXPECT_EQ(received[1].position[2], 7);
  EXPECT_EQ(received[2].id, 9);
  EXPECT_THAT(Copy(device, absl::MakeSpan(sent).subspan(1), stream()),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("3 elements of 32 bytes (96 bytes)"),
                             HasSubstr("2 elements of 32 bytes (64 bytes)"))));
}

TEST_F(CopyTest, NullGoesWithNoElementsOnly) {
  ASSERT_OK_AND_ASSIGN(auto device, DeviceBuffer<int>::Create(10, kDevice));
  const auto null = DeviceSpan<int>::FromTrusted(nullptr, 10, kDevice);
  int* const nothing = nullptr;
  const absl::Span<int> host(nothing, 10);
  EXPECT_THAT(CopyAsync(null, device, stream()),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("dst is null but has 10 elements")));
  EXPECT_THAT(Copy(device, host, stream()),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("src is null but has 10 elements")));
  EXPECT_OK(Copy(DeviceSpan<int>(), absl::Span<int>(), stream()));
  EXPECT_OK(CopyAsync(DeviceSpan<int>(), PinnedSpan<int>(), stream()));
}

TEST_F(CopyTest, MovedFromBuffersAreEmpty) {
  ASSERT_OK_AND_ASSIGN(auto device, DeviceBuffer<int>::Create(10, kDevice));
  const auto moved = std::move(device);
  EXPECT_OK(Copy(device, absl::Span<const int>(), stream()));  // NOLINT
  EXPECT_EQ(moved.size(), 10u);
}

TEST_F(CopyTest, ASizeThatOverflowsIsRefused) {
  char local = 0;
  const auto huge = PinnedSpan<int64_t>::FromTrusted(
      absl::Span<int64_t>(reinterpret_cast<int64_t*>(&local), size_t{1} << 61));
  const auto there = DeviceSpan<int64_t>::FromTrusted(
      reinterpret_cast<int64_t*>(&local), size_t{1} << 61, kDevice);
  EXPECT_THAT(
      CopyAsync(there, huge, stream()),
      StatusIs(absl::StatusCode::kInvalidArgument,
               AllOf(HasSubstr("2305843009213693952 elements of 8 bytes"),
                     HasSubstr("overflows"))));
}

TEST_F(CopyTest, OverlapIsRefusedInBothDirections) {
  constexpr size_t kCount = 1 << 20;
  ASSERT_OK_AND_ASSIGN(auto device,
                       DeviceBuffer<int>::Create(kCount + 2, kDevice));
  const auto low = device.span().subspan(0, kCount);
  const auto high = device.span().subspan(2, kCount);
  EXPECT_THAT(CopyAsync(high, low, stream()),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("overlap by 4194296 bytes"),
                             HasSubstr("8 bytes after src"))));
  EXPECT_THAT(Copy(low, high, stream()),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("8 bytes before src")));
  std::vector<int> host(10);
  EXPECT_THAT(Copy(absl::MakeSpan(host).subspan(1),
                   absl::MakeSpan(host).subspan(0, 9), stream()),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("overlap by 32 bytes")));
}

TEST_F(CopyTest, IdenticalAndTouchingRangesAreFine) {
  ASSERT_OK_AND_ASSIGN(auto device,
                       DeviceBuffer<uint8_t>::Create(2000, kDevice));
  ASSERT_OK(Copy(device.span().subspan(0, 1000), Pattern(1000, 6), stream()));
  ASSERT_OK(CopyAsync(device, device, stream()));
  ASSERT_OK(Copy(device.span().subspan(1000), device.span().subspan(0, 1000),
                 stream()));
  Bytes down(1000);
  ASSERT_OK(Copy(down, device.span().subspan(1000), stream()));
  EXPECT_OK(VerifyPattern(absl::MakeSpan(down), 6));
}

TEST_F(CopyTest, ADevicesAddressGivenAsHostMemoryIsRefused) {
  ASSERT_OK_AND_ASSIGN(auto device, DeviceBuffer<int>::Create(10, kDevice));
  const absl::Span<int> wrong(device.span().device_pointer(), 10);
  std::vector<int> host(10);
  for (const absl::Status& status :
       {Copy(host, wrong, stream()), Copy(device, wrong, stream())}) {
    EXPECT_THAT(status, StatusIs(absl::StatusCode::kInvalidArgument,
                                 AllOf(HasSubstr("src is given as host memory"),
                                       HasSubstr("device memory of device 0"),
                                       HasSubstr("DeviceSpan"))));
  }
  EXPECT_THAT(Copy(wrong, host, stream()),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("dst is given as host memory")));
}

TEST_F(CopyTest, LeavesTheCallersLastError) {
  ASSERT_OK_AND_ASSIGN(auto device, DeviceBuffer<int>::Create(10, kDevice));
  std::vector<int> host(10);
  ASSERT_EQ(cudaSetDevice(1 << 20), cudaErrorInvalidDevice);
  EXPECT_OK(Copy(device, host, stream()));
  EXPECT_OK(Copy(host, device, stream()));
  EXPECT_THAT(Copy(device, absl::MakeSpan(host).subspan(1), stream()),
              StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDevice);
}

// ---- Stream capture.

TEST_F(CopyTest, AsyncIsCaptured) {
  ASSERT_OK_AND_ASSIGN(auto device, DeviceBuffer<int>::Create(100, kDevice));
  ASSERT_OK_AND_ASSIGN(auto up, PinnedBuffer<int>::Create(100));
  ASSERT_OK_AND_ASSIGN(auto down, PinnedBuffer<int>::Create(100));
  ASSERT_EQ(cudaStreamBeginCapture(native(), cudaStreamCaptureModeGlobal),
            cudaSuccess);
  EXPECT_OK(CopyAsync(device, up, stream()));
  EXPECT_OK(CopyAsync(down, device, stream()));
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamEndCapture(native(), &graph), cudaSuccess);
  cudaGraphExec_t exec = nullptr;
  ASSERT_EQ(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
  for (const int value : {17, 18}) {
    up[99] = value;
    ASSERT_EQ(cudaGraphLaunch(exec, native()), cudaSuccess);
    ASSERT_OK(stream().Synchronize());
    EXPECT_EQ(down[99], value);
  }
  EXPECT_EQ(cudaGraphExecDestroy(exec), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
}

TEST_F(CopyTest, BlockingIsRefusedInACaptureThatStaysValid) {
  ASSERT_OK_AND_ASSIGN(auto device, DeviceBuffer<int>::Create(100, kDevice));
  std::vector<int> host(100);
  ASSERT_EQ(cudaStreamBeginCapture(native(), cudaStreamCaptureModeGlobal),
            cudaSuccess);
  EXPECT_THAT(Copy(device, host, stream()),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("a blocking copy cannot be captured")));
  EXPECT_THAT(
      Copy2D(WithPitch(device, 40), WithPitch(host, 40), 10, 10, stream()),
      StatusIs(absl::StatusCode::kFailedPrecondition));
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamEndCapture(native(), &graph), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
}

}  // namespace
}  // namespace conveyor
