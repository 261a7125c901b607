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

#include "saxpy.h"

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/status_macros.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "saxpy_kernel.h"
#include "transfer/copy.h"
#include "transfer/cuda_status.h"
#include "transfer/device.h"
#include "transfer/device_buffer.h"
#include "transfer/stream.h"

namespace consumer {

absl::Status Saxpy(float a, absl::Span<const float> x, absl::Span<float> y,
                   conveyor::DeviceId device) {
  if (x.size() != y.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("x has ", x.size(), " elements, y has ", y.size()));
  }
  ABSL_ASSIGN_OR_RETURN(const conveyor::Stream stream,
                        conveyor::Stream::Create(device));
  ABSL_ASSIGN_OR_RETURN(
      auto device_x, conveyor::DeviceBuffer<float>::Create(x.size(), device));
  ABSL_ASSIGN_OR_RETURN(
      auto device_y, conveyor::DeviceBuffer<float>::Create(y.size(), device));
  ABSL_RETURN_IF_ERROR(conveyor::Copy(device_x, x, stream));
  ABSL_RETURN_IF_ERROR(conveyor::Copy(device_y, y, stream));
  const auto n = static_cast<int64_t>(x.size());
  ABSL_RETURN_IF_ERROR(conveyor::CallCuda(
      [&] {
        return Saxpy(stream, a, device_x.span().device_pointer(),
                     device_y.span().device_pointer(), n);
      },
      [&] { return absl::StrCat("Saxpy(n=", n, ")"); }));
  return conveyor::Copy(y, device_y, stream);
}

}  // namespace consumer
