// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/validate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "trace/pair/open_pair.h"

namespace lanewise::lab {
namespace {

using trace::device::DeviceProfile;

std::string hardware_folder() {
  const char* shared = std::getenv("LANEWISE_SHARED");
  const std::filesystem::path root =
      shared != nullptr ? std::filesystem::path(shared) : std::filesystem::path(LANEWISE_SOURCE_DIR) / ".." / "shared";
  return (root / "hardware").string();
}

std::vector<std::pair<std::string, DeviceProfile>> real_profiles() {
  std::vector<std::string> alone;
  std::vector<std::pair<std::string, DeviceProfile>> out;
  const auto pairs = trace::pair::pairs_in(hardware_folder(), &alone);
  if (!pairs.ok()) return out;
  for (const auto& p : *pairs) {
    auto profile = trace::pair::open_pair(p.neff, p.ntff);
    EXPECT_TRUE(profile.ok()) << profile.status().to_string();
    if (profile.ok()) out.push_back({p.name, std::move(profile).value()});
  }
  return out;
}

// Two vector instructions, the second after the first's semaphore.
DeviceProfile small() {
  DeviceProfile p;
  p.program.cores = 1;
  for (uint32_t i = 0; i < 2; ++i) {
    trace::device::Instruction in;
    in.engine = isa::Engine::vector;
    in.index = i;
    in.opcode = "TENSOR_TENSOR";
    in.text = "TENSOR_TENSOR (made by hand)";
    for (const char* role : {"dst", "src0", "src1"}) {
      trace::device::Operand o;
      o.role = role;
      o.space = trace::device::Space::sbuf;
      o.dtype = "float32";
      o.partitions = 128;
      o.sizes = {1000};
      o.steps = {1};
      in.operands.push_back(o);
    }
    if (i == 0) in.updates.push_back({5, "+", 1});
    else in.waits.push_back({5, ">=", 1});
    p.program.instructions.push_back(in);
    p.instructions.push_back({i, false, 0, isa::Engine::vector, false, 0, Picos(-1), Picos(1000 + i * 1'300'000), Picos(1'201'000 + i * 1'300'000), Picos(0)});
  }
  p.first = Picos(1000);
  p.last = Picos(2'501'000);
  return p;
}

const machine::Machine& trn2() {
  static const machine::Machine m = machine::load_machine("trn2").value();
  return m;
}

TEST(Replay, AWaitingInstructionBeginsOnePostAndOneWakeAfterItsSource) {
  const auto r = replay(small(), trn2());
  ASSERT_TRUE(r.ok()) << r.status().to_string();
  const auto& s = trn2().sequencer.vector;
  EXPECT_EQ(r->instructions[0].end - r->instructions[0].begin, trn2().vector.clock.to_picos(Cycles(1000 + trn2().vector.fixed_cycles)));
  EXPECT_EQ(r->instructions[1].begin - r->instructions[0].end, Picos(s.post_ps + s.wake_ps));
  EXPECT_TRUE(r->instructions[1].waited);
}

TEST(Replay, ClocksOfTheMachineMoveTheTimes) {
  const auto slow = machine::load_machine("trn2,vector.clock_khz=480000");
  ASSERT_TRUE(slow.ok());
  const auto a = replay(small(), trn2()), b = replay(small(), *slow);
  ASSERT_TRUE(a.ok() && b.ok());
  EXPECT_GT(b->last - b->first, (a->last - a->first) + (a->last - a->first) - Picos(200'000));
}

TEST(Replay, StopsAtAnOpcodeItDoesNotUnderstand) {
  DeviceProfile p = small();
  p.program.instructions[1].opcode = "UNKNOWN_7e";
  p.program.instructions[1].text = "unknown 0x7e 7e100000 00000000";
  const auto r = replay(p, trn2());
  ASSERT_FALSE(r.ok());
  EXPECT_EQ(r.status().code(), StatusCode::unimplemented);
  EXPECT_NE(r.status().message().find("7e100000"), std::string::npos);
}

TEST(Replay, NamesWhoWaitsForEver) {
  DeviceProfile p = small();
  p.program.instructions[1].waits[0].value = 2;
  const auto r = replay(p, trn2());
  ASSERT_FALSE(r.ok());
  EXPECT_NE(r.status().message().find("semaphore 5 is 1"), std::string::npos) << r.status().message();
}

TEST(RealCaptures, KernelsWithinTenPercentAndUnitsWithinTheAim) {
  const auto profiles = real_profiles();
  if (profiles.empty()) GTEST_SKIP() << "skipped: the public device captures are not there; set LANEWISE_SHARED";
  for (const auto& [name, profile] : profiles) {
    SCOPED_TRACE(name);
    const auto v = validate(profile, trn2(), name);
    ASSERT_TRUE(v.ok()) << v.status().to_string();
    EXPECT_EQ(v->unknown, 0);
    EXPECT_LT(std::abs(v->kernels[0].error()), 0.1);
    int kinds = 0;
    for (const KindRow& k : v->kernels[0].kinds) {
      if (k.kind != "MATMUL warm" && k.kind != "TENSOR_TENSOR" && k.kind != "ACT_TABLE_LOAD" && k.kind != "SEMAPHORE_HOP") continue;
      ++kinds;
      EXPECT_TRUE(k.reached()) << k.kind << ": " << k.mae_pct << " %, " << k.mae_ns << " ns";
    }
    EXPECT_GE(kinds, 2);
  }
}

}  // namespace
}  // namespace lanewise::lab
