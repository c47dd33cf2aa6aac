// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The questions of the device level asked of real captures, which lie beside the repository.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "machine/machine.h"
#include "trace/device_analysis/critical_path.h"
#include "trace/device_analysis/intervals.h"
#include "trace/device_analysis/kernel_view.h"
#include "trace/device_analysis/metrics.h"
#include "trace/device_analysis/public_tables.h"
#include "trace/device_analysis/questions.h"
#include "trace/device_analysis/replay.h"
#include "trace/device_analysis/stalls.h"
#include "trace/session/device_files.h"

namespace lanewise::test {
namespace {

using namespace trace::device_analysis;

std::vector<trace::session::DeviceFiles> real_pairs() {
  const char* named = std::getenv("LANEWISE_SHARED");
  const std::string folder = (named != nullptr ? std::string(named) : std::string(LANEWISE_SOURCE_DIR) + "/../shared") + "/hardware";
  if (!std::filesystem::exists(folder)) return {};
  auto pairs = trace::session::device_pairs(folder);
  return pairs.ok() ? *pairs : std::vector<trace::session::DeviceFiles>();
}

TEST(RealPairs, AnswerEveryQuestion) {
  const auto pairs = real_pairs();
  if (pairs.empty()) GTEST_SKIP() << "skipped: the public captures are not there; set LANEWISE_SHARED";
  for (const auto& files : pairs) {
    SCOPED_TRACE(files.ntff);
    const auto captured = trace::session::read_device_pair(files.neff, files.ntff);
    ASSERT_TRUE(captured.ok()) << captured.status().to_string();
    EXPECT_FALSE(captured->simulated);
    const KernelView view = kernel_view(*captured);
    EXPECT_TRUE(view.cut);
    EXPECT_LT(view.profile.duration, view.captured);
    const trace::device::DeviceProfile* profile = &view.profile;
    for (const auto& run : profile->instructions) EXPECT_NE(run.instruction, trace::device::kNone);   // none of the runtime's own
    const machine::Machine machine = *machine::load_machine(profile->machine);
    const Subject subject{*profile, machine};
    const Dependencies d(*profile, machine);

    for (const EngineTime& e : find_stalls(d).engines) EXPECT_EQ(e.busy + e.stall + e.idle, whole(*profile));
    const std::vector<Piece> path = critical_path(d);
    ASSERT_FALSE(path.empty());
    EXPECT_EQ(path.front().begin.value, 0);
    EXPECT_EQ(path.back().end, whole(*profile));
    for (size_t i = 1; i < path.size(); ++i) EXPECT_EQ(path[i].begin, path[i - 1].end);
    EXPECT_EQ(replay(d, {}), d.last_done());
    for (const Picos s : slack(d)) EXPECT_GE(s.value, 0);
    for (const Question& q : questions()) EXPECT_TRUE(q.answer(subject).ok()) << q.name;

    const Metrics m = metrics(subject);
    EXPECT_GT(m.traffic.hbm_read, 0);
    EXPECT_GT(m.traffic.hbm_written, 0);
    EXPECT_LE(m.total_exec_time, m.total_time);
    EXPECT_LE(mfu(m, machine, m.total_exec_time), 1);
    EXPECT_LE(mbu(m, machine, m.total_exec_time), 1);
    EXPECT_FALSE(public_tables(subject).tables.empty());
  }
}

}  // namespace
}  // namespace lanewise::test
