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
// File: untouched.h
// -----------------------------------------------------------------------------
//
// Whether anybody has written to host memory yet. The first touch of a page
// makes the kernel find and clear it, which takes longer than copying to it.

#ifndef CONVEYOR_TESTING_SIM_UNTOUCHED_H_
#define CONVEYOR_TESTING_SIM_UNTOUCHED_H_

#include <cstddef>

namespace conveyor {
namespace sim {

// Whether no page within [address, address + size) has ever been touched.
//
// The answer depends on the program alone, not on where its memory lies: it
// goes by the whole 2 MiB blocks in the range, beyond which one touch brings no
// page in, however large the pages are that the kernel gives. So a range below
// 4 MiB always counts as touched, and so does every range where /proc cannot be
// read.
bool IsUntouched(const void* address, size_t size);

}  // namespace sim
}  // namespace conveyor

#endif  // CONVEYOR_TESTING_SIM_UNTOUCHED_H_
