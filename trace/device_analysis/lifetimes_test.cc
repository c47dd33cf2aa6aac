// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/device_analysis/lifetimes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <list>
#include <random>
#include <tuple>

#include "trace/device_analysis/profile_fixture.h"

namespace lanewise::trace::device_analysis {
namespace {

using device::kNone;
using device::Space;
using B = ProfileBuilder;

// The definition, word for word: every access looks at every live region.
std::vector<Lifetime> by_definition(const device::DeviceProfile& profile, uint16_t cores) {
  struct Access {
    Picos begin, end;
    Box box;
    bool write;
    uint32_t instruction;
    bool by_dma;
  };
  std::vector<Lifetime> out;
  for (uint16_t core = 0; core < cores; ++core) {
    std::vector<Access> accesses;
    const auto add = [&](const device::Operand& o, Access a) {
      if (o.space != Space::sbuf && o.space != Space::psum) return;
      a.box = box_of(o);
      a.box.tensor = {};
      accesses.push_back(a);
    };
    for (const auto& run : profile.instructions) {
      if (run.core != core || run.instruction == kNone) continue;
      const auto& in = profile.program.instructions[run.instruction];
      for (const auto& o : in.operands) {
        if (in.queue == kNone) add(o, {run.begin, run.end, {}, is_written(o), run.instruction, false});
      }
    }
    for (const auto& run : profile.dmas) {
      if (run.core != core) continue;
      add(profile.program.descriptors[run.descriptor].from, {run.begin, run.end, {}, false, run.trigger, true});
      add(profile.program.descriptors[run.descriptor].to, {run.begin, run.end, {}, true, run.trigger, true});
    }
    std::stable_sort(accesses.begin(), accesses.end(), [](const Access& a, const Access& b) { return std::tie(a.begin.value, a.write) < std::tie(b.begin.value, b.write); });
    std::list<Lifetime> live;   // by first byte, then age
    for (const Access& a : accesses) {
      Lifetime life{core, a.box, a.begin, a.end, 1, 0, a.instruction, a.by_dma};
      for (auto at = live.begin(); at != live.end();) {
        if (!at->box.overlaps(a.box)) {
          ++at;
          continue;
        }
        if (!a.write) {
          ++at->reads;
          at->end = std::max(at->end, a.end);
          ++at;
          continue;
        }
        if (at->reads > 0 && at->end <= a.begin) {
          out.push_back(*at);
        } else {
          life.box.partition = std::min(life.box.partition, at->box.partition);
          life.box.partition_end = std::max(life.box.partition_end, at->box.partition_end);
          life.box.begin = std::min(life.box.begin, at->box.begin);
          life.box.end = std::max(life.box.end, at->box.end);
          if (at->begin <= life.begin) life.writer = at->writer, life.by_dma = at->by_dma;
          life.begin = std::min(life.begin, at->begin);
          life.end = std::max(life.end, at->end);
          life.writes += at->writes;
          life.reads += at->reads;
        }
        at = live.erase(at);
      }
      if (!a.write) continue;
      live.insert(std::find_if(live.begin(), live.end(), [&](const Lifetime& other) { return other.box.begin > life.box.begin; }), life);
    }
    out.insert(out.end(), live.begin(), live.end());
  }
  return out;
}

auto key(const Lifetime& l) {
  return std::tuple(l.begin.value, l.core, l.box.space, l.box.begin, l.box.end, l.box.partition, l.box.partition_end, l.end.value, l.writes, l.reads, l.writer,
                    l.by_dma);
}

std::vector<decltype(key(Lifetime{}))> keys(const std::vector<Lifetime>& lives) {
  std::vector<decltype(key(Lifetime{}))> out;
  for (const Lifetime& life : lives) out.push_back(key(life));
  std::sort(out.begin(), out.end());
  return out;
}

// Times collide, regions of very different sizes overlap, some runs belong to a second core.
device::DeviceProfile random_profile(uint32_t seed) {
  std::mt19937 random(seed);
  const auto below = [&](uint32_t n) { return static_cast<int64_t>(random() % n); };
  const auto place = [&](const char* role) {
    const int64_t elements = int64_t{1} << below(8);
    auto o = B::sbuf(role, 4 * below(400), elements, "float32", static_cast<int32_t>(1 + below(64)));
    o.partition = static_cast<int32_t>(below(64));
    if (below(3) == 0) o.space = Space::psum;
    return o;
  };
  B b;
  int64_t now = 0;
  for (int i = 0; i < 300; ++i) {
    now += below(4);
    const auto row = b.run(isa::Engine::vector, "tensor_copy", -1, now, now + below(12), {place("dst"), place("src0"), place("src1")});
    if (below(4) == 0) {
      const int64_t begin = now;
      below(2) == 0 ? b.dma(row, begin, begin + below(20), begin + 30, 64, B::hbm("src0", "x", 16), place("dst"))
                    : b.dma(row, begin, begin + below(20), begin + 30, 64, place("src0"), B::hbm("dst", "y", 16));
      b.profile.dmas.back().core = below(5) == 0;
    }
    b.profile.instructions.back().core = below(5) == 0;
  }
  return b.profile;
}

TEST(Lifetimes, AreAsTheDefinitionHasThem) {
  size_t lives = 0;
  for (uint32_t seed = 0; seed < 40; ++seed) {
    const auto profile = random_profile(seed);
    const auto found = lifetimes(profile);
    ASSERT_EQ(keys(found), keys(by_definition(profile, 2))) << "seed " << seed;
    EXPECT_TRUE(std::is_sorted(found.begin(), found.end(), [](const Lifetime& a, const Lifetime& b) { return a.begin < b.begin; }));
    lives += found.size();
  }
  EXPECT_GT(lives, 40u * 20) << "else the profiles say little";
}

TEST(Lifetimes, DoNotTrustTheOrderOfRuns) {
  auto profile = random_profile(1);
  for (size_t i = 0; i < profile.instructions.size(); ++i) profile.instructions[i].begin += Picos(static_cast<int64_t>(10 * i));   // one order only
  for (size_t i = 0; i < profile.instructions.size(); ++i) profile.instructions[i].end += Picos(static_cast<int64_t>(10 * i));
  const auto wanted = keys(lifetimes(profile));
  std::reverse(profile.instructions.begin(), profile.instructions.end());
  EXPECT_EQ(keys(lifetimes(profile)), wanted);
}

TEST(Occupancy, IsTheSumOfTheLivesThatAreOn) {
  const auto profile = random_profile(3);
  const auto lives = lifetimes(profile);
  const auto samples = occupancy(profile);
  ASSERT_FALSE(samples.empty());
  const auto of_lives = occupancy(lives);
  ASSERT_EQ(samples.size(), of_lives.size());
  for (size_t i = 0; i < samples.size(); ++i) {
    int64_t sbuf = 0, psum = 0;
    for (const Lifetime& life : lives) {
      if (life.core != samples[i].core || life.begin > samples[i].at || life.end <= samples[i].at) continue;
      (life.box.space == Space::sbuf ? sbuf : psum) += life.box.bytes();
    }
    EXPECT_EQ(samples[i].sbuf, sbuf) << i;
    EXPECT_EQ(samples[i].psum, psum) << i;
    EXPECT_EQ(std::tie(samples[i].at, samples[i].sbuf, samples[i].psum), std::tie(of_lives[i].at, of_lives[i].sbuf, of_lives[i].psum));
    if (i == 0) continue;
    EXPECT_LT(std::pair(samples[i - 1].core, samples[i - 1].at), std::pair(samples[i].core, samples[i].at)) << "each moment once";
  }
}

}  // namespace
}  // namespace lanewise::trace::device_analysis
