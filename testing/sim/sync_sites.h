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
// File: sync_sites.h
// -----------------------------------------------------------------------------
//
// The places in a program that wait, or that others wait by: which of them a
// run comes by, and one of them switched off, so that a test can show that it
// is missed. testing/mutate_waits uses it.
//
//   CONVEYOR_SIM_SYNC_LOG=FILE       appends "offset call" for each such place,
//                                    once, when the run first comes by
//   CONVEYOR_SIM_IGNORE_SYNC=LIST    the calls from these offsets (hexadecimal,
//                                    separated by commas) succeed without
//                                    effect
//
// An offset is that of the return address in the file that holds it.

#ifndef CONVEYOR_TESTING_SIM_SYNC_SITES_H_
#define CONVEYOR_TESTING_SIM_SYNC_SITES_H_

namespace conveyor {
namespace sim {

// Whether the call of `call` that returns to `caller` is to have no effect.
// Thread-safe.
bool IgnoresSync(const char* call, const void* caller);

}  // namespace sim
}  // namespace conveyor

#endif  // CONVEYOR_TESTING_SIM_SYNC_SITES_H_
