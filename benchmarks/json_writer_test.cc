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

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>

#include "absl/strings/string_view.h"

namespace conveyor {
namespace bench {
namespace {

std::string Quoted(absl::string_view value) {
  JsonWriter json;
  json.String(value);
  return json.text();
}

std::string Written(double value) {
  JsonWriter json;
  json.Number(value);
  return json.text();
}

TEST(JsonWriterTest, NestsAndSeparates) {
  JsonWriter json;
  json.BeginObject();
  json.Key("a");
  json.Integer(-1);
  json.Key("b");
  json.BeginArray();
  json.Bool(true);
  json.Null();
  json.BeginObject();
  json.EndObject();
  json.EndArray();
  json.Key("c");
  json.BeginArray();
  json.EndArray();
  json.EndObject();
  EXPECT_EQ(json.text(), R"({
  "a": -1,
  "b": [
    true,
    null,
    {}
  ],
  "c": []
})");
}

TEST(JsonWriterTest, EscapesWhatJsonForbidsInStrings) {
  EXPECT_EQ(Quoted("plain"), R"("plain")");
  EXPECT_EQ(Quoted(R"(a "quoted" C:\path)"), R"("a \"quoted\" C:\\path")");
  EXPECT_EQ(Quoted("line\nbreak\ttab"), R"("line\u000abreak\u0009tab")");
  EXPECT_EQ(Quoted(absl::string_view("nul\0", 4)), R"("nul\u0000")");
}

TEST(JsonWriterTest, KeepsUtf8AndReplacesWhatIsNone) {
  EXPECT_EQ(Quoted("\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80"),
            "\"\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80\"");
  EXPECT_EQ(Quoted("\xE9t"), R"("\ufffdt")");                    // Latin-1.
  EXPECT_EQ(Quoted("\xC0\xAF"), R"("\ufffd\ufffd")");            // Overlong.
  EXPECT_EQ(Quoted("\xE2\x82"), R"("\ufffd\ufffd")");            // Cut short.
  EXPECT_EQ(Quoted("\xED\xA0\x80"), R"("\ufffd\ufffd\ufffd")");  // Surrogate.
}

TEST(JsonWriterTest, NumbersAreShortAndFinite) {
  EXPECT_EQ(Written(1), "1");
  EXPECT_EQ(Written(55.41234567), "55.4123");
  EXPECT_EQ(Written(1e-9), "1e-09");
  EXPECT_EQ(Written(std::numeric_limits<double>::infinity()), "null");
  EXPECT_EQ(Written(std::numeric_limits<double>::quiet_NaN()), "null");
  JsonWriter json;
  json.Integer(std::numeric_limits<int64_t>::max());
  EXPECT_EQ(json.text(), "9223372036854775807");
}

}  // namespace
}  // namespace bench
}  // namespace conveyor
