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

#include "testing/stream_gate.h"

#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "third_party/cuda/host_clock.h"
#include "third_party/cuda/host_threads.h"

namespace conveyor {

struct StreamGate::State {
  explicit State(absl::Duration max_hold) : max_hold(max_hold) {}

  const absl::Duration max_hold;
  HostMutex mutex;
  HostCondVar changed;
  bool reached ABSL_GUARDED_BY(mutex) = false;
  bool open ABSL_GUARDED_BY(mutex) = false;
  bool timed_out ABSL_GUARDED_BY(mutex) = false;
};

absl::StatusOr<StreamGate> StreamGate::Hold(cudaStream_t stream,
                                            absl::Duration max_hold) {
  auto state = std::make_shared<State>(max_hold);
  auto shared = std::make_unique<std::shared_ptr<State>>(state);
  const cudaError_t error =
      cudaLaunchHostFunc(stream, &StreamGate::Wait, shared.get());
  if (error != cudaSuccess) {
    return absl::InternalError(
        absl::StrCat("cudaLaunchHostFunc: ", cudaGetErrorName(error), " (",
                     cudaGetErrorString(error), ")"));
  }
  // The host function's own, to delete.
  static_cast<void>(shared.release());
  return StreamGate(std::move(state));
}

void StreamGate::Wait(void* state) {
  const std::unique_ptr<std::shared_ptr<State>> shared(
      static_cast<std::shared_ptr<State>*>(state));
  State& gate = **shared;
  const int64_t deadline =
      HostNowNs() + absl::ToInt64Nanoseconds(gate.max_hold);
  HostMutexLock lock(&gate.mutex);
  gate.reached = true;
  gate.changed.NotifyAll();
  while (!gate.open && !gate.timed_out) {
    gate.timed_out = !gate.changed.WaitUntil(&gate.mutex, deadline);
  }
  // Opened at the last moment is opened.
  gate.timed_out = !gate.open;
}

StreamGate& StreamGate::operator=(StreamGate&& other) noexcept {
  if (this != &other) {
    Open();
    state_ = std::move(other.state_);
  }
  return *this;
}

void StreamGate::Open() {
  if (state_ == nullptr) return;
  HostMutexLock lock(&state_->mutex);
  state_->open = true;
  state_->changed.NotifyAll();
}

void StreamGate::WaitUntilReached() const {
  if (state_ == nullptr) return;
  HostMutexLock lock(&state_->mutex);
  while (!state_->reached) state_->changed.Wait(&state_->mutex);
}

bool StreamGate::timed_out() const {
  if (state_ == nullptr) return false;
  HostMutexLock lock(&state_->mutex);
  return state_->timed_out;
}

}  // namespace conveyor
