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

#include "testing/sim/call_site.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <unwind.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

extern char** environ;

namespace conveyor {
namespace sim {
namespace {

struct Walk {
  CallSite* site;
  uintptr_t local;  // In the last frame to leave out.
};

_Unwind_Reason_Code AddFrame(_Unwind_Context* context, void* data) {
  Walk& walk = *static_cast<Walk*>(data);
  // Here: where the frame ends that was called from it.
  if (_Unwind_GetCFA(context) <= walk.local) return _URC_NO_REASON;
  CallSite& site = *walk.site;
  site.frames[site.count++] = reinterpret_cast<void*>(_Unwind_GetIP(context));
  return site.count == CallSite::kMaxFrames ? _URC_END_OF_STACK
                                            : _URC_NO_REASON;
}

// The end of the calling thread's stack; 0 if that is unknown.
uintptr_t StackEnd() {
  thread_local const uintptr_t end = [] {
    pthread_attr_t attributes;
    void* base = nullptr;
    size_t size = 0;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) {
      return uintptr_t{0};
    }
    pthread_attr_getstack(&attributes, &base, &size);
    pthread_attr_destroy(&attributes);
    return reinterpret_cast<uintptr_t>(base) + size;
  }();
  return end;
}

// By frame pointers, where the program keeps them (Bazel's builds do): tens of
// times faster than by the tables that exceptions need.
__attribute__((noinline)) void WalkFramePointers(uintptr_t local,
                                                 CallSite* site) {
#if defined(__x86_64__) || defined(__aarch64__)
  struct Frame {
    uintptr_t next;
    void* return_address;
  };
  const uintptr_t end = StackEnd();
  auto at = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  while (at % sizeof(uintptr_t) == 0 && at + sizeof(Frame) <= end) {
    const Frame& frame = *reinterpret_cast<const Frame*>(at);
    if (at > local) {
      if (frame.return_address == nullptr) return;
      site->frames[site->count++] = frame.return_address;
      if (site->count == CallSite::kMaxFrames) return;
    }
    if (frame.next <= at) return;
    at = frame.next;
  }
#else
  (void)local;
  (void)site;
#endif
}

// What holds an address, and where in it.
struct Place {
  std::string file;
  uintptr_t offset = 0;
};

Place PlaceOf(const void* address) {
  Place place;
  Dl_info info;
  link_map* map = nullptr;
  if (dladdr1(address, &info, reinterpret_cast<void**>(&map),
              RTLD_DL_LINKMAP) == 0) {
    return place;
  }
  place.file = info.dli_fname;
  char self[4096];
  if (map->l_name[0] == '\0') {
    const ssize_t size = readlink("/proc/self/exe", self, sizeof(self));
    if (size > 0) place.file.assign(self, static_cast<size_t>(size));
  }
  place.offset = reinterpret_cast<uintptr_t>(address) - map->l_addr;
  return place;
}

std::string Hexadecimal(uintptr_t value) {
  char text[32];
  std::snprintf(text, sizeof(text), "0x%llx",
                static_cast<unsigned long long>(value));
  return text;
}

std::string Describe(const Place& place) {
  return (place.file.empty() ? "?" : place.file) + "+" +
         Hexadecimal(place.offset);
}

// What says nothing about the program.
bool IsOfLibrary(const std::string& function) {
  return function.compare(0, 5, "std::") == 0 ||
         function.find(" std::__invoke") != std::string::npos;
}

bool IsOfTests(const std::string& function) {
  return function.find("testing::internal::") != std::string::npos ||
         function.compare(0, 9, "testing::") == 0;
}

// What `arguments` print; empty if they do not run.
std::string Run(const std::vector<std::string>& arguments) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return "";
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null",
                                   O_WRONLY, 0);
  std::vector<char*> argv;
  for (const std::string& argument : arguments) {
    argv.push_back(const_cast<char*>(argument.c_str()));
  }
  argv.push_back(nullptr);
  pid_t child = 0;
  const bool started = posix_spawnp(&child, argv[0], &actions, nullptr,
                                    argv.data(), environ) == 0;
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string output;
  char part[4096];
  ssize_t size = 0;
  while (started && (size = read(ends[0], part, sizeof(part))) > 0) {
    output.append(part, static_cast<size_t>(size));
  }
  close(ends[0]);
  if (started) waitpid(child, nullptr, 0);
  return output;
}

// By address; empty where nothing more is known than the place.
using Names = std::map<void*, std::vector<std::string>>;

// Never destroyed: reports are made while the process exits, too.
Names& TheNames() {
  static auto* const names = new Names;
  return *names;
}

// Looks up what is not known yet: one run for each file.
void LookUp(const CallSite& site) {
  Names& names = TheNames();
  std::map<std::string, std::map<std::string, void*>> wanted;
  for (size_t i = 0; i < site.count; ++i) {
    void* const frame = site.frames[i];
    if (!names.emplace(frame, std::vector<std::string>()).second) continue;
    // The call, not what follows it.
    const Place place = PlaceOf(static_cast<char*>(frame) - 1);
    if (!place.file.empty()) {
      wanted[place.file][Hexadecimal(place.offset)] = frame;
    }
  }
  for (const auto& file : wanted) {
    std::vector<std::string> command = {"addr2line", "-Cfipa", "-e",
                                        file.first};
    for (const auto& offset : file.second) command.push_back(offset.first);
    const std::string output = Run(command);
    // Each answer begins "0x000...: "; inlined calls follow it, indented.
    std::vector<std::string>* lines = nullptr;
    for (size_t at = 0; at < output.size();) {
      const size_t end = output.find('\n', at);
      std::string line = output.substr(at, end - at);
      at = end == std::string::npos ? output.size() : end + 1;
      const size_t colon = line.find(": ");
      if (line.compare(0, 2, "0x") == 0 && colon != std::string::npos) {
        const auto found =
            file.second.find(Hexadecimal(std::stoull(line, nullptr, 16)));
        if (found == file.second.end()) continue;
        lines = &names[found->second];
        line.erase(0, colon + 2);
      }
      const size_t inlined = line.find("(inlined by) ");
      if (inlined != std::string::npos) line.erase(0, inlined + 13);
      const bool named = line.compare(0, 2, "??") != 0;
      if (lines != nullptr && named) lines->push_back(line);
    }
  }
}

}  // namespace

CallSite TakeCallSite(const void* local) {
  CallSite site;
  const auto beyond = reinterpret_cast<uintptr_t>(local);
  WalkFramePointers(beyond, &site);
  if (site.count > 0) return site;
  Walk walk = {&site, beyond};
  _Unwind_Backtrace(AddFrame, &walk);
  return site;
}

uint64_t HashOf(const CallSite& site) {
  uint64_t hash = site.count;
  for (size_t i = 0; i < site.count; ++i) {
    hash = (hash ^ reinterpret_cast<uintptr_t>(site.frames[i])) *
           0x9e3779b97f4a7c15;
    hash ^= hash >> 29;
  }
  return hash;
}

std::string Describe(const CallSite& site, const char* indentation) {
  LookUp(site);
  std::string text;
  const auto add = [&](const std::string& line) {
    text += indentation + line + "\n";
  };
  for (size_t i = 0; i < site.count; ++i) {
    const std::vector<std::string>& names = TheNames()[site.frames[i]];
    const std::string place =
        Describe(PlaceOf(static_cast<char*>(site.frames[i]) - 1));
    for (const std::string& name : names) {
      // Of the test's framework no more than that it was there.
      if (i > 0 && IsOfTests(name)) return text;
      if (i == 0 && name.compare(0, 4, "cuda") == 0) continue;
      if (IsOfLibrary(name)) continue;
      const size_t line = name.find(" at ??");
      add(line == std::string::npos ? name
                                    : name.substr(0, line) + " at " + place);
    }
    if (names.empty()) add(place);
  }
  return text;
}

}  // namespace sim
}  // namespace conveyor
