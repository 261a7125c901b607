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

// More indices than 32 bits count.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "testing/devices.h"
#include "testing/status_matchers.h"
#include "transfer/copy.h"
#include "transfer/device.h"
#include "transfer/device_buffer.h"
#include "transfer/internal/for_each_test_kernels.h"
#include "transfer/pinned_buffer.h"
#include "transfer/stream.h"

namespace conveyor {
namespace {

TEST(ForEachLargeTest, IndicesAre64Bit) {
  CONVEYOR_REQUIRE_DEVICES(1);
  constexpr size_t kCount = (size_t{1} << 32) + 5;
  ASSERT_OK_AND_ASSIGN(Stream stream, Stream::Create(DeviceId(0)));
  ASSERT_OK_AND_ASSIGN(auto flags,
                       DeviceBuffer<uint8_t>::Create(kCount, DeviceId(0)));
  ASSERT_EQ(internal::MarkBytes(stream, flags.span().device_pointer(), kCount),
            cudaSuccess);
  ASSERT_OK_AND_ASSIGN(auto host, PinnedBuffer<uint8_t>::Create(kCount));
  ASSERT_OK(Copy(host, flags, stream));
  size_t wrong = 0;
  for (size_t i = 0; i < kCount; ++i) wrong += host[i] != i % 251;
  EXPECT_EQ(wrong, 0u);
}

}  // namespace
}  // namespace conveyor
