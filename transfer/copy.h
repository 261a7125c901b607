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
// File: copy.h
// -----------------------------------------------------------------------------
//
// Stream-ordered copies between host and device memory. The types of the ranges
// choose the direction:
//
//   DeviceSpan, DeviceBuffer                   a device's memory
//   PinnedSpan, PinnedBuffer, MappedBuffer     page-locked host memory
//   ManagedSpan, ManagedBuffer                 managed memory
//   absl::Span, std::vector, ...               pageable host memory
//
// Both ranges have the same number of elements of the same type: what counts
// bytes and what counts elements cannot be mixed up. In every function here:
//
// * The copy runs on `stream`, after earlier work there. It takes its device
//   from the stream; the current device stays as it is.
// * Zero elements are OK, also with null pointers and moved-from buffers.
// * kInvalidArgument, naming the range with its size in elements and bytes, if
//   the sizes differ, if device memory is not on the stream's device, if the
//   ranges overlap (identical and touching ranges are OK), or if a null range
//   has elements.
// * Errors of earlier work on the stream may surface.
// * Thread-safe for distinct streams.
//
// What does not compile, with a message: elements of different types, a const
// destination, elements that are volatile or not trivially copyable.

#ifndef CONVEYOR_TRANSFER_COPY_H_
#define CONVEYOR_TRANSFER_COPY_H_

#include <cstddef>

#include "absl/status/status.h"
#include "transfer/internal/copy_range.h"
#include "transfer/stream.h"

namespace conveyor {

// Copies `src` to `dst` and returns when the copy is complete, and visible to
// the host and to every stream, non-blocking ones too. Ranges of any kind,
// host to host included.
//
// Blocks until earlier work on `stream` is complete, unless there is nothing to
// copy. Also kInvalidArgument if what is given as pageable memory is a
// device's; kFailedPrecondition on a capturing stream, whose capture stays
// valid.
template <typename Dst, typename Src>
absl::Status Copy(Dst&& dst, Src&& src, StreamRef stream) {
  internal::CheckCopyTypes<Dst, Src>();
  return internal::CopyAndWait(internal::RangeOf(dst), internal::RangeOf(src),
                               stream);
}

// Copies `src` to `dst`; returns once enqueued, and never blocks on the stream.
// Both ranges must stay valid, `src` unmodified and `dst` unread, until the
// copy is complete (Synchronize, Event). Captured if `stream` is capturing.
//
// At least one side is device or managed memory, and a host side is pinned:
// pageable memory does not compile, because CUDA would silently block. Copy it
// with Copy, pin it with PinnedBuffer, or say that it is pinned with
// PinnedSpan::FromSpan.
template <typename Dst, typename Src>
absl::Status CopyAsync(Dst&& dst, Src&& src, StreamRef stream) {
  internal::CheckCopyTypes<Dst, Src>();
  internal::CheckAsyncTypes<Dst, Src>();
  return internal::EnqueueCopy(internal::RangeOf(dst), internal::RangeOf(src),
                               stream);
}

// A range seen as rows that start `pitch_bytes` apart, for the 2-D copies.
// Holds a view: the range must outlive it.
template <typename Range>
internal::Pitched<internal::ViewOf<Range>> WithPitch(Range&& range,
                                                     size_t pitch_bytes) {
  return {internal::View(range), pitch_bytes};
}

// Copies `height` rows of `width` elements, complete on return, as Copy:
//
//   Copy2D(WithPitch(image, 8192), WithPitch(host, 1920 * sizeof(float)),
//          /*width=*/1920, /*height=*/1080, stream)
//
// Also kInvalidArgument, naming side, pitch, width and height, if a pitch is
// below width times the size of an element (with one row, too), or the last row
// ends beyond its range. The last row needs only its width, not a whole pitch.
// No columns or no rows are OK, whatever the pitch. Rows of source and
// destination may interleave, not overlap.
template <typename Dst, typename Src>
absl::Status Copy2D(internal::Pitched<Dst> dst, internal::Pitched<Src> src,
                    size_t width, size_t height, StreamRef stream) {
  internal::CheckCopyTypes<Dst, Src>();
  return internal::Copy2DAndWait(internal::RowsOf(dst), internal::RowsOf(src),
                                 width, height, stream);
}

// As Copy2D, with the synchrony and lifetimes of CopyAsync.
template <typename Dst, typename Src>
absl::Status Copy2DAsync(internal::Pitched<Dst> dst, internal::Pitched<Src> src,
                         size_t width, size_t height, StreamRef stream) {
  internal::CheckCopyTypes<Dst, Src>();
  internal::CheckAsyncTypes<Dst, Src>();
  return internal::EnqueueCopy2D(internal::RowsOf(dst), internal::RowsOf(src),
                                 width, height, stream);
}

}  // namespace conveyor

#endif  // CONVEYOR_TRANSFER_COPY_H_
