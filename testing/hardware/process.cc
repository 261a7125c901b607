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

#include "testing/hardware/process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"

extern char** environ;

namespace conveyor {
namespace {

constexpr absl::Duration kPoll = absl::Milliseconds(5);
// A process inside the GPU's driver may take long to die.
constexpr absl::Duration kMaxKill = absl::Seconds(30);

// The processes that descend from this one, by /proc.
std::vector<pid_t> Descendants() {
  std::multimap<pid_t, pid_t> children;
  std::error_code error;
  for (const auto& entry :
       std::filesystem::directory_iterator("/proc", error)) {
    pid_t pid;
    if (!absl::SimpleAtoi(entry.path().filename().string(), &pid)) continue;
    std::ifstream file(entry.path() / "stat");
    const std::string stat((std::istreambuf_iterator<char>(file)),
                           std::istreambuf_iterator<char>());
    // 42 (name) S 7 ...: the name may hold anything, the parent is the 7.
    const size_t name_end = stat.rfind(") ");
    if (name_end == std::string::npos) continue;
    const std::vector<std::string> fields =
        absl::StrSplit(stat.substr(name_end + 2), ' ');
    pid_t parent;
    if (fields.size() < 2 || !absl::SimpleAtoi(fields[1], &parent)) continue;
    children.emplace(parent, pid);
  }
  std::vector<pid_t> found = {getpid()};
  for (size_t i = 0; i < found.size(); ++i) {
    const auto [begin, end] = children.equal_range(found[i]);
    for (auto it = begin; it != end; ++it) found.push_back(it->second);
  }
  found.erase(found.begin());
  return found;
}

// Kills and reaps all children, and the descendants that become children.
void KillDescendants() {
  const absl::Time deadline = absl::Now() + kMaxKill;
  while (absl::Now() < deadline) {
    for (const pid_t pid : Descendants()) kill(pid, SIGKILL);
    pid_t reaped;
    while ((reaped = waitpid(-1, nullptr, WNOHANG)) > 0) {
    }
    if (reaped < 0 && errno == ECHILD) return;
    absl::SleepFor(kPoll);
  }
}

std::vector<char*> Pointers(std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (std::string& string : strings) pointers.push_back(string.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> Environment(
    const std::map<std::string, std::string>& added) {
  std::vector<std::string> environment;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(absl::string_view(*variable), absl::MaxSplits('=', 1));
    if (added.count(std::string(parts.first)) == 0) {
      environment.emplace_back(*variable);
    }
  }
  for (const auto& [name, value] : added) {
    environment.push_back(absl::StrCat(name, "=", value));
  }
  return environment;
}

// In the new process: becomes the program, or returns with errno set.
void Become(const ProcessOptions& options, pid_t parent, char** argv,
            char** environment) {
  // So that it ends with the runner, however that ends.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  setsid();
  const int input = open("/dev/null", O_RDONLY);
  const int output =
      open(options.output_file.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
  if (input < 0 || output < 0) return;
  if (dup2(input, 0) < 0 || dup2(output, 1) < 0 || dup2(output, 2) < 0) return;
  if (chdir(options.directory.c_str()) != 0) return;
  execve(argv[0], argv, environment);
}

}  // namespace

absl::StatusOr<ProcessResult> RunProcess(const ProcessOptions& options) {
  // Whose parent ends becomes a child of this process, and is found.
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  std::vector<std::string> argv = options.argv;
  std::vector<std::string> environment = Environment(options.env);
  const std::vector<char*> argv_pointers = Pointers(argv);
  const std::vector<char*> environment_pointers = Pointers(environment);
  int failure[2];
  if (pipe2(failure, O_CLOEXEC) != 0) {
    return absl::InternalError(absl::StrCat("pipe2: ", std::strerror(errno)));
  }
  const pid_t self = getpid();
  const absl::Time start = absl::Now();
  const pid_t child = fork();
  if (child == 0) {
    Become(options, self, const_cast<char**>(argv_pointers.data()),
           const_cast<char**>(environment_pointers.data()));
    const int error = errno;
    _exit(write(failure[1], &error, sizeof(error)) > 0 ? 127 : 126);
  }
  const int fork_error = errno;
  close(failure[1]);
  // Ends at exec, which closes the pipe.
  int error = 0;
  const bool failed = child < 0 || read(failure[0], &error, sizeof(error)) > 0;
  close(failure[0]);
  if (failed) {
    if (child > 0) waitpid(child, nullptr, 0);
    return absl::InternalError(
        absl::StrCat("cannot start ", argv[0], " in ", options.directory, ": ",
                     std::strerror(child < 0 ? fork_error : error)));
  }

  ProcessResult result;
  absl::Time give_up = absl::InfiniteFuture();
  int status = 0;
  bool ended = false;
  while (!ended && absl::Now() < give_up) {
    if (!result.timed_out && !result.stopped) {
      result.timed_out = absl::Now() - start >= options.time_limit;
      result.stopped = options.stop();
      if (result.timed_out || result.stopped) {
        kill(child, SIGKILL);
        give_up = absl::Now() + kMaxKill;
      }
    }
    ended = waitpid(child, &status, WNOHANG) != 0;
    if (!ended) absl::SleepFor(kPoll);
  }
  result.elapsed = absl::Now() - start;
  KillDescendants();
  if (ended && WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  if (ended && WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  return result;
}

}  // namespace conveyor
