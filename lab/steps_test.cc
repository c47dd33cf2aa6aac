// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Instructions that no capture here has, on the units they belong to.
#include "lab/steps.h"

#include <gtest/gtest.h>

namespace lanewise::lab {
namespace {

trace::device::Instruction of(std::string opcode, isa::Engine engine, std::vector<std::string> roles, std::vector<int64_t> sizes = {512}) {
  trace::device::Instruction in;
  in.opcode = std::move(opcode);
  in.engine = engine;
  in.text = in.opcode + " (made by hand)";
  for (std::string& role : roles) {
    trace::device::Operand o;
    o.role = std::move(role);
    o.space = trace::device::Space::sbuf;
    o.dtype = "float32";
    o.partitions = 128;
    o.sizes = sizes;
    o.steps.assign(sizes.size(), 1);
    in.operands.push_back(o);
  }
  return in;
}
const machine::Machine& trn2() {
  static const machine::Machine m = machine::load_machine("trn2").value();
  return m;
}
Picos latency(const trace::device::Instruction& in) {
  const auto step = step_of(in, trn2());
  EXPECT_TRUE(step.ok()) << step.status().to_string();
  return step.ok() ? step->ours.stages.latency : Picos(0);
}

TEST(Steps, AnActivationWithATableTakesLongerThanACopy) {
  trace::device::Instruction in = of("ACTIVATE", isa::Engine::scalar, {"dst", "src0"});
  in.function = "exp";
  const Picos with_table = latency(in);
  in.function = "relu";
  EXPECT_EQ(with_table - latency(in), trn2().scalar.clock.to_picos(Cycles(trn2().scalar.function_fixed_cycles - trn2().scalar.copy_fixed_cycles)));
  EXPECT_EQ(latency(in), latency(of("COPY", isa::Engine::scalar, {"dst", "src0"})));
}

TEST(Steps, AReductionTakesTheTimeOfWhatItReads) {
  trace::device::Instruction in = of("TENSOR_REDUCE", isa::Engine::vector, {"dst", "src0"}, {32});
  in.operands[1].sizes = {32, 16};
  in.operands[1].steps = {16, 1};
  EXPECT_EQ(latency(in), trn2().vector.clock.to_picos(Cycles(trn2().vector.fixed_cycles + 512)));
}

TEST(Steps, WhatReadsNothingNeedsNoSourceAndGpSimdHasItsOwnClock) {
  EXPECT_EQ(latency(of("MEMSET", isa::Engine::gpsimd, {"dst"})), trn2().gpsimd.clock.to_picos(Cycles(trn2().gpsimd.fixed_cycles + 512)));
  EXPECT_EQ(latency(of("IOTA", isa::Engine::gpsimd, {"dst"})), trn2().gpsimd.clock.to_picos(Cycles(trn2().gpsimd.iota_fixed_cycles + 512)));
  const auto step = step_of(of("TENSOR_SCALAR", isa::Engine::vector, {"dst"}), trn2());
  EXPECT_EQ(step.status().message(), "no src0 operand in TENSOR_SCALAR (made by hand); the replay stops");
}

TEST(Steps, OpcodesWithoutAUnitStop) {
  for (const char* opcode : {"COMPARE_BRANCH", "BATCH_NORM_STATS2", "UNKNOWN_0x55"}) {
    EXPECT_EQ(work_of(opcode), Work::none);
    EXPECT_EQ(step_of(of(opcode, isa::Engine::vector, {}), trn2()).status().code(), StatusCode::unimplemented);
  }
  EXPECT_EQ(work_of("PSEUDO_BRANCH_LABEL"), Work::start);
  EXPECT_EQ(work_of("NOP"), Work::wait);
}

}  // namespace
}  // namespace lanewise::lab
