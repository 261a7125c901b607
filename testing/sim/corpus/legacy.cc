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

// The legacy default stream, blocking streams, and calls that look blocking.

#include <cuda_runtime.h>

#include <cstddef>
#include <vector>

#include "testing/sim/corpus/bench.h"
#include "testing/sim/corpus/program.h"

namespace conveyor {
namespace sim {
namespace {

// Large enough that its end is still on its way when cudaMemcpy returns.
constexpr size_t kLarge = 1 << 20;

// Device memory of kLarge.
class LargeMemory {
 public:
  LargeMemory() {
    Bench::Check(cudaMalloc(&memory_, kLarge));
    Bench::Check(cudaMemset(memory_, 0, kLarge));
    Bench::Check(cudaDeviceSynchronize());
  }
  ~LargeMemory() {
    cudaDeviceSynchronize();
    cudaFree(memory_);
  }
  char* get() const { return memory_; }

 private:
  char* memory_ = nullptr;
};

bool LegacySetNonBlockingCopy(Bench& m) {
  m.Set(m.d, 2, cudaStreamLegacy);
  m.Copy(m.e, m.d, m.b);
  return m.Holds(m.e, 2);
}

bool NonBlockingSetBlockingDownload(Bench& m) {
  m.Set(m.d, 2, m.a);
  std::vector<char> found(kBytes);
  Bench::Check(cudaMemcpy(found.data(), m.d, kBytes, cudaMemcpyDeviceToHost));
  return HostSees(found.data(), 2);
}

bool PageableTail(Bench& m) {
  const LargeMemory memory;
  const std::vector<char> source(kLarge, 2);
  Bench::Check(
      cudaMemcpy(memory.get(), source.data(), kLarge, cudaMemcpyHostToDevice));
  m.Copy(m.e, memory.get() + kLarge - kBytes, m.b);
  return m.Holds(m.e, 2);
}

bool DeviceCopyThatLooksBlocking(Bench& m) {
  m.Fill(m.d, 2);
  Bench::Check(cudaMemcpy(m.e, m.d, kBytes, cudaMemcpyDeviceToDevice));
  m.Copy(m.p, m.e, m.b);
  return m.Holds(m.p, 2);
}

bool SetThatLooksBlocking(Bench& m) {
  Bench::Check(cudaMemset(m.d, 2, kBytes));
  m.Copy(m.e, m.d, m.b);
  return m.Holds(m.e, 2);
}

bool TwoBlockingStreams(Bench& m) {
  m.Set(m.d, 2, m.blocking);
  m.Copy(m.e, m.d, m.blocking2);
  return m.Holds(m.e, 2);
}

bool PerThreadStreamAndABlockingOne(Bench& m) {
  m.Set(m.d, 2, cudaStreamPerThread);
  m.Copy(m.e, m.d, m.blocking);
  return m.Holds(m.e, 2);
}

// Legacy default streams order the streams of their own device alone.
bool LegacyStreamOfAnotherDevice(Bench& m) {
  Bench::Check(cudaSetDevice(1));
  m.Set(m.peer, 2, cudaStreamLegacy);
  Bench::Check(cudaSetDevice(0));
  m.Copy(m.d, m.peer, cudaStreamLegacy);
  return m.Holds(m.d, 2);
}

// The wait was taken for one on all streams.
bool LegacySyncForANonBlockingStream(Bench& m) {
  m.Set(m.d, 2, m.a);
  m.Sync(cudaStreamLegacy);
  m.Copy(m.e, m.d, m.b);
  return m.Holds(m.e, 2);
}

bool BlockingStreamsAndTheLegacyOne(Bench& m) {
  m.Set(m.d, 1, m.blocking);
  m.Copy(m.e, m.d, cudaStreamLegacy);
  m.Increment(m.e, m.blocking2);
  m.Copy(m.d, m.e, nullptr);
  return m.Holds(m.d, 2);
}

bool ByWayOfTheLegacyStream(Bench& m) {
  m.Set(m.d, 2, m.blocking);
  m.Set(m.e, 1, cudaStreamLegacy);
  m.Copy(m.e, m.d, m.blocking2);
  return m.Holds(m.e, 2);
}

bool PageableUploadBlockingStream(Bench& m) {
  const LargeMemory memory;
  const std::vector<char> source(kLarge, 2);
  Bench::Check(
      cudaMemcpy(memory.get(), source.data(), kLarge, cudaMemcpyHostToDevice));
  m.Copy(m.e, memory.get() + kLarge - kBytes, m.blocking);
  return m.Holds(m.e, 2);
}

bool PageableUploadThenDeviceWait(Bench& m) {
  const LargeMemory memory;
  const std::vector<char> source(kLarge, 2);
  Bench::Check(
      cudaMemcpy(memory.get(), source.data(), kLarge, cudaMemcpyHostToDevice));
  Bench::Check(cudaDeviceSynchronize());
  m.Copy(m.e, memory.get() + kLarge - kBytes, m.b);
  return m.Holds(m.e, 2);
}

bool DestroyedBlockingStream(Bench& m) {
  cudaStream_t stream = nullptr;
  Bench::Check(cudaStreamCreate(&stream));
  m.Set(m.d, 2, stream);
  Bench::Check(cudaStreamDestroy(stream));
  m.Copy(m.e, m.d, cudaStreamLegacy);
  return m.Holds(m.e, 2);
}

bool LegacySyncForABlockingStream(Bench& m) {
  m.Set(m.d, 2, m.blocking);
  m.Sync(cudaStreamLegacy);
  m.Copy(m.e, m.d, m.b);
  return m.Holds(m.e, 2);
}

bool PerThreadStreamAndTheLegacyOne(Bench& m) {
  m.Set(m.d, 2, cudaStreamPerThread);
  m.Copy(m.e, m.d, cudaStreamLegacy);
  return m.Holds(m.e, 2);
}

bool EventInTheLegacyStream(Bench& m) {
  m.Set(m.d, 2, m.blocking);
  m.Record(m.event, cudaStreamLegacy);
  m.Wait(m.b, m.event);
  m.Copy(m.e, m.d, m.b);
  return m.Holds(m.e, 2);
}

bool BlockingDownloadInTheStreamsOrder(Bench& m) {
  m.Set(m.d, 2, m.blocking);
  std::vector<char> found(kBytes);
  Bench::Check(cudaMemcpy(found.data(), m.d, kBytes, cudaMemcpyDeviceToHost));
  return HostSees(found.data(), 2);
}

}  // namespace

std::vector<Program> LegacyPrograms() {
  const char* const set = "cudaMemsetAsync";
  const char* const copy = "cudaMemcpyAsync";
  return {
      {"legacy_set_non_blocking_copy", LegacySetNonBlockingCopy,
       Verdict::kHazard, set, copy},
      {"non_blocking_set_blocking_download", NonBlockingSetBlockingDownload,
       Verdict::kHazard, set, "cudaMemcpy"},
      {"pageable_tail", PageableTail, Verdict::kHazard, "cudaMemcpy", copy},
      {"device_copy_that_looks_blocking", DeviceCopyThatLooksBlocking,
       Verdict::kHazard, "cudaMemcpy", copy},
      {"set_that_looks_blocking", SetThatLooksBlocking, Verdict::kHazard,
       "cudaMemset", copy},
      {"two_blocking_streams", TwoBlockingStreams, Verdict::kHazard, set, copy},
      {"per_thread_stream_and_a_blocking_one", PerThreadStreamAndABlockingOne,
       Verdict::kHazard, set, copy},
      {"legacy_stream_of_another_device", LegacyStreamOfAnotherDevice,
       Verdict::kHazard, set, copy},
      {"legacy_sync_for_a_non_blocking_stream", LegacySyncForANonBlockingStream,
       Verdict::kHazard, set, copy},
      {"blocking_streams_and_the_legacy_one", BlockingStreamsAndTheLegacyOne,
       Verdict::kRight},
      {"by_way_of_the_legacy_stream", ByWayOfTheLegacyStream, Verdict::kRight},
      {"pageable_upload_blocking_stream", PageableUploadBlockingStream,
       Verdict::kRight},
      {"pageable_upload_then_device_wait", PageableUploadThenDeviceWait,
       Verdict::kRight},
      {"destroyed_blocking_stream", DestroyedBlockingStream, Verdict::kRight},
      {"legacy_sync_for_a_blocking_stream", LegacySyncForABlockingStream,
       Verdict::kRight},
      {"per_thread_stream_and_the_legacy_one", PerThreadStreamAndTheLegacyOne,
       Verdict::kRight},
      {"event_in_the_legacy_stream", EventInTheLegacyStream, Verdict::kRight},
      {"blocking_download_in_the_streams_order",
       BlockingDownloadInTheStreamsOrder, Verdict::kRight},
  };
}

}  // namespace sim
}  // namespace conveyor
