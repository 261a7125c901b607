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

#include "testing/sim/hazard_reports.h"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>

#include "testing/sim/access_history.h"
#include "testing/sim/call_site.h"
#include "testing/sim/machine.h"
#include "testing/sim/registry.h"
#include "testing/sim/stream_order.h"

namespace conveyor {
namespace sim {
namespace {

constexpr int kUntakenStatus = 66;

enum class Mode { kOff, kWarn, kFail };

// Never destroyed, as the machine.
struct Reports {
  std::string text;
  std::set<uint64_t> said;     // In `text`.
  std::set<uint64_t> printed;  // Ever.
};

Reports& TheReports() {
  static auto* const reports = new Reports;
  return *reports;
}

void FailIfUntaken() {
  if (TheReports().text.empty()) return;
  std::fprintf(stderr,
               "[conveyor] HAZARDS were reported above: exiting with status "
               "%d (CONVEYOR_SIM_HAZARDS=fail)\n",
               kUntakenStatus);
  std::fflush(nullptr);
  std::_Exit(kUntakenStatus);
}

Mode ReadMode() {
  const char* const value = std::getenv("CONVEYOR_SIM_HAZARDS");
  if (value == nullptr || *value == '\0') return Mode::kWarn;
  if (std::strcmp(value, "off") == 0) return Mode::kOff;
  if (std::strcmp(value, "warn") == 0) return Mode::kWarn;
  if (std::strcmp(value, "fail") != 0) {
    std::fprintf(stderr,
                 "[conveyor] CONVEYOR_SIM_HAZARDS is none of fail, warn, off: "
                 "%s\n",
                 value);
    std::exit(1);
  }
  std::atexit(FailIfUntaken);
  return Mode::kFail;
}

Mode TheMode() {
  static const Mode mode = ReadMode();
  return mode;
}

std::string Number(uint64_t value) { return std::to_string(value); }

std::string StreamName(const Deed& deed) {
  return deed.legacy ? "the legacy default stream of device " +
                           std::to_string(deed.device)
                     : "stream " + Number(deed.stream_id);
}

std::string CallName(const Deed& deed) {
  return deed.by_graph ? std::string(deed.call) + " (captured, by a graph)"
                       : deed.call;
}

std::string InStream(const Deed& deed) {
  if (deed.stream_id == 0 && !deed.legacy) return CallName(deed);
  return CallName(deed) + " in " + StreamName(deed);
}

const char* Verb(bool writes) { return writes ? "writes" : "reads"; }

std::string Where(const Allocation& allocation, Extent bytes) {
  char text[160];
  std::snprintf(text, sizeof(text),
                "  bytes [%zu, %zu) of %zu bytes of %s at %p (device %d)\n",
                bytes.first, bytes.end, allocation.size,
                NameOf(allocation.kind), static_cast<void*>(allocation.base),
                allocation.device);
  return text;
}

std::string Line(int number, const Deed& deed, const std::string& does) {
  const bool elsewhere = !deed.legacy && deed.stream_id != 0;
  return "  " + std::to_string(number) + ". " + InStream(deed) +
         (elsewhere ? " of device " + std::to_string(deed.device) : "") + " " +
         does + ", called by\n" +
         (deed.captured == nullptr
              ? ""
              : Describe(deed.captured->site, "       ") +
                    (deed.by_graph ? "     in a capture, launched by\n" : "")) +
         Describe(deed.site, "       ");
}

// Keeps and prints what `make_text` makes, unless it is known already.
template <typename MakeText>
void Add(uint64_t key, MakeText make_text) {
  Reports& reports = TheReports();
  if (!reports.said.insert(key).second) return;
  const std::string text = "[conveyor] HAZARD (seed " +
                           Number(TheMachine().seed) + "): " + make_text();
  reports.text += text;
  if (reports.printed.insert(key).second) std::fputs(text.c_str(), stderr);
}

uint64_t HashOf(const Deed& deed) {
  return HashOf(deed.site) ^
         (deed.captured == nullptr ? 0 : HashOf(deed.captured->site) * 3);
}

uint64_t KeyOf(const Deed& first, const Deed& second) {
  return HashOf(first) * 31 + HashOf(second);
}

std::string MissingEdge(const Deed& first, const Deed& second,
                        const EmptyWait* empty) {
  if (first.batch != 0 && first.batch == second.batch &&
      first.order == second.order) {
    return "  The pieces of one call have no order among themselves.\n";
  }
  std::string text = "  Nothing orders " + StreamName(second) + " after " +
                     StreamName(first) + ": record an event in " +
                     StreamName(first) + " after " + CallName(first) +
                     " and make " + StreamName(second) +
                     " wait for it before " + CallName(second) + ".\n";
  if (IndexIn(second.order->clock.get(), *first.order) > 0) {
    text += "  What " + StreamName(second) + " waits for was recorded in " +
            StreamName(first) + " before " + CallName(first) + ".\n";
  }
  if (first.legacy || second.legacy) {
    const Deed& other = first.legacy ? second : first;
    text += "  " + StreamName(other) +
            (other.device == (first.legacy ? first : second).device
                 ? " is non-blocking: it and the legacy default stream do not "
                   "wait for each other.\n"
                 : " is another device's: legacy default streams order those "
                   "of their own.\n");
  }
  if (empty != nullptr) {
    text += "  " + StreamName(second) +
            " has waited for an event that had not been recorded by then, "
            "which orders nothing:\n" +
            Describe(empty->site, "       ");
  }
  return text;
}

}  // namespace

bool FindsHazards() { return TheMode() != Mode::kOff; }

void ReportUnordered(const Deed& first, bool first_writes, const Deed& second,
                     bool second_writes, const Allocation& allocation,
                     Extent bytes, const EmptyWait* empty) {
  Add(KeyOf(first, second), [&] {
    return InStream(second) + " " + Verb(second_writes) + " what " +
           InStream(first) + " " + Verb(first_writes) + ", in any order\n" +
           Where(allocation, bytes) +
           Line(1, first, std::string(Verb(first_writes)) + " them") +
           Line(2, second, std::string(Verb(second_writes)) + " them") +
           MissingEdge(first, second, empty);
  });
}

void ReportFreedInUse(const Deed& use, bool writes, const Deed& freeing,
                      const Allocation& allocation, Extent bytes) {
  Add(KeyOf(use, freeing), [&] {
    return CallName(freeing) + " frees what " + InStream(use) + " " +
           Verb(writes) + ", and may not be done with\n" +
           Where(allocation, bytes) +
           Line(1, use, std::string(Verb(writes)) + " them") +
           Line(2, freeing, "frees them") + "  Nothing tells the host that " +
           CallName(use) + " is complete: synchronize with " + StreamName(use) +
           ", or with an event recorded there after " + CallName(use) +
           ", before " + CallName(freeing) + ".\n";
  });
}

void ReportUseAfterFree(const Deed& freeing, const Deed& use, bool writes,
                        const Allocation& allocation, Extent bytes) {
  Add(KeyOf(freeing, use), [&] {
    return InStream(use) + " " + Verb(writes) + " what " + InStream(freeing) +
           " has freed\n" + Where(allocation, bytes) +
           Line(1, freeing, "frees them") +
           Line(2, use, std::string(Verb(writes)) + " them") +
           "  The memory is gone by then: " + CallName(freeing) +
           " has to come after " + CallName(use) + ".\n";
  });
}

void ReportChangedSource(const Deed& reader, const Allocation& allocation,
                         Extent bytes) {
  Add(HashOf(reader), [&] {
    return "the host has changed the source of " + InStream(reader) +
           " before that has read it\n" + Where(allocation, bytes) +
           Line(1, reader, "reads them") +
           "  2. the host writes some of them, between that call and the "
           "copy's end\n  Nothing tells the host that " +
           CallName(reader) + " is complete: synchronize with " +
           StreamName(reader) + ", or with an event recorded there after " +
           CallName(reader) + ", before writing to its source.\n";
  });
}

std::string TakeReports() {
  Reports& reports = TheReports();
  std::string taken;
  taken.swap(reports.text);
  reports.said.clear();
  return taken;
}

}  // namespace sim
}  // namespace conveyor
