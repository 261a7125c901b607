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

// Hazards: what is reported, what a report says, and what is not reported. Each
// mistake is made under several seeds: whether it shows in the data must not
// matter.

#include <cuda_runtime.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "testing/sim/memory_range.h"
#include "testing/sim/sim.h"

namespace conveyor {
namespace sim {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

#define ASSERT_CUDA(call) ASSERT_EQ(call, cudaSuccess)
#define EXPECT_CUDA(call) EXPECT_EQ(call, cudaSuccess)

constexpr size_t kBytes = 4096;
constexpr uint64_t kSeeds = 12;

class HazardsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_CUDA(cudaSetDevice(0));
    for (cudaStream_t* stream : {&a_, &b_, &c_}) {
      ASSERT_CUDA(cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking));
    }
    ASSERT_CUDA(cudaStreamCreate(&blocking_));
    ASSERT_CUDA(cudaEventCreate(&event_));
    ASSERT_CUDA(cudaMalloc(&device_, kBytes));
    ASSERT_CUDA(cudaMalloc(&other_, kBytes));
    ASSERT_CUDA(cudaMallocHost(&pinned_, kBytes));
    ASSERT_CUDA(cudaMallocHost(&result_, kBytes));
    std::memset(pinned_, 1, kBytes);
  }

  void TearDown() override {
    EXPECT_EQ(TakeHazards(), "");
    SetSeed(1);
    SetFreeSynchronizes(true);
    EXPECT_CUDA(cudaDeviceSynchronize());
    for (cudaStream_t stream : {a_, b_, c_, blocking_}) {
      EXPECT_CUDA(cudaStreamDestroy(stream));
    }
    EXPECT_CUDA(cudaEventDestroy(event_));
    EXPECT_CUDA(cudaFree(device_));
    EXPECT_CUDA(cudaFree(other_));
    EXPECT_CUDA(cudaFreeHost(pinned_));
    EXPECT_CUDA(cudaFreeHost(result_));
  }

  // What is reported of `program`, one seed after the other, if it is the same
  // in kind for all of them: something or nothing.
  std::string Reports(const std::function<void()>& program) {
    std::string first;
    for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
      SetSeed(seed);
      program();
      // All that goes on is the program's.
      EXPECT_CUDA(cudaDeviceSynchronize());
      const std::string reports = TakeHazards();
      if (seed == 1) first = reports;
      EXPECT_EQ(reports.empty(), first.empty()) << "seed " << seed << reports;
    }
    return first;
  }

  // What is reported under the seeds where the effect is put off; at least one.
  std::string ReportsForSomeSeed(const std::function<void()>& program) {
    std::string some;
    for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
      SetSeed(seed);
      program();
      EXPECT_CUDA(cudaDeviceSynchronize());
      const std::string reports = TakeHazards();
      if (some.empty()) some = reports;
    }
    EXPECT_NE(some, "");
    return some;
  }

  // Holds a stream until it is opened.
  class Gate {
   public:
    explicit Gate(cudaStream_t stream)
        : open_(std::make_shared<std::atomic<bool>>(false)) {
      EXPECT_CUDA(cudaLaunchHostFunc(
          stream,
          [](void* data) {
            const std::unique_ptr<std::shared_ptr<std::atomic<bool>>> open(
                static_cast<std::shared_ptr<std::atomic<bool>>*>(data));
            while (!**open) std::this_thread::yield();
          },
          new std::shared_ptr<std::atomic<bool>>(open_)));
    }
    void Open() { *open_ = true; }

   private:
    const std::shared_ptr<std::atomic<bool>> open_;
  };

  // After an error that the device keeps: it is as new.
  void ResetDevice() {
    EXPECT_CUDA(cudaDeviceReset());
    cudaGetLastError();
    EXPECT_CUDA(cudaEventCreate(&event_));
    for (cudaStream_t* stream : {&a_, &b_, &c_}) {
      EXPECT_CUDA(cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking));
    }
    EXPECT_CUDA(cudaStreamCreate(&blocking_));
    EXPECT_CUDA(cudaMalloc(&device_, kBytes));
    EXPECT_CUDA(cudaMalloc(&other_, kBytes));
    EXPECT_CUDA(cudaMallocHost(&pinned_, kBytes));
    EXPECT_CUDA(cudaMallocHost(&result_, kBytes));
  }

  void Set(void* memory, cudaStream_t stream, size_t bytes = kBytes) {
    EXPECT_CUDA(cudaMemsetAsync(memory, 7, bytes, stream));
  }
  void Copy(void* dst, const void* src, cudaStream_t stream,
            size_t bytes = kBytes) {
    EXPECT_CUDA(cudaMemcpyAsync(dst, src, bytes, cudaMemcpyDefault, stream));
  }
  // A kernel that says so, and touches nothing.
  void Kernel(const std::vector<MemoryRange>& reads,
              const std::vector<MemoryRange>& writes, cudaStream_t stream) {
    EXPECT_CUDA(LaunchKernel(
        stream, [] {}, reads.data(), reads.size(), writes.data(),
        writes.size()));
  }
  // Makes `to` wait for what `from` has been given.
  void Order(cudaStream_t from, cudaStream_t to) {
    EXPECT_CUDA(cudaEventRecord(event_, from));
    EXPECT_CUDA(cudaStreamWaitEvent(to, event_, 0));
  }
  static std::string Name(cudaStream_t stream) {
    unsigned long long id = 0;
    EXPECT_CUDA(cudaStreamGetId(stream, &id));
    return "stream " + std::to_string(id);
  }

  cudaStream_t a_ = nullptr;
  cudaStream_t b_ = nullptr;
  cudaStream_t c_ = nullptr;
  cudaStream_t blocking_ = nullptr;
  cudaEvent_t event_ = nullptr;
  char* device_ = nullptr;
  char* other_ = nullptr;
  char* pinned_ = nullptr;
  char* result_ = nullptr;
  char count_ = 0;
};

TEST_F(HazardsTest, AReportNamesBothOperationsAndTheMissingEdge) {
  const std::string report = Reports([&] {
    EXPECT_CUDA(cudaMemsetAsync(device_, 2, 3000, a_));
    EXPECT_CUDA(cudaMemcpyAsync(other_, device_ + 1000, 3000,
                                cudaMemcpyDeviceToDevice, b_));
  });
  const std::string first = "cudaMemsetAsync in " + Name(a_);
  const std::string second = "cudaMemcpyAsync in " + Name(b_);
  EXPECT_THAT(report, HasSubstr(second + " reads what " + first + " writes"));
  EXPECT_THAT(report, HasSubstr("1. " + first + " of device 0 writes them"));
  EXPECT_THAT(report, HasSubstr("2. " + second + " of device 0 reads them"));
  EXPECT_THAT(report,
              HasSubstr("bytes [1000, 3000) of 4096 bytes of device memory"));
  EXPECT_THAT(report, HasSubstr("Nothing orders " + Name(b_) + " after " +
                                Name(a_) + ": record an event in " + Name(a_) +
                                " after cudaMemsetAsync and make " + Name(b_) +
                                " wait for it before cudaMemcpyAsync."));
  // The caller's frames, and the reports say whose.
  EXPECT_THAT(report, HasSubstr("AReportNamesBothOperationsAndTheMissingEdge"));
}

TEST_F(HazardsTest, AnEventOrdersWhatItCovers) {
  EXPECT_EQ(Reports([&] {
              Set(device_, a_);
              Order(a_, b_);
              Copy(other_, device_, b_);
              Order(b_, c_);
              // By way of the stream between.
              Set(device_, c_);
            }),
            "");
}

TEST_F(HazardsTest, AnEventDoesNotOrderWhatFollowsIt) {
  const std::string report = Reports([&] {
    Set(other_, a_);
    Order(a_, b_);
    Set(device_, a_);
    Copy(other_, device_, b_);
  });
  EXPECT_THAT(report, HasSubstr("What " + Name(b_) +
                                " waits for was recorded "
                                "in " +
                                Name(a_) + " before cudaMemsetAsync"));
}

TEST_F(HazardsTest, AWaitBeforeTheFirstRecordIsNamed) {
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SetSeed(seed);
    cudaEvent_t event = nullptr;
    ASSERT_CUDA(cudaEventCreate(&event));
    Set(device_, a_);
    EXPECT_CUDA(cudaStreamWaitEvent(b_, event, 0));
    EXPECT_CUDA(cudaEventRecord(event, a_));
    Copy(other_, device_, b_);
    EXPECT_THAT(TakeHazards(),
                HasSubstr(Name(b_) + " has waited for an event that had not "
                                     "been recorded by then"));
    ASSERT_CUDA(cudaEventDestroy(event));
    ASSERT_CUDA(cudaDeviceSynchronize());
  }
}

TEST_F(HazardsTest, AWaitBeforeTheFirstRecordAloneIsNoHazard) {
  cudaEvent_t event = nullptr;
  ASSERT_CUDA(cudaEventCreate(&event));
  EXPECT_CUDA(cudaStreamWaitEvent(b_, event, 0));
  Copy(other_, device_, b_);
  ASSERT_CUDA(cudaEventDestroy(event));
}

TEST_F(HazardsTest, ReadsDoNotConflict) {
  EXPECT_EQ(Reports([&] {
              Copy(result_, device_, a_);
              Copy(other_, device_, b_);
              Kernel({{device_, kBytes}}, {}, c_);
            }),
            "");
}

TEST_F(HazardsTest, AWriteConflictsWithEveryReadSinceTheLast) {
  const std::string report = Reports([&] {
    Kernel({{device_, kBytes}}, {}, a_);
    Kernel({{device_ + 100, 100}}, {}, b_);
    Kernel({}, {{device_, kBytes}}, c_);
  });
  EXPECT_THAT(report, HasSubstr("writes what cudaLaunchKernel in " + Name(a_) +
                                " reads"));
  EXPECT_THAT(report, HasSubstr("writes what cudaLaunchKernel in " + Name(b_) +
                                " reads"));
}

TEST_F(HazardsTest, BytesSideBySideDoNotConflict) {
  EXPECT_EQ(Reports([&] {
              Set(device_, a_, 1000);
              Set(device_ + 1000, b_, 1000);
              Kernel({}, {{device_ + 2000, 96}}, c_);
            }),
            "");
}

TEST_F(HazardsTest, ColumnsSideBySideDoNotConflict) {
  const auto set = [&](size_t column, size_t width, cudaStream_t stream) {
    EXPECT_CUDA(cudaMemset2DAsync(device_ + column, 64, 1, width, 64, stream));
  };
  EXPECT_EQ(Reports([&] {
              set(0, 32, a_);
              set(32, 32, b_);
            }),
            "");
  EXPECT_NE(Reports([&] {
              set(0, 33, a_);
              set(32, 32, b_);
            }),
            "");
}

TEST_F(HazardsTest, TheLegacyStreamIsOrderedWithBlockingStreams) {
  EXPECT_EQ(Reports([&] {
              Set(device_, blocking_);
              Set(device_, nullptr);
              Set(device_, blocking_);
              Set(other_, cudaStreamPerThread);
              // After both, even if neither has anything left to do.
              Copy(device_, other_, cudaStreamLegacy);
            }),
            "");
}

TEST_F(HazardsTest, TheLegacyStreamIsNotOrderedWithNonBlockingStreams) {
  const std::string report = Reports([&] {
    Set(device_, nullptr);
    Copy(other_, device_, b_);
  });
  EXPECT_THAT(report,
              AllOf(HasSubstr("the legacy default stream of device 0"),
                    HasSubstr(Name(b_) + " is non-blocking: it and the legacy "
                                         "default stream do not wait")));
}

TEST_F(HazardsTest, BlockingStreamsAreNotOrderedWithEachOther) {
  EXPECT_NE(Reports([&] {
              Set(device_, blocking_);
              Set(device_, cudaStreamPerThread);
            }),
            "");
}

TEST_F(HazardsTest, ADestroyedBlockingStreamStaysOrdered) {
  EXPECT_EQ(Reports([&] {
              cudaStream_t stream = nullptr;
              EXPECT_CUDA(cudaStreamCreate(&stream));
              Set(device_, stream);
              EXPECT_CUDA(cudaStreamDestroy(stream));
              Set(device_, nullptr);
            }),
            "");
}

TEST_F(HazardsTest, ADestroyedStreamIsWaitedForWithItsDevice) {
  EXPECT_EQ(
      Reports([&] {
        cudaStream_t stream = nullptr;
        EXPECT_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
        Set(device_, stream);
        EXPECT_CUDA(cudaStreamDestroy(stream));
        EXPECT_CUDA(cudaDeviceSynchronize());
        Set(device_, a_);
      }),
      "");
}

// Its number may be the same; its order is not.
TEST_F(HazardsTest, ANewStreamIsNotADestroyedOne) {
  EXPECT_NE(Reports([&] {
              for (int i = 0; i < 2; ++i) {
                cudaStream_t stream = nullptr;
                EXPECT_CUDA(
                    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
                Set(device_, stream);
                EXPECT_CUDA(cudaStreamDestroy(stream));
              }
            }),
            "");
}

TEST_F(HazardsTest, WhatTheHostHasWaitedForIsOrdered) {
  const std::vector<std::function<void()>> waits = {
      [&] { EXPECT_CUDA(cudaStreamSynchronize(a_)); },
      [&] { EXPECT_CUDA(cudaDeviceSynchronize()); },
      [&] {
        EXPECT_CUDA(cudaEventRecord(event_, a_));
        EXPECT_CUDA(cudaEventSynchronize(event_));
      },
      [&] {
        while (cudaStreamQuery(a_) == cudaErrorNotReady) {
        }
      },
      [&] {
        EXPECT_CUDA(cudaEventRecord(event_, a_));
        while (cudaEventQuery(event_) == cudaErrorNotReady) {
        }
      },
      [&] {
        // A blocking copy to pageable memory.
        char byte = 0;
        EXPECT_CUDA(
            cudaMemcpyAsync(&byte, other_, 1, cudaMemcpyDeviceToHost, a_));
      },
      [&] {
        // By way of another stream.
        Order(a_, c_);
        EXPECT_CUDA(cudaStreamSynchronize(c_));
      },
      [&] {
        // By another thread.
        std::thread([&] { EXPECT_CUDA(cudaStreamSynchronize(a_)); }).join();
      }};
  for (const auto& wait : waits) {
    EXPECT_EQ(Reports([&] {
                Set(device_, a_);
                wait();
                Set(device_, b_);
              }),
              "");
  }
}

TEST_F(HazardsTest, AnEventSynchronizedCoversNoLaterWork) {
  EXPECT_NE(Reports([&] {
              EXPECT_CUDA(cudaEventRecord(event_, a_));
              Set(device_, a_);
              EXPECT_CUDA(cudaEventSynchronize(event_));
              Set(device_, b_);
            }),
            "");
}

TEST_F(HazardsTest, AHostFunctionTellsTheHost) {
  EXPECT_EQ(Reports([&] {
              std::atomic<bool> done{false};
              Set(device_, a_);
              EXPECT_CUDA(cudaLaunchHostFunc(
                  a_,
                  [](void* flag) {
                    static_cast<std::atomic<bool>*>(flag)->store(true);
                  },
                  &done));
              while (!done) std::this_thread::yield();
              Set(device_, b_);
            }),
            "");
}

TEST_F(HazardsTest, AFlagInHostMemoryTellsTheHost) {
  EXPECT_EQ(Reports([&] {
              auto* const flag = reinterpret_cast<std::atomic<char>*>(result_);
              flag->store(0);
              Set(device_, a_);
              const MemoryRange range = {flag, 1};
              EXPECT_CUDA(LaunchKernel(
                  a_, [flag] { flag->store(1); }, nullptr, 0, &range, 1));
              while (flag->load() == 0) std::this_thread::yield();
              Set(device_, b_);
            }),
            "");
}

TEST_F(HazardsTest, ASourceStaysAsItIsUntilItIsRead) {
  const std::string report = ReportsForSomeSeed([&] {
    Copy(device_, pinned_ + 96, a_, 1000);
    pinned_[1095]++;
  });
  EXPECT_THAT(report, HasSubstr("the host has changed the source of "
                                "cudaMemcpyAsync in " +
                                Name(a_)));
  EXPECT_THAT(report, HasSubstr("bytes [96, 1096) of 4096 bytes of pinned"));
  EXPECT_EQ(Reports([&] {
              Copy(device_, pinned_ + 96, a_, 1000);
              pinned_[95]++;
              pinned_[1096]++;
              EXPECT_CUDA(cudaStreamSynchronize(a_));
              pinned_[96]++;
            }),
            "");
}

TEST_F(HazardsTest, SoDoRegisteredAndManagedSources) {
  std::vector<char> registered(kBytes);
  ASSERT_CUDA(cudaHostRegister(registered.data(), kBytes, 0));
  char* managed = nullptr;
  ASSERT_CUDA(cudaMallocManaged(&managed, kBytes, cudaMemAttachGlobal));
  for (char* source : {registered.data(), managed}) {
    ReportsForSomeSeed([&] {
      Copy(device_, source, a_);
      source[17]++;
    });
  }
  ASSERT_CUDA(cudaHostUnregister(registered.data()));
  ASSERT_CUDA(cudaFree(managed));
}

TEST_F(HazardsTest, OfLargeSourcesEveryPageIsCompared) {
  constexpr size_t kLarge = 1 << 20;
  char* source = nullptr;
  char* target = nullptr;
  ASSERT_CUDA(cudaMallocHost(&source, kLarge));
  ASSERT_CUDA(cudaMalloc(&target, kLarge));
  ReportsForSomeSeed([&] {
    Copy(target, source, a_, kLarge);
    for (size_t i = 600 << 10; i < (604 << 10); ++i) source[i]++;
  });
  ASSERT_CUDA(cudaFree(target));
  ASSERT_CUDA(cudaFreeHost(source));
}

TEST_F(HazardsTest, AKernelsSourceStaysAsItIsUnlessItMayBeAFlag) {
  ReportsForSomeSeed([&] {
    Kernel({{pinned_, 65}}, {}, a_);
    pinned_[0]++;
  });
  EXPECT_EQ(Reports([&] {
              Kernel({{pinned_, 64}}, {}, a_);
              pinned_[0]++;
            }),
            "");
}

TEST_F(HazardsTest, BehindAHostFunctionASourceMayChange) {
  EXPECT_EQ(Reports([&] {
              Gate gate(a_);
              Copy(device_, pinned_, a_);
              Order(a_, b_);
              Copy(other_, pinned_ + 100, b_, 100);
              std::memset(pinned_, ++count_, kBytes);
              gate.Open();
            }),
            "");
}

TEST_F(HazardsTest, OnceTheHostFunctionHasReturnedItMayNot) {
  ReportsForSomeSeed([&] {
    Gate gate(a_);
    EXPECT_CUDA(cudaEventRecord(event_, a_));
    Copy(device_, pinned_, a_);
    gate.Open();
    EXPECT_CUDA(cudaEventSynchronize(event_));
    std::memset(pinned_, ++count_, kBytes);
  });
}

TEST_F(HazardsTest, EarlierWorkMayWriteTheSource) {
  EXPECT_EQ(Reports([&] {
              EXPECT_CUDA(cudaMemsetAsync(pinned_, ++count_, kBytes, a_));
              Copy(device_, pinned_, a_);
            }),
            "");
}

TEST_F(HazardsTest, FreedMemoryIsInUseUntilTheHostKnows) {
  for (const bool synchronizes : {true, false}) {
    SetFreeSynchronizes(synchronizes);
    const auto program = [&](bool wait) {
      char* memory = nullptr;
      EXPECT_CUDA(cudaMalloc(&memory, kBytes));
      Kernel({}, {{memory, kBytes}}, a_);
      // So that it is pending.
      Set(other_, a_);
      if (wait) {
        EXPECT_CUDA(cudaStreamSynchronize(a_));
      }
      EXPECT_CUDA(cudaFree(memory));
    };
    SetSeed(1);
    program(false);
    EXPECT_THAT(TakeHazards(),
                AllOf(HasSubstr("cudaFree frees what cudaLaunchKernel in " +
                                Name(a_) + " writes"),
                      HasSubstr("synchronize with " + Name(a_))));
    if (!synchronizes) {
      // What was pending then is an error of the device.
      EXPECT_CUDA(cudaGetLastError());
      ResetDevice();
    }
    program(true);
    EXPECT_EQ(TakeHazards(), "");
  }
}

TEST_F(HazardsTest, WhatLooksCompleteMayBeFreed) {
  EXPECT_EQ(Reports([&] {
              char* memory = nullptr;
              EXPECT_CUDA(cudaMalloc(&memory, kBytes));
              EXPECT_CUDA(cudaMemset(memory, 1, kBytes));
              SetFreeSynchronizes(true);
              EXPECT_CUDA(cudaFree(memory));
            }),
            "");
}

TEST_F(HazardsTest, HostMemoryIsInUseUntilTheHostKnows) {
  std::vector<char> registered(kBytes);
  const auto program = [&](bool wait) {
    char* host = nullptr;
    EXPECT_CUDA(cudaMallocHost(&host, kBytes));
    EXPECT_CUDA(cudaHostRegister(registered.data(), kBytes, 0));
    Copy(device_, host, a_);
    Copy(other_, registered.data(), a_);
    if (wait) {
      EXPECT_CUDA(cudaStreamSynchronize(a_));
    }
    EXPECT_CUDA(cudaFreeHost(host));
    EXPECT_CUDA(cudaHostUnregister(registered.data()));
  };
  const std::string report = Reports([&] { program(false); });
  EXPECT_THAT(report, HasSubstr("cudaFreeHost frees what cudaMemcpyAsync"));
  EXPECT_EQ(Reports([&] { program(true); }), "");
}

TEST_F(HazardsTest, UnregisteredMemoryIsInUseToo) {
  std::vector<char> registered(kBytes);
  EXPECT_THAT(Reports([&] {
                EXPECT_CUDA(cudaHostRegister(registered.data(), kBytes, 0));
                Copy(other_, registered.data(), a_);
                EXPECT_CUDA(cudaHostUnregister(registered.data()));
              }),
              HasSubstr("cudaHostUnregister frees what cudaMemcpyAsync"));
}

TEST_F(HazardsTest, AFreeInAStreamIsOrderedAsOtherWork) {
  const auto program = [&](bool order) {
    void* memory = nullptr;
    EXPECT_CUDA(cudaMallocAsync(&memory, kBytes, a_));
    Order(a_, b_);
    Set(memory, b_);
    if (order) Order(b_, a_);
    EXPECT_CUDA(cudaFreeAsync(memory, a_));
  };
  EXPECT_EQ(Reports([&] { program(true); }), "");
  ASSERT_CUDA(cudaDeviceSynchronize());
  SetSeed(1);
  program(false);
  EXPECT_THAT(TakeHazards(), HasSubstr("cudaFreeAsync in " + Name(a_) +
                                       " writes what "
                                       "cudaMemsetAsync in " +
                                       Name(b_) + " writes"));
  ResetDevice();
}

TEST_F(HazardsTest, MemoryFreedInAStreamIsGoneThere) {
  SetSeed(1);
  void* memory = nullptr;
  ASSERT_CUDA(cudaMallocAsync(&memory, kBytes, a_));
  // Holds the free back, so that the address still means something.
  Gate gate(a_);
  ASSERT_CUDA(cudaFreeAsync(memory, a_));
  Set(memory, a_);
  EXPECT_THAT(TakeHazards(), HasSubstr("cudaMemsetAsync in " + Name(a_) +
                                       " writes what cudaFreeAsync in " +
                                       Name(a_) + " has freed"));
  gate.Open();
  EXPECT_EQ(cudaStreamSynchronize(a_), cudaErrorIllegalAddress);
  ResetDevice();
}

TEST_F(HazardsTest, AKernelOnMemoryThatIsGoneIsReported) {
  SetSeed(1);
  char* memory = nullptr;
  ASSERT_CUDA(cudaMalloc(&memory, kBytes));
  ASSERT_CUDA(cudaFree(memory));
  const std::string name = Name(a_);
  Kernel({{memory + 96, 100}}, {}, a_);
  EXPECT_THAT(TakeHazards(), HasSubstr("cudaLaunchKernel in " + name +
                                       " reads what cudaFree has freed"));
  EXPECT_EQ(cudaStreamSynchronize(a_), cudaErrorIllegalAddress);
  ResetDevice();
}

TEST_F(HazardsTest, PoolMemoryBeginsInTheOrderOfItsStream) {
  void* memory = nullptr;
  const auto program = [&](bool order) {
    Set(other_, a_);
    EXPECT_CUDA(cudaMallocAsync(&memory, kBytes, a_));
    if (order) Order(a_, b_);
    Set(memory, b_);
    EXPECT_CUDA(cudaStreamSynchronize(b_));
    EXPECT_CUDA(cudaFreeAsync(memory, b_));
  };
  EXPECT_EQ(Reports([&] { program(true); }), "");
  EXPECT_THAT(Reports([&] { program(false); }),
              HasSubstr("writes what cudaMallocAsync in " + Name(a_)));
}

TEST_F(HazardsTest, PiecesOfABatchHaveNoOrder) {
  cudaMemcpyAttributes attributes = {};
  attributes.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  const auto program = [&](size_t second) {
    void* const dsts[] = {device_, device_ + second};
    const void* const srcs[] = {other_, pinned_};
    const size_t sizes[] = {1000, 1000};
    size_t first = 0;
    EXPECT_CUDA(
        cudaMemcpyBatchAsync(dsts, srcs, sizes, 2, &attributes, &first, 1, a_));
    // Of another call.
    Set(device_, a_);
  };
  EXPECT_EQ(Reports([&] { program(1000); }), "");
  EXPECT_THAT(Reports([&] { program(999); }),
              AllOf(HasSubstr("cudaMemcpyBatchAsync"),
                    HasSubstr("no order among themselves")));
}

TEST_F(HazardsTest, APrefetchIsNoAccess) {
  char* managed = nullptr;
  ASSERT_CUDA(cudaMallocManaged(&managed, kBytes, cudaMemAttachGlobal));
  EXPECT_EQ(Reports([&] {
              Kernel({}, {{managed, kBytes}}, a_);
              EXPECT_CUDA(cudaMemPrefetchAsync(
                  managed, kBytes, {cudaMemLocationTypeDevice, 0}, 0, b_));
            }),
            "");
  ASSERT_CUDA(cudaFree(managed));
}

TEST_F(HazardsTest, APeerCopyIsOrderedByItsStreamAlone) {
  char* peer = nullptr;
  cudaStream_t stream = nullptr;
  ASSERT_CUDA(cudaSetDevice(1));
  ASSERT_CUDA(cudaMalloc(&peer, kBytes));
  ASSERT_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  ASSERT_CUDA(cudaSetDevice(0));
  const auto program = [&](bool order) {
    EXPECT_CUDA(cudaMemcpyPeerAsync(peer, 1, device_, 0, kBytes, a_));
    if (order) Order(a_, stream);
    Copy(result_, peer, stream);
    EXPECT_CUDA(cudaStreamSynchronize(stream));
  };
  EXPECT_EQ(Reports([&] { program(true); }), "");
  EXPECT_THAT(Reports([&] { program(false); }),
              AllOf(HasSubstr("cudaMemcpyPeerAsync in " + Name(a_) +
                              " of device 0 writes them"),
                    HasSubstr(Name(stream) + " of device 1 reads them")));
  ASSERT_CUDA(cudaStreamDestroy(stream));
  ASSERT_CUDA(cudaFree(peer));
}

class GraphHazardsTest : public HazardsTest {
 protected:
  // Captures `program` in a_.
  cudaGraph_t Capture(const std::function<void()>& program) {
    cudaGraph_t graph = nullptr;
    EXPECT_CUDA(cudaStreamBeginCapture(a_, cudaStreamCaptureModeThreadLocal));
    program();
    EXPECT_CUDA(cudaStreamEndCapture(a_, &graph));
    return graph;
  }

  cudaGraphExec_t Instantiate(cudaGraph_t graph) {
    cudaGraphExec_t executable = nullptr;
    EXPECT_CUDA(cudaGraphInstantiate(&executable, graph, 0));
    EXPECT_CUDA(cudaGraphDestroy(graph));
    return executable;
  }
};

TEST_F(GraphHazardsTest, NodesAreOrderedAsTheGraphsStream) {
  const cudaGraphExec_t graph =
      Instantiate(Capture([&] { Copy(device_, other_, a_); }));
  EXPECT_EQ(Reports([&] {
              Set(other_, b_);
              EXPECT_CUDA(cudaGraphLaunch(graph, b_));
              Set(device_, b_);
            }),
            "");
  const std::string report = Reports([&] {
    EXPECT_CUDA(cudaGraphLaunch(graph, b_));
    Set(device_, c_);
  });
  EXPECT_THAT(report, HasSubstr("writes what cudaMemcpyAsync (captured, by a "
                                "graph) in " +
                                Name(b_) + " writes"));
  ASSERT_CUDA(cudaGraphExecDestroy(graph));
}

TEST_F(GraphHazardsTest, LaunchesOfOneGraphComeAfterEachOther) {
  const cudaGraphExec_t graph = Instantiate(Capture([&] { Set(device_, a_); }));
  EXPECT_EQ(Reports([&] {
              EXPECT_CUDA(cudaGraphLaunch(graph, b_));
              EXPECT_CUDA(cudaGraphLaunch(graph, c_));
              EXPECT_CUDA(cudaGraphLaunch(graph, b_));
            }),
            "");
  ASSERT_CUDA(cudaGraphExecDestroy(graph));
}

TEST_F(GraphHazardsTest, BranchesHaveNoOrder) {
  const auto launch = [&](void* in_a, void* in_b) {
    const cudaGraphExec_t graph = Instantiate(Capture([&] {
      Set(other_, a_);
      Order(a_, b_);
      Set(in_a, a_, 100);
      Set(in_b, b_, 100);
      Order(b_, a_);
      Copy(device_, other_, a_);
    }));
    const std::string reports =
        Reports([&] { EXPECT_CUDA(cudaGraphLaunch(graph, a_)); });
    EXPECT_CUDA(cudaGraphExecDestroy(graph));
    return reports;
  };
  EXPECT_EQ(launch(device_, other_), "");
  EXPECT_THAT(launch(device_, device_ + 1),
              AllOf(HasSubstr("cudaMemsetAsync (captured, by a graph)"),
                    HasSubstr("in a capture, launched by")));
}

TEST_F(HazardsTest, TheSameCallSitesAreReportedOnce) {
  SetSeed(1);
  for (int i = 0; i < 3; ++i) {
    Set(device_, a_);
    Copy(other_, device_, b_);
    Order(b_, a_);
  }
  const std::string report = TakeHazards();
  const size_t first = report.find("HAZARD");
  EXPECT_NE(first, std::string::npos);
  EXPECT_EQ(report.find("HAZARD", first + 1), std::string::npos) << report;
}

TEST_F(HazardsTest, ManyStreamsAreTold) {
  std::vector<cudaStream_t> streams(400);
  for (cudaStream_t& stream : streams) {
    ASSERT_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  }
  for (int round = 0; round < 3; ++round) {
    for (size_t i = 0; i < streams.size(); ++i) {
      Set(device_, streams[i]);
      Order(streams[i], streams[(i + 1) % streams.size()]);
    }
  }
  EXPECT_EQ(TakeHazards(), "");
  Set(device_, streams[1]);
  EXPECT_NE(TakeHazards(), "");
  for (cudaStream_t stream : streams) ASSERT_CUDA(cudaStreamDestroy(stream));
}

// The environment is read at the first call: each is a process of its own.
class ModeTest : public ::testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }

  // Makes a mistake, and ends well.
  [[noreturn]] static void Run(const char* mode, bool take) {
    setenv("CONVEYOR_SIM_HAZARDS", mode, 1);
    void* memory = nullptr;
    cudaStream_t streams[2];
    bool ok = cudaMalloc(&memory, 64) == cudaSuccess;
    for (cudaStream_t& stream : streams) {
      ok = ok && cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) ==
                     cudaSuccess;
      ok = ok && cudaMemsetAsync(memory, 1, 64, stream) == cudaSuccess;
    }
    std::fputs(take && TakeHazards().empty() ? "none taken\n" : "end\n",
               stderr);
    std::exit(ok ? 0 : 1);
  }
};

TEST_F(ModeTest, FailEndsAProcessWithStatus66) {
  EXPECT_EXIT(Run("fail", false), ::testing::ExitedWithCode(66),
              "HAZARD .*\n.*end\n.*exiting with status 66");
}

TEST_F(ModeTest, FailLetsReportsBeTaken) {
  EXPECT_EXIT(Run("fail", true), ::testing::ExitedWithCode(0), "end\n");
}

TEST_F(ModeTest, WarnPrintsAlone) {
  EXPECT_EXIT(Run("warn", false), ::testing::ExitedWithCode(0), "HAZARD");
}

TEST_F(ModeTest, OffFindsNothing) {
  EXPECT_EXIT(Run("off", true), ::testing::ExitedWithCode(0), "none taken\n");
}

}  // namespace
}  // namespace sim
}  // namespace conveyor
