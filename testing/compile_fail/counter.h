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
// File: counter.h
// -----------------------------------------------------------------------------
//
// A function template that refuses what is not a number, as library code does.

#ifndef CONVEYOR_TESTING_COMPILE_FAIL_COUNTER_H_
#define CONVEYOR_TESTING_COMPILE_FAIL_COUNTER_H_

#include <type_traits>

namespace conveyor {

template <typename T>
int Count(T value) {
  static_assert(std::is_arithmetic<T>::value, "only numbers can be counted");
  return static_cast<int>(sizeof(value));
}

}  // namespace conveyor

#endif  // CONVEYOR_TESTING_COMPILE_FAIL_COUNTER_H_
