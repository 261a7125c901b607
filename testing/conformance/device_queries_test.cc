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

// What CUDA says of devices, and to wrong questions about them.

#include <cuda_runtime_api.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <thread>

#include "gtest/gtest.h"
#include "testing/conformance/cuda_test.h"

namespace conveyor {
namespace {

constexpr int kNoDevice = 99;

using DeviceQueriesTest = CudaTest;

TEST_F(DeviceQueriesTest, DevicesThatAreNotThereAreRefused) {
  int value = 0;
  cudaDeviceProp properties;
  char text[64];
  EXPECT_EQ(cudaSetDevice(kNoDevice), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaSetDevice(-1), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaGetDeviceProperties(&properties, kNoDevice),
            cudaErrorInvalidDevice);
  EXPECT_EQ(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, kNoDevice),
            cudaErrorInvalidDevice);
  EXPECT_EQ(cudaDeviceGetPCIBusId(text, sizeof(text), kNoDevice),
            cudaErrorInvalidDevice);
  EXPECT_EQ(cudaInitDevice(kNoDevice, 0, 0), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaDeviceEnablePeerAccess(kNoDevice, 0), cudaErrorInvalidDevice);
}

TEST_F(DeviceQueriesTest, DevicesThatAreNotThereAreNoPeers) {
  int value = 0;
  for (const int device : {kNoDevice, -1}) {
    EXPECT_EQ(cudaDeviceCanAccessPeer(&value, 0, device),
              cudaErrorInvalidDevice);
    EXPECT_EQ(cudaDeviceCanAccessPeer(&value, device, 0),
              cudaErrorInvalidDevice);
    EXPECT_EQ(cudaDeviceDisablePeerAccess(device), cudaErrorInvalidDevice);
    EXPECT_EQ(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported,
                                        0, device),
              cudaErrorInvalidDevice);
  }
}

TEST_F(DeviceQueriesTest, AnInvalidDeviceLeavesTheCurrentOne) {
  ASSERT_EQ(cudaSetDevice(kNoDevice), cudaErrorInvalidDevice);
  int device = -1;
  EXPECT_CUDA(cudaGetDevice(&device));
  EXPECT_EQ(device, 0);
}

TEST_F(DeviceQueriesTest, WrongArgumentsAreRefused) {
  int value = 0;
  EXPECT_EQ(
      cudaDeviceGetAttribute(&value, static_cast<cudaDeviceAttr>(9999), 0),
      cudaErrorInvalidValue);
  EXPECT_EQ(cudaDeviceGetAttribute(nullptr, cudaDevAttrWarpSize, 0),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetDeviceCount(nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaSetDeviceFlags(0x1000), cudaErrorInvalidValue);
}

TEST_F(DeviceQueriesTest, APciBusIdNeedsThirteenCharacters) {
  char text[64] = "";
  EXPECT_EQ(cudaDeviceGetPCIBusId(text, 12, 0), cudaErrorInvalidValue);
  EXPECT_CUDA(cudaDeviceGetPCIBusId(text, 13, 0));
  EXPECT_EQ(std::strlen(text), 12u);
}

TEST_F(DeviceQueriesTest, ADeviceIsFoundByItsPciBusId) {
  char text[64] = "";
  ASSERT_CUDA(cudaDeviceGetPCIBusId(text, sizeof(text), 0));
  int device = -1;
  EXPECT_CUDA(cudaDeviceGetByPCIBusId(&device, text));
  EXPECT_EQ(device, 0);
  EXPECT_EQ(cudaDeviceGetByPCIBusId(&device, "zzz"), cudaErrorInvalidValue);
}

TEST_F(DeviceQueriesTest, ADeviceIsNoPeerOfItself) {
  int value = 99;
  EXPECT_CUDA(cudaDeviceCanAccessPeer(&value, 0, 0));
  EXPECT_EQ(value, 0);
  EXPECT_EQ(cudaDeviceEnablePeerAccess(0, 0), cudaErrorPeerAccessUnsupported);
  EXPECT_EQ(cudaDeviceDisablePeerAccess(0), cudaErrorPeerAccessNotEnabled);
  EXPECT_EQ(
      cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 0, 0),
      cudaErrorInvalidDevice);
}

TEST_F(DeviceQueriesTest, DevicesInUseTakeFlagsAndInitialization) {
  EXPECT_CUDA(cudaSetDeviceFlags(cudaDeviceMapHost));
  unsigned flags = 0;
  EXPECT_CUDA(cudaGetDeviceFlags(&flags));
  EXPECT_EQ(flags & cudaDeviceMapHost, unsigned{cudaDeviceMapHost});
  EXPECT_CUDA(cudaInitDevice(0, 0, 0));
}

TEST_F(DeviceQueriesTest, HostAndDevicesShareOneAddressSpace) {
  int value = 0;
  EXPECT_CUDA(cudaDeviceGetAttribute(&value, cudaDevAttrUnifiedAddressing, 0));
  EXPECT_EQ(value, 1);
  EXPECT_CUDA(cudaDeviceGetAttribute(&value, cudaDevAttrCanMapHostMemory, 0));
  EXPECT_EQ(value, 1);
}

TEST_F(DeviceQueriesTest, AttributesAndPropertiesAgree) {
  cudaDeviceProp properties;
  ASSERT_CUDA(cudaGetDeviceProperties(&properties, 0));
  int value = -1;
  EXPECT_CUDA(
      cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0));
  EXPECT_EQ(value, properties.multiProcessorCount);
  EXPECT_CUDA(cudaDeviceGetAttribute(&value, cudaDevAttrAsyncEngineCount, 0));
  EXPECT_EQ(value, properties.asyncEngineCount);
  EXPECT_CUDA(
      cudaDeviceGetAttribute(&value, cudaDevAttrComputeCapabilityMajor, 0));
  EXPECT_EQ(value, properties.major);
}

TEST_F(DeviceQueriesTest, ANewThreadsCurrentDeviceIsTheFirst) {
  std::thread([] {
    int device = -1;
    EXPECT_CUDA(cudaGetDevice(&device));
    EXPECT_EQ(device, 0);
  }).join();
}

// A child has none of the driver's threads. It may still start a program.
TEST_F(DeviceQueriesTest, AForkedChildCannotUseTheDevice) {
  void* memory = nullptr;
  ASSERT_CUDA(cudaMalloc(&memory, 1));
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    void* other = nullptr;
    _exit(cudaMalloc(&other, 1));
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), cudaErrorInitializationError);
  EXPECT_CUDA(cudaFree(memory));
}

}  // namespace
}  // namespace conveyor
