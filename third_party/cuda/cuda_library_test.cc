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

// A kernel of a cuda_library runs, on both backends, through ForEach.

#include <cuda_runtime_api.h>

#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "third_party/cuda/cuda_library_test_kernels.h"
#include "third_party/cuda/launch.h"

namespace conveyor {
namespace {

class CudaLibraryTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(cudaStreamCreateWithFlags(&stream_.stream, cudaStreamNonBlocking),
              cudaSuccess);
    ASSERT_EQ(cudaMalloc(reinterpret_cast<void**>(&out_), kBytes), cudaSuccess);
    ASSERT_EQ(cudaMemsetAsync(out_, 0xff, kBytes, stream_.stream), cudaSuccess);
  }

  void TearDown() override {
    EXPECT_EQ(cudaFree(out_), cudaSuccess);
    EXPECT_EQ(cudaStreamDestroy(stream_.stream), cudaSuccess);
  }

  std::vector<int64_t> Result() {
    std::vector<int64_t> result(kCount);
    EXPECT_EQ(cudaMemcpyAsync(result.data(), out_, kBytes,
                              cudaMemcpyDeviceToHost, stream_.stream),
              cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(stream_.stream), cudaSuccess);
    return result;
  }

  // More than one block of threads, and not a multiple of it.
  static constexpr int64_t kCount = 100003;
  static constexpr size_t kBytes = kCount * sizeof(int64_t);

  LaunchStream stream_ = {nullptr, 0};
  int64_t* out_ = nullptr;
};

TEST_F(CudaLibraryTest, RunsTheFunctorOnceForEachIndexAndNoOther) {
  const int64_t n = kCount - 1;
  ASSERT_EQ(Triple(stream_, out_, n, /*offset=*/7), cudaSuccess);

  const std::vector<int64_t> result = Result();
  for (int64_t i = 0; i < n; ++i) {
    ASSERT_EQ(result[i], 3 * i + 7) << "at " << i;
  }
  EXPECT_EQ(result[n], -1);
}

TEST_F(CudaLibraryTest, RunsAfterEarlierWorkOnTheStream) {
  ASSERT_EQ(Triple(stream_, out_, kCount, 1), cudaSuccess);
  ASSERT_EQ(Triple(stream_, out_, kCount, 2), cudaSuccess);

  EXPECT_EQ(Result()[kCount - 1], 3 * (kCount - 1) + 2);
}

TEST_F(CudaLibraryTest, LaunchesNothingForNoElements) {
  EXPECT_EQ(Triple(stream_, nullptr, 0, 0), cudaSuccess);

  EXPECT_EQ(Result()[0], -1);
}

TEST_F(CudaLibraryTest, RefusesANegativeCount) {
  EXPECT_EQ(Triple(stream_, out_, -1, 0), cudaErrorInvalidValue);

  EXPECT_EQ(Result()[0], -1);
}

TEST_F(CudaLibraryTest, ReportsADeviceThatIsNotThere) {
  int count = 0;
  ASSERT_EQ(cudaGetDeviceCount(&count), cudaSuccess);

  EXPECT_EQ(Triple({stream_.stream, count}, out_, kCount, 0),
            cudaErrorInvalidDevice);
  // This failure is expected; a later call would find it.
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDevice);

  EXPECT_EQ(Result()[0], -1);
}

}  // namespace
}  // namespace conveyor
