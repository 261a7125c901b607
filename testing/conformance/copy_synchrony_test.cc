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

// Which calls wait for earlier work, and what is complete when they return.
//
// cudaFree is not here: an H200 waits, CUDA does not promise it, and the
// simulated runtime tries both.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstring>
#include <vector>

#include "gtest/gtest.h"
#include "testing/conformance/cuda_test.h"
#include "testing/pattern.h"
#include "testing/status_matchers.h"
#include "testing/stream_gate.h"

namespace conveyor {
namespace {

constexpr size_t kLarge = size_t{4} << 20;
constexpr size_t kMiB = size_t{1} << 20;

class CopySynchronyTest : public CudaTest {
 protected:
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(CudaTest::SetUp());
    if (IsSkipped()) return;
    non_blocking_ = NonBlockingStream();
    blocking_ = BlockingStream();
    device_ = Device(kLarge);
    other_ = Device(kLarge);
    pinned_ = Pinned(kLarge);
    pageable_ = Pageable(kLarge);
    std::memset(pageable_, 1, kLarge);
    // The first copy makes what the driver stages pageable memory with.
    ASSERT_CUDA(cudaMemcpyAsync(device_, pageable_, kMiB,
                                cudaMemcpyHostToDevice, non_blocking_));
    ASSERT_CUDA(cudaDeviceSynchronize());
  }

  cudaStream_t non_blocking_ = nullptr;
  cudaStream_t blocking_ = nullptr;
  char* device_ = nullptr;
  char* other_ = nullptr;
  char* pinned_ = nullptr;
  char* pageable_ = nullptr;
};

TEST_F(CopySynchronyTest, AnAsynchronousUploadFromPinnedMemoryReturns) {
  EXPECT_TRUE(ReturnsWhileHeld(non_blocking_, [&] {
    return cudaMemcpyAsync(device_, pinned_, kLarge, cudaMemcpyHostToDevice,
                           non_blocking_);
  }));
}

TEST_F(CopySynchronyTest, AnAsynchronousDownloadToPinnedMemoryReturns) {
  EXPECT_TRUE(ReturnsWhileHeld(non_blocking_, [&] {
    return cudaMemcpyAsync(pinned_, device_, kLarge, cudaMemcpyDeviceToHost,
                           non_blocking_);
  }));
}

TEST_F(CopySynchronyTest, AnAsynchronousCopyWithinADeviceReturns) {
  EXPECT_TRUE(ReturnsWhileHeld(non_blocking_, [&] {
    return cudaMemcpyAsync(device_, other_, kLarge, cudaMemcpyDeviceToDevice,
                           non_blocking_);
  }));
}

// Whatever CUDA's documentation says of 64 KiB: the source is staged.
TEST_F(CopySynchronyTest, AnAsynchronousUploadFromPageableMemoryReturns) {
  for (const size_t num_bytes :
       {size_t{1}, size_t{65536}, size_t{65537}, kMiB}) {
    EXPECT_TRUE(ReturnsWhileHeld(non_blocking_, [&] {
      return cudaMemcpyAsync(device_, pageable_, num_bytes,
                             cudaMemcpyHostToDevice, non_blocking_);
    })) << num_bytes;
  }
}

TEST_F(CopySynchronyTest, ALargeUploadFromPageableMemoryWaits) {
  EXPECT_TRUE(WaitsWhileHeld(non_blocking_, [&] {
    return cudaMemcpyAsync(device_, pageable_, kLarge, cudaMemcpyHostToDevice,
                           non_blocking_);
  }));
}

TEST_F(CopySynchronyTest, APageableSourceIsReadWhenTheCallReturns) {
  for (const size_t num_bytes : {size_t{100}, size_t{65537}, kMiB}) {
    FillPattern(pageable_, num_bytes, /*seed=*/num_bytes);
    ASSERT_OK_AND_ASSIGN(StreamGate gate, StreamGate::Hold(non_blocking_));
    ASSERT_CUDA(cudaMemcpyAsync(device_, pageable_, num_bytes,
                                cudaMemcpyHostToDevice, non_blocking_));
    std::memset(pageable_, 0, num_bytes);
    EXPECT_FALSE(gate.timed_out());
    gate.Open();
    ASSERT_CUDA(cudaStreamSynchronize(non_blocking_));
    ASSERT_CUDA(
        cudaMemcpy(pageable_, device_, num_bytes, cudaMemcpyDeviceToHost));
    EXPECT_OK(VerifyPattern(pageable_, num_bytes, /*seed=*/num_bytes));
  }
}

TEST_F(CopySynchronyTest, AnAsynchronousDownloadToPageableMemoryWaits) {
  for (const size_t num_bytes : {size_t{1}, kMiB}) {
    EXPECT_TRUE(WaitsWhileHeld(non_blocking_, [&] {
      return cudaMemcpyAsync(pageable_, device_, num_bytes,
                             cudaMemcpyDeviceToHost, non_blocking_);
    })) << num_bytes;
  }
}

TEST_F(CopySynchronyTest, APageableDownloadIsCompleteWhenTheCallReturns) {
  std::vector<char> source(kMiB);
  for (const size_t num_bytes : {size_t{1}, size_t{65537}, kMiB}) {
    FillPattern(source.data(), num_bytes, /*seed=*/num_bytes);
    ASSERT_CUDA(cudaMemcpyAsync(device_, source.data(), num_bytes,
                                cudaMemcpyHostToDevice, non_blocking_));
    ASSERT_CUDA(cudaMemcpyAsync(other_, device_, num_bytes,
                                cudaMemcpyDeviceToDevice, non_blocking_));
    ASSERT_CUDA(cudaMemcpyAsync(pageable_, other_, num_bytes,
                                cudaMemcpyDeviceToHost, non_blocking_));
    EXPECT_OK(VerifyPattern(pageable_, num_bytes, /*seed=*/num_bytes));
    // Nothing that was enqueued before it is pending either.
    EXPECT_CUDA(cudaStreamQuery(non_blocking_));
  }
}

// Once the stream of the copy is synchronized; for the legacy stream too.
TEST_F(CopySynchronyTest,
       ABlockingPageableUploadIsSeenOnceItsStreamIsWaitedFor) {
  for (const size_t num_bytes : {size_t{1}, size_t{65537}, kMiB, kLarge}) {
    FillPattern(pageable_, num_bytes, /*seed=*/num_bytes);
    ASSERT_CUDA(
        cudaMemcpy(device_, pageable_, num_bytes, cudaMemcpyHostToDevice));
    ASSERT_CUDA(cudaStreamSynchronize(nullptr));
    ASSERT_CUDA(cudaMemcpyAsync(pinned_, device_, num_bytes,
                                cudaMemcpyDeviceToHost, non_blocking_));
    ASSERT_CUDA(cudaStreamSynchronize(non_blocking_));
    EXPECT_OK(VerifyPattern(pinned_, num_bytes, /*seed=*/num_bytes));
  }
}

TEST_F(CopySynchronyTest, ABlockingPageableUploadIsSeenByABlockingStream) {
  for (const size_t num_bytes : {size_t{65537}, kMiB, kLarge}) {
    FillPattern(pageable_, num_bytes, /*seed=*/num_bytes);
    ASSERT_CUDA(
        cudaMemcpy(device_, pageable_, num_bytes, cudaMemcpyHostToDevice));
    ASSERT_CUDA(cudaMemcpyAsync(pinned_, device_, num_bytes,
                                cudaMemcpyDeviceToHost, blocking_));
    ASSERT_CUDA(cudaStreamSynchronize(blocking_));
    EXPECT_OK(VerifyPattern(pinned_, num_bytes, /*seed=*/num_bytes));
  }
}

TEST_F(CopySynchronyTest, AnAsynchronousPageableUploadIsSeenAfterAnEvent) {
  const cudaStream_t other = NonBlockingStream();
  const cudaEvent_t event = Event();
  for (const size_t num_bytes : {size_t{65537}, kMiB, kLarge}) {
    FillPattern(pageable_, num_bytes, /*seed=*/num_bytes);
    ASSERT_CUDA(cudaMemcpyAsync(device_, pageable_, num_bytes,
                                cudaMemcpyHostToDevice, non_blocking_));
    ASSERT_CUDA(cudaEventRecord(event, non_blocking_));
    ASSERT_CUDA(cudaStreamWaitEvent(other, event, 0));
    ASSERT_CUDA(cudaMemcpyAsync(pinned_, device_, num_bytes,
                                cudaMemcpyDeviceToHost, other));
    ASSERT_CUDA(cudaStreamSynchronize(other));
    EXPECT_OK(VerifyPattern(pinned_, num_bytes, /*seed=*/num_bytes));
  }
}

TEST_F(CopySynchronyTest, ALargePageableSourceIsReadWhenTheCallReturns) {
  FillPattern(pageable_, kLarge, /*seed=*/5);
  ASSERT_CUDA(cudaMemcpyAsync(device_, pageable_, kLarge,
                              cudaMemcpyHostToDevice, non_blocking_));
  std::memset(pageable_, 0, kLarge);
  ASSERT_CUDA(cudaStreamSynchronize(non_blocking_));
  ASSERT_CUDA(cudaMemcpy(pageable_, device_, kLarge, cudaMemcpyDeviceToHost));
  EXPECT_OK(VerifyPattern(pageable_, kLarge, /*seed=*/5));
}

TEST_F(CopySynchronyTest, AnAsynchronousCopyWithinTheHostWaits) {
  EXPECT_TRUE(WaitsWhileHeld(non_blocking_, [&] {
    return cudaMemcpyAsync(pageable_, pageable_ + 4096, 64,
                           cudaMemcpyHostToHost, non_blocking_);
  })) << "pageable";
  EXPECT_TRUE(WaitsWhileHeld(non_blocking_, [&] {
    return cudaMemcpyAsync(pinned_, pinned_ + 4096, 64, cudaMemcpyHostToHost,
                           non_blocking_);
  })) << "pinned";
  EXPECT_TRUE(WaitsWhileHeld(non_blocking_, [&] {
    return cudaMemcpyAsync(pinned_, pinned_ + 4096, 64, cudaMemcpyDefault,
                           non_blocking_);
  })) << "pinned, by cudaMemcpyDefault";
}

TEST_F(CopySynchronyTest, AnAsynchronousMemsetReturns) {
  for (char* const memory : {device_, pinned_}) {
    EXPECT_TRUE(ReturnsWhileHeld(non_blocking_, [&] {
      return cudaMemsetAsync(memory, 0, 4096, non_blocking_);
    }));
  }
}

TEST_F(CopySynchronyTest, ABlockingCopyWaitsForBlockingStreams) {
  EXPECT_TRUE(WaitsWhileHeld(blocking_, [&] {
    return cudaMemcpy(device_, pinned_, 4096, cudaMemcpyHostToDevice);
  })) << "from pinned memory";
  EXPECT_TRUE(WaitsWhileHeld(blocking_, [&] {
    return cudaMemcpy(pinned_, device_, 4096, cudaMemcpyDeviceToHost);
  })) << "to pinned memory";
  EXPECT_TRUE(WaitsWhileHeld(blocking_, [&] {
    return cudaMemcpy(pageable_, pageable_ + 4096, 64, cudaMemcpyHostToHost);
  })) << "within the host";
  for (const size_t num_bytes : {size_t{1}, size_t{65537}, kLarge}) {
    EXPECT_TRUE(WaitsWhileHeld(blocking_,
                               [&] {
                                 return cudaMemcpy(device_, pageable_,
                                                   num_bytes,
                                                   cudaMemcpyHostToDevice);
                               }))
        << "from pageable memory, " << num_bytes;
  }
}

TEST_F(CopySynchronyTest, ABlockingCopyDoesNotWaitForNonBlockingStreams) {
  EXPECT_TRUE(ReturnsWhileHeld(non_blocking_, [&] {
    return cudaMemcpy(device_, pinned_, 4096, cudaMemcpyHostToDevice);
  }));
}

TEST_F(CopySynchronyTest, ABlockingCopyWithinADeviceReturns) {
  EXPECT_TRUE(ReturnsWhileHeld(blocking_, [&] {
    return cudaMemcpy(device_, other_, 4096, cudaMemcpyDeviceToDevice);
  }));
  EXPECT_TRUE(ReturnsWhileHeld(
      blocking_, [&] { return cudaMemcpyPeer(device_, 0, other_, 0, 4096); }));
}

TEST_F(CopySynchronyTest, ABlockingMemsetWaitsForHostMemoryOnly) {
  EXPECT_TRUE(ReturnsWhileHeld(blocking_,
                               [&] { return cudaMemset(device_, 0, 4096); }));
  EXPECT_TRUE(
      WaitsWhileHeld(blocking_, [&] { return cudaMemset(pinned_, 0, 4096); }));
}

TEST_F(CopySynchronyTest, AllocatingReturns) {
  for (const size_t num_bytes : {size_t{256}, kLarge}) {
    void* memory = nullptr;
    EXPECT_TRUE(ReturnsWhileHeld(non_blocking_, [&] {
      return cudaMalloc(&memory, num_bytes);
    })) << num_bytes;
    EXPECT_CUDA(cudaFree(memory));
  }
  void* memory = nullptr;
  EXPECT_TRUE(ReturnsWhileHeld(non_blocking_, [&] {
    return cudaHostAlloc(&memory, kMiB, cudaHostAllocDefault);
  }));
  EXPECT_CUDA(cudaFreeHost(memory));
  EXPECT_TRUE(ReturnsWhileHeld(
      non_blocking_, [&] { return cudaMallocAsync(&memory, 100, blocking_); }));
  EXPECT_CUDA(cudaFree(memory));
}

TEST_F(CopySynchronyTest, FreeingPinnedMemoryWaits) {
  char* const pinned = Pinned(kMiB);
  Forget(pinned);
  EXPECT_TRUE(
      WaitsWhileHeld(non_blocking_, [&] { return cudaFreeHost(pinned); }));
}

TEST_F(CopySynchronyTest, RegisteringReturnsAndUnregisteringWaits) {
  EXPECT_TRUE(ReturnsWhileHeld(non_blocking_, [&] {
    return cudaHostRegister(pageable_, kMiB, cudaHostRegisterDefault);
  }));
  EXPECT_TRUE(WaitsWhileHeld(non_blocking_,
                             [&] { return cudaHostUnregister(pageable_); }));
}

TEST_F(CopySynchronyTest, AStreamTakesAThousandCopiesBehindHeldWork) {
  EXPECT_TRUE(ReturnsWhileHeld(non_blocking_, [&] {
    for (int i = 0; i < 1000; ++i) {
      const cudaError_t error = cudaMemcpyAsync(
          device_, pinned_, 64, cudaMemcpyHostToDevice, non_blocking_);
      if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
  }));
}

// So a host that enqueues without end waits for the device, and must not hold
// what that needs.
TEST_F(CopySynchronyTest, EnqueueingWaitsOnceAStreamIsFull) {
  EXPECT_TRUE(WaitsWhileHeld(non_blocking_, [&] {
    for (int i = 0; i < 2000; ++i) {
      const cudaError_t error = cudaMemcpyAsync(
          device_, pinned_, 64, cudaMemcpyHostToDevice, non_blocking_);
      if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
  }));
}

}  // namespace
}  // namespace conveyor
