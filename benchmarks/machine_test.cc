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

#include "benchmarks/machine.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <string>

namespace conveyor {
namespace bench {
namespace {

void Write(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  ASSERT_TRUE(file.good()) << path;
}

TEST(ReadPcieLinkTest, FindsTheDeviceByItsIdInSmallLetters) {
  const std::string root = ::testing::TempDir();
  const std::string device = root + "/0000:1a:00.0";
  ASSERT_EQ(mkdir(device.c_str(), 0755), 0);
  Write(device + "/current_link_speed", "16.0 GT/s PCIe\n");
  Write(device + "/current_link_width", "8\n");
  Write(device + "/max_link_speed", "32.0 GT/s PCIe\n");
  Write(device + "/max_link_width", "16\n");
  const PcieLink link = ReadPcieLink(root, "0000:1A:00.0");
  EXPECT_EQ(link.speed, "16.0 GT/s PCIe");
  EXPECT_EQ(link.width, "8");
  EXPECT_EQ(link.max_speed, "32.0 GT/s PCIe");
  EXPECT_EQ(link.max_width, "16");
}

TEST(ReadPcieLinkTest, WhatCannotBeReadIsUnknownNeverZero) {
  const std::string root = ::testing::TempDir();
  const std::string device = root + "/0000:2b:00.0";
  ASSERT_EQ(mkdir(device.c_str(), 0755), 0);
  Write(device + "/current_link_speed", "Unknown\n");
  Write(device + "/current_link_width", "0\n");
  Write(device + "/max_link_width", "255\n");
  const PcieLink link = ReadPcieLink(root, "0000:2B:00.0");
  EXPECT_EQ(link.speed, "unknown");
  EXPECT_EQ(link.width, "unknown");
  EXPECT_EQ(link.max_speed, "unknown");
  EXPECT_EQ(link.max_width, "unknown");
  EXPECT_EQ(ReadPcieLink(root, "0000:FF:00.0").speed, "unknown");
}

TEST(ParseDriverVersionTest, ReadsBothKindsOfKernelModule) {
  EXPECT_EQ(ParseDriverVersion("NVRM version: NVIDIA UNIX x86_64 Kernel Module "
                               " 535.104.05  Sat Aug 19 01:15:15 UTC 2023\n"
                               "GCC version:  gcc version 12.2.0\n"),
            "535.104.05");
  EXPECT_EQ(
      ParseDriverVersion("NVRM version: NVIDIA UNIX Open Kernel Module for "
                         "x86_64  580.65.06  Release Build  (builder)\n"),
      "580.65.06");
  EXPECT_EQ(ParseDriverVersion(""), "unknown");
}

TEST(FingerprintTest, TellsMachinesApartAndNotPlaces) {
  Machine machine;
  machine.name = "1x GPU";
  machine.gpus = {{"GPU", "0000:01:00.0", "9.0", 1}};
  machine.links = {PcieLink()};
  machine.driver = "580 (CUDA 13.0)";
  machine.cores = 8;
  const std::string fingerprint = Fingerprint(machine, "cuda");
  EXPECT_EQ(fingerprint.size(), 16u);
  EXPECT_NE(Fingerprint(machine, "simulated"), fingerprint);

  Machine moved = machine;
  moved.gpus[0].pci_bus_id = "0000:02:00.0";
  moved.links[0].speed = "2.5 GT/s PCIe";
  EXPECT_EQ(Fingerprint(moved, "cuda"), fingerprint);

  Machine narrow = machine;
  narrow.links[0].width = "4";
  EXPECT_NE(Fingerprint(narrow, "cuda"), fingerprint);

  Machine updated = machine;
  updated.driver = "590 (CUDA 13.1)";
  EXPECT_NE(Fingerprint(updated, "cuda"), fingerprint);
}

}  // namespace
}  // namespace bench
}  // namespace conveyor
