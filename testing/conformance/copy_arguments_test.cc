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

// Which copies CUDA accepts: every kind between all kinds of memory, empty
// ones, null, ends of allocations, pitches.

#include <cuda_runtime_api.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "testing/conformance/cuda_test.h"
#include "testing/pattern.h"
#include "testing/status_matchers.h"

namespace conveyor {
namespace {

constexpr size_t kBytes = 4096;
constexpr auto kNoKind = static_cast<cudaMemcpyKind>(7);

enum Memory { kPageable, kPinned, kDevice, kManaged };
constexpr std::array<const char*, 4> kMemoryNames = {"pageable", "pinned",
                                                     "device", "managed"};

// In the order of their values: cudaMemcpyHostToHost is 0.
constexpr std::array<cudaMemcpyKind, 5> kKinds = {
    cudaMemcpyHostToHost, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice, cudaMemcpyDefault};
constexpr std::array<const char*, 5> kKindNames = {
    "HostToHost", "HostToDevice", "DeviceToHost", "DeviceToDevice", "Default"};

struct Verdict {
  Memory dst;
  Memory src;
  // A character a kind, in the order of kKinds: + if the copy succeeds, - if it
  // is cudaErrorInvalidValue.
  const char* by_kind;
};

// What an H200 answered, to cudaMemcpy and cudaMemcpyAsync alike. A kind that
// names the host is right for all memory, since the driver goes by the address;
// one that names the device is wrong for pageable memory only.
constexpr Verdict kVerdicts[] = {
    {kPageable, kPageable, "+---+"}, {kPageable, kPinned, "+-+-+"},
    {kPageable, kDevice, "+-+-+"},   {kPageable, kManaged, "+-+-+"},
    {kPinned, kPageable, "++--+"},   {kPinned, kPinned, "+++++"},
    {kPinned, kDevice, "+++++"},     {kPinned, kManaged, "+++++"},
    {kDevice, kPageable, "++--+"},   {kDevice, kPinned, "+++++"},
    {kDevice, kDevice, "+++++"},     {kDevice, kManaged, "+++++"},
    {kManaged, kPageable, "++--+"},  {kManaged, kPinned, "+++++"},
    {kManaged, kDevice, "+++++"},    {kManaged, kManaged, "+++++"},
};

using CopyArgumentsTest = CudaTest;

class CopyKindsTest : public CudaTest {
 protected:
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(CudaTest::SetUp());
    if (IsSkipped()) return;
    memory_ = {Pageable(kBytes), Pinned(kBytes), Device(kBytes),
               Managed(kBytes)};
    stream_ = NonBlockingStream();
  }

  // Fills and reads by cudaMemcpyDefault, which is right for all memory.
  static void Write(void* dst, const std::array<char, kBytes / 2>& bytes) {
    ASSERT_CUDA(cudaMemcpy(dst, bytes.data(), bytes.size(), cudaMemcpyDefault));
    ASSERT_CUDA(cudaDeviceSynchronize());
  }
  static std::array<char, kBytes / 2> Read(const void* src) {
    std::array<char, kBytes / 2> bytes = {};
    EXPECT_CUDA(cudaMemcpy(bytes.data(), src, bytes.size(), cudaMemcpyDefault));
    return bytes;
  }

  // Copies the second half of one memory to the first half of another, by
  // `copy`, in every way that there is, and compares with the table.
  template <typename Copy>
  void ExpectVerdicts(Copy copy) {
    uint64_t seed = 0;
    for (const Verdict& verdict : kVerdicts) {
      for (size_t kind = 0; kind < kKinds.size(); ++kind) {
        SCOPED_TRACE(absl::StrCat(kKindNames[kind], " to ",
                                  kMemoryNames[verdict.dst], " from ",
                                  kMemoryNames[verdict.src]));
        char* const dst = memory_[verdict.dst];
        char* const src = memory_[verdict.src] + kBytes / 2;
        const bool accepted = verdict.by_kind[kind] == '+';
        std::array<char, kBytes / 2> bytes;
        FillPattern(bytes.data(), bytes.size(), ++seed);
        ASSERT_NO_FATAL_FAILURE(Write(dst, bytes));
        FillPattern(bytes.data(), bytes.size(), ++seed);
        ASSERT_NO_FATAL_FAILURE(Write(src, bytes));

        EXPECT_EQ(copy(dst, src, bytes.size(), kKinds[kind]),
                  accepted ? cudaSuccess : cudaErrorInvalidValue);
        EXPECT_CUDA(cudaDeviceSynchronize());

        bytes = Read(dst);
        EXPECT_OK(VerifyPattern(bytes.data(), bytes.size(),
                                accepted ? seed : seed - 1));
      }
    }
  }

  std::array<char*, 4> memory_ = {};
  cudaStream_t stream_ = nullptr;
};

TEST_F(CopyKindsTest, CopiesMoveTheirBytesOrAreRefused) {
  ExpectVerdicts(
      [](void* dst, const void* src, size_t num_bytes, cudaMemcpyKind kind) {
        return cudaMemcpy(dst, src, num_bytes, kind);
      });
}

TEST_F(CopyKindsTest, AsynchronousCopiesMoveTheirBytesOrAreRefused) {
  ExpectVerdicts([this](void* dst, const void* src, size_t num_bytes,
                        cudaMemcpyKind kind) {
    return cudaMemcpyAsync(dst, src, num_bytes, kind, stream_);
  });
}

TEST_F(CopyArgumentsTest, AKindThatIsNoneIsRefusedUnlessTheCopyIsEmpty) {
  char* const device = Device(kBytes);
  char* const host = Pageable(kBytes);
  EXPECT_EQ(cudaMemcpy(device, host, 10, kNoKind),
            cudaErrorInvalidMemcpyDirection);
  EXPECT_CUDA(cudaMemcpy(device, host, 0, kNoKind));
}

TEST_F(CopyArgumentsTest, AnEmptyCopyMayNameNull) {
  EXPECT_CUDA(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyHostToDevice));
  EXPECT_CUDA(cudaMemcpyAsync(nullptr, nullptr, 0, cudaMemcpyDefault,
                              NonBlockingStream()));
  EXPECT_CUDA(
      cudaMemcpy2D(nullptr, 0, nullptr, 0, 0, 5, cudaMemcpyHostToDevice));
  EXPECT_CUDA(cudaMemcpyPeer(nullptr, 0, nullptr, 0, 0));
  EXPECT_CUDA(cudaMemset(nullptr, 0, 0));
}

TEST_F(CopyArgumentsTest, ACopyOfBytesMayNotNameNull) {
  char* const device = Device(kBytes);
  char* const host = Pageable(kBytes);
  EXPECT_EQ(cudaMemcpy(nullptr, host, 1, cudaMemcpyHostToDevice),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(device, nullptr, 1, cudaMemcpyHostToDevice),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(host, nullptr, 1, cudaMemcpyDeviceToHost),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(host, nullptr, 1, cudaMemcpyHostToHost),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(nullptr, nullptr, 1, cudaMemcpyDefault),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemset(nullptr, 0, 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy2D(device, 8, nullptr, 8, 4, 2, cudaMemcpyHostToDevice),
            cudaErrorInvalidValue);
}

TEST_F(CopyArgumentsTest, ACopyPastTheEndOfDeviceMemoryIsRefused) {
  constexpr size_t kFar = size_t{4} << 20;
  char* const host = Pageable(kFar);
  char* const device = Device(kBytes);
  std::memset(host, 1, kFar);
  EXPECT_CUDA(cudaMemcpy(device + 1, host, kBytes - 1, cudaMemcpyHostToDevice));
  EXPECT_EQ(cudaMemcpy(device + 1, host, kBytes, cudaMemcpyHostToDevice),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(device + 1, host, kFar, cudaMemcpyHostToDevice),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpyAsync(device + 1, host, kFar, cudaMemcpyHostToDevice, 0),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(host, device, kFar, cudaMemcpyDeviceToHost),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemset(device + 4000, 0, 100), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemset(device, 0, kFar), cudaErrorInvalidValue);
  EXPECT_CUDA(cudaDeviceSynchronize());
}

TEST_F(CopyArgumentsTest, ACopyPastTheEndOfPinnedMemoryIsRefused) {
  char* const device = Device(2 * kBytes);
  char* const pinned = Pinned(kBytes);
  EXPECT_EQ(cudaMemcpy(device, pinned + 1, kBytes, cudaMemcpyHostToDevice),
            cudaErrorInvalidValue);
  EXPECT_EQ(
      cudaMemcpyAsync(device, pinned + 1, kBytes, cudaMemcpyHostToDevice, 0),
      cudaErrorInvalidValue);
  EXPECT_CUDA(cudaDeviceSynchronize());
}

TEST_F(CopyArgumentsTest, MemsetFillsAllMemoryButPageable) {
  for (char* const memory : {Device(kBytes), Pinned(kBytes), Managed(kBytes)}) {
    EXPECT_CUDA(cudaMemset(memory, 0x5a, kBytes));
    EXPECT_CUDA(cudaDeviceSynchronize());
    char last = 0;
    EXPECT_CUDA(cudaMemcpy(&last, memory + kBytes - 1, 1, cudaMemcpyDefault));
    EXPECT_EQ(last, 0x5a);
  }
  EXPECT_EQ(cudaMemset(Pageable(kBytes), 0, 1), cudaErrorInvalidValue);
}

// Which error depends on the number of rows: with one, no pitch is ever used.
TEST_F(CopyArgumentsTest, APitchBelowTheWidthIsRefused) {
  char* const device = Device(kBytes);
  char* const host = Pageable(kBytes);
  EXPECT_EQ(cudaMemcpy2D(device, 3, host, 8, 4, 2, cudaMemcpyHostToDevice),
            cudaErrorInvalidPitchValue);
  EXPECT_EQ(cudaMemcpy2D(device, 8, host, 0, 4, 2, cudaMemcpyHostToDevice),
            cudaErrorInvalidPitchValue);
  EXPECT_EQ(cudaMemcpy2D(device, 3, host, 3, 4, 1, cudaMemcpyHostToDevice),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemset2D(device, 3, 0, 4, 2), cudaErrorInvalidValue);
  EXPECT_CUDA(cudaMemset2D(device, 3, 0, 4, 1));
}

TEST_F(CopyArgumentsTest, APitchAboveTheDevicesLimitIsRefused) {
  cudaDeviceProp properties;
  ASSERT_CUDA(cudaGetDeviceProperties(&properties, 0));
  EXPECT_EQ(cudaMemcpy2D(Device(kBytes), 4 * (properties.memPitch + 1),
                         Pageable(kBytes), 8, 4, 2, cudaMemcpyHostToDevice),
            cudaErrorInvalidValue);
}

TEST_F(CopyArgumentsTest, NoRowsNeedNoPitch) {
  char* const device = Device(kBytes);
  char* const host = Pageable(kBytes);
  EXPECT_CUDA(cudaMemcpy2D(device, 8, host, 8, 4, 0, cudaMemcpyHostToDevice));
  EXPECT_CUDA(cudaMemcpy2D(device, 2, host, 2, 4, 0, cudaMemcpyHostToDevice));
}

TEST_F(CopyArgumentsTest, RowsMoveAndThePaddingBetweenThemStays) {
  constexpr size_t kPitch = 64;
  constexpr size_t kWidth = 40;
  constexpr size_t kHeight = 5;
  char* const host = Pageable(kPitch * kHeight);
  char* const device = Device(kPitch * kHeight);
  FillPattern(host, kPitch * kHeight, /*seed=*/1);
  ASSERT_CUDA(
      cudaMemcpy(device, host, kPitch * kHeight, cudaMemcpyHostToDevice));
  FillPattern(host, kPitch * kHeight, /*seed=*/2);
  ASSERT_CUDA(cudaMemcpy2D(device, kPitch, host, kPitch, kWidth, kHeight,
                           cudaMemcpyHostToDevice));
  ASSERT_CUDA(
      cudaMemcpy(host, device, kPitch * kHeight, cudaMemcpyDeviceToHost));
  for (size_t row = 0; row < kHeight; ++row) {
    const size_t start = row * kPitch;
    EXPECT_OK(VerifyPattern(host + start, kWidth, /*seed=*/2, start));
    EXPECT_OK(VerifyPattern(host + start + kWidth, kPitch - kWidth,
                            /*seed=*/1, start + kWidth));
  }
}

TEST_F(CopyArgumentsTest, PeerCopiesAreOfDeviceMemoryAndNameDevices) {
  char* const device = Device(kBytes);
  int count = 0;
  ASSERT_CUDA(cudaGetDeviceCount(&count));
  EXPECT_CUDA(cudaMemcpyPeer(device, 0, device + 2048, 0, 10));
  EXPECT_EQ(cudaMemcpyPeer(device, 0, Pageable(kBytes), 0, 10),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpyPeer(device, count, device, 0, 10),
            cudaErrorInvalidDevice);
}

}  // namespace
}  // namespace conveyor
