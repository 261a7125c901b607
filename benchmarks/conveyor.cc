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

// The conveyor command: a word chooses what it does.

#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <ostream>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "benchmarks/backend.h"
#include "benchmarks/bench_command.h"
#include "benchmarks/commit.h"

namespace conveyor {
namespace bench {
namespace {

// As in MODULE.bazel.
constexpr absl::string_view kVersion = "0.1.0";

struct Command {
  absl::string_view name;
  absl::string_view summary;
  int (*run)(absl::Span<const absl::string_view> args,
             const CommandContext& context);
};

constexpr Command kCommands[] = {
    {"bench", "measure every copy beside the raw CUDA call", BenchCommand},
};

void PrintUsage(std::ostream& out) {
  out << "usage: conveyor COMMAND [FLAGS] | --help | --version\n\n";
  for (const Command& command : kCommands) {
    out << "  " << command.name << "  " << command.summary << "\n";
  }
  out << "\nconveyor COMMAND --help says more.\n";
  if (kSimulated) {
    out << "\nThis build runs on a SIMULATED machine. For GPUs, build with "
           "--config=cuda.\n";
  }
}

int Main(absl::Span<const absl::string_view> args,
         const CommandContext& context) {
  if (args.empty()) {
    PrintUsage(context.err);
    return 2;
  }
  if (args[0] == "--help" || args[0] == "-h" || args[0] == "help") {
    PrintUsage(context.out);
    return 0;
  }
  if (args[0] == "--version") {
    context.out << "conveyor " << kVersion << ", commit " << context.commit
                << ", backend " << kBackend
                << (kSimulated ? " (SIMULATED)" : "") << "\n";
    return 0;
  }
  for (const Command& command : kCommands) {
    if (command.name == args[0]) return command.run(args.subspan(1), context);
  }
  context.err << "conveyor: unknown command '" << args[0] << "'\n\n";
  PrintUsage(context.err);
  return 2;
}

}  // namespace
}  // namespace bench
}  // namespace conveyor

int main(int argc, char** argv) {
  const std::vector<absl::string_view> args(argv + 1, argv + argc);
  // `bazel run` changes the directory, and says where the user was.
  const char* const directory = std::getenv("BUILD_WORKING_DIRECTORY");
  return conveyor::bench::Main(
      args, {std::cout, std::cerr, isatty(STDERR_FILENO) != 0,
             std::string(conveyor::bench::BuildCommit()),
             directory == nullptr ? "" : directory});
}
