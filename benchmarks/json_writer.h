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
// File: json_writer.h
// -----------------------------------------------------------------------------
//
// Writes JSON, indented by two spaces.
//
//   JsonWriter json;
//   json.BeginObject();
//   json.Key("bytes");
//   json.Integer(4096);
//   json.EndObject();
//   json.text()  // {\n  "bytes": 4096\n}

#ifndef CONVEYOR_BENCHMARKS_JSON_WRITER_H_
#define CONVEYOR_BENCHMARKS_JSON_WRITER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace conveyor {
namespace bench {

// The caller keeps the order of calls legal: a key before each value in an
// object, as many ends as begins. One thread at a time.
class JsonWriter {
 public:
  void BeginObject() { Begin('{'); }
  void EndObject() { End('}'); }
  void BeginArray() { Begin('['); }
  void EndArray() { End(']'); }

  // The name of the next value.
  void Key(absl::string_view key);

  // Quotes and escapes. Bytes that are no UTF-8 become U+FFFD.
  void String(absl::string_view value);
  void Integer(int64_t value);
  // Six significant digits; null for what JSON cannot say (infinity, NaN).
  void Number(double value);
  void Bool(bool value);
  void Null();

  const std::string& text() const { return text_; }

 private:
  // Separates a value or key from what stands before it.
  void Separate();
  void NewLine();
  void Begin(char bracket);
  void End(char bracket);

  std::string text_;
  // One entry an open bracket: whether something stands in it.
  std::vector<bool> filled_;
  bool after_key_ = false;
};

}  // namespace bench
}  // namespace conveyor

#endif  // CONVEYOR_BENCHMARKS_JSON_WRITER_H_
