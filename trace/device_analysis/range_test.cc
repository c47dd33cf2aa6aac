// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Questions about a range of a profile: what belongs to it, what is cut at its edges, and that ranges side by side are the whole.
#include <gtest/gtest.h>

#include <map>

#include "trace/device_analysis/profile_fixture.h"
#include "trace/device_analysis/questions.h"

namespace lanewise::trace::device_analysis {
namespace {

using isa::Engine;

// sync    load(0-10)                        store(900-910)
// dma          100 ------ 300                    1000 --- 1200
// tensor                     matmul 400-600
// vector                                  copy 700-850
class RangeTest : public testing::Test {
 protected:
  RangeTest() {
    const auto load = b_.run(Engine::sync, "dma_copy", 0, 0, 10);
    b_.dma(load, 100, 300, 310, 4096, ProfileBuilder::hbm("src0", "x", 1024), ProfileBuilder::sbuf("dst", 0, 8));
    auto psum = ProfileBuilder::sbuf("dst", 0, 8);
    psum.space = device::Space::psum;
    const auto matmul = b_.run(Engine::pe, "matmul", 0, 400, 600, {psum, ProfileBuilder::sbuf("src0", 0, 8)}, {{1, ">=", 1}}, {{2, "+", 1}});
    auto source = psum;
    source.role = "src0";
    b_.run(Engine::vector, "tensor_copy", 0, 700, 850, {ProfileBuilder::sbuf("dst", 64, 8), source}, {{2, ">=", 1}});
    const auto store = b_.run(Engine::sync, "dma_copy", 0, 900, 910);
    b_.dma(store, 1000, 1200, 1210, 1024, ProfileBuilder::sbuf("src0", 64, 8), ProfileBuilder::hbm("dst", "y", 256));
    b_.update(310, 1, 1, true, 0);
    b_.update(600, 2, 1, false, matmul, Engine::pe);
    b_.profile.program.tensors = {{"x", "input", "float32", {1024}, 4096}, {"y", "output", "float32", {256}, 1024}};
  }

  Table ask(std::string_view question, std::string_view name, std::optional<Interval> range = {}) {
    auto tables = find_question(question)->answer({b_.profile, machine_, range});
    EXPECT_TRUE(tables.ok());
    for (Table& t : *tables) {
      if (t.name() == name) return std::move(t);
    }
    ADD_FAILURE() << "no table " << name;
    return Table("", {});
  }
  static int64_t sum(const Table& t, std::string_view column) {
    int64_t all = 0;
    for (size_t row = 0; row < t.rows(); ++row) all += t[column].integers[row];
    return all;
  }

  static Interval ps(int64_t begin, int64_t end) { return {Picos(begin), Picos(end)}; }

  ProfileBuilder b_;
  machine::Machine machine_ = *machine::load_machine("trn2");
};

TEST_F(RangeTest, ARunBelongsToTheRangeInWhichItBegins) {
  EXPECT_EQ(sum(ask("instructions", "opcodes", ps(400, 700)), "runs"), 1) << "from is in, to is not";
  EXPECT_EQ(sum(ask("instructions", "opcodes", ps(401, 700)), "runs"), 0);
  EXPECT_EQ(ask("instructions", "instructions", ps(400, 701)).rows(), 2u) << "only what did something in it";
  EXPECT_EQ(sum(ask("instructions", "opcodes", ps(400, 500)), "time_ps"), 200) << "with all that it did";
  const Table dmas = ask("dma", "transfers", ps(50, 900));
  ASSERT_EQ(dmas.rows(), 1u);
  EXPECT_EQ(sum(dmas, "bytes"), 4096);
  EXPECT_EQ(sum(ask("dma", "queues", ps(50, 900)), "bytes"), 4096);
  EXPECT_EQ(sum(ask("dma", "sizes", ps(900, 5000)), "bytes"), 1024);
  EXPECT_EQ(ask("dma", "small_regions", ps(50, 900)).rows(), 0u) << "the small one lies behind";
  EXPECT_EQ(ask("dma", "small_regions", ps(900, 1300)).rows(), 1u);
}

TEST_F(RangeTest, SharesAreOfTheRange) {
  const Table t = ask("instructions", "engines", ps(400, 500));
  ASSERT_EQ(t.rows(), 1u);
  EXPECT_EQ(t["share"].reals[0], 1.0) << "100 of the 200 ps lie in it";
}

TEST_F(RangeTest, TimeOfEnginesIsCutAndAddsUpToTheRange) {
  const Table t = ask("stalls", "engines", ps(500, 800));
  std::map<std::string, std::vector<int64_t>> rows;
  for (size_t row = 0; row < t.rows(); ++row) {
    const auto at = [&](std::string_view column) { return t[column].integers[row]; };
    EXPECT_EQ(at("whole_ps"), 300);
    EXPECT_EQ(at("busy_ps") + at("stall_ps") + at("idle_ps"), 300);
    rows[std::string(t["engine"].texts[row])] = {at("busy_ps"), at("stall_ps"), at("idle_ps")};
  }
  EXPECT_EQ(rows["tensor"], (std::vector<int64_t>{100, 0, 200}));
  EXPECT_EQ(rows["vector"], (std::vector<int64_t>{100, 200, 0}));
  EXPECT_EQ(rows["sync"], (std::vector<int64_t>{0, 300, 0}));
  const Table stalls = ask("stalls", "stalls", ps(500, 800));
  EXPECT_EQ(sum(stalls, "dur_ps"), 500);
  EXPECT_EQ(sum(ask("stalls", "causes", ps(500, 800)), "time_ps"), 500);
}

TEST_F(RangeTest, MemoryKnowsWhatHeldAtItsBegin) {
  const Table samples = ask("memory", "occupancy", ps(500, 650));
  ASSERT_GE(samples.rows(), 1u);
  EXPECT_EQ(samples["at_ps"].integers[0], 500);
  const Table lives = ask("memory", "lifetimes", ps(450, 460));
  EXPECT_EQ(lives.rows(), 2u) << "what the load brought and what the matmul makes";
  EXPECT_EQ(sum(ask("memory", "tensors", ps(50, 900)), "read_bytes"), 4096);
  EXPECT_EQ(sum(ask("memory", "tensors", ps(50, 900)), "written_bytes"), 0);
}

TEST_F(RangeTest, RangesSideBySideAreTheWhole) {
  const std::vector<Interval> pieces = {ps(-100, 450), ps(450, 1000), ps(1000, 9000)};
  const struct { const char* question; const char* table; const char* column; } sums[] = {
      {"instructions", "opcodes", "runs"}, {"instructions", "instructions", "dma_bytes"}, {"dma", "transfers", "bytes"}, {"dma", "sizes", "transfers"},
      {"stalls", "engines", "whole_ps"},   {"stalls", "engines", "busy_ps"},             {"stalls", "engines", "stall_ps"}, {"stalls", "engines", "idle_ps"},
      {"memory", "tensors", "read_bytes"}, {"critical-path", "kinds", "time_ps"},        {"critical-path", "path", "dur_ps"}};
  for (const auto& s : sums) {
    int64_t all = 0;
    for (const Interval& piece : pieces) all += sum(ask(s.question, s.table, piece), s.column);
    EXPECT_EQ(all, sum(ask(s.question, s.table), s.column)) << s.question << " " << s.table << " " << s.column;
  }
}

TEST_F(RangeTest, OutsideTheProfileThereIsNothing) {
  for (const Question& q : questions()) {
    if (!q.ranged) continue;
    for (const Interval& range : {ps(-500, -100), ps(50'000, 60'000)}) EXPECT_TRUE(q.answer({b_.profile, machine_, range}).ok()) << q.name;
  }
  EXPECT_EQ(sum(ask("stalls", "engines", ps(-500, -100)), "whole_ps"), 0);
  EXPECT_EQ(ask("critical-path", "path", ps(50'000, 60'000)).rows(), 0u);
}

}  // namespace
}  // namespace lanewise::trace::device_analysis
