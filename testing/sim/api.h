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
// File: api.h
// -----------------------------------------------------------------------------
//
// What every call of the runtime has in common.

#ifndef CONVEYOR_TESTING_SIM_API_H_
#define CONVEYOR_TESTING_SIM_API_H_

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "testing/sim/fibers.h"
#include "testing/sim/hazards.h"
#include "testing/sim/machine.h"
#include "testing/sim/queue.h"

namespace conveyor {
namespace sim {

// One call by the calling thread: takes the machine's lock, charges the
// thread's clock, and keeps the last error.
//
//   cudaError_t cudaX(...) {
//     Call call(__func__, TheMachine().profile.call_ns);
//     if (call.refused()) return call.Return(call.refusal());
//     ...
//     return call.Return(cudaSuccess);
//   }
class Call {
 public:
  Call(const char* name, double cost_ns);

  // What reports of hazards say of this call.
  Caller caller() const { return {name_, this}; }

  // From a host function or a kernel, by a fault, or because the current
  // device has a corrupting error.
  bool refused() const { return refusal_ != cudaSuccess; }
  cudaError_t refusal() const { return refusal_; }

  Machine& machine() const { return machine_; }
  Thread& thread() const { return thread_; }
  Device& device() const {
    return machine_.devices[static_cast<size_t>(thread_.device)];
  }
  Device& DeviceOf(const Stream* stream) const {
    return machine_.devices[static_cast<size_t>(stream->device)];
  }
  std::unique_lock<std::mutex>& lock() { return lock_; }

  // The stream that `handle` means to this thread, or null.
  Stream* Find(cudaStream_t handle);
  bool IsDevice(int device) const {
    return device >= 0 && device < machine_.profile.device_count();
  }

  // Puts `work` into `stream` as of now, or into the stream's capture. Sets
  // *at, if given, to where it stands in the stream.
  cudaError_t Enqueue(Stream* stream, Work work, Point* at = nullptr) {
    return Enqueue(stream, std::move(work), {}, at);
  }
  cudaError_t Enqueue(Stream* stream, Work work, std::vector<Point> after,
                      Point* at);

  // What a call returns, if not cudaSuccess, that must not disturb a capture.
  cudaError_t CheckUnsafe();

  // What `stream` has been given. For the legacy default stream that includes
  // what blocking streams have been given.
  std::vector<Point> EndOf(Stream* stream) const;

  // Waits, in effect and in virtual time. May let go of the lock meanwhile.
  void Wait(Point point);
  void Wait(const std::vector<Point>& points);
  void Wait(const EventRecord& record);
  // Waits for all that was enqueued on the device.
  void WaitForDevice(int device);
  // The same for a call of which the program cannot tell that it waits.
  void WaitForDeviceSilently(int device);
  // The same for what the legacy default stream has been given.
  void WaitForLegacySilently(int device);
  // Whether it is reached by now, by this thread's clock. Runs no host
  // function.
  bool Reached(Point point);
  bool Reached(const EventRecord& record);

  void Charge(double ns);

  // Keeps a failure as the thread's last error. The last thing that a call
  // does.
  cudaError_t Return(cudaError_t error);

 private:
  std::vector<Point> EndOfDevice(int device) const;
  // Waits in effect and for its time, which it returns.
  double Settle(Point point);
  // Settles all and wakes at the end of the last.
  void WaitSilently(const std::vector<Point>& points);
  bool HasReached(Point point);
  // Sets the thread's clock as if it had slept until then.
  void WakeAt(double time);

  const Quiet quiet_;  // The first, so that it covers the lock.
  const char* const name_;
  Machine& machine_;
  Thread& thread_;
  const double start_;   // By the thread's clock.
  bool legacy_ = false;  // It was given the legacy default stream.
  std::unique_lock<std::mutex> lock_;
  cudaError_t refusal_ = cudaSuccess;
};

}  // namespace sim
}  // namespace conveyor

#endif  // CONVEYOR_TESTING_SIM_API_H_
