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

#include "testing/devices.h"

#include <cuda_runtime_api.h>

#include <cstdlib>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace conveyor {
namespace {

std::string Devices(int count) {
  return absl::StrCat(count, count == 1 ? " device" : " devices");
}

}  // namespace

std::string MissingDevices(int count) {
  int visible = 0;
  const cudaError_t error = cudaGetDeviceCount(&visible);
  if (error != cudaSuccess) {
    cudaGetLastError();
    return absl::StrCat("needs ", Devices(count), ", and there is none: ",
                        "cudaGetDeviceCount: ", cudaGetErrorName(error), " (",
                        cudaGetErrorString(error), ")");
  }
  if (visible >= count) return "";
  const char* const shown = std::getenv("CUDA_VISIBLE_DEVICES");
  return absl::StrCat(
      "needs ", Devices(count), ", ", visible, " visible",
      shown == nullptr ? std::string()
                       : absl::StrCat(" (CUDA_VISIBLE_DEVICES=", shown, ")"));
}

bool FailOnSkip() {
  const char* const value = std::getenv("CONVEYOR_FAIL_ON_SKIP");
  return value != nullptr && absl::string_view(value) == "1";
}

}  // namespace conveyor
