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

#include <cuda_runtime_api.h>

#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>  // NOLINT: for the number of cores only.
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/status_macros.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "benchmarks/backend.h"
#include "transfer/cuda_status.h"
#include "transfer/device.h"

namespace conveyor {
namespace bench {
namespace {

// The text of a file of the kernel's; empty if it cannot be read.
std::string ReadFile(const std::string& path) {
  std::ifstream file(path);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

// The text without space around it; "unknown" for none, and where the kernel
// says so itself.
std::string KnownOrUnknown(const std::string& text) {
  const absl::string_view stripped = absl::StripAsciiWhitespace(text);
  if (stripped.empty() || absl::StartsWithIgnoreCase(stripped, "unknown")) {
    return "unknown";
  }
  return std::string(stripped);
}

// CUDA's 13020 is version 13.2.
std::string CudaVersion(int version) {
  return absl::StrCat(version / 1000, ".", version % 1000 / 10);
}

std::string CpuName() {
  for (absl::string_view line :
       absl::StrSplit(ReadFile("/proc/cpuinfo"), '\n')) {
    if (!absl::StartsWith(line, "model name")) continue;
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(line, absl::MaxSplits(':', 1));
    return KnownOrUnknown(std::string(parts.second));
  }
  return "unknown";
}

absl::StatusOr<Gpu> DescribeGpu(int ordinal) {
  Gpu gpu;
  cudaDeviceProp properties{};
  ABSL_RETURN_IF_ERROR(CallCuda(
      [&] { return cudaGetDeviceProperties(&properties, ordinal); },
      [&] { return absl::StrCat("cudaGetDeviceProperties(", ordinal, ")"); }));
  gpu.name = properties.name;
  gpu.compute_capability =
      absl::StrCat(properties.major, ".", properties.minor);
  gpu.memory_bytes = static_cast<int64_t>(properties.totalGlobalMem);
  char bus_id[32] = "";
  ABSL_RETURN_IF_ERROR(CallCuda(
      [&] { return cudaDeviceGetPCIBusId(bus_id, sizeof(bus_id), ordinal); },
      [&] { return absl::StrCat("cudaDeviceGetPCIBusId(", ordinal, ")"); }));
  gpu.pci_bus_id = bus_id;
  return gpu;
}

// "2x NVIDIA H200", or "1x A + 1x B".
std::string NameOf(const std::vector<Gpu>& gpus) {
  std::vector<std::pair<std::string, int>> counts;
  for (const Gpu& gpu : gpus) {
    if (counts.empty() || counts.back().first != gpu.name) {
      counts.emplace_back(gpu.name, 0);
    }
    ++counts.back().second;
  }
  std::string name;
  absl::string_view separator;
  for (const auto& [gpu, count] : counts) {
    absl::StrAppend(&name, separator, count, "x ", gpu);
    separator = " + ";
  }
  return name;
}

uint64_t Fnv1a(absl::string_view text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  return hash;
}

}  // namespace

absl::StatusOr<Machine> DescribeMachine() {
  Machine machine;
  ABSL_ASSIGN_OR_RETURN(const int count, DeviceCount());
  for (int i = 0; i < count; ++i) {
    ABSL_ASSIGN_OR_RETURN(Gpu gpu, DescribeGpu(i));
    // A simulated bus id may be that of a real device here.
    machine.links.push_back(
        kSimulated ? PcieLink()
                   : ReadPcieLink("/sys/bus/pci/devices", gpu.pci_bus_id));
    machine.gpus.push_back(std::move(gpu));
  }
  machine.name = NameOf(machine.gpus);
  int driver = 0;
  int runtime = 0;
  ABSL_RETURN_IF_ERROR(
      CallCuda([&] { return cudaDriverGetVersion(&driver); },
               [] { return std::string("cudaDriverGetVersion"); }));
  ABSL_RETURN_IF_ERROR(
      CallCuda([&] { return cudaRuntimeGetVersion(&runtime); },
               [] { return std::string("cudaRuntimeGetVersion"); }));
  machine.driver = absl::StrCat(
      kSimulated ? "simulated"
                 : ParseDriverVersion(ReadFile("/proc/driver/nvidia/version")),
      " (CUDA ", CudaVersion(driver), ")");
  machine.runtime = CudaVersion(runtime);
  machine.cores = static_cast<int>(std::thread::hardware_concurrency());
  machine.cpu = kSimulated ? "simulated" : CpuName();
  return machine;
}

std::string Fingerprint(const Machine& machine, absl::string_view backend) {
  std::string text = absl::StrCat(
      backend, "\n", machine.name, "\n", machine.driver, "\n", machine.runtime,
      "\n", machine.nccl.value_or(""), "\n", machine.cores, "\n", machine.cpu);
  for (const Gpu& gpu : machine.gpus) {
    absl::StrAppend(&text, "\n", gpu.name, "\n", gpu.compute_capability, "\n",
                    gpu.memory_bytes);
  }
  // The speed of the moment is no property of the machine.
  for (const PcieLink& link : machine.links) {
    absl::StrAppend(&text, "\n", link.width, "\n", link.max_speed, "\n",
                    link.max_width);
  }
  return absl::StrFormat("%016x", Fnv1a(text));
}

PcieLink ReadPcieLink(absl::string_view pci_devices,
                      absl::string_view pci_bus_id) {
  // CUDA writes the id in capitals, the kernel in small letters.
  const std::string folder =
      absl::StrCat(pci_devices, "/", absl::AsciiStrToLower(pci_bus_id), "/");
  PcieLink link;
  link.speed = KnownOrUnknown(ReadFile(folder + "current_link_speed"));
  link.width = KnownOrUnknown(ReadFile(folder + "current_link_width"));
  link.max_speed = KnownOrUnknown(ReadFile(folder + "max_link_speed"));
  link.max_width = KnownOrUnknown(ReadFile(folder + "max_link_width"));
  // The kernel's way of saying that it does not know.
  if (link.width == "0") link.width = "unknown";
  if (link.max_width == "0" || link.max_width == "255") {
    link.max_width = "unknown";
  }
  return link;
}

std::string ParseDriverVersion(absl::string_view text) {
  for (absl::string_view word :
       absl::StrSplit(text, absl::ByAnyChar(" \t\n"), absl::SkipEmpty())) {
    if (absl::ascii_isdigit(word[0]) && absl::StrContains(word, '.')) {
      return std::string(word);
    }
  }
  return "unknown";
}

}  // namespace bench
}  // namespace conveyor
