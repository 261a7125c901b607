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
// File: json_reader.h
// -----------------------------------------------------------------------------
//
// Reads JSON, for what checks or compares runs.

#ifndef CONVEYOR_BENCHMARKS_JSON_READER_H_
#define CONVEYOR_BENCHMARKS_JSON_READER_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace conveyor {
namespace bench {

// A value; which members mean something depends on `type`. A value type.
struct JsonValue {
  enum class Type { kNull, kBool, kNumber, kString, kArray, kObject };

  Type type = Type::kNull;
  bool boolean = false;
  double number = 0;
  std::string string;
  std::vector<JsonValue> elements;                         // kArray
  std::vector<std::pair<std::string, JsonValue>> members;  // kObject, in order

  // The member `key` of an object; null if there is none or this is no object.
  const JsonValue* Find(absl::string_view key) const;
};

// The one value that `text` consists of. kInvalidArgument, with the offset in
// bytes, for what is no JSON, and for more than 100 levels. Strings are not
// checked for UTF-8.
absl::StatusOr<JsonValue> ParseJson(absl::string_view text);

}  // namespace bench
}  // namespace conveyor

#endif  // CONVEYOR_BENCHMARKS_JSON_READER_H_
