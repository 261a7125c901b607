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

#include "transfer/transfer.h"

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "transfer/internal/transfer_state.h"
#include "transfer/stream.h"

namespace conveyor {

absl::Status Transfer::Wait() const {
  return state_ == nullptr ? absl::OkStatus() : state_->Wait();
}

absl::StatusOr<bool> Transfer::Ready() const {
  return state_ == nullptr ? absl::StatusOr<bool>(true) : state_->Ready();
}

absl::Status Transfer::WaitUntilRead() const {
  return state_ == nullptr ? absl::OkStatus() : state_->WaitUntilRead();
}

absl::Status Transfer::Join(StreamRef stream) const {
  return state_ == nullptr ? absl::OkStatus() : state_->Join(stream);
}

}  // namespace conveyor
