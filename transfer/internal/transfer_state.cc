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

#include "transfer/internal/transfer_state.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/status/status_macros.h"
#include "absl/status/statusor.h"
#include "third_party/cuda/host_threads.h"
#include "transfer/internal/capture.h"
#include "transfer/stream.h"

namespace conveyor {
namespace internal {

absl::Status TransferState::Enqueued(StreamRef stream, bool host_follows) {
  ABSL_RETURN_IF_ERROR(done_.Record(stream));
  HostMutexLock lock(&mutex_);
  phase_ = host_follows ? Phase::kHostFollows : Phase::kEnqueued;
  changed_.NotifyAll();
  return absl::OkStatus();
}

void TransferState::Complete() {
  HostMutexLock lock(&mutex_);
  phase_ = Phase::kComplete;
  changed_.NotifyAll();
}

void TransferState::Fail(absl::Status status) {
  HostMutexLock lock(&mutex_);
  phase_ = Phase::kFailed;
  status_ = std::move(status);
  changed_.NotifyAll();
}

TransferState::Phase TransferState::WaitFor(bool (*reached)(Phase)) {
  HostMutexLock lock(&mutex_);
  while (!reached(phase_)) changed_.Wait(&mutex_);
  return phase_;
}

absl::Status TransferState::Wait() {
  const Phase phase = WaitFor([](Phase phase) {
    return phase != Phase::kBegun && phase != Phase::kHostFollows;
  });
  if (phase == Phase::kEnqueued) return done_.Synchronize();
  HostMutexLock lock(&mutex_);
  return status_;
}

absl::StatusOr<bool> TransferState::Ready() {
  Phase phase = Phase::kBegun;
  {
    HostMutexLock lock(&mutex_);
    phase = phase_;
  }
  if (phase == Phase::kEnqueued) return done_.Ready();
  return phase == Phase::kComplete || phase == Phase::kFailed;
}

absl::Status TransferState::WaitUntilRead() {
  WaitFor([](Phase phase) { return phase != Phase::kBegun; });
  HostMutexLock lock(&mutex_);
  return status_;
}

absl::Status TransferState::Join(StreamRef stream) {
  ABSL_RETURN_IF_ERROR(RefuseIfCapturing(stream.native(), "Transfer::Join"));
  ABSL_RETURN_IF_ERROR(WaitUntilRead());
  return StreamWaitEvent(stream, done_);
}

}  // namespace internal
}  // namespace conveyor
