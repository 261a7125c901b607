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
// File: file_lock.h
// -----------------------------------------------------------------------------
//
// FileLock: an exclusive lock on a file, between processes of any user.

#ifndef CONVEYOR_TESTING_HARDWARE_FILE_LOCK_H_
#define CONVEYOR_TESTING_HARDWARE_FILE_LOCK_H_

#include <optional>
#include <string>
#include <utility>

#include "absl/status/statusor.h"

namespace conveyor {

// Movable; moved-from it holds nothing. The lock ends with this object, or with
// this process and those that have inherited it.
class [[nodiscard]] FileLock {
 public:
  // Locks `path`, which is made if it is not there, readable by all. Empty if
  // another holds it, in this process too. Does not block. kInternal, with the
  // path and errno's words, if the file cannot be opened.
  static absl::StatusOr<std::optional<FileLock>> TryLock(
      const std::string& path);

  FileLock(FileLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileLock& operator=(FileLock&& other) noexcept;
  ~FileLock();

  // Lets programs started from now on inherit the lock.
  void KeepOnExec();

 private:
  explicit FileLock(int fd) : fd_(fd) {}

  int fd_;
};

}  // namespace conveyor

#endif  // CONVEYOR_TESTING_HARDWARE_FILE_LOCK_H_
