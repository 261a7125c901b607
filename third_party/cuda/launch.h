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
// File: launch.h
// -----------------------------------------------------------------------------
//
// ForEach: the one way in which Conveyor launches a kernel. The body is a
// functor; nvcc makes a grid-stride kernel of it, and on the simulated machine
// it runs as a loop on the simulated stream. What needs barriers, shuffles or
// PTX is written as a kernel in a *_gpu.cu.cc file instead.
//
//   // scale.h: what the rest of the program includes.
//   cudaError_t Scale(conveyor::LaunchStream stream, float* x, int64_t n);
//
//   // scale.cu.cc: a source of a cuda_library. It includes no Abseil.
//   struct ScaleElement {
//     float* x;
//     __host__ __device__ void operator()(int64_t i) const { x[i] *= 2; }
//   };
//   cudaError_t Scale(conveyor::LaunchStream stream, float* x, int64_t n) {
//     using namespace conveyor;
//     return ForEach(stream, n, ScaleElement{x}, Reads(Range(x, n)),
//                    Writes(Range(x, n)));
//   }

#ifndef CONVEYOR_THIRD_PARTY_CUDA_LAUNCH_H_
#define CONVEYOR_THIRD_PARTY_CUDA_LAUNCH_H_

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#ifdef CONVEYOR_SIMULATED_CUDART
#include "testing/sim/launch.h"
#endif

namespace conveyor {

// A stream and its device. transfer/stream.h's StreamRef converts to it.
struct LaunchStream {
  cudaStream_t stream;
  int device;
};

// Bytes that a kernel touches, at the addresses it uses.
struct MemoryRange {
  const void* address;
  size_t num_bytes;
};

// The `count` elements from `first` on.
template <typename T>
MemoryRange Range(const T* first, int64_t count) {
  return {first, static_cast<size_t>(count) * sizeof(T)};
}

// Reads and Writes declare all that a kernel touches: the simulated machine
// finds missing waits by them, and charges time by their bytes. A range that is
// read and written stands in both. Hardware ignores them.
template <size_t kCount>
struct ReadRanges {
  // One more than needed: C++ has no empty array.
  MemoryRange ranges[kCount + 1];
};

template <size_t kCount>
struct WriteRanges {
  MemoryRange ranges[kCount + 1];
};

template <typename... Ranges>
ReadRanges<sizeof...(Ranges)> Reads(Ranges... ranges) {
  return {{ranges..., MemoryRange{}}};
}

template <typename... Ranges>
WriteRanges<sizeof...(Ranges)> Writes(Ranges... ranges) {
  return {{ranges..., MemoryRange{}}};
}

namespace internal_launch {

#ifdef __CUDACC__
// 64-bit indices throughout: more than 2^31 elements are an everyday size.
template <typename Functor>
__global__ void ForEachKernel(int64_t n, Functor functor) {
  const int64_t stride = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
       i < n; i += stride) {
    functor(i);
  }
}

template <typename Functor>
cudaError_t Launch(cudaStream_t stream, int64_t n, Functor functor) {
  constexpr int64_t kThreads = 256;
  // Enough to fill any GPU of today; the rest is done by the stride.
  constexpr int64_t kMaxBlocks = 65536;
  const int64_t wanted = (n + kThreads - 1) / kThreads;
  const dim3 blocks(
      static_cast<unsigned>(wanted < kMaxBlocks ? wanted : kMaxBlocks));
  void* arguments[] = {&n, &functor};
  // Not <<<>>>: this returns the error of this launch and nothing older.
  return cudaLaunchKernel(
      reinterpret_cast<const void*>(&ForEachKernel<Functor>), blocks,
      dim3(static_cast<unsigned>(kThreads)), arguments, 0, stream);
}
#endif  // __CUDACC__

}  // namespace internal_launch

// Runs functor(i) once for each i in [0, n), in any order and concurrently, on
// `stream`, after earlier work there.
//
// Returns once enqueued; does not synchronize `stream`. `functor` is copied and
// is trivially copyable; what it points to must stay valid until the kernel has
// completed. Leaves the current device unchanged. Captured if `stream` is
// capturing. n == 0 is OK and enqueues nothing. The index is 64-bit.
//
// Errors: cudaErrorInvalidValue if n is negative, else what the launch returns.
// Thread-safe.
template <typename Functor, size_t kReads, size_t kWrites>
cudaError_t ForEach(LaunchStream stream, int64_t n, Functor functor,
                    const ReadRanges<kReads>& reads,
                    const WriteRanges<kWrites>& writes) {
  static_assert(std::is_trivially_copyable<Functor>::value,
                "ForEach copies the functor to the device byte by byte: it "
                "must be trivially copyable (hold pointers, not containers)");
  if (n < 0) return cudaErrorInvalidValue;
  if (n == 0) return cudaSuccess;
  int current = 0;
  if (cudaError_t error = cudaGetDevice(&current)) return error;
  if (current != stream.device) {
    if (cudaError_t error = cudaSetDevice(stream.device)) return error;
  }
#if defined(CONVEYOR_SIMULATED_CUDART)
  const cudaError_t launched = sim::LaunchKernel(
      stream.stream,
      [n, functor] {
        for (int64_t i = 0; i < n; ++i) functor(i);
      },
      reads.ranges, kReads, writes.ranges, kWrites);
#elif defined(__CUDACC__)
  (void)reads;
  (void)writes;
  const cudaError_t launched =
      internal_launch::Launch(stream.stream, n, functor);
#else
  static_assert(!std::is_same<Functor, Functor>::value,
                "ForEach is called from a *.cu.cc source of a cuda_library");
  const cudaError_t launched = cudaErrorNotSupported;
#endif
  if (current != stream.device) {
    if (cudaError_t error = cudaSetDevice(current)) return error;
  }
  return launched;
}

}  // namespace conveyor

#endif  // CONVEYOR_THIRD_PARTY_CUDA_LAUNCH_H_
