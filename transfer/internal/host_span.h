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
// A range of memory that the host can dereference and whose kind is known.
// PinnedSpan and ManagedSpan are its public names.

#ifndef CONVEYOR_TRANSFER_INTERNAL_HOST_SPAN_H_
#define CONVEYOR_TRANSFER_INTERNAL_HOST_SPAN_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "absl/status/status_macros.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "transfer/element.h"
#include "transfer/memory_kind.h"

namespace conveyor {
namespace internal {

template <typename T, MemoryKind kMemoryKind>
class HostSpan {
 public:
  using element_type = typename CheckElement<T>::type;
  static constexpr MemoryKind kKind = kMemoryKind;

  HostSpan() = default;

  // `range`, allocated elsewhere.
  //
  // kInvalidArgument if its first or last byte is of another kind, naming the
  // sub-ranges where the kind changes inside. Costs two pointer queries, about
  // 0.2 microseconds. Thread-safe.
  static absl::StatusOr<HostSpan> FromSpan(absl::Span<T> range) {
    ABSL_RETURN_IF_ERROR(CheckMemory(
        "range", range.data(), range.size() * sizeof(T), kKind, std::nullopt));
    return FromTrusted(range);
  }

  // As FromSpan, for a caller who allocated the memory: nothing is checked.
  static HostSpan FromTrusted(absl::Span<T> range) {
    HostSpan span;
    span.range_ = range;
    return span;
  }

  template <typename U,
            typename = std::enable_if_t<std::is_same<const U, T>::value>>
  HostSpan(HostSpan<U, kMemoryKind> other)  // NOLINT: as T* to const T*.
      : range_(other.data(), other.size()) {}

  T* data() const { return range_.data(); }
  size_t size() const { return range_.size(); }
  size_t size_bytes() const { return range_.size() * sizeof(T); }
  bool empty() const { return range_.empty(); }
  T& operator[](size_t i) const { return range_.data()[i]; }
  T* begin() const { return data(); }
  T* end() const { return data() + size(); }

  // At most `count` elements from `offset` on: what of them is inside this
  // span.
  HostSpan subspan(size_t offset, size_t count = SIZE_MAX) const {
    offset = std::min(offset, size());
    return FromTrusted(
        absl::Span<T>(data() + offset, std::min(count, size() - offset)));
  }

 private:
  absl::Span<T> range_;
};

}  // namespace internal
}  // namespace conveyor

#endif  // CONVEYOR_TRANSFER_INTERNAL_HOST_SPAN_H_
