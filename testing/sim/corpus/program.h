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
// File: program.h
// -----------------------------------------------------------------------------
//
// The corpus: small programs that make one mistake each, and right ones that
// look as if they did. Whatever looks for mistakes is measured by them.
//
// To add one, write a function of a Bench in the file of its subject and name
// it in that file's table.

#ifndef CONVEYOR_TESTING_SIM_CORPUS_PROGRAM_H_
#define CONVEYOR_TESTING_SIM_CORPUS_PROGRAM_H_

#include <vector>

#include "testing/sim/corpus/bench.h"

namespace conveyor {
namespace sim {

enum class Verdict {
  kRight,   // Right bytes under every seed, and no report.
  kHazard,  // Reported, under some seed at least; each report names the pair.
  kData,    // Wrong bytes under some seed. No report is possible: it is the
            // host that reads or writes too early, and of the host only changed
            // sources are seen.
  kFibers,  // Right bytes on this processor. Thread sanitizer alone sees it.
};

struct Program {
  const char* name;
  // Whether the bytes are right in the end.
  bool (*run)(Bench& bench);
  Verdict verdict;
  // Of kHazard: what a report names first and second.
  const char* first = nullptr;
  const char* second = nullptr;
  // Wrong in the order of a stream, and so no race.
  bool in_order = false;
};

// By subject.
std::vector<Program> EventPrograms();
std::vector<Program> LegacyPrograms();
std::vector<Program> HostPrograms();
std::vector<Program> ThreadPrograms();
std::vector<Program> LifetimePrograms();
std::vector<Program> PeerPrograms();
std::vector<Program> GraphPrograms();
std::vector<Program> ShapePrograms();

// All of them.
std::vector<Program> AllPrograms();

}  // namespace sim
}  // namespace conveyor

#endif  // CONVEYOR_TESTING_SIM_CORPUS_PROGRAM_H_
