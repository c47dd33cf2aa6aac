// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Public trace files against the counts of a slow plain parser; without the files these tests say what they skip.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "trace/analysis/analysis_fixture.h"
#include "trace/analysis/info.h"

namespace lanewise::trace::analysis {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

json as_json(const FileInfo& info) {
  json devices = json::object();
  for (const auto& [name, t] : info.devices) {
    devices[name] = {{"events", t.events}, {"sum_ns", t.sum_ns}, {"busy_ns", t.busy_ns}, {"first_ns", t.first_ns}, {"last_ns", t.last_ns}};
  }
  return {{"total", info.total},
          {"by_phase", info.by_phase},
          {"by_category", info.by_category},
          {"flows",
           {{"ids", info.flows.ids}, {"paired", info.flows.paired}, {"start_only", info.flows.start_only},
            {"end_only", info.flows.end_only}, {"reused", info.flows.reused}}},
          {"correlation",
           {{"runtime", info.correlation.runtime}, {"device", info.correlation.device}, {"both", info.correlation.both}}},
          {"unattributed", info.unattributed},
          {"overlapping", info.overlapping},
          {"overlapping_device", info.overlapping_device},
          {"cut_fractions", info.cut_fractions},
          {"device", devices}};
}

TEST(RealTraces, EveryFileEqualsItsExpectedCountsInEveryField) {
  const fs::path folder = shared_traces_folder();
  if (!fs::exists(folder / "expected.json")) {
    GTEST_SKIP() << "skipped: the public trace files are not there (" << folder << "); set LANEWISE_SHARED";
  }
  const json expected = json::parse(std::ifstream(folder / "expected.json"));
  ASSERT_GT(expected.size(), 0u);
  for (const auto& [name, want] : expected.items()) {
    SCOPED_TRACE(name);
    const auto session = session::Session::open((folder / name).string());
    ASSERT_TRUE(session.ok()) << session.status().to_string();
    const json got = as_json(file_info(**session, 0));
    for (const auto& [field, value] : want.items()) {
      EXPECT_EQ(got.at(field), value) << field;
    }
    const schema::Ledger& ledger = (*session)->files()[0].file.ledger;
    EXPECT_TRUE(ledger.balanced());
    EXPECT_EQ(ledger.dropped, 0u);
    EXPECT_FALSE(ledger.damaged());
  }
}

}  // namespace
}  // namespace lanewise::trace::analysis
