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
// The address by which a device reaches page-locked host memory.

#ifndef CONVEYOR_TRANSFER_INTERNAL_MAPPED_H_
#define CONVEYOR_TRANSFER_INTERNAL_MAPPED_H_

#include <cstddef>

#include "absl/status/statusor.h"
#include "transfer/device.h"

namespace conveyor {
namespace internal {

// Always asked of the runtime, never assumed to be the host's address: they
// differ for registered memory where canUseHostPointerForRegisteredMem is 0.
absl::StatusOr<void*> MappedDevicePointer(void* host, size_t num_bytes,
                                          DeviceId device);

}  // namespace internal
}  // namespace conveyor

#endif  // CONVEYOR_TRANSFER_INTERNAL_MAPPED_H_
