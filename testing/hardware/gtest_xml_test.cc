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

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "testing/status_matchers.h"

namespace conveyor {
namespace {

using ::testing::IsEmpty;

constexpr char kReport[] = R"xml(<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="5" failures="2" disabled="1" errors="0" time="1.5" name="AllTests">
  <testsuite name="CopyTest" tests="4" failures="1" disabled="1" skipped="1" errors="0" time="1.5">
    <testcase name="Passes" file="a.cc" line="3" status="run" result="completed" time="0.25" classname="CopyTest" />
    <testcase name="Fails" file="a.cc" line="5" status="run" result="completed" time="1." classname="CopyTest">
      <failure message="a.cc:6&#x0A;1 &lt; 2 &amp; &quot;x&quot;" type=""><![CDATA[a.cc:6 </testsuites> <testcase name="no">]]></failure>
      <failure message="again" type=""><![CDATA[again]]></failure>
    </testcase>
    <testcase name="Skips" file="a.cc" line="9" status="run" result="skipped" time="0." classname="CopyTest">
      <skipped message="needs 2 devices"><![CDATA[needs 2 devices]]></skipped>
    </testcase>
    <testcase name="DISABLED_X" file="a.cc" line="12" status="notrun" result="suppressed" time="0." classname="CopyTest" />
  </testsuite>
  <testsuite name="NonTestSuiteFailure" tests="1" failures="1">
    <testcase name="" status="run" result="completed" time="0." classname="">
      <failure message="in SetUp" type=""><![CDATA[in SetUp]]></failure>
    </testcase>
  </testsuite>
</testsuites>
)xml";

TEST(ParseGtestXmlTest, TellsPassedFailedAndSkippedCases) {
  ASSERT_OK_AND_ASSIGN(const std::vector<TestCase> cases,
                       ParseGtestXml(kReport));
  ASSERT_EQ(cases.size(), 4);

  EXPECT_EQ(cases[0].suite, "CopyTest");
  EXPECT_EQ(cases[0].name, "Passes");
  EXPECT_EQ(cases[0].result, TestCase::Result::kPassed);
  EXPECT_EQ(cases[0].seconds, 0.25);
  EXPECT_EQ(cases[0].message, "");

  EXPECT_EQ(cases[1].name, "Fails");
  EXPECT_EQ(cases[1].result, TestCase::Result::kFailed);
  EXPECT_EQ(cases[1].message, "a.cc:6\n1 < 2 & \"x\"\nagain");

  EXPECT_EQ(cases[2].name, "Skips");
  EXPECT_EQ(cases[2].result, TestCase::Result::kSkipped);
  EXPECT_EQ(cases[2].message, "needs 2 devices");

  EXPECT_EQ(cases[3].name, "");
  EXPECT_EQ(cases[3].result, TestCase::Result::kFailed);
  EXPECT_EQ(cases[3].message, "in SetUp");
}

TEST(ParseGtestXmlTest, NoCasesIsAReportToo) {
  ASSERT_OK_AND_ASSIGN(
      const std::vector<TestCase> cases,
      ParseGtestXml("<testsuites tests=\"0\" name=\"AllTests\">\n"
                    "</testsuites>\n"));
  EXPECT_THAT(cases, IsEmpty());
}

TEST(ParseGtestXmlTest, APartOfAReportIsNone) {
  const std::string report = kReport;
  for (size_t size = 0; size < report.rfind("</testsuites>"); ++size) {
    EXPECT_THAT(ParseGtestXml(report.substr(0, size)),
                StatusIs(absl::StatusCode::kInvalidArgument))
        << size;
  }
}

}  // namespace
}  // namespace conveyor
