// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/stage/place.h"

#include <gtest/gtest.h>

#include "compiler/stage/collapse.h"
#include "compiler/stage/find_copy.h"
#include "compiler/stage/partition.h"

namespace lanewise::compiler::stage {
namespace {

Stage one_stage(const std::string& text) {
  const auto module = ir::parse_text(text);
  EXPECT_TRUE(module.ok()) << module.status().to_string();
  Schedule s = partition(*module);
  EXPECT_EQ(s.stages.size(), 1u);
  collapse_atoms(s.stages[0]);
  return s.stages[0];
}

std::vector<Stage> placed(const Stage& stage) {
  machine::Machine machine;
  return place_atoms(stage, machine);
}

int64_t product(const Stage& s, const std::vector<int32_t>& atoms) {
  int64_t n = 1;
  for (int32_t a : atoms) n *= s.atoms[a].size;
  return n;
}

std::string square(const std::string& shape, const std::string& strides) {
  return "module \"m\" {\n  %0 = input 0 : f32[" + shape + "]{" + strides + "}\n  %1 = binary multiply %0, %0 : f32[" + shape + "]\n  store %1 to output 0 {" + strides + "}\n}";
}

TEST(Collapse, ContiguousMemoryIsOneAtom) { EXPECT_EQ(one_stage(square("3,5,7", "35,7,1")).atoms.size(), 1u); }

TEST(Collapse, GapsAndBroadcastsKeepAtomsApart) {
  EXPECT_EQ(one_stage(square("3,5,7", "64,7,1")).atoms.size(), 2u);
  EXPECT_EQ(one_stage(R"(module "bias" {
    %0 = input 0 : f32[3,5,7]{35,7,1}
    %1 = input 1 : f32[1,1,7]{7,7,1}
    %2 = binary add %0, %1 : f32[3,5,7]
    store %2 to output 0 {35,7,1}
  })").atoms.size(), 2u);
}

TEST(Collapse, UnitAtomsGo) { EXPECT_TRUE(one_stage(square("1,1", "1,1")).atoms.empty()); }

TEST(Place, OneDimensionSpreadsOverAllPartitions) {
  const auto stages = placed(one_stage(square("1280", "1")));
  ASSERT_EQ(stages.size(), 1u);
  EXPECT_EQ(product(stages[0], stages[0].place.partition), 128);
  EXPECT_EQ(product(stages[0], stages[0].place.free), 10);
}

TEST(Place, WhatDoesNotDivideIsAStageOfItsOwn) {
  const auto stages = placed(one_stage(square("8191", "1")));   // a prime
  ASSERT_EQ(stages.size(), 2u);
  int64_t elements = 0;
  for (const Stage& s : stages) {
    elements += product(s, s.place.partition) * product(s, s.place.free);
    EXPECT_EQ(s.order, stages[0].order);   // clones touch different elements
  }
  EXPECT_EQ(elements, 8191);
}

TEST(Place, ReducedAtomsLieOnTheFreeAxis) {
  const auto stages = placed(one_stage(R"(module "sum" {
    %0 = input 0 : f32[300,40]{40,1}
    %1 = reduce add dims [1] %0 : f32[300,1]
    store %1 to output 0 {1,1}
  })"));
  for (const Stage& s : stages) {
    bool reduced_is_free = false;
    for (int32_t a : s.place.free) reduced_is_free |= s.atoms[a].role == Atom::Role::reduced;
    EXPECT_TRUE(reduced_is_free);
    for (int32_t a : s.place.partition) EXPECT_EQ(s.atoms[a].role, Atom::Role::kept);
  }
}

TEST(Place, ShortRowsShareAPartition) {
  const auto stages = placed(one_stage(R"(module "bias" {
    %0 = input 0 : f32[1000000,3]{3,1}
    %1 = input 1 : f32[1,3]{3,1}
    %2 = binary add %0, %1 : f32[1000000,3]
    store %2 to output 0 {3,1}
  })"));
  EXPECT_GE(product(stages[0], stages[0].place.free), 256);
}

TEST(FindCopy, RunsGoByDmaAloneScatteredElementsDoNot) {
  Stage rows = one_stage("module \"m\" {\n  %0 = input 0 : f32[64,100]{200,1}\n  store %0 to output 0 {100,1}\n}");
  find_copy(rows);
  EXPECT_EQ(rows.kind, Stage::Kind::copy);
  Stage turned = one_stage("module \"m\" {\n  %0 = input 0 : f32[64,100]{1,64}\n  store %0 to output 0 {100,1}\n}");
  find_copy(turned);
  EXPECT_EQ(turned.kind, Stage::Kind::tile);
  Stage nothing = one_stage("module \"m\" {\n  %0 = input 0 : f32[64,100]{100,1}\n  store %0 to input 0\n}");
  find_copy(nothing);
  EXPECT_TRUE(nothing.stores.empty());
}

}  // namespace
}  // namespace lanewise::compiler::stage
