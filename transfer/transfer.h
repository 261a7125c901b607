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
// File: transfer.h
// -----------------------------------------------------------------------------
//
// Transfer: names a transfer that goes on after the call that began it.

#ifndef CONVEYOR_TRANSFER_TRANSFER_H_
#define CONVEYOR_TRANSFER_TRANSFER_H_

#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "transfer/stream.h"

namespace conveyor {

namespace internal {
class TransferState;
}  // namespace internal

// A handle; copies name the same transfer. Destroying it neither waits nor
// stops the transfer: what that reads and writes must stay valid until Wait,
// of any of the handles, has returned. Thread-safe.
class [[nodiscard]] Transfer {
 public:
  // One that is complete.
  Transfer() = default;

  // Waits until the bytes are in place, and returns how it went.
  absl::Status Wait() const;

  // Whether they are. Does not block. A transfer that has failed is ready; Wait
  // says why.
  absl::StatusOr<bool> Ready() const;

  // Waits until the source of an upload has been read, so that it may be
  // changed, and until all of a download is on its way.
  absl::Status WaitUntilRead() const;

  // Makes later work on `stream` run after the transfer has written, or read,
  // device memory. Blocks as WaitUntilRead does. Of a download the host's bytes
  // are in place only when Wait returns. Returns the transfer's error if it has
  // failed; kFailedPrecondition on a capturing stream.
  absl::Status Join(StreamRef stream) const;

  // For the library's own use.
  explicit Transfer(std::shared_ptr<internal::TransferState> state)
      : state_(std::move(state)) {}

 private:
  std::shared_ptr<internal::TransferState> state_;
};

}  // namespace conveyor

#endif  // CONVEYOR_TRANSFER_TRANSFER_H_
