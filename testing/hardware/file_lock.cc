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

#include "testing/hardware/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace conveyor {
namespace {

absl::Status ErrnoError(const char* call, const std::string& path, int error) {
  return absl::InternalError(
      absl::StrCat(call, "(", path, "): ", std::strerror(error)));
}

// Opens for reading, which is all that a lock needs: the file may be another
// user's. O_CREAT only where there is none, since in a directory like /dev/shm
// the kernel refuses it on another user's file, to root too.
int OpenOrCreate(const std::string& path) {
  int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd >= 0 || errno != ENOENT) return fd;
  fd = open(path.c_str(), O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (fd >= 0) {
    // Whatever the umask is.
    fchmod(fd, 0644);
    return fd;
  }
  return errno == EEXIST ? open(path.c_str(), O_RDONLY | O_CLOEXEC) : -1;
}

}  // namespace

absl::StatusOr<std::optional<FileLock>> FileLock::TryLock(
    const std::string& path) {
  int fd = OpenOrCreate(path);
  for (int i = 0; fd < 0 && errno == EACCES && i < 10; ++i) {
    // Its maker may be between open and fchmod.
    absl::SleepFor(absl::Milliseconds(1));
    fd = OpenOrCreate(path);
  }
  if (fd < 0) return ErrnoError("open", path, errno);
  if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
    return std::optional<FileLock>(FileLock(fd));
  }
  const int error = errno;
  close(fd);
  if (error == EWOULDBLOCK) return std::optional<FileLock>();
  return ErrnoError("flock", path, error);
}

FileLock& FileLock::operator=(FileLock&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

FileLock::~FileLock() {
  if (fd_ >= 0) close(fd_);
}

void FileLock::KeepOnExec() { fcntl(fd_, F_SETFD, 0); }

}  // namespace conveyor
