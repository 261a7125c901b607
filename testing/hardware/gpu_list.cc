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

#include "testing/hardware/gpu_list.h"

#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

namespace conveyor {
namespace {

// Where the driver's tools lie when they are not on the PATH: containers, WSL.
constexpr char kNvidiaSmi[] =
    "PATH=\"$PATH:/usr/bin:/usr/local/nvidia/bin:/usr/lib/wsl/lib\" "
    "nvidia-smi -L 2>&1";

// What `command` prints. Its exit status goes to `exit_code`.
std::string OutputOf(const char* command, int* exit_code) {
  *exit_code = -1;
  std::FILE* const pipe = popen(command, "r");
  if (pipe == nullptr) return "popen failed";
  std::string output;
  char buffer[4096];
  size_t size;
  while ((size = std::fread(buffer, 1, sizeof(buffer), pipe)) > 0) {
    output.append(buffer, size);
  }
  const int status = pclose(pipe);
  if (status != -1 && WIFEXITED(status)) *exit_code = WEXITSTATUS(status);
  return output;
}

// The UUIDs that the kernel driver shows; its folders are named by bus id.
std::vector<std::string> GpusOfProc() {
  std::vector<std::string> folders;
  std::error_code error;
  for (const auto& entry :
       std::filesystem::directory_iterator("/proc/driver/nvidia/gpus", error)) {
    folders.push_back(entry.path());
  }
  std::sort(folders.begin(), folders.end());
  std::vector<std::string> uuids;
  for (const std::string& folder : folders) {
    std::ifstream information(folder + "/information");
    for (std::string line; std::getline(information, line);) {
      absl::string_view value = line;
      if (!absl::ConsumePrefix(&value, "GPU UUID:")) continue;
      value = absl::StripAsciiWhitespace(value);
      // Question marks until something has started the GPU.
      if (absl::StrContains(value, '?')) continue;
      uuids.emplace_back(value);
    }
  }
  return uuids;
}

absl::StatusOr<std::vector<std::string>> AllGpus() {
  if (const char* const given = std::getenv("CONVEYOR_GPU_UUIDS")) {
    std::vector<std::string> gpus =
        absl::StrSplit(given, ',', absl::SkipWhitespace());
    if (gpus.empty()) return absl::NotFoundError("CONVEYOR_GPU_UUIDS is empty");
    return gpus;
  }
  int exit_code;
  const std::string output = OutputOf(kNvidiaSmi, &exit_code);
  std::vector<std::string> gpus = ParseNvidiaSmi(output);
  if (gpus.empty()) gpus = GpusOfProc();
  if (gpus.empty()) {
    return absl::NotFoundError(
        absl::StrCat("no GPU: nvidia-smi -L exited with ", exit_code, ": ",
                     absl::StripAsciiWhitespace(output)));
  }
  return gpus;
}

}  // namespace

absl::StatusOr<std::vector<std::string>> ListGpus() {
  absl::StatusOr<std::vector<std::string>> gpus = AllGpus();
  const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES");
  if (!gpus.ok() || visible == nullptr) return gpus;
  std::vector<std::string> selected = SelectVisible(*gpus, visible);
  if (selected.empty()) {
    return absl::NotFoundError(absl::StrCat("CUDA_VISIBLE_DEVICES=", visible,
                                            " hides all ", gpus->size(),
                                            " GPUs"));
  }
  return selected;
}

std::vector<std::string> ParseNvidiaSmi(absl::string_view output) {
  std::vector<std::string> uuids;
  for (absl::string_view line : absl::StrSplit(output, '\n')) {
    // GPU 0: NVIDIA H200 (UUID: GPU-8f2c...)
    constexpr absl::string_view kUuid = "(UUID: ";
    const size_t begin = line.find(kUuid);
    if (!absl::StartsWith(line, "GPU ") || begin == line.npos) continue;
    line.remove_prefix(begin + kUuid.size());
    uuids.emplace_back(line.substr(0, line.find(')')));
  }
  return uuids;
}

std::vector<std::string> SelectVisible(const std::vector<std::string>& gpus,
                                       absl::string_view visible) {
  std::vector<std::string> selected;
  for (absl::string_view wanted : absl::StrSplit(visible, ',')) {
    wanted = absl::StripAsciiWhitespace(wanted);
    int index = -1;
    if (absl::StartsWith(wanted, "GPU-")) {
      const auto it =
          std::find_if(gpus.begin(), gpus.end(), [&](const std::string& gpu) {
            return absl::StartsWith(gpu, wanted);
          });
      if (it != gpus.end()) index = it - gpus.begin();
    } else if (!absl::SimpleAtoi(wanted, &index)) {
      index = -1;
    }
    if (index < 0 || index >= static_cast<int>(gpus.size())) break;
    selected.push_back(gpus[index]);
  }
  return selected;
}

}  // namespace conveyor
