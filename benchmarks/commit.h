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
// File: commit.h
// -----------------------------------------------------------------------------
//
// The commit that a binary was built from.

#ifndef CONVEYOR_BENCHMARKS_COMMIT_H_
#define CONVEYOR_BENCHMARKS_COMMIT_H_

#include "absl/strings/string_view.h"

namespace conveyor {
namespace bench {

// The commit's hash, followed by "-dirty" if files differed from it; "unknown"
// in a build without workspace status.
absl::string_view BuildCommit();

}  // namespace bench
}  // namespace conveyor

#endif  // CONVEYOR_BENCHMARKS_COMMIT_H_
