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
// File: call_site.h
// -----------------------------------------------------------------------------
//
// Where in the program a call was made, for people to read.

#ifndef CONVEYOR_TESTING_SIM_CALL_SITE_H_
#define CONVEYOR_TESTING_SIM_CALL_SITE_H_

#include <cstddef>
#include <cstdint>
#include <string>

namespace conveyor {
namespace sim {

struct CallSite {
  static constexpr size_t kMaxFrames = 8;
  // Return addresses, the innermost first.
  void* frames[kMaxFrames];
  size_t count = 0;
};

// A call that was captured, and is done with a graph.
struct CapturedCall {
  CallSite site;
  uint64_t stream_id;
  int device;
};

// The stack of the calling thread without the frames up to the one that holds
// `local`.
CallSite TakeCallSite(const void* local);

// Equal for equal sites.
uint64_t HashOf(const CallSite& site);

// A line for each frame: function, file and line, as far as the binary tells
// (addr2line is asked), else the file that holds it and the offset there. The
// CUDA calls themselves are left out. Slow the first time.
std::string Describe(const CallSite& site, const char* indentation);

}  // namespace sim
}  // namespace conveyor

#endif  // CONVEYOR_TESTING_SIM_CALL_SITE_H_
