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

// The trace of a run in virtual time.

#include <cuda_runtime.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "testing/sim/memory_range.h"
#include "testing/sim/sim.h"

namespace conveyor {
namespace sim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

#define ASSERT_CUDA(call) ASSERT_EQ(call, cudaSuccess)
#define EXPECT_CUDA(call) EXPECT_EQ(call, cudaSuccess)

constexpr size_t kBytes = 4 << 20;

// Whether a text is one JSON value.
class JsonChecker {
 public:
  explicit JsonChecker(const std::string& text) : text_(text) {}

  bool Check() {
    const bool ok = Value();
    Space();
    return ok && at_ == text_.size();
  }

 private:
  void Space() {
    while (at_ < text_.size() && std::isspace(text_[at_]) != 0) ++at_;
  }
  bool Take(char wanted) {
    Space();
    if (at_ == text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }
  bool String() {
    if (!Take('"')) return false;
    while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\\' &&
           text_[at_] >= ' ') {
      ++at_;
    }
    return Take('"');
  }
  bool Number() {
    const size_t start = at_;
    if (at_ < text_.size() && text_[at_] == '-') ++at_;
    const size_t digits = at_;
    while (at_ < text_.size() && (std::isdigit(text_[at_]) != 0)) ++at_;
    if (at_ == digits) return false;
    if (at_ < text_.size() && text_[at_] == '.') {
      ++at_;
      const size_t fraction = at_;
      while (at_ < text_.size() && (std::isdigit(text_[at_]) != 0)) ++at_;
      if (at_ == fraction) return false;
    }
    return at_ > start;
  }
  bool Value() {
    Space();
    if (at_ == text_.size()) return false;
    if (text_[at_] == '"') return String();
    if (Take('{')) {
      if (Take('}')) return true;
      do {
        if (!String() || !Take(':') || !Value()) return false;
      } while (Take(','));
      return Take('}');
    }
    if (Take('[')) {
      if (Take(']')) return true;
      do {
        if (!Value()) return false;
      } while (Take(','));
      return Take(']');
    }
    return Number();
  }

  const std::string& text_;
  size_t at_ = 0;
};

size_t Count(const std::string& text, const std::string& what) {
  size_t count = 0;
  for (size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + 1)) {
    ++count;
  }
  return count;
}

class TraceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_CUDA(cudaSetDevice(1));
    ASSERT_CUDA(cudaMalloc(&other_, kBytes));
    ASSERT_CUDA(cudaSetDevice(0));
    ASSERT_CUDA(cudaMalloc(&device_, kBytes));
    ASSERT_CUDA(cudaMallocHost(&pinned_, kBytes));
    for (cudaStream_t& stream : streams_) {
      ASSERT_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    }
    ASSERT_CUDA(cudaEventCreate(&event_));
    ASSERT_CUDA(cudaDeviceSynchronize());
  }

  void TearDown() override {
    StopTrace();
    EXPECT_CUDA(cudaDeviceSynchronize());
    for (cudaStream_t stream : streams_) {
      EXPECT_CUDA(cudaStreamDestroy(stream));
    }
    EXPECT_CUDA(cudaEventDestroy(event_));
    EXPECT_CUDA(cudaFreeHost(pinned_));
    EXPECT_CUDA(cudaFree(device_));
    EXPECT_CUDA(cudaFree(other_));
  }

  void Upload(cudaStream_t stream) {
    ASSERT_CUDA(cudaMemcpyAsync(device_, pinned_, kBytes,
                                cudaMemcpyHostToDevice, stream));
  }
  void Download(cudaStream_t stream) {
    ASSERT_CUDA(cudaMemcpyAsync(pinned_, device_, kBytes,
                                cudaMemcpyDeviceToHost, stream));
  }
  // The second stream's download comes after the first one's upload.
  void UploadThenDownload() {
    Upload(streams_[0]);
    ASSERT_CUDA(cudaEventRecord(event_, streams_[0]));
    ASSERT_CUDA(cudaStreamWaitEvent(streams_[1], event_, 0));
    Download(streams_[1]);
    ASSERT_CUDA(cudaStreamSynchronize(streams_[1]));
  }

  static std::vector<std::string> OperationNames() {
    std::vector<std::string> names;
    for (const TracedOperation& operation : TracedOperations()) {
      names.push_back(operation.name);
    }
    return names;
  }

  char* device_ = nullptr;
  char* other_ = nullptr;
  char* pinned_ = nullptr;
  cudaStream_t streams_[2] = {};
  cudaEvent_t event_ = nullptr;
};

TEST_F(TraceTest, NamesWhatIsDone) {
  std::vector<char> pageable(kBytes);
  StartTrace();
  const cudaStream_t stream = streams_[0];
  Upload(stream);
  Download(stream);
  ASSERT_CUDA(cudaMemcpyAsync(device_, pageable.data(), 64 << 10,
                              cudaMemcpyHostToDevice, stream));
  ASSERT_CUDA(cudaMemcpyAsync(pageable.data(), device_, 128 << 10,
                              cudaMemcpyDeviceToHost, stream));
  ASSERT_CUDA(cudaMemcpyAsync(device_ + kBytes / 2, device_, 1024,
                              cudaMemcpyDeviceToDevice, stream));
  ASSERT_CUDA(cudaMemcpyPeerAsync(other_, 1, device_, 0, 2048, stream));
  ASSERT_CUDA(cudaDeviceEnablePeerAccess(1, 0));
  ASSERT_CUDA(cudaMemcpyPeerAsync(device_, 0, other_, 1, 2048, stream));
  ASSERT_CUDA(cudaDeviceDisablePeerAccess(1));
  ASSERT_CUDA(cudaMemsetAsync(device_, 0, 512, stream));
  const MemoryRange range = {device_, 256};
  ASSERT_CUDA(LaunchKernel(
      stream, [] {}, &range, 1, nullptr, 0));
  ASSERT_CUDA(cudaLaunchHostFunc(
      stream, [](void*) {}, nullptr));
  ASSERT_CUDA(cudaEventRecord(event_, stream));
  ASSERT_CUDA(cudaStreamWaitEvent(stream, event_, 0));
  ASSERT_CUDA(cudaStreamSynchronize(stream));

  EXPECT_THAT(OperationNames(),
              ElementsAre("pinned upload", "pinned download", "pageable upload",
                          "pageable download", "device copy", "staged 0 to 1",
                          "peer 1 to 0", "memset", "kernel", "host function",
                          "event record", "event wait"));
  std::vector<size_t> bytes;
  unsigned long long id = 0;
  ASSERT_CUDA(cudaStreamGetId(stream, &id));
  for (const TracedOperation& operation : TracedOperations()) {
    bytes.push_back(operation.bytes);
    EXPECT_EQ(operation.device, 0);
    EXPECT_EQ(operation.stream, id);
    EXPECT_FALSE(operation.legacy);
  }
  EXPECT_THAT(bytes, ElementsAre(kBytes, kBytes, 64 << 10, 128 << 10, 1024,
                                 2048, 2048, 512, 256, 0, 0, 0));
}

TEST_F(TraceTest, TimesAreThoseOfEvents) {
  cudaEvent_t start = nullptr;
  ASSERT_CUDA(cudaEventCreate(&start));
  StartTrace();
  ASSERT_CUDA(cudaEventRecord(start, streams_[0]));
  Upload(streams_[0]);
  ASSERT_CUDA(cudaEventRecord(event_, streams_[0]));
  ASSERT_CUDA(cudaEventSynchronize(event_));
  float ms = 0;
  ASSERT_CUDA(cudaEventElapsedTime(&ms, start, event_));

  const std::vector<TracedOperation> operations = TracedOperations();
  ASSERT_EQ(operations.size(), 3u);
  EXPECT_NEAR(
      static_cast<double>(operations[2].start_ns - operations[0].start_ns),
      ms * 1e6, 10);
  // Of the upload's time its bytes take the most.
  const TracedOperation& upload = operations[1];
  EXPECT_GT(upload.end_ns - upload.start_ns, kBytes / 60);
  EXPECT_LT(upload.end_ns - upload.start_ns, kBytes / 50);
  ASSERT_CUDA(cudaEventDestroy(start));
}

TEST_F(TraceTest, TimesNest) {
  StartTrace();
  for (int i = 0; i < 10; ++i) UploadThenDownload();
  StopTrace();

  std::map<uint64_t, int64_t> last_end;
  for (const TracedOperation& operation : TracedOperations()) {
    EXPECT_LE(operation.queued_ns, operation.start_ns);
    EXPECT_LE(operation.start_ns, operation.end_ns);
    // A stream does one thing after the other.
    EXPECT_LE(last_end[operation.stream], operation.start_ns);
    last_end[operation.stream] = operation.end_ns;
  }
  EXPECT_EQ(last_end.size(), 2u);
  int64_t last_return = 0;
  for (const TracedCall& call : TracedCalls()) {
    EXPECT_LE(last_return, call.start_ns);
    EXPECT_LT(call.start_ns, call.end_ns);
    last_return = call.end_ns;
  }
}

TEST_F(TraceTest, TwoStreamsOverlap) {
  const auto overlap = [] {
    const std::vector<TracedOperation> two = TracedOperations();
    EXPECT_EQ(two.size(), 2u);
    return std::min(two[0].end_ns, two[1].end_ns) -
           std::max(two[0].start_ns, two[1].start_ns);
  };
  StartTrace();
  Upload(streams_[0]);
  Download(streams_[1]);
  ASSERT_CUDA(cudaDeviceSynchronize());
  EXPECT_GT(overlap(), kBytes / 60);
  EXPECT_NE(TakeHazards(), "");  // They share their bytes.

  StartTrace();
  Upload(streams_[0]);
  Download(streams_[0]);
  ASSERT_CUDA(cudaDeviceSynchronize());
  EXPECT_LE(overlap(), 0);
}

TEST_F(TraceTest, TheLegacyStreamIsMarked) {
  StartTrace();
  Upload(streams_[0]);
  ASSERT_CUDA(cudaStreamSynchronize(streams_[0]));
  for (const TracedOperation& operation : TracedOperations()) {
    EXPECT_FALSE(operation.legacy);
  }
  for (const TracedCall& call : TracedCalls()) EXPECT_FALSE(call.legacy);

  StartTrace();
  ASSERT_CUDA(cudaMemcpy(device_, pinned_, 16, cudaMemcpyHostToDevice));
  ASSERT_CUDA(cudaStreamSynchronize(nullptr));
  ASSERT_EQ(TracedOperations().size(), 1u);
  EXPECT_TRUE(TracedOperations()[0].legacy);
  EXPECT_THAT(TraceJson(), HasSubstr("legacy default stream"));
  ASSERT_EQ(TracedCalls().size(), 2u);
  for (const TracedCall& call : TracedCalls()) {
    EXPECT_TRUE(call.legacy) << call.name;
  }
}

TEST_F(TraceTest, CallsHaveTheirThreadAndTheirError) {
  StartTrace();
  const cudaStream_t stream = streams_[0];
  EXPECT_CUDA(cudaEventRecord(event_, stream));
  std::thread([] {
    EXPECT_EQ(cudaSetDevice(100), cudaErrorInvalidDevice);
    EXPECT_CUDA(cudaSetDevice(0));
  }).join();
  EXPECT_CUDA(cudaEventSynchronize(event_));

  std::vector<std::pair<std::string, int>> calls;
  for (const TracedCall& call : TracedCalls()) {
    calls.emplace_back(call.name, call.thread);
    EXPECT_EQ(call.error,
              calls.size() == 2 ? cudaErrorInvalidDevice : cudaSuccess);
  }
  using Made = std::pair<std::string, int>;
  EXPECT_THAT(
      calls,
      ElementsAre(Made("cudaEventRecord", 1), Made("cudaSetDevice", 2),
                  Made("cudaSetDevice", 2), Made("cudaEventSynchronize", 1)));
}

TEST_F(TraceTest, OnlyWhatHasCompletedIsThere) {
  StartTrace();
  Upload(streams_[0]);
  EXPECT_THAT(OperationNames(), ElementsAre());
  ChargeHostNs(1000000);
  EXPECT_THAT(OperationNames(), ElementsAre("pinned upload"));
}

TEST_F(TraceTest, NothingIsNotedAfterItHasStopped) {
  StartTrace();
  Upload(streams_[0]);
  ASSERT_CUDA(cudaDeviceSynchronize());
  StopTrace();
  const std::string json = TraceJson();
  Download(streams_[0]);
  ASSERT_CUDA(cudaDeviceSynchronize());
  EXPECT_EQ(TraceJson(), json);
  StartTrace();
  EXPECT_THAT(OperationNames(), ElementsAre());
}

TEST_F(TraceTest, WrittenFormIsJson) {
  StartTrace();
  UploadThenDownload();
  const std::string json = TraceJson();

  EXPECT_TRUE(JsonChecker(json).Check()) << json;
  EXPECT_EQ(Count(json, "\"ph\":\"X\""),
            TracedCalls().size() + TracedOperations().size());
  // The host and a thread, a device and two streams.
  EXPECT_EQ(Count(json, "\"ph\":\"M\""), 5u);
  EXPECT_THAT(json, HasSubstr("\"bytes\":4194304"));
  EXPECT_FALSE(JsonChecker(json + "]").Check());
  EXPECT_FALSE(JsonChecker(json.substr(0, json.size() / 2)).Check());
}

TEST_F(TraceTest, AnArrowLeadsFromARecordToItsWait) {
  StartTrace();
  UploadThenDownload();
  EXPECT_EQ(Count(TraceJson(), "\"ph\":\"s\""), 1u);
  EXPECT_EQ(Count(TraceJson(), "\"ph\":\"f\""), 1u);
  StartTrace();
  ASSERT_CUDA(cudaEventRecord(event_, streams_[0]));
  ASSERT_CUDA(cudaDeviceSynchronize());
  EXPECT_EQ(Count(TraceJson(), "\"ph\":\"s\""), 0u);
}

TEST_F(TraceTest, TheSameRunGivesTheSameBytes) {
  const auto run = [this] {
    SetSeed(7);
    StartTrace();
    for (int i = 0; i < 20; ++i) UploadThenDownload();
    return TraceJson();
  };
  const std::string first = run();
  EXPECT_GT(first.size(), 1000u);
  EXPECT_EQ(run(), first);
}

TEST_F(TraceTest, TheEnvironmentAsksForAFile) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const std::string path = ::testing::TempDir() + "/trace.json";
  ASSERT_EQ(setenv("CONVEYOR_SIM_TRACE", path.c_str(), 1), 0);
  EXPECT_EXIT(
      {
        Upload(streams_[0]);
        std::exit(0);
      },
      ::testing::ExitedWithCode(0), "");
  ASSERT_EQ(unsetenv("CONVEYOR_SIM_TRACE"), 0);
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_TRUE(JsonChecker(text.str()).Check());
  // From the beginning, and with what was under way at the end.
  EXPECT_THAT(text.str(), HasSubstr("\"cudaMalloc\""));
  EXPECT_THAT(text.str(), HasSubstr("\"pinned upload\""));
}

TEST_F(TraceTest, WritesAFile) {
  StartTrace();
  UploadThenDownload();
  const std::string path = ::testing::TempDir() + "/written.json";
  ASSERT_TRUE(WriteTrace(path));
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_EQ(text.str(), TraceJson());
  EXPECT_FALSE(WriteTrace("/no such folder/trace.json"));
}

}  // namespace
}  // namespace sim
}  // namespace conveyor
