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

#include "transfer/internal/numa_node.h"

#include <cuda_runtime_api.h>

#include <fstream>
#include <optional>
#include <string>

#include "absl/status/status_macros.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "third_party/cuda/versions.h"
#include "transfer/cuda_status.h"
#include "transfer/device.h"

namespace conveyor {
namespace internal {

absl::StatusOr<std::optional<int>> NumaNodeOf(DeviceId device,
                                              const std::string& root) {
  char bus_id[32];
  ABSL_RETURN_IF_ERROR(CallCuda(
      [&] {
        return cudaDeviceGetPCIBusId(bus_id, sizeof(bus_id), device.ordinal());
      },
      [&] { return absl::StrCat("cudaDeviceGetPCIBusId(", device, ")"); }));
  int node = -1;
  std::ifstream(absl::StrCat(root, "sys/bus/pci/devices/",
                             absl::AsciiStrToLower(bus_id), "/numa_node")) >>
      node;
  if (node >= 0) return node;
  ABSL_RETURN_IF_ERROR(CallCuda(
      [&] { return cuda_versions::HostNumaNode(device.ordinal(), &node); },
      [&] {
        return absl::StrCat("cudaDeviceGetAttribute(hostNumaId, ", device, ")");
      }));
  if (node >= 0) return node;
  return std::nullopt;
}

}  // namespace internal
}  // namespace conveyor
