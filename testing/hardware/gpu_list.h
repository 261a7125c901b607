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
// File: gpu_list.h
// -----------------------------------------------------------------------------
//
// The GPUs that this process may use, without starting CUDA in it.

#ifndef CONVEYOR_TESTING_HARDWARE_GPU_LIST_H_
#define CONVEYOR_TESTING_HARDWARE_GPU_LIST_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace conveyor {

// The UUIDs ("GPU-...") of this machine's GPUs, in the order of their PCI bus
// ids, less those that CUDA_VISIBLE_DEVICES hides. At least one.
//
// They come from CONVEYOR_GPU_UUIDS, a list with commas, if it is set, even if
// empty; else from the driver's nvidia-smi; else from /proc/driver/nvidia.
//
// Starts nvidia-smi and waits for it. kNotFound, with the reason, if there is
// no GPU.
absl::StatusOr<std::vector<std::string>> ListGpus();

// The UUIDs in the output of `nvidia-smi -L`. MIG slices are left out.
std::vector<std::string> ParseNvidiaSmi(absl::string_view output);

// Those of `gpus` that CUDA_VISIBLE_DEVICES=`visible` shows, in its order. As
// CUDA does, it takes UUIDs, their beginnings and indices, and ends at the
// first that names no GPU. An index means the PCI bus order: on a machine of
// unlike GPUs set CUDA_DEVICE_ORDER=PCI_BUS_ID, or use UUIDs.
std::vector<std::string> SelectVisible(const std::vector<std::string>& gpus,
                                       absl::string_view visible);

}  // namespace conveyor

#endif  // CONVEYOR_TESTING_HARDWARE_GPU_LIST_H_
