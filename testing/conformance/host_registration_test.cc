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

// What cudaHostRegister accepts and refuses.

#include <cuda_runtime_api.h>

#include <cstddef>

#include "gtest/gtest.h"
#include "testing/conformance/cuda_test.h"
#include "testing/pattern.h"
#include "testing/status_matchers.h"

namespace conveyor {
namespace {

constexpr size_t kPage = 4096;

class HostRegistrationTest : public CudaTest {
 protected:
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(CudaTest::SetUp());
    if (!IsSkipped()) host_ = Pageable(4 * kPage);
  }

  char* host_ = nullptr;
};

TEST_F(HostRegistrationTest, DisjointRangesOnOnePageAreBothAccepted) {
  ASSERT_CUDA(cudaHostRegister(host_, 100, cudaHostRegisterDefault));
  EXPECT_CUDA(cudaHostRegister(host_ + 100, 100, cudaHostRegisterDefault));
  EXPECT_CUDA(cudaHostUnregister(host_ + 100));
  EXPECT_CUDA(cudaHostUnregister(host_));
}

TEST_F(HostRegistrationTest, UnregisteringARangeLeavesItsNeighbourOnThePage) {
  ASSERT_CUDA(cudaHostRegister(host_, 100, cudaHostRegisterDefault));
  ASSERT_CUDA(cudaHostRegister(host_ + 100, 100, cudaHostRegisterDefault));
  ASSERT_CUDA(cudaHostUnregister(host_));
  cudaPointerAttributes attributes = {};
  EXPECT_CUDA(cudaPointerGetAttributes(&attributes, host_ + 150));
  EXPECT_EQ(attributes.type, cudaMemoryTypeHost);

  FillPattern(host_, 200, /*seed=*/1);
  char* const device = Device(200);
  EXPECT_CUDA(cudaMemcpy(device, host_ + 100, 100, cudaMemcpyHostToDevice));
  FillPattern(host_, 200, /*seed=*/2);
  EXPECT_CUDA(cudaMemcpy(host_ + 100, device, 100, cudaMemcpyDeviceToHost));
  EXPECT_OK(VerifyPattern(host_ + 100, 100, /*seed=*/1, /*offset=*/100));
  EXPECT_CUDA(cudaHostUnregister(host_ + 100));
}

TEST_F(HostRegistrationTest, OverlappingRangesAreRefused) {
  ASSERT_CUDA(cudaHostRegister(host_, 100, cudaHostRegisterDefault));
  EXPECT_EQ(cudaHostRegister(host_ + 50, 100, cudaHostRegisterDefault),
            cudaErrorHostMemoryAlreadyRegistered);
  EXPECT_EQ(cudaHostRegister(host_, kPage, cudaHostRegisterDefault),
            cudaErrorHostMemoryAlreadyRegistered);
  EXPECT_EQ(cudaHostRegister(host_, 100, cudaHostRegisterDefault),
            cudaErrorHostMemoryAlreadyRegistered);
  EXPECT_CUDA(cudaHostUnregister(host_));
}

TEST_F(HostRegistrationTest, MemoryOfCudasOwnIsRefused) {
  for (char* const memory : {Pinned(kPage), Device(kPage), Managed(kPage)}) {
    EXPECT_EQ(cudaHostRegister(memory, 100, cudaHostRegisterDefault),
              cudaErrorInvalidValue);
  }
}

TEST_F(HostRegistrationTest, WrongArgumentsAreRefused) {
  EXPECT_EQ(cudaHostRegister(nullptr, 100, cudaHostRegisterDefault),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaHostRegister(host_, 0, cudaHostRegisterDefault),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaHostRegister(host_, 10, /*flags=*/0x100),
            cudaErrorInvalidValue);
}

TEST_F(HostRegistrationTest, OnlyTheFirstByteOfARangeUnregistersIt) {
  ASSERT_CUDA(cudaHostRegister(host_, 100, cudaHostRegisterDefault));
  EXPECT_EQ(cudaHostUnregister(host_ + 1), cudaErrorInvalidValue);
  EXPECT_CUDA(cudaHostUnregister(host_));
}

TEST_F(HostRegistrationTest, WhatIsNotRegisteredCannotBeUnregistered) {
  EXPECT_EQ(cudaHostUnregister(host_), cudaErrorHostMemoryNotRegistered);
  EXPECT_EQ(cudaHostUnregister(nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaHostUnregister(Pinned(kPage)), cudaErrorInvalidValue);

  ASSERT_CUDA(cudaHostRegister(host_, 100, cudaHostRegisterDefault));
  ASSERT_CUDA(cudaHostUnregister(host_));
  EXPECT_EQ(cudaHostUnregister(host_), cudaErrorHostMemoryNotRegistered);
}

TEST_F(HostRegistrationTest, RegisteringKeepsTheContents) {
  FillPattern(host_, 4 * kPage, /*seed=*/3);
  ASSERT_CUDA(cudaHostRegister(host_ + 10, 2 * kPage, cudaHostRegisterDefault));
  EXPECT_OK(VerifyPattern(host_, 4 * kPage, /*seed=*/3));
  ASSERT_CUDA(cudaHostUnregister(host_ + 10));
  EXPECT_OK(VerifyPattern(host_, 4 * kPage, /*seed=*/3));
}

// The driver knows where page-locked memory ends, and takes a copy that starts
// in it for one of page-locked memory.
TEST_F(HostRegistrationTest, ACopyPastTheEndOfARangeIsRefused) {
  char* const device = Device(4 * kPage);
  ASSERT_CUDA(cudaHostRegister(host_, 2 * kPage, cudaHostRegisterDefault));
  EXPECT_EQ(cudaMemcpy(device, host_, 4 * kPage, cudaMemcpyHostToDevice),
            cudaErrorInvalidValue);
  EXPECT_EQ(
      cudaMemcpyAsync(device, host_, 4 * kPage, cudaMemcpyHostToDevice, 0),
      cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpyAsync(device, host_ + kPage, 2 * kPage,
                            cudaMemcpyHostToDevice, 0),
            cudaErrorInvalidValue);
  EXPECT_EQ(
      cudaMemcpyAsync(host_, device, 4 * kPage, cudaMemcpyDeviceToHost, 0),
      cudaErrorInvalidValue);
  EXPECT_CUDA(cudaMemcpyAsync(device, host_ + 2 * kPage, 2 * kPage,
                              cudaMemcpyHostToDevice, 0));
  EXPECT_CUDA(cudaDeviceSynchronize());
  EXPECT_CUDA(cudaHostUnregister(host_));
}

}  // namespace
}  // namespace conveyor
