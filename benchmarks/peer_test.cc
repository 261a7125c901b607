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

#include "benchmarks/peer.h"

#include <cuda_runtime_api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "absl/status/status_matchers.h"
#include "absl/status/statusor.h"
#include "testing/devices.h"
#include "transfer/device.h"

namespace conveyor {
namespace bench {
namespace {

using ::absl_testing::IsOk;
using ::absl_testing::IsOkAndHolds;
using ::absl_testing::StatusIs;
using ::testing::AnyOf;
using ::testing::HasSubstr;

bool ArePeers() {
  int there = 0;
  int back = 0;
  EXPECT_EQ(cudaDeviceCanAccessPeer(&there, 0, 1), cudaSuccess);
  EXPECT_EQ(cudaDeviceCanAccessPeer(&back, 1, 0), cudaSuccess);
  return there != 0 && back != 0;
}

TEST(PeerTest, APeerIsAnotherDeviceOrThereIsAReason) {
  CONVEYOR_REQUIRE_DEVICES(2);
  if (ArePeers()) {
    EXPECT_THAT(FindPeer(DeviceId(0)), IsOkAndHolds(DeviceId(1)));
    EXPECT_THAT(FindPeer(DeviceId(1)), IsOkAndHolds(DeviceId(0)));
  } else {
    EXPECT_THAT(FindPeer(DeviceId(0)),
                StatusIs(absl::StatusCode::kNotFound,
                         HasSubstr("can be reached directly")));
  }
}

TEST(PeerTest, AccessIsEnabledOnceAndAgainWithNoErrorLeft) {
  CONVEYOR_REQUIRE_DEVICES(2);
  if (!ArePeers()) GTEST_SKIP() << "the devices are no peers";
  EXPECT_THAT(EnablePeerAccess(DeviceId(0), DeviceId(1)), IsOk());
  EXPECT_THAT(EnablePeerAccess(DeviceId(1), DeviceId(0)), IsOk());
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
  EXPECT_EQ(cudaDeviceEnablePeerAccess(1, 0),
            cudaErrorPeerAccessAlreadyEnabled);
  cudaGetLastError();
}

TEST(PeerTest, ADeviceIsNoPeerOfItself) {
  EXPECT_THAT(EnablePeerAccess(DeviceId(0), DeviceId(0)),
              StatusIs(AnyOf(absl::StatusCode::kInvalidArgument,
                             absl::StatusCode::kFailedPrecondition)));
}

}  // namespace
}  // namespace bench
}  // namespace conveyor
