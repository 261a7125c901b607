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
// File: saxpy.h
// -----------------------------------------------------------------------------
//
// a * x + y, computed on a GPU.

#ifndef CONVEYOR_CONSUMER_SAXPY_H_
#define CONVEYOR_CONSUMER_SAXPY_H_

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "transfer/device.h"

namespace consumer {

// Adds a * x to y, element by element, on `device`.
absl::Status Saxpy(float a, absl::Span<const float> x, absl::Span<float> y,
                   conveyor::DeviceId device);

}  // namespace consumer

#endif  // CONVEYOR_CONSUMER_SAXPY_H_
