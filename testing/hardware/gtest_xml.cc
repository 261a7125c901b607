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

#include "testing/hardware/gtest_xml.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

namespace conveyor {
namespace {

struct Tag {
  std::string name;  // "/name" for an end tag.
  std::map<std::string, std::string> attributes;
};

std::string Unescape(absl::string_view text) {
  std::string result;
  while (!text.empty()) {
    const size_t end = text[0] == '&' ? text.find(';') : text.npos;
    if (end == text.npos) {
      result += text[0];
      text.remove_prefix(1);
      continue;
    }
    absl::string_view entity = text.substr(1, end - 1);
    text.remove_prefix(end + 1);
    uint32_t code;
    if (entity == "lt") {
      result += '<';
    } else if (entity == "gt") {
      result += '>';
    } else if (entity == "amp") {
      result += '&';
    } else if (entity == "quot") {
      result += '"';
    } else if (entity == "apos") {
      result += '\'';
    } else if (absl::ConsumePrefix(&entity, "#x") &&
               absl::SimpleHexAtoi(entity, &code) && code < 0x80) {
      // GoogleTest escapes only line ends and tabs in this way.
      result += static_cast<char>(code);
    }
  }
  return result;
}

// The tags of `xml`, one at a time; text and comments are passed over.
class TagReader {
 public:
  explicit TagReader(absl::string_view xml) : rest_(xml) {}

  // Empty at the end, or where the text is no XML.
  std::optional<Tag> Next() {
    while (true) {
      const size_t begin = rest_.find('<');
      if (begin == rest_.npos) return std::nullopt;
      rest_.remove_prefix(begin);
      if (absl::StartsWith(rest_, "<![CDATA[")) {
        if (!SkipPast("]]>")) return std::nullopt;
      } else if (absl::StartsWith(rest_, "<!--")) {
        if (!SkipPast("-->")) return std::nullopt;
      } else if (absl::StartsWith(rest_, "<?")) {
        if (!SkipPast("?>")) return std::nullopt;
      } else {
        return ReadTag();
      }
    }
  }

 private:
  bool SkipPast(absl::string_view end) {
    const size_t position = rest_.find(end);
    if (position == rest_.npos) return false;
    rest_.remove_prefix(position + end.size());
    return true;
  }

  std::optional<Tag> ReadTag() {
    Tag tag;
    const size_t name_end = rest_.find_first_of(" \n\t>", 1);
    if (name_end == rest_.npos) return std::nullopt;
    tag.name = std::string(rest_.substr(1, name_end - 1));
    rest_.remove_prefix(name_end);
    while (true) {
      const size_t next = rest_.find_first_not_of(" \n\t/");
      if (next == rest_.npos) return std::nullopt;
      rest_.remove_prefix(next);
      if (absl::ConsumePrefix(&rest_, ">")) return tag;
      const size_t equals = rest_.find("=\"");
      if (equals == rest_.npos) return std::nullopt;
      const std::string name(rest_.substr(0, equals));
      rest_.remove_prefix(equals + 2);
      const size_t end = rest_.find('"');
      if (end == rest_.npos) return std::nullopt;
      tag.attributes[name] = Unescape(rest_.substr(0, end));
      rest_.remove_prefix(end + 1);
    }
  }

  absl::string_view rest_;
};

}  // namespace

absl::StatusOr<std::vector<TestCase>> ParseGtestXml(absl::string_view xml) {
  std::vector<TestCase> cases;
  // Whether failures belong to the last of `cases`, or to a case left out.
  bool in_case = false;
  TagReader reader(xml);
  while (std::optional<Tag> tag = reader.Next()) {
    auto& attributes = tag->attributes;
    if (tag->name == "/testsuites") return cases;
    if (tag->name == "testcase") {
      in_case = attributes["status"] != "notrun";
      if (!in_case) continue;
      TestCase test;
      test.suite = attributes["classname"];
      test.name = attributes["name"];
      if (attributes["result"] == "skipped") {
        test.result = TestCase::Result::kSkipped;
      }
      if (!absl::SimpleAtod(attributes["time"], &test.seconds)) {
        test.seconds = 0;
      }
      cases.push_back(std::move(test));
    } else if (in_case && (tag->name == "failure" || tag->name == "skipped")) {
      TestCase& test = cases.back();
      if (tag->name == "failure") test.result = TestCase::Result::kFailed;
      absl::StrAppend(&test.message, test.message.empty() ? "" : "\n",
                      attributes["message"]);
    }
  }
  return absl::InvalidArgumentError("the XML report ends too early");
}

}  // namespace conveyor
