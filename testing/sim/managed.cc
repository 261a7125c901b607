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

#include "testing/sim/managed.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>

namespace conveyor {
namespace sim {
namespace {

size_t RoundDown(size_t size) {
  return size / kManagedPageBytes * kManagedPageBytes;
}

size_t RoundUp(size_t size) { return RoundDown(size + kManagedPageBytes - 1); }

}  // namespace

ManagedPages::ManagedPages(size_t size) : size_(RoundUp(size)) {
  runs_[0] = PageState();
}

ManagedPages::Runs::iterator ManagedPages::SplitAt(size_t offset) {
  if (offset >= size_) return runs_.end();
  const auto next = runs_.upper_bound(offset);
  const auto run = std::prev(next);
  if (run->first == offset) return run;
  return runs_.emplace_hint(next, offset, run->second);
}

void ManagedPages::Update(
    size_t offset, size_t size,
    const std::function<void(PageState*, size_t)>& function) {
  const size_t end = std::min(size_, RoundUp(offset + size));
  auto run = SplitAt(RoundDown(offset));
  const auto last = SplitAt(end);
  while (run != last) {
    const auto next = std::next(run);
    const size_t run_end = next == runs_.end() ? size_ : next->first;
    function(&run->second, run_end - run->first);
    run = next;
  }
}

void ManagedPages::ForEach(
    size_t offset, size_t size,
    const std::function<void(const PageState&, size_t)>& function) {
  const size_t end = std::min(size_, RoundUp(offset + size));
  auto run = std::prev(runs_.upper_bound(RoundDown(offset)));
  for (; run != runs_.end() && run->first < end; ++run) {
    const auto next = std::next(run);
    const size_t run_end = next == runs_.end() ? size_ : next->first;
    function(run->second,
             std::min(end, run_end) - std::max(RoundDown(offset), run->first));
  }
}

}  // namespace sim
}  // namespace conveyor
