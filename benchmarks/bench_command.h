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
// File: bench_command.h
// -----------------------------------------------------------------------------
//
// `conveyor bench`.

#ifndef CONVEYOR_BENCHMARKS_BENCH_COMMAND_H_
#define CONVEYOR_BENCHMARKS_BENCH_COMMAND_H_

#include <ostream>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace conveyor {
namespace bench {

// Where a command writes, and what it must know of its surroundings.
struct CommandContext {
  std::ostream& out;
  std::ostream& err;
  bool err_is_terminal;   // Progress is shown only there.
  std::string commit;     // Of the build.
  std::string directory;  // What relative paths start from; empty: as usual.
};

// Runs `conveyor bench` with `args` (what follows "bench"), and returns the
// exit status that BenchUsage() describes. One call at a time in a process.
int BenchCommand(absl::Span<const absl::string_view> args,
                 const CommandContext& context);

}  // namespace bench
}  // namespace conveyor

#endif  // CONVEYOR_BENCHMARKS_BENCH_COMMAND_H_
