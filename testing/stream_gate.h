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
// File: stream_gate.h
// -----------------------------------------------------------------------------
//
// StreamGate: holds a stream, so that a test observes work as pending without
// sleeping and without guessing how long a copy takes:
//
//   ASSERT_OK_AND_ASSIGN(StreamGate gate, StreamGate::Hold(stream));
//   ASSERT_OK(CopyAsync(dst, src, stream));
//   EXPECT_FALSE(event.Ready());
//   gate.Open();
//   ASSERT_OK(stream.Synchronize());
//   EXPECT_FALSE(gate.timed_out());

#ifndef CONVEYOR_TESTING_STREAM_GATE_H_
#define CONVEYOR_TESTING_STREAM_GATE_H_

#include <cuda_runtime_api.h>

#include <memory>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace conveyor {

// Keeps what is enqueued behind it on a stream from starting until it opens.
//
// It is a host function on the stream, so it also holds back, on hardware, host
// functions of other streams. Movable; moved-from it is empty: Open() does
// nothing. The functions of one gate are thread-safe.
class [[nodiscard]] StreamGate {
 public:
  // How long a closed gate holds before it opens by itself: a test that blocks
  // on a held stream then fails, and does not hang the machine.
  static constexpr absl::Duration MaxHold() { return absl::Seconds(20); }

  // Enqueues a closed gate on `stream`. Does not synchronize `stream` and does
  // not wait until it has reached the gate. kInternal if CUDA refuses.
  static absl::StatusOr<StreamGate> Hold(cudaStream_t stream,
                                         absl::Duration max_hold = MaxHold());

  StreamGate(StreamGate&&) = default;
  // Opens the gate that was held here before.
  StreamGate& operator=(StreamGate&& other) noexcept;
  // Opens the gate. Does not wait for the stream.
  ~StreamGate() { Open(); }

  // Lets the stream go on. A second call does nothing.
  void Open();

  // Blocks until the stream has reached the gate, so until all earlier work on
  // it is complete. Returns at once if moved-from.
  void WaitUntilReached() const;

  // Whether the gate opened by itself, after max_hold: what was observed as
  // pending or not since then means nothing.
  bool timed_out() const;

 private:
  struct State;

  explicit StreamGate(std::shared_ptr<State> state)
      : state_(std::move(state)) {}

  static void Wait(void* state);

  // Shared with the host function, which may run after this is gone.
  std::shared_ptr<State> state_;
};

}  // namespace conveyor

#endif  // CONVEYOR_TESTING_STREAM_GATE_H_
