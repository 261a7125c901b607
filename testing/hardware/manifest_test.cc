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

#include "testing/hardware/manifest.h"

#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "testing/status_matchers.h"

namespace conveyor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

TEST(ParseManifestTest, ReadsTestsAndPrograms) {
  ASSERT_OK_AND_ASSIGN(
      const Manifest manifest,
      ParseManifest(
          "test\t//a:b_test_gpu\truns/a b\tgpus=2\tseconds=60\tX=1=2\n"
          "program\t//c:d\truns/d\n"));
  ASSERT_EQ(manifest.tests.size(), 1);
  EXPECT_EQ(manifest.tests[0].name, "//a:b_test_gpu");
  EXPECT_EQ(manifest.tests[0].file, "runs/a b");
  EXPECT_EQ(manifest.tests[0].gpus, 2);
  EXPECT_EQ(manifest.tests[0].time_limit, absl::Seconds(60));
  EXPECT_THAT(manifest.tests[0].env, ElementsAre(Pair("X", "1=2")));
  ASSERT_EQ(manifest.programs.size(), 1);
  EXPECT_EQ(manifest.programs[0].name, "//c:d");
  EXPECT_EQ(manifest.programs[0].file, "runs/d");
}

TEST(ParseManifestTest, NamesTheLineThatIsWrong) {
  for (const std::string line : {
           "tests\t//a:b\tfile\tgpus=1\tseconds=60",
           "test\t//a:b\tfile\tgpus=1",
           "test\t//a:b\tfile\tgpus=many\tseconds=60",
           "test\t//a:b\tfile\tgpus=0\tseconds=60",
           "test\t//a:b\tfile\tgpus=1\tseconds=-1",
           "program\t//a:b",
       }) {
    EXPECT_THAT(
        ParseManifest("program\t//a:b\tfile\n" + line),
        StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("line 2 ")))
        << line;
  }
}

}  // namespace
}  // namespace conveyor
