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
// File: transfer_state.h
// -----------------------------------------------------------------------------
//
// What a Transfer names, seen by those who carry it out.

#ifndef CONVEYOR_TRANSFER_INTERNAL_TRANSFER_STATE_H_
#define CONVEYOR_TRANSFER_INTERNAL_TRANSFER_STATE_H_

#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "third_party/cuda/host_threads.h"
#include "transfer/event.h"
#include "transfer/stream.h"

namespace conveyor {
namespace internal {

class TransferState {
 public:
  // `done` is recorded when all copies have been enqueued.
  explicit TransferState(Event done) : done_(std::move(done)) {}

  // For those who carry it out, each once and in this order.

  // All copies have been enqueued on `stream`; of an upload the source has been
  // read. It is complete when they are, unless `host_follows`: then when
  // Complete says so.
  absl::Status Enqueued(StreamRef stream, bool host_follows);
  void Complete();
  // At any time before it is complete.
  void Fail(absl::Status status);

  // As in Transfer.
  absl::Status Wait();
  absl::StatusOr<bool> Ready();
  absl::Status WaitUntilRead();
  absl::Status Join(StreamRef stream);

 private:
  enum class Phase { kBegun, kEnqueued, kHostFollows, kComplete, kFailed };

  Phase WaitFor(bool (*reached)(Phase)) ABSL_LOCKS_EXCLUDED(mutex_);

  HostMutex mutex_;
  HostCondVar changed_;
  Phase phase_ ABSL_GUARDED_BY(mutex_) = Phase::kBegun;
  absl::Status status_ ABSL_GUARDED_BY(mutex_);
  // Recorded once the phase is beyond kBegun; only read from then on.
  Event done_;
};

}  // namespace internal
}  // namespace conveyor

#endif  // CONVEYOR_TRANSFER_INTERNAL_TRANSFER_STATE_H_
