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
// From the typed ranges of copy.h to what copy.cc works on.

#ifndef CONVEYOR_TRANSFER_INTERNAL_COPY_RANGE_H_
#define CONVEYOR_TRANSFER_INTERNAL_COPY_RANGE_H_

#include <cstddef>
#include <type_traits>
#include <utility>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "transfer/device.h"
#include "transfer/device_span.h"
#include "transfer/element.h"
#include "transfer/internal/host_span.h"
#include "transfer/memory_kind.h"
#include "transfer/stream.h"

namespace conveyor {
namespace internal {

// A range whose type has been checked.
struct CopyRange {
  const void* address;
  size_t count;
  size_t element_size;
  MemoryKind kind;
  DeviceId device;  // Meaningful for MemoryKind::kDevice.

  size_t num_bytes() const { return count * element_size; }
};

struct CopyRows {
  CopyRange range;
  size_t pitch_bytes;
};

template <typename Span>
struct Pitched {
  Span span;
  size_t pitch_bytes;
};

// ---- The view of anything that copy.h takes: one of our spans, or absl::Span.

template <typename T>
struct IsTypedSpan : std::false_type {};
template <typename T>
struct IsTypedSpan<DeviceSpan<T>> : std::true_type {};
template <typename T, MemoryKind kKind>
struct IsTypedSpan<HostSpan<T, kKind>> : std::true_type {};

// Our buffers: what owns memory and hands out a typed span of it.
template <typename T, typename = void>
struct IsOwner : std::false_type {};
template <typename T>
struct IsOwner<T, std::enable_if_t<
                      IsTypedSpan<decltype(std::declval<T&>().span())>::value>>
    : std::true_type {};

template <typename T, typename = void>
struct IsContiguous : std::false_type {};
template <typename T>
struct IsContiguous<T,
                    std::void_t<decltype(absl::MakeSpan(std::declval<T&>()))>>
    : std::true_type {};

template <typename Range>
auto View(Range& range) {
  if constexpr (IsTypedSpan<std::remove_cv_t<Range>>::value) {
    return std::remove_cv_t<Range>(range);
  } else if constexpr (IsOwner<Range>::value) {
    return range.span();
  } else {
    static_assert(IsContiguous<Range>::value,
                  "a copy takes a span, a buffer or a contiguous container");
    return absl::MakeSpan(range);
  }
}

template <typename Range>
using ViewOf = decltype(View(std::declval<std::remove_reference_t<Range>&>()));

template <typename Span>
struct SpanTraits;
template <typename T>
struct SpanTraits<DeviceSpan<T>> {
  using Element = T;
  static constexpr bool kDevice = true;
  static constexpr bool kPageable = false;
  static constexpr bool kHost = false;
};
template <typename T, MemoryKind kKind>
struct SpanTraits<HostSpan<T, kKind>> {
  using Element = T;
  static constexpr bool kDevice = false;
  static constexpr bool kPageable = false;
  static constexpr bool kHost = kKind == MemoryKind::kPinned;
};
template <typename T>
struct SpanTraits<absl::Span<T>> {
  using Element = typename CheckElement<T>::type;
  static constexpr bool kDevice = false;
  static constexpr bool kPageable = true;
  static constexpr bool kHost = true;
};

template <typename Range>
using TraitsOf = SpanTraits<ViewOf<Range>>;

// ---- What does not compile.

template <typename Dst, typename Src>
constexpr void CheckCopyTypes() {
  using To = typename TraitsOf<Dst>::Element;
  using From = typename TraitsOf<Src>::Element;
  static_assert(!std::is_const<To>::value,
                "the destination's elements are const: is it dst, src?");
  static_assert(
      std::is_same<std::remove_cv_t<To>, std::remove_cv_t<From>>::value,
      "source and destination have different element types: a copy moves "
      "elements unchanged, so give both the same type (are bytes and elements "
      "mixed up?)");
}

template <typename Dst, typename Src>
constexpr void CheckAsyncTypes() {
  static_assert(
      !TraitsOf<Dst>::kPageable && !TraitsOf<Src>::kPageable,
      "CopyAsync takes page-locked host memory only: from pageable memory the "
      "copy would silently block. Use Copy, a PinnedBuffer, or "
      "PinnedSpan::FromSpan if the range is pinned already; transfer/stager.h "
      "moves pageable memory at the pinned rate");
  static_assert(!TraitsOf<Dst>::kHost || !TraitsOf<Src>::kHost,
                "a copy from host to host is never asynchronous in CUDA: use "
                "Copy");
  static_assert(
      (std::is_lvalue_reference<Dst>::value || !IsOwner<Dst>::value) &&
          (std::is_lvalue_reference<Src>::value || !IsOwner<Src>::value),
      "a temporary buffer would be freed before the copy has run: give it a "
      "name and keep it until then");
}

// ---- From a view to a CopyRange.

template <typename T>
CopyRange ToCopyRange(DeviceSpan<T> span) {
  return {span.device_pointer(), span.size(), sizeof(T), MemoryKind::kDevice,
          span.device()};
}
template <typename T, MemoryKind kKind>
CopyRange ToCopyRange(HostSpan<T, kKind> span) {
  return {span.data(), span.size(), sizeof(T), kKind, DeviceId(-1)};
}
template <typename T>
CopyRange ToCopyRange(absl::Span<T> span) {
  return {span.data(), span.size(), sizeof(T), MemoryKind::kPageable,
          DeviceId(-1)};
}

template <typename Range>
CopyRange RangeOf(Range& range) {
  return ToCopyRange(View(range));
}

template <typename Span>
CopyRows RowsOf(Pitched<Span> rows) {
  return {ToCopyRange(rows.span), rows.pitch_bytes};
}

// ---- The work, in copy.cc. `dst` is written through its address.

// What CopyAndWait checks of its ranges: also that none given as pageable is
// device memory.
absl::Status CheckCopy(const CopyRange& dst, const CopyRange& src,
                       StreamRef stream);
absl::Status EnqueueCopy(const CopyRange& dst, const CopyRange& src,
                         StreamRef stream);
absl::Status CopyAndWait(const CopyRange& dst, const CopyRange& src,
                         StreamRef stream);
absl::Status EnqueueCopy2D(const CopyRows& dst, const CopyRows& src,
                           size_t width, size_t height, StreamRef stream);
absl::Status Copy2DAndWait(const CopyRows& dst, const CopyRows& src,
                           size_t width, size_t height, StreamRef stream);

}  // namespace internal
}  // namespace conveyor

#endif  // CONVEYOR_TRANSFER_INTERNAL_COPY_RANGE_H_
