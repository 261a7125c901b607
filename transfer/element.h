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
// File: element.h
// -----------------------------------------------------------------------------
//
// What the elements of ranges that CUDA copies must be, and the size of a range
// in bytes.

#ifndef CONVEYOR_TRANSFER_ELEMENT_H_
#define CONVEYOR_TRANSFER_ELEMENT_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace conveyor {

// Refuses, when compiling, elements that cannot be copied byte by byte.
template <typename T>
struct CheckElement {
  static_assert(!std::is_volatile<T>::value,
                "volatile elements cannot be copied by CUDA: remove volatile");
  static_assert(std::is_trivially_copyable<std::remove_cv_t<T>>::value,
                "the elements must be trivially copyable: CUDA copies bytes, "
                "and runs no copy constructor");
  using type = T;
};

// The bytes of `count` elements of T, at most 2^63 - 1. kInvalidArgument, with
// count and element size, if they are more. `name` names the count.
template <typename T>
absl::StatusOr<size_t> SizeInBytes(absl::string_view name, size_t count) {
  if (count >
      static_cast<size_t>(std::numeric_limits<int64_t>::max()) / sizeof(T)) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, " is ", count, " elements of ", sizeof(T),
                     " bytes, which overflows 2^63 - 1 bytes"));
  }
  return count * sizeof(T);
}

}  // namespace conveyor

#endif  // CONVEYOR_TRANSFER_ELEMENT_H_
