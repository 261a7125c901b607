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

#include "benchmarks/json_reader.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/status_macros.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace conveyor {
namespace bench {
namespace {

constexpr int kMaxDepth = 100;

void AppendUtf8(uint32_t code_point, std::string& out) {
  const auto tail = [&](int shift) {
    out += static_cast<char>(0x80 | ((code_point >> shift) & 0x3F));
  };
  if (code_point < 0x80) {
    out += static_cast<char>(code_point);
  } else if (code_point < 0x800) {
    out += static_cast<char>(0xC0 | (code_point >> 6));
    tail(0);
  } else if (code_point < 0x10000) {
    out += static_cast<char>(0xE0 | (code_point >> 12));
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xF0 | (code_point >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
}

class Parser {
 public:
  explicit Parser(absl::string_view text) : text_(text) {}

  absl::StatusOr<JsonValue> ParseAll() {
    ABSL_ASSIGN_OR_RETURN(JsonValue value, ParseValue(0));
    SkipSpace();
    if (at_ != text_.size()) return Error("more text after the value");
    return value;
  }

 private:
  absl::Status Error(absl::string_view what) const {
    return absl::InvalidArgumentError(
        absl::StrCat("JSON: ", what, " at byte ", at_));
  }

  void SkipSpace() {
    while (at_ < text_.size() &&
           absl::StrContains(" \t\r\n", text_.substr(at_, 1))) {
      ++at_;
    }
  }

  // Steps over `token` if it stands here.
  bool Take(absl::string_view token) {
    if (text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }

  bool TakeAfterSpace(absl::string_view token) {
    SkipSpace();
    return Take(token);
  }

  absl::StatusOr<JsonValue> ParseValue(int depth) {
    if (depth > kMaxDepth) return Error("too many levels");
    SkipSpace();
    JsonValue value;
    if (Take("null")) return value;
    if (Take("true") || Take("false")) {
      value.type = JsonValue::Type::kBool;
      value.boolean = text_[at_ - 2] == 'u';
      return value;
    }
    if (Take("[")) return ParseArray(depth);
    if (Take("{")) return ParseObject(depth);
    if (Take("\"")) {
      value.type = JsonValue::Type::kString;
      ABSL_ASSIGN_OR_RETURN(value.string, ParseString());
      return value;
    }
    return ParseNumber();
  }

  absl::StatusOr<JsonValue> ParseArray(int depth) {
    JsonValue value;
    value.type = JsonValue::Type::kArray;
    if (TakeAfterSpace("]")) return value;
    do {
      ABSL_ASSIGN_OR_RETURN(JsonValue element, ParseValue(depth + 1));
      value.elements.push_back(std::move(element));
    } while (TakeAfterSpace(","));
    if (!Take("]")) return Error("expected , or ]");
    return value;
  }

  absl::StatusOr<JsonValue> ParseObject(int depth) {
    JsonValue value;
    value.type = JsonValue::Type::kObject;
    if (TakeAfterSpace("}")) return value;
    do {
      if (!TakeAfterSpace("\"")) return Error("expected a key");
      ABSL_ASSIGN_OR_RETURN(std::string key, ParseString());
      if (!TakeAfterSpace(":")) return Error("expected :");
      ABSL_ASSIGN_OR_RETURN(JsonValue member, ParseValue(depth + 1));
      value.members.emplace_back(std::move(key), std::move(member));
    } while (TakeAfterSpace(","));
    if (!Take("}")) return Error("expected , or }");
    return value;
  }

  absl::StatusOr<JsonValue> ParseNumber() {
    size_t end = at_;
    while (end < text_.size() && (absl::ascii_isalnum(text_[end]) ||
                                  absl::StrContains("+-.", text_[end]))) {
      ++end;
    }
    const absl::string_view digits = text_.substr(at_, end - at_);
    JsonValue value;
    value.type = JsonValue::Type::kNumber;
    // What SimpleAtod takes beyond JSON's grammar starts with none of these.
    const bool starts_well =
        !digits.empty() && (absl::ascii_isdigit(digits[0]) ||
                            (digits.size() > 1 && digits[0] == '-' &&
                             absl::ascii_isdigit(digits[1])));
    if (!starts_well || !absl::SimpleAtod(digits, &value.number)) {
      return Error("expected a value");
    }
    at_ = end;
    return value;
  }

  // Four hexadecimal digits.
  absl::StatusOr<uint32_t> ParseCodeUnit() {
    uint32_t unit = 0;
    const absl::string_view digits = text_.substr(at_, 4);
    if (digits.size() < 4 || !absl::ascii_isxdigit(digits[0]) ||
        !absl::SimpleHexAtoi(digits, &unit)) {
      return Error("expected four hexadecimal digits");
    }
    at_ += 4;
    return unit;
  }

  // The rest of a string whose opening quote has been read.
  absl::StatusOr<std::string> ParseString() {
    std::string string;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (static_cast<unsigned char>(c) < 0x20) break;
      ++at_;
      if (c == '"') return string;
      if (c != '\\') {
        string += c;
        continue;
      }
      if (Take("u")) {
        ABSL_ASSIGN_OR_RETURN(uint32_t code_point, ParseCodeUnit());
        if (code_point >= 0xD800 && code_point < 0xDC00 && Take("\\u")) {
          ABSL_ASSIGN_OR_RETURN(const uint32_t low, ParseCodeUnit());
          code_point = 0x10000 + ((code_point - 0xD800) << 10) + (low & 0x3FF);
        }
        AppendUtf8(code_point, string);
        continue;
      }
      constexpr absl::string_view kEscapes = "\"\\/bfnrt";
      constexpr absl::string_view kMeanings = "\"\\/\b\f\n\r\t";
      const size_t which =
          at_ < text_.size() ? kEscapes.find(text_[at_]) : kEscapes.npos;
      if (which == kEscapes.npos) return Error("unknown escape");
      string += kMeanings[which];
      ++at_;
    }
    return Error("unterminated string");
  }

  absl::string_view text_;
  size_t at_ = 0;
};

}  // namespace

const JsonValue* JsonValue::Find(absl::string_view key) const {
  for (const auto& [name, value] : members) {
    if (name == key) return &value;
  }
  return nullptr;
}

absl::StatusOr<JsonValue> ParseJson(absl::string_view text) {
  return Parser(text).ParseAll();
}

}  // namespace bench
}  // namespace conveyor
