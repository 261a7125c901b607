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
// File: stream.h
// -----------------------------------------------------------------------------
//
// Streams: `Stream` owns one, `StreamRef` names one. Every copy and kernel
// names the stream it runs on, and takes its device from it.
//
//   ABSL_ASSIGN_OR_RETURN(Stream stream, Stream::Create(DeviceId(0)));
//   ABSL_RETURN_IF_ERROR(CopyAsync(dst, src, stream));
//   ABSL_RETURN_IF_ERROR(stream.ref().Synchronize());

#ifndef CONVEYOR_TRANSFER_STREAM_H_
#define CONVEYOR_TRANSFER_STREAM_H_

#include <cuda_runtime_api.h>

#include <cstddef>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "third_party/cuda/launch.h"
#include "transfer/device.h"

namespace conveyor {

// A stream that somebody else owns, and its device. A value type, cheap to
// copy; it must not outlive the stream.
class StreamRef {
 public:
  // A stream created elsewhere, on `device`.
  //
  // kInvalidArgument for the legacy default stream and the per-thread one
  // (null, cudaStreamLegacy, cudaStreamPerThread): the first waits for, and
  // holds up, every other stream of the device, and both mean another stream in
  // another thread or device. Also if the runtime says that `stream` is on
  // another device (CUDA 12.8 and newer can tell).
  static absl::StatusOr<StreamRef> FromNative(cudaStream_t stream,
                                              DeviceId device);
  static absl::StatusOr<StreamRef> FromNative(int, DeviceId) = delete;
  static absl::StatusOr<StreamRef> FromNative(std::nullptr_t,
                                              DeviceId) = delete;

  cudaStream_t native() const { return stream_; }
  DeviceId device() const { return device_; }

  // For ForEach, and for wrappers of kernels that know no StreamRef.
  operator LaunchStream() const { return {stream_, device_.ordinal()}; }

  // Waits until all work enqueued so far is complete.
  //
  // kFailedPrecondition on a capturing stream, whose capture stays valid.
  // Errors of earlier work on the stream surface here. Thread-safe.
  absl::Status Synchronize() const;

  // Whether all work enqueued so far is complete. Does not block, and leaves
  // the thread's last error as it was. Errors and threads as Synchronize.
  absl::StatusOr<bool> Ready() const;

  // Whether a graph is being captured from this stream. Thread-safe.
  absl::StatusOr<bool> IsCapturing() const;

  friend bool operator==(StreamRef a, StreamRef b) {
    return a.stream_ == b.stream_ && a.device_ == b.device_;
  }
  friend bool operator!=(StreamRef a, StreamRef b) { return !(a == b); }

 private:
  friend class Stream;

  StreamRef(cudaStream_t stream, DeviceId device)
      : stream_(stream), device_(device) {}

  cudaStream_t stream_;
  DeviceId device_;
};

// Owns a non-blocking stream: it neither waits for the legacy default stream
// nor holds it up. Move-only; moved-from it is empty, and only to be destroyed
// or assigned to.
class Stream {
 public:
  // A new stream on `device`, of the default priority. Leaves the current
  // device unchanged. kInvalidArgument if there is no such device. Thread-safe.
  static absl::StatusOr<Stream> Create(DeviceId device);

  // As above, with a priority: lower runs first, clamped by CUDA to the range
  // of cudaDeviceGetStreamPriorityRange.
  static absl::StatusOr<Stream> Create(DeviceId device, int priority);

  Stream(Stream&& other) noexcept;
  Stream& operator=(Stream&& other) noexcept;

  // Returns at once: CUDA completes the work that is enqueued, then releases
  // the stream. What that work uses must live until then.
  ~Stream();

  StreamRef ref() const { return ref_; }
  operator StreamRef() const { return ref_; }
  operator LaunchStream() const { return ref_; }
  DeviceId device() const { return ref_.device(); }

  // Hands the stream to the caller, who destroys it with cudaStreamDestroy.
  [[nodiscard]] cudaStream_t release() {
    return std::exchange(ref_.stream_, nullptr);
  }

 private:
  explicit Stream(StreamRef ref) : ref_(ref) {}

  StreamRef ref_;
};

}  // namespace conveyor

#endif  // CONVEYOR_TRANSFER_STREAM_H_
