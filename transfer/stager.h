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
// File: stager.h
// -----------------------------------------------------------------------------
//
// Copies between pageable host memory and devices at the rate of pinned memory:
// threads copy between the caller's memory and a pinned ring, while DMA empties
// or fills the ring.
//
//   ABSL_ASSIGN_OR_RETURN(Stager stager, Stager::Create({}));
//   ABSL_RETURN_IF_ERROR(stager.Upload(device, host, stream));
//
// Make one and keep it: its threads start, and the ring of a device is
// page-locked, when they are first needed. Ranges are given as to Copy, in
// transfer/copy.h, which says what is refused; one is device memory, the other
// pageable or page-locked host memory.

#ifndef CONVEYOR_TRANSFER_STAGER_H_
#define CONVEYOR_TRANSFER_STAGER_H_

#include <cstddef>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "transfer/internal/copy_range.h"
#include "transfer/stream.h"
#include "transfer/transfer.h"

namespace conveyor {

struct StagerOptions {
  // The threads that copy, for all devices together. 0: two less than there are
  // processors, at least one and at most 16.
  int max_threads = 0;
  // Of each device's ring: at least two slots.
  size_t ring_bytes = size_t{64} << 20;
  // What is given to DMA at once. Below 2 MiB the gaps between copies tell.
  size_t slot_bytes = size_t{4} << 20;
  // Upload and Download leave less than that to CUDA's own copy: on an H200 it
  // is the faster one of 4 MiB, and takes twice as long for 16 MiB.
  size_t min_bytes = size_t{8} << 20;
};

namespace internal {
class StagerState;
}  // namespace internal

// A copyable handle. Thread-safe: several callers, streams and devices share
// the threads and rings in turns. The last handle waits for all transfers.
class Stager {
 public:
  // kInvalidArgument, naming the option, if the ring is less than two slots, a
  // slot is less than 64 KiB, or max_threads is negative. Starts nothing yet.
  static absl::StatusOr<Stager> Create(const StagerOptions& options);

  // Copies host memory to a device's. Returns when `src` has been read, and
  // later work on `stream` is ordered after the copy. Blocks until earlier work
  // on `stream` is complete. Where this would be slower than CUDA's own copy (a
  // small range, or few processors), it makes that.
  //
  // kFailedPrecondition on a capturing stream, whose capture stays valid;
  // kResourceExhausted if the ring cannot be page-locked.
  template <typename Dst, typename Src>
  absl::Status Upload(Dst&& dst, Src&& src, StreamRef stream) {
    CheckUpload<Dst, Src>();
    return StageAndWait(internal::RangeOf(dst), internal::RangeOf(src), stream);
  }

  // Copies device memory to the host's. Returns when the bytes are in place.
  // Otherwise as Upload.
  template <typename Dst, typename Src>
  absl::Status Download(Dst&& dst, Src&& src, StreamRef stream) {
    CheckDownload<Dst, Src>();
    return StageAndWait(internal::RangeOf(dst), internal::RangeOf(src), stream);
  }

  // As above, but return at once. The copy begins when earlier work on `stream`
  // is complete; later work there is not ordered after it but by
  // Transfer::Join. Both ranges must stay valid, `src` unchanged and `dst`
  // unread, until Transfer::Wait has returned; of an upload, `src` until
  // WaitUntilRead has.
  template <typename Dst, typename Src>
  absl::StatusOr<Transfer> UploadAsync(Dst&& dst, Src&& src, StreamRef stream) {
    CheckUpload<Dst, Src>();
    return Stage(internal::RangeOf(dst), internal::RangeOf(src), stream);
  }
  template <typename Dst, typename Src>
  absl::StatusOr<Transfer> DownloadAsync(Dst&& dst, Src&& src,
                                         StreamRef stream) {
    CheckDownload<Dst, Src>();
    return Stage(internal::RangeOf(dst), internal::RangeOf(src), stream);
  }

 private:
  template <typename Dst, typename Src>
  static constexpr void CheckUpload() {
    internal::CheckCopyTypes<Dst, Src>();
    static_assert(
        internal::TraitsOf<Dst>::kDevice && internal::TraitsOf<Src>::kHost,
        "Stager::Upload copies host memory to device memory: is it "
        "dst, src? Managed memory and copies between devices go by "
        "CopyAsync");
  }
  template <typename Dst, typename Src>
  static constexpr void CheckDownload() {
    internal::CheckCopyTypes<Dst, Src>();
    static_assert(
        internal::TraitsOf<Dst>::kHost && internal::TraitsOf<Src>::kDevice,
        "Stager::Download copies device memory to host memory: is it "
        "dst, src? Managed memory and copies between devices go by "
        "CopyAsync");
  }

  explicit Stager(std::shared_ptr<internal::StagerState> state)
      : state_(std::move(state)) {}

  absl::Status StageAndWait(const internal::CopyRange& dst,
                            const internal::CopyRange& src, StreamRef stream);
  absl::StatusOr<Transfer> Stage(const internal::CopyRange& dst,
                                 const internal::CopyRange& src,
                                 StreamRef stream);

  std::shared_ptr<internal::StagerState> state_;
};

}  // namespace conveyor

#endif  // CONVEYOR_TRANSFER_STAGER_H_
