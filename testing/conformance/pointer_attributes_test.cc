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

// What cudaPointerGetAttributes says of every kind of memory.

#include <cuda_runtime_api.h>

#include <cstddef>

#include "gtest/gtest.h"
#include "testing/conformance/cuda_test.h"

namespace conveyor {
namespace {

constexpr size_t kBytes = 4096;

class PointerAttributesTest : public CudaTest {
 protected:
  static cudaPointerAttributes Attributes(const void* pointer) {
    cudaPointerAttributes attributes = {};
    EXPECT_CUDA(cudaPointerGetAttributes(&attributes, pointer));
    return attributes;
  }

  static void ExpectUnregistered(const void* pointer) {
    const cudaPointerAttributes attributes = Attributes(pointer);
    EXPECT_EQ(attributes.type, cudaMemoryTypeUnregistered);
    EXPECT_EQ(attributes.device, cudaInvalidDeviceId);
    EXPECT_EQ(attributes.devicePointer, nullptr);
    EXPECT_EQ(attributes.hostPointer, pointer);
  }
};

TEST_F(PointerAttributesTest, PageableMemoryIsUnregisteredAndNoError) {
  ExpectUnregistered(Pageable(kBytes));
  EXPECT_CUDA(cudaPeekAtLastError());
}

TEST_F(PointerAttributesTest, NullIsUnregisteredAndNoError) {
  ExpectUnregistered(nullptr);
  EXPECT_CUDA(cudaPeekAtLastError());
}

TEST_F(PointerAttributesTest, DeviceMemoryHasADevicePointerOnly) {
  char* const device = Device(kBytes);
  for (char* const inside : {device, device + kBytes - 1}) {
    const cudaPointerAttributes attributes = Attributes(inside);
    EXPECT_EQ(attributes.type, cudaMemoryTypeDevice);
    EXPECT_EQ(attributes.device, 0);
    EXPECT_EQ(attributes.devicePointer, inside);
    EXPECT_EQ(attributes.hostPointer, nullptr);
  }
}

TEST_F(PointerAttributesTest, DeviceMemoryEndsWhereItsAllocationEnds) {
  ExpectUnregistered(Device(kBytes) + kBytes);
}

TEST_F(PointerAttributesTest, FreedDeviceMemoryIsUnregistered) {
  char* const device = Device(kBytes);
  Forget(device);
  ASSERT_CUDA(cudaFree(device));
  ExpectUnregistered(device);
}

TEST_F(PointerAttributesTest, PinnedMemoryHasOneAddressForHostAndDevice) {
  char* const pinned = Pinned(kBytes);
  for (char* const inside : {pinned, pinned + 5}) {
    const cudaPointerAttributes attributes = Attributes(inside);
    EXPECT_EQ(attributes.type, cudaMemoryTypeHost);
    EXPECT_EQ(attributes.device, 0);
    EXPECT_EQ(attributes.devicePointer, inside);
    EXPECT_EQ(attributes.hostPointer, inside);
  }
}

TEST_F(PointerAttributesTest, ManagedMemoryHasOneAddressForHostAndDevice) {
  char* const managed = Managed(kBytes);
  const cudaPointerAttributes attributes = Attributes(managed);
  EXPECT_EQ(attributes.type, cudaMemoryTypeManaged);
  EXPECT_EQ(attributes.device, 0);
  EXPECT_EQ(attributes.devicePointer, managed);
  EXPECT_EQ(attributes.hostPointer, managed);
}

TEST_F(PointerAttributesTest, RegisteredMemoryIsHostMemory) {
  int same_address = 0;
  ASSERT_CUDA(cudaDeviceGetAttribute(
      &same_address, cudaDevAttrCanUseHostPointerForRegisteredMem, 0));
  char* const host = Pageable(kBytes);
  ASSERT_CUDA(cudaHostRegister(host, 100, cudaHostRegisterDefault));
  for (char* const inside : {host, host + 99}) {
    const cudaPointerAttributes attributes = Attributes(inside);
    EXPECT_EQ(attributes.type, cudaMemoryTypeHost);
    EXPECT_EQ(attributes.device, 0);
    EXPECT_NE(attributes.devicePointer, nullptr);
    EXPECT_EQ(attributes.devicePointer == inside, same_address != 0);
    EXPECT_EQ(attributes.hostPointer, inside);
  }
  ASSERT_CUDA(cudaHostUnregister(host));
  ExpectUnregistered(host);
}

// Not at the end of the page, which is what is locked.
TEST_F(PointerAttributesTest, RegisteredMemoryEndsAtItsLastByte) {
  char* const host = Pageable(kBytes);
  ASSERT_CUDA(cudaHostRegister(host, 100, cudaHostRegisterDefault));
  ExpectUnregistered(host + 100);
  ExpectUnregistered(host + 4000);
  ASSERT_CUDA(cudaHostUnregister(host));
}

TEST_F(PointerAttributesTest, HostFlagsAreThoseAskedForAndMapped) {
  unsigned flags = 99;
  EXPECT_CUDA(cudaHostGetFlags(&flags, Pinned(kBytes)));
  EXPECT_EQ(flags, cudaHostAllocMapped);

  constexpr unsigned kAll =
      cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
  void* combined = nullptr;
  ASSERT_CUDA(cudaHostAlloc(&combined, kBytes, kAll));
  EXPECT_CUDA(cudaHostGetFlags(&flags, combined));
  EXPECT_EQ(flags, kAll);
  EXPECT_CUDA(cudaFreeHost(combined));

  char* const host = Pageable(kBytes);
  ASSERT_CUDA(cudaHostRegister(host, kBytes, cudaHostRegisterDefault));
  EXPECT_CUDA(cudaHostGetFlags(&flags, host + 100));
  EXPECT_EQ(flags, cudaHostAllocMapped);
  EXPECT_CUDA(cudaHostUnregister(host));

  EXPECT_CUDA(cudaHostGetFlags(&flags, Managed(kBytes)));
  EXPECT_EQ(flags, cudaHostAllocMapped);
}

TEST_F(PointerAttributesTest, OtherMemoryHasNoHostFlags) {
  unsigned flags = 99;
  EXPECT_EQ(cudaHostGetFlags(&flags, Pageable(kBytes)), cudaErrorInvalidValue);
  EXPECT_EQ(cudaHostGetFlags(&flags, Device(kBytes)), cudaErrorInvalidValue);
  EXPECT_EQ(flags, 99u);
}

TEST_F(PointerAttributesTest, PageLockedMemoryHasADevicePointer) {
  void* seen = nullptr;
  char* const pinned = Pinned(kBytes);
  EXPECT_CUDA(cudaHostGetDevicePointer(&seen, pinned, 0));
  EXPECT_EQ(seen, pinned);

  char* const host = Pageable(kBytes);
  ASSERT_CUDA(cudaHostRegister(host, kBytes, cudaHostRegisterDefault));
  EXPECT_CUDA(cudaHostGetDevicePointer(&seen, host + 150, 0));
  EXPECT_EQ(seen, Attributes(host + 150).devicePointer);
  EXPECT_CUDA(cudaHostUnregister(host));
}

TEST_F(PointerAttributesTest, OtherMemoryHasNoDevicePointerToAskFor) {
  void* seen = nullptr;
  for (char* const memory :
       {Pageable(kBytes), Device(kBytes), Managed(kBytes)}) {
    EXPECT_EQ(cudaHostGetDevicePointer(&seen, memory, 0),
              cudaErrorInvalidValue);
  }
  EXPECT_EQ(cudaHostGetDevicePointer(&seen, nullptr, 0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaHostGetDevicePointer(&seen, Pinned(kBytes), /*flags=*/1),
            cudaErrorInvalidValue);
}

}  // namespace
}  // namespace conveyor
