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

#include "benchmarks/json_writer.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"

namespace conveyor {
namespace bench {
namespace {

// How many bytes the UTF-8 character at the start of `text` has; 0 if there is
// none (cut short, overlong, a surrogate, beyond U+10FFFF).
size_t Utf8Length(absl::string_view text) {
  const auto byte = [&](size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
  };
  const unsigned first = byte(0);
  size_t length = 0;
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) length = 2;
  if (first >= 0xE0 && first <= 0xEF) length = 3;
  if (first >= 0xF0 && first <= 0xF4) length = 4;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  if (first == 0xE0 && byte(1) < 0xA0) return 0;
  if (first == 0xED && byte(1) > 0x9F) return 0;
  if (first == 0xF0 && byte(1) < 0x90) return 0;
  if (first == 0xF4 && byte(1) > 0x8F) return 0;
  return length;
}

}  // namespace

void JsonWriter::NewLine() {
  text_ += '\n';
  text_.append(2 * filled_.size(), ' ');
}

void JsonWriter::Separate() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (filled_.empty()) return;
  if (filled_.back()) text_ += ',';
  filled_.back() = true;
  NewLine();
}

void JsonWriter::Begin(char bracket) {
  Separate();
  text_ += bracket;
  filled_.push_back(false);
}

void JsonWriter::End(char bracket) {
  const bool filled = filled_.back();
  filled_.pop_back();
  if (filled) NewLine();
  text_ += bracket;
}

void JsonWriter::Key(absl::string_view key) {
  String(key);
  text_ += ": ";
  after_key_ = true;
}

void JsonWriter::String(absl::string_view value) {
  Separate();
  text_ += '"';
  while (!value.empty()) {
    const size_t length = Utf8Length(value);
    const unsigned char c = static_cast<unsigned char>(value[0]);
    if (length == 0) {
      text_ += "\\ufffd";
    } else if (c == '"' || c == '\\') {
      absl::StrAppend(&text_, "\\", value.substr(0, 1));
    } else if (c < 0x20 || c == 0x7F) {
      absl::StrAppendFormat(&text_, "\\u%04x", static_cast<unsigned>(c));
    } else {
      absl::StrAppend(&text_, value.substr(0, length));
    }
    value.remove_prefix(length == 0 ? 1 : length);
  }
  text_ += '"';
}

void JsonWriter::Integer(int64_t value) {
  Separate();
  absl::StrAppend(&text_, value);
}

void JsonWriter::Number(double value) {
  if (!std::isfinite(value)) return Null();
  Separate();
  absl::StrAppendFormat(&text_, "%.6g", value);
}

void JsonWriter::Bool(bool value) {
  Separate();
  text_ += value ? "true" : "false";
}

void JsonWriter::Null() {
  Separate();
  text_ += "null";
}

}  // namespace bench
}  // namespace conveyor
