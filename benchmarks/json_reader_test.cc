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

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/status/status.h"
#include "absl/status/status_matchers.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "benchmarks/json_writer.h"

namespace conveyor {
namespace bench {
namespace {

using ::absl_testing::IsOk;
using ::absl_testing::StatusIs;
using ::testing::HasSubstr;

TEST(JsonReaderTest, ReadsEveryKindOfValue) {
  const absl::StatusOr<JsonValue> value = ParseJson(
      R"( {"n": null, "t": true, "f": false, "x": -1.5e3,
          "s": "a\n\"\u00e9\ud83d\ude00", "a": [1, [], {}]} )");
  ASSERT_THAT(value, IsOk());
  ASSERT_EQ(value->members.size(), 6u);
  EXPECT_EQ(value->Find("n")->type, JsonValue::Type::kNull);
  EXPECT_TRUE(value->Find("t")->boolean);
  EXPECT_EQ(value->Find("f")->type, JsonValue::Type::kBool);
  EXPECT_FALSE(value->Find("f")->boolean);
  EXPECT_EQ(value->Find("x")->number, -1500);
  EXPECT_EQ(value->Find("s")->string, "a\n\"\xC3\xA9\xF0\x9F\x98\x80");
  ASSERT_EQ(value->Find("a")->elements.size(), 3u);
  EXPECT_EQ(value->Find("a")->elements[2].type, JsonValue::Type::kObject);
  EXPECT_EQ(value->Find("absent"), nullptr);
}

TEST(JsonReaderTest, RefusesWhatIsNoJson) {
  for (absl::string_view text :
       {"", "{", "[1,]", "[1 2]", "{\"a\" 1}", "{a: 1}", "nan", "inf", "+1",
        "\"open", "\"\\x\"", "\"\\u12\"", "{} {}", "\"line\nbreak\"", "-"}) {
    EXPECT_THAT(ParseJson(text), StatusIs(absl::StatusCode::kInvalidArgument,
                                          HasSubstr("at byte")))
        << text;
  }
  EXPECT_THAT(ParseJson(std::string(100000, '[')),
              StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST(JsonReaderTest, ReadsWhatTheWriterWrites) {
  const std::string text = "quote \" backslash \\ control \x01 \xC3\xA9";
  JsonWriter json;
  json.BeginArray();
  json.String(text);
  json.Number(55.25);
  json.EndArray();
  const absl::StatusOr<JsonValue> value = ParseJson(json.text());
  ASSERT_THAT(value, IsOk());
  ASSERT_EQ(value->elements.size(), 2u);
  EXPECT_EQ(value->elements[0].string, text);
  EXPECT_EQ(value->elements[1].number, 55.25);
}

}  // namespace
}  // namespace bench
}  // namespace conveyor
