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
// The copies that a careful user of CUDA writes today, to be measured beside
// ours: page-locked memory, a non-blocking stream, the direction given, every
// call checked. Nothing of Conveyor is used here.
//
// Each function makes `count` copies of `num_bytes` and returns the first
// error.

#ifndef CONVEYOR_BENCHMARKS_RAW_COPY_H_
#define CONVEYOR_BENCHMARKS_RAW_COPY_H_

#include <cuda_runtime_api.h>

#include <cstddef>

namespace conveyor {
namespace bench {
namespace raw {

// cudaMemcpyAsync. Returns once enqueued; host memory must be page-locked.
cudaError_t EnqueueCopies(void* dst, const void* src, size_t num_bytes,
                          cudaMemcpyKind kind, cudaStream_t stream, int count);

// The same, and waits for each copy before the next.
cudaError_t CopyAndWait(void* dst, const void* src, size_t num_bytes,
                        cudaMemcpyKind kind, cudaStream_t stream, int count);

// One of two copies that are made at the same time.
struct OneWay {
  void* dst;
  const void* src;
  cudaMemcpyKind kind;
  cudaStream_t stream;
};

// Two copies at a time with cudaMemcpyAsync, after earlier work on
// there.stream, whose later work waits for both. `forked` is an event of the
// device of there.stream, `joined` one of back.stream's. Returns once enqueued.
cudaError_t EnqueueBothWays(const OneWay& there, const OneWay& back,
                            size_t num_bytes, int count, cudaEvent_t forked,
                            cudaEvent_t joined);

// cudaMemcpy. Returns when the data is in place: cudaMemcpy itself returns from
// an upload once the host's memory has been read, so the default stream is
// waited for after it.
cudaError_t UploadPageable(void* device, const void* host, size_t num_bytes,
                           int count);
cudaError_t DownloadPageable(void* host, const void* device, size_t num_bytes,
                             int count);

}  // namespace raw
}  // namespace bench
}  // namespace conveyor

#endif  // CONVEYOR_BENCHMARKS_RAW_COPY_H_
