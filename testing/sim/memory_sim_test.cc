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

// Memory by kind, and what calls say of it.

#include <cuda_runtime.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <vector>

#include "gtest/gtest.h"
#include "testing/sim/sim.h"

namespace conveyor {
namespace sim {
namespace {

#define ASSERT_CUDA(call) ASSERT_EQ(call, cudaSuccess)
#define EXPECT_CUDA(call) EXPECT_EQ(call, cudaSuccess)

cudaPointerAttributes Attributes(const void* pointer) {
  cudaPointerAttributes attributes;
  EXPECT_CUDA(cudaPointerGetAttributes(&attributes, pointer));
  return attributes;
}

TEST(DeviceMemoryTest, IsPoisonedWhenNew) {
  for (const size_t count : {size_t{1} << 8, size_t{1} << 20}) {
    float* device = nullptr;
    ASSERT_CUDA(cudaMalloc(&device, count * sizeof(float)));
    std::vector<float> host(count, 0);
    ASSERT_CUDA(cudaMemcpy(host.data(), device, count * sizeof(float),
                           cudaMemcpyDeviceToHost));
    for (const float value : host) ASSERT_TRUE(std::isnan(value));
    ASSERT_CUDA(cudaFree(device));
  }
}

// Of the process, in bytes.
size_t Resident() {
  size_t total = 0;
  size_t resident = 0;
  std::ifstream("/proc/self/statm") >> total >> resident;
  return resident * 4096;
}

TEST(DeviceMemoryTest, CostsNothingUntilTouched) {
  constexpr size_t kLarge = (size_t{5} << 29) + 1;
  const size_t before = Resident();
  std::vector<char*> buffers(8);
  for (char*& buffer : buffers) ASSERT_CUDA(cudaMalloc(&buffer, kLarge));
  char value = 3;
  ASSERT_CUDA(
      cudaMemcpy(buffers[7] + kLarge - 1, &value, 1, cudaMemcpyHostToDevice));
  value = 0;
  ASSERT_CUDA(
      cudaMemcpy(&value, buffers[7] + kLarge - 1, 1, cudaMemcpyDeviceToHost));
  EXPECT_EQ(value, 3);
  // Of 20 GiB; some for the file that poison comes from.
  EXPECT_LT(Resident(), before + (64 << 20));
  for (char* buffer : buffers) ASSERT_CUDA(cudaFree(buffer));
}

TEST(DeviceMemoryTest, EndsWhereTheDeviceSaysItEnds) {
  size_t free_bytes = 0;
  size_t total_bytes = 0;
  ASSERT_CUDA(cudaMemGetInfo(&free_bytes, &total_bytes));
  EXPECT_EQ(free_bytes, total_bytes);
  void* memory = nullptr;
  EXPECT_EQ(cudaMalloc(&memory, free_bytes + 1), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);

  SetFreeMemory(0, 1000);
  EXPECT_EQ(cudaMalloc(&memory, 1001), cudaErrorMemoryAllocation);
  ASSERT_CUDA(cudaMalloc(&memory, 1000));
  ASSERT_CUDA(cudaMemGetInfo(&free_bytes, &total_bytes));
  EXPECT_EQ(free_bytes, 0u);
  ASSERT_CUDA(cudaFree(memory));
  cudaGetLastError();
  ClearFaults();
}

TEST(DeviceMemoryTest, NothingIsFreedTwiceOrFromTheMiddle) {
  char* memory = nullptr;
  ASSERT_CUDA(cudaMalloc(&memory, 64));
  EXPECT_EQ(cudaFree(memory + 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFreeHost(memory), cudaErrorInvalidValue);
  EXPECT_CUDA(cudaFree(memory));
  EXPECT_EQ(cudaFree(memory), cudaErrorInvalidValue);
  EXPECT_CUDA(cudaFree(nullptr));
  EXPECT_CUDA(cudaFreeHost(nullptr));
  cudaGetLastError();
}

TEST(AttributesTest, TellTheKindsApart) {
  ASSERT_CUDA(cudaSetDevice(1));
  char* device = nullptr;
  char* pinned = nullptr;
  char* managed = nullptr;
  ASSERT_CUDA(cudaMalloc(&device, 64));
  ASSERT_CUDA(cudaMallocHost(&pinned, 64));
  ASSERT_CUDA(cudaMallocManaged(&managed, 64));
  char pageable[64];

  cudaPointerAttributes attributes = Attributes(device + 63);
  EXPECT_EQ(attributes.type, cudaMemoryTypeDevice);
  EXPECT_EQ(attributes.device, 1);
  EXPECT_EQ(attributes.devicePointer, device + 63);
  EXPECT_EQ(attributes.hostPointer, nullptr);
  attributes = Attributes(pinned + 1);
  EXPECT_EQ(attributes.type, cudaMemoryTypeHost);
  EXPECT_EQ(attributes.devicePointer, pinned + 1);
  EXPECT_EQ(attributes.hostPointer, pinned + 1);
  attributes = Attributes(managed);
  EXPECT_EQ(attributes.type, cudaMemoryTypeManaged);
  EXPECT_EQ(attributes.devicePointer, managed);
  EXPECT_EQ(attributes.hostPointer, managed);
  EXPECT_EQ(Attributes(pageable).type, cudaMemoryTypeUnregistered);
  EXPECT_EQ(Attributes(device + 64).type, cudaMemoryTypeUnregistered);

  ASSERT_CUDA(cudaFree(device));
  ASSERT_CUDA(cudaFreeHost(pinned));
  ASSERT_CUDA(cudaFree(managed));
  ASSERT_CUDA(cudaSetDevice(0));
}

TEST(RegistrationTest, IsByBytesNotPages) {
  alignas(4096) static char page[4096];
  ASSERT_CUDA(cudaHostRegister(page, 100, 0));
  ASSERT_CUDA(cudaHostRegister(page + 100, 100, 0));
  EXPECT_EQ(cudaHostRegister(page + 50, 100, 0),
            cudaErrorHostMemoryAlreadyRegistered);
  EXPECT_EQ(cudaHostRegister(page, 4096, 0),
            cudaErrorHostMemoryAlreadyRegistered);
  EXPECT_EQ(Attributes(page + 99).type, cudaMemoryTypeHost);
  EXPECT_EQ(Attributes(page + 200).type, cudaMemoryTypeUnregistered);

  // Both are seen by the device, the one as the other.
  for (char* part : {page, page + 100}) {
    void* alias = nullptr;
    ASSERT_CUDA(cudaHostGetDevicePointer(&alias, part, 0));
    ASSERT_CUDA(cudaMemset(alias, part == page ? 1 : 2, 100));
  }
  ASSERT_CUDA(cudaDeviceSynchronize());
  EXPECT_EQ(page[99], 1);
  EXPECT_EQ(page[100], 2);

  ASSERT_CUDA(cudaHostUnregister(page));
  EXPECT_EQ(Attributes(page + 100).type, cudaMemoryTypeHost);
  ASSERT_CUDA(cudaHostUnregister(page + 100));
  EXPECT_EQ(cudaHostUnregister(page), cudaErrorHostMemoryNotRegistered);
  EXPECT_EQ(cudaHostRegister(nullptr, 1, 0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaHostRegister(page, 0, 0), cudaErrorInvalidValue);
  cudaGetLastError();
}

TEST(RegistrationTest, DeviceAliasAndHostAddressAreOneMemory) {
  std::vector<unsigned char> memory(10000, 1);
  ASSERT_CUDA(
      cudaHostRegister(memory.data(), memory.size(), cudaHostRegisterMapped));
  void* alias = nullptr;
  ASSERT_CUDA(cudaHostGetDevicePointer(&alias, memory.data() + 10, 0));
  int same = 0;
  ASSERT_CUDA(cudaDeviceGetAttribute(
      &same, cudaDevAttrCanUseHostPointerForRegisteredMem, 0));
  EXPECT_EQ(alias == memory.data() + 10, same == 1);

  EXPECT_EQ(*static_cast<unsigned char*>(alias), 1);
  memory[10] = 7;
  EXPECT_EQ(*static_cast<unsigned char*>(alias), 7);
  static_cast<unsigned char*>(alias)[9989] = 8;
  EXPECT_EQ(memory[9999], 8);
  EXPECT_EQ(memory[9998], 1);
  EXPECT_EQ(Attributes(memory.data() + 10).devicePointer, alias);
  EXPECT_EQ(Attributes(alias).hostPointer, memory.data() + 10);
  ASSERT_CUDA(cudaHostUnregister(memory.data()));
  EXPECT_EQ(memory[10], 7);
}

TEST(CopyArgumentsTest, ZeroSizesAreFineAndNullsAreNot) {
  char* device = nullptr;
  ASSERT_CUDA(cudaMalloc(&device, 64));
  char host[64] = {};
  EXPECT_CUDA(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyHostToDevice));
  EXPECT_CUDA(cudaMemcpyAsync(nullptr, nullptr, 0, cudaMemcpyDefault));
  EXPECT_CUDA(cudaMemset(nullptr, 0, 0));
  EXPECT_CUDA(
      cudaMemcpy2D(nullptr, 0, nullptr, 0, 0, 5, cudaMemcpyDeviceToHost));
  EXPECT_EQ(cudaMemcpy(device, nullptr, 1, cudaMemcpyHostToDevice),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(nullptr, host, 1, cudaMemcpyHostToDevice),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemset(nullptr, 0, 1), cudaErrorInvalidValue);
  cudaGetLastError();
  ASSERT_CUDA(cudaFree(device));
}

TEST(CopyArgumentsTest, RangesDoNotLeaveTheirMemory) {
  char* device = nullptr;
  ASSERT_CUDA(cudaMalloc(&device, 64));
  char host[128] = {};
  EXPECT_CUDA(cudaMemcpy(device + 1, host, 63, cudaMemcpyHostToDevice));
  EXPECT_EQ(cudaMemcpy(device + 1, host, 64, cudaMemcpyHostToDevice),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemset(device + 60, 0, 5), cudaErrorInvalidValue);
  cudaGetLastError();
  ASSERT_CUDA(cudaFree(device));
}

TEST(CopyArgumentsTest, PitchIsAtLeastTheWidth) {
  char* device = nullptr;
  ASSERT_CUDA(cudaMalloc(&device, 64));
  char host[64];
  for (char i = 0; i < 64; ++i) host[static_cast<size_t>(i)] = i;
  EXPECT_EQ(cudaMemcpy2D(device, 3, host, 8, 4, 2, cudaMemcpyHostToDevice),
            cudaErrorInvalidPitchValue);
  EXPECT_EQ(cudaMemcpy2D(device, 8, host, 0, 4, 2, cudaMemcpyHostToDevice),
            cudaErrorInvalidPitchValue);
  ASSERT_CUDA(cudaMemset(device, 0, 64));
  ASSERT_CUDA(cudaMemcpy2D(device, 5, host, 16, 4, 4, cudaMemcpyHostToDevice));
  char result[20] = {};
  ASSERT_CUDA(cudaMemcpy(result, device, 20, cudaMemcpyDeviceToHost));
  const char expected[20] = {0,  1,  2,  3,  0, 16, 17, 18, 19, 0,
                             32, 33, 34, 35, 0, 48, 49, 50, 51, 0};
  EXPECT_EQ(std::memcmp(result, expected, 20), 0);
  cudaGetLastError();
  ASSERT_CUDA(cudaFree(device));
}

TEST(CopyArgumentsTest, APeerCopyNamesTheDevicesOfItsMemory) {
  char* memory[2] = {};
  for (int device = 0; device < 2; ++device) {
    ASSERT_CUDA(cudaSetDevice(device));
    ASSERT_CUDA(cudaMalloc(&memory[device], 64));
    ASSERT_CUDA(cudaMemset(memory[device], device + 1, 64));
    ASSERT_CUDA(cudaDeviceSynchronize());
  }
  ASSERT_CUDA(cudaSetDevice(0));
  EXPECT_EQ(cudaMemcpyPeer(memory[1], 0, memory[0], 1, 64),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpyPeer(memory[1], 2, memory[0], 0, 64),
            cudaErrorInvalidDevice);
  EXPECT_CUDA(cudaMemcpyPeer(memory[1], 1, memory[0], 0, 64));
  char result = 0;
  ASSERT_CUDA(cudaDeviceSynchronize());
  ASSERT_CUDA(cudaMemcpy(&result, memory[1], 1, cudaMemcpyDeviceToHost));
  EXPECT_EQ(result, 1);
  cudaGetLastError();
  ASSERT_CUDA(cudaFree(memory[0]));
  ASSERT_CUDA(cudaFree(memory[1]));
}

// The last bytes of the copy may be on their way when cudaMemcpy returns.
TEST(FreeTest, WhatACopyHasLeftIsNoFault) {
  const std::vector<char> source(1 << 20);
  for (int i = 0; i < 32; ++i) {
    char* device = nullptr;
    ASSERT_CUDA(cudaMalloc(&device, source.size()));
    ASSERT_CUDA(cudaMemcpy(device, source.data(), source.size(),
                           cudaMemcpyHostToDevice));
    SetFreeSynchronizes(false);
    ASSERT_CUDA(cudaFree(device));
    ASSERT_CUDA(cudaDeviceSynchronize());
  }
}

TEST(FreeTest, WaitsForTheDeviceOnlyIfAsked) {
  char* device = nullptr;
  char* pinned = nullptr;
  ASSERT_CUDA(cudaMallocHost(&pinned, 1));
  cudaStream_t stream;
  ASSERT_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  for (int i = 0; i < 32; ++i) {
    *pinned = 0;
    ASSERT_CUDA(cudaMalloc(&device, 64));
    ASSERT_CUDA(cudaMemsetAsync(pinned, 1, 1, stream));
    SetFreeSynchronizes(true);
    ASSERT_CUDA(cudaFree(device));
    ASSERT_EQ(*pinned, 1);
  }
  int late = 0;
  for (int i = 0; i < 32; ++i) {
    *pinned = 0;
    ASSERT_CUDA(cudaMalloc(&device, 64));
    ASSERT_CUDA(cudaMemsetAsync(pinned, 1, 1, stream));
    SetFreeSynchronizes(false);
    ASSERT_CUDA(cudaFree(device));
    if (*static_cast<volatile char*>(pinned) == 0) ++late;
    ASSERT_CUDA(cudaStreamSynchronize(stream));
  }
  EXPECT_GT(late, 0);
  SetFreeSynchronizes(true);
  ASSERT_CUDA(cudaStreamDestroy(stream));
  ASSERT_CUDA(cudaFreeHost(pinned));
}

}  // namespace
}  // namespace sim
}  // namespace conveyor
