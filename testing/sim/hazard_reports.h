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
// File: hazard_reports.h
// -----------------------------------------------------------------------------
//
// What is said about hazards, and what happens then.
//
//   CONVEYOR_SIM_HAZARDS=fail  printed at once; a process that ends with
//                              reports that nobody took exits with status 66
//   CONVEYOR_SIM_HAZARDS=warn  printed at once (default)
//   CONVEYOR_SIM_HAZARDS=off   nothing is looked for

#ifndef CONVEYOR_TESTING_SIM_HAZARD_REPORTS_H_
#define CONVEYOR_TESTING_SIM_HAZARD_REPORTS_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "testing/sim/access_history.h"
#include "testing/sim/call_site.h"
#include "testing/sim/registry.h"

namespace conveyor {
namespace sim {

// Whether anything is looked for.
bool FindsHazards();

// Bytes of an allocation.
struct Extent {
  size_t first;
  size_t end;
};

// A wait for an event that had not been recorded.
struct EmptyWait {
  CallSite site;
};

// All under the machine's lock. What has been reported of the same call sites
// before, and has not been taken, is not reported again; nor is it printed
// again once it has been taken.

// `second` is not ordered after `first`, and one of them writes. `empty` is an
// EmptyWait of the stream of `second`, or null.
void ReportUnordered(const Deed& first, bool first_writes, const Deed& second,
                     bool second_writes, const Allocation& allocation,
                     Extent bytes, const EmptyWait* empty);

// The host frees, by `freeing`, what `use` may still be using.
void ReportFreedInUse(const Deed& use, bool writes, const Deed& freeing,
                      const Allocation& allocation, Extent bytes);

// `use` comes after `freeing`, or at any time.
void ReportUseAfterFree(const Deed& freeing, const Deed& use, bool writes,
                        const Allocation& allocation, Extent bytes);

// The host has changed what `reader` was to read.
void ReportChangedSource(const Deed& reader, const Allocation& allocation,
                         Extent bytes);

// All reports since the last time, as text; empty if there are none.
std::string TakeReports();

}  // namespace sim
}  // namespace conveyor

#endif  // CONVEYOR_TESTING_SIM_HAZARD_REPORTS_H_
