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

#include "transfer/cuda_status.h"

#include <cuda_runtime_api.h>

#include <string>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "testing/devices.h"
#include "testing/status_matchers.h"

namespace conveyor {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// Leaves cudaErrorInvalidDevice as the thread's last error.
void LeaveAnError() {
  ASSERT_EQ(cudaSetDevice(1 << 20), cudaErrorInvalidDevice);
  ASSERT_EQ(cudaPeekAtLastError(), cudaErrorInvalidDevice);
}

class CudaStatusTest : public ::testing::Test {
 protected:
  void SetUp() override {
    CONVEYOR_REQUIRE_DEVICES(1);
    cudaGetLastError();
  }
  void TearDown() override { cudaGetLastError(); }
};

TEST_F(CudaStatusTest, ErrorsMapToCodes) {
  EXPECT_OK(ToStatus(cudaSuccess, "call"));
  const struct {
    cudaError_t error;
    absl::StatusCode code;
  } kCases[] = {
      {cudaErrorMemoryAllocation, absl::StatusCode::kResourceExhausted},
      {cudaErrorInvalidValue, absl::StatusCode::kInvalidArgument},
      {cudaErrorInvalidDevice, absl::StatusCode::kInvalidArgument},
      {cudaErrorInvalidResourceHandle, absl::StatusCode::kInvalidArgument},
      {cudaErrorHostMemoryAlreadyRegistered, absl::StatusCode::kAlreadyExists},
      {cudaErrorNoDevice, absl::StatusCode::kNotFound},
      {cudaErrorNotSupported, absl::StatusCode::kUnimplemented},
      {cudaErrorNotReady, absl::StatusCode::kUnavailable},
      {cudaErrorInsufficientDriver, absl::StatusCode::kFailedPrecondition},
      {cudaErrorStreamCaptureUnsupported,
       absl::StatusCode::kFailedPrecondition},
      {cudaErrorIllegalAddress, absl::StatusCode::kInternal},
      {cudaErrorUnknown, absl::StatusCode::kInternal},
  };
  for (const auto& c : kCases) {
    const absl::Status status = ToStatus(c.error, "cudaThing(7)");
    EXPECT_THAT(status,
                StatusIs(c.code, AllOf(HasSubstr("cudaThing(7)"),
                                       HasSubstr(cudaGetErrorName(c.error)))));
    EXPECT_EQ(CudaErrorOf(status), c.error);
  }
}

TEST_F(CudaStatusTest, OnlyStatusesOfCudaCallsCarryACudaError) {
  EXPECT_EQ(CudaErrorOf(absl::OkStatus()), std::nullopt);
  EXPECT_EQ(CudaErrorOf(absl::InternalError("other")), std::nullopt);
}

TEST_F(CudaStatusTest, UninitializedSystemNamesFabricManager) {
  EXPECT_THAT(ToStatus(cudaErrorSystemNotReady, "cudaSetDevice(0)"),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("nvidia-fabricmanager")));
}

TEST_F(CudaStatusTest, SuccessLeavesTheLastErrorAndDescribesNothing) {
  LeaveAnError();
  int device = 0;
  EXPECT_OK(CallCuda([&] { return cudaGetDevice(&device); },
                     []() -> std::string {
                       ADD_FAILURE() << "described a successful call";
                       return "";
                     }));
  EXPECT_EQ(cudaPeekAtLastError(), cudaErrorInvalidDevice);
}

TEST_F(CudaStatusTest, FailureReplacesTheLastErrorAndSaysWhatStoodThere) {
  LeaveAnError();
  EXPECT_THAT(
      CallCuda([] { return cudaStreamGetFlags(nullptr, nullptr); },
               [] { return std::string("cudaStreamGetFlags(flags=null)"); }),
      StatusIs(absl::StatusCode::kInvalidArgument,
               AllOf(HasSubstr("cudaStreamGetFlags(flags=null)"),
                     HasSubstr("cudaErrorInvalidValue"),
                     HasSubstr("last error was cudaErrorInvalidDevice"))));
  EXPECT_EQ(cudaPeekAtLastError(), cudaErrorInvalidValue);
}

TEST_F(CudaStatusTest, FailureWithNothingBeforeSaysNothingOfIt) {
  EXPECT_THAT(CallCuda([] { return cudaStreamGetFlags(nullptr, nullptr); },
                       [] { return std::string("call"); }),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       Not(HasSubstr("last error was"))));
}

TEST_F(CudaStatusTest, KeepingLastErrorLeavesNoneBehind) {
  EXPECT_EQ(CallKeepingLastError([] { return cudaSetDevice(1 << 20); }),
            cudaErrorInvalidDevice);
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
}

TEST_F(CudaStatusTest, KeepingLastErrorKeepsTheCallersAcrossFailure) {
  LeaveAnError();
  EXPECT_EQ(
      CallKeepingLastError([] { return cudaStreamGetFlags(nullptr, nullptr); }),
      cudaErrorInvalidValue);
  EXPECT_EQ(cudaPeekAtLastError(), cudaErrorInvalidDevice);
}

}  // namespace
}  // namespace conveyor
