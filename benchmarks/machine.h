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
//
// -----------------------------------------------------------------------------
// File: machine.h
// -----------------------------------------------------------------------------
//
// The machine that a run was measured on, as its report says it.

#ifndef CONVEYOR_BENCHMARKS_MACHINE_H_
#define CONVEYOR_BENCHMARKS_MACHINE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace conveyor {
namespace bench {

struct Gpu {
  std::string name;
  std::string pci_bus_id;
  std::string compute_capability;  // "9.0"
  int64_t memory_bytes = 0;
};

// A GPU's PCIe link as the kernel shows it: "32.0 GT/s PCIe" and "16" lanes, or
// "unknown". Speeds fall while a link idles, so what it can reach is there too.
struct PcieLink {
  std::string speed = "unknown";
  std::string width = "unknown";
  std::string max_speed = "unknown";
  std::string max_width = "unknown";
};

struct Machine {
  std::string name;                 // "2x NVIDIA H200"
  std::vector<Gpu> gpus;            // By CUDA's ordinals.
  std::vector<PcieLink> links;      // One a GPU.
  std::string driver;               // "580.65.06 (CUDA 13.0)"
  std::string runtime;              // "13.0"
  std::optional<std::string> nccl;  // None where the build has no NCCL.
  int cores = 0;                    // That this process may use.
  std::string cpu;                  // The processor's name, or "unknown".
};

// Describes this machine. On the simulated machine nothing is read of the host
// it runs on but the cores.
absl::StatusOr<Machine> DescribeMachine();

// The same for machines that measure alike: a hash of everything in `machine`
// but where the GPUs are plugged in, and of `backend`.
std::string Fingerprint(const Machine& machine, absl::string_view backend);

// The link of the device at `pci_bus_id`, read below `pci_devices` (the folder
// /sys/bus/pci/devices). What cannot be read is "unknown".
PcieLink ReadPcieLink(absl::string_view pci_devices,
                      absl::string_view pci_bus_id);

// The driver's version in the text of /proc/driver/nvidia/version; "unknown"
// if there is none.
std::string ParseDriverVersion(absl::string_view text);

}  // namespace bench
}  // namespace conveyor

#endif  // CONVEYOR_BENCHMARKS_MACHINE_H_
