// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule_module.h"

#include <map>

#include <gtest/gtest.h>

namespace lanewise::compiler {
namespace {

constexpr char kRmsNorm[] = R"(module "rms" {
  %0 = input 0 : bf16[4,512]{512,1}
  %1 = convert %0 : f32[4,512]
  %2 = binary multiply %1, %1 : f32[4,512]
  %3 = reduce add dims [1] %2 : f32[4,1]
  %4 = constant 0.001953125 : f32[1,1]
  %5 = binary multiply %3, %4 : f32[4,1]
  %6 = constant 1e-06 : f32[1,1]
  %7 = binary add %5, %6 : f32[4,1]
  %8 = unary rsqrt %7 : f32[4,1]
  %9 = binary multiply %1, %8 : f32[4,512]
  %10 = input 1 : bf16[512]{1}
  %11 = reshape %10 : bf16[1,512]
  %12 = convert %11 : f32[1,512]
  %13 = binary multiply %9, %12 : f32[4,512]
  %14 = convert %13 : bf16[4,512]
  store %14 to output 0 {512,1}
})";

Result<isa::Program> schedule(const char* text, CompileOptions options = {}) {
  LW_ASSIGN_OR_RETURN(ir::Module module, ir::parse_text(text));
  LW_RETURN_IF_ERROR(ir::verify(module));
  LW_ASSIGN_OR_RETURN(machine::Machine machine, machine::load_machine("trn2"));
  return schedule_module(module, machine, options);
}

TEST(ScheduleModule, AFusedNormIsOneStageOfAFewInstructions) {
  int stages = 0;
  CompileOptions options;
  options.dump = [&](std::string_view pass, const std::string& text) {
    if (pass != "partition") return;
    for (size_t at = text.find("\nstage "); at != std::string::npos; at = text.find("\nstage ", at + 1)) ++stages;
  };
  const auto program = schedule(kRmsNorm, options);
  ASSERT_TRUE(program.ok()) << program.status().to_string();
  EXPECT_EQ(stages, 1);
  // Two loads, square and sum, rsqrt, two multiplications, one store: no conversion, no intermediate in memory. An
  // instruction carries one wait; the last multiplication needs two inputs from elsewhere, so one wait stands alone.
  EXPECT_EQ(program->instruction_count(), 8) << isa::print_text(*program);
  for (const isa::Buffer& buffer : program->buffers) EXPECT_NE(buffer.kind, isa::Buffer::Kind::scratch);
}

// Two graphs of one code: only the nodes differ, which are numbered apart from the program.
TEST(ScheduleModule, TellsTheNodeOfEachDebugEntryBesideTheProgram) {
  constexpr char kText[] = R"(module "m" {
  %0 = input 0 : f32[4,512]{512,1}
  %1 = input 1 : f32[4,512]{512,1}
  %2 = binary multiply %0, %0 : f32[4,512] from "aten::mul.Tensor" node A
  %3 = unary exp %2 : f32[4,512] from "aten::exp" node B
  %4 = binary multiply %3, %1 : f32[4,512] from "aten::mul.Tensor" node C
  %5 = binary add %4, %0 : f32[4,512]
  store %5 to output 0 {512,1}
})";
  const auto nodes_of = [&](const std::string& a, const std::string& b, const std::string& c, uint64_t* hash) {
    std::string text = kText;
    for (const auto& [mark, number] : {std::pair("node A", a), std::pair("node B", b), std::pair("node C", c)})
      text.replace(text.find(mark), 6, "node " + number);
    std::vector<int32_t> nodes;
    CompileOptions options;
    options.debug_nodes = &nodes;
    const auto program = schedule(text.c_str(), options);
    EXPECT_TRUE(program.ok()) << program.status().to_string();
    *hash = isa::program_hash(*program);
    EXPECT_EQ(nodes.size(), program->debug.size());
    std::map<std::string, int32_t> by_op;
    for (size_t i = 0; i < nodes.size(); ++i) by_op[program->debug[i].ir_op] = nodes[i];
    return by_op;
  };
  uint64_t one = 0, other = 0;
  // Loads belong to the first node that reads; what no node made is nobody's.
  EXPECT_EQ(nodes_of("0", "1", "2", &one),
            (std::map<std::string, int32_t>{{"", -1}, {"%0 input 0", 0}, {"%1 input 1", 2}, {"%2 binary multiply", 0}, {"%3 unary exp", 1}, {"%4 binary multiply", 2}, {"%5 binary add", -1}}));
  EXPECT_EQ(nodes_of("5", "7", "8", &other)["%1 input 1"], 8);
  EXPECT_EQ(one, other);
}

TEST(ScheduleModule, NoElementsGiveAProgramWithoutInstructions) {
  const auto program = schedule(R"(module "empty" {
    %0 = input 0 : f32[0,4]{4,1}
    %1 = binary add %0, %0 : f32[0,4]
    store %1 to output 0 {4,1}
  })");
  ASSERT_TRUE(program.ok()) << program.status().to_string();
  EXPECT_EQ(program->instruction_count(), 0);
  EXPECT_EQ(program->buffers.size(), 2u);
}

TEST(ScheduleModule, EveryInstructionNamesItsOp) {
  const auto program = schedule(kRmsNorm);
  ASSERT_TRUE(program.ok());
  for (const auto& stream : program->streams)
    for (const isa::Instruction& i : stream) EXPECT_NE(i.debug, 0u);
}

}  // namespace
}  // namespace lanewise::compiler
