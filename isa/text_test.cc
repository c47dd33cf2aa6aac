// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <bit>
#include <fstream>
#include <sstream>

#include "isa/program.h"
#include "isa/random_program.h"
#include "isa/table.h"

namespace lanewise::isa {
namespace {

constexpr char kHeader[] = "program \"p\" machine=\"trn2\" semaphores=4\n";

Instruction only(const std::string& line) {
  const auto p = parse_text(kHeader + line);
  EXPECT_TRUE(p.ok()) << line << "\n" << p.status().to_string();
  if (!p.ok()) return {};
  for (const auto& stream : p->streams)
    if (!stream.empty()) return stream[0];
  ADD_FAILURE() << "no instruction in " << line;
  return {};
}

TEST(TextTest, RandomProgramsSurvive) {
  for (uint32_t seed = 0; seed < 300; ++seed) {
    const Program p = RandomProgram(seed).make();
    const std::string text = print_text(p);
    const auto back = parse_text(text);
    ASSERT_TRUE(back.ok()) << seed << " " << back.status().to_string();
    ASSERT_TRUE(*back == p) << "seed " << seed << "\n" << text;
    EXPECT_EQ(print_text(*back), text);
  }
}

TEST(TextTest, OneInstructionALine) {
  Instruction i;
  i.op = Opcode::tensor_scalar;
  i.engine = Engine::vector;
  i.op0 = AluOp::multiply;
  i.op1 = AluOp::add;
  i.reverse1 = true;
  i.dst = {Space::sbuf, DType::bf16, 1, 3, 32, 4, 4096, -64, {{{1, 512}}}};
  i.src0 = {Space::psum, DType::f32, 2, -1, 0, 4, 0, 0, {{{-512, 8}, {0, 64}}}};
  i.scalar0 = Scalar::of(0.1f);
  i.scalar1 = Scalar::of_parameter(1);
  i.wait = {3, 16};
  i.update = {1, 2};
  i.debug = 5;
  const std::string text =
      "vector tensor_scalar op0=multiply op1=add reverse1 dst=sbuf.bf16[32:36]@4096+r3*-64{1x512} "
      "src0=psum.f32[0:4]@0{-512x8,0x64} scalar0=f32:0.1 scalar1=param:1 wait=s3>=16 update=s1+2 debug=5";
  EXPECT_EQ(print_text(i), text);
  EXPECT_TRUE(only(text) == i);
}

TEST(TextTest, FloatsKeepTheirBits) {
  for (uint32_t bits : {0x7fc00000u, 0xffc12345u, 0x7f800001u, 0x7f800000u, 0xff800000u, 0x80000000u, 1u, 0x3dcccccdu}) {
    Instruction i;
    i.op = Opcode::memset;
    i.engine = Engine::vector;
    i.scalar0 = Scalar::of(std::bit_cast<float>(bits));
    EXPECT_EQ(std::bit_cast<uint32_t>(only(print_text(i)).scalar0.f), bits) << print_text(i);
  }
}

TEST(TextTest, RefusedProgramsStillPrintAndParse) {
  Program p;
  p.name = "bad";
  Instruction i;
  i.op = Opcode::tensor_copy;
  i.engine = Engine::pe;
  i.fn = ActFn::exp;
  i.scalar1 = Scalar::of_int(-3);
  i.wait = {-1, 7};
  p.streams[0].push_back(i);
  ASSERT_FALSE(verify(p, kRandomLimits).ok());
  EXPECT_TRUE(parse_text(print_text(p)).value() == p);
}

TEST(TextTest, CommentsBlankLinesAndEnginesInAnyOrder) {
  const auto p = parse_text(std::string("# a program\n\n") + kHeader +
                            "sync semaphore_wait wait=s0>=1   # first\r\n\tvector semaphore_wait wait=s1>=1\n"
                            "sync semaphore_increment update=s0+1");
  ASSERT_TRUE(p.ok()) << p.status().to_string();
  EXPECT_EQ(p->streams[static_cast<size_t>(Engine::sync)].size(), 2u);
  EXPECT_EQ(p->streams[static_cast<size_t>(Engine::vector)].size(), 1u);
}

TEST(TextTest, ErrorsNameLineAndColumn) {
  const std::pair<const char*, const char*> cases[] = {
      {"vektor memset", "line 2, column 1: 'vektor' is neither an engine nor program, buffer, parameter or debug"},
      {"vector memzet", "line 2, column 14: 'memzet' is not an instruction"},
      {"vector memset dest=sbuf.f32[0:1]@0", "line 2, column 19: 'dest' is not a field of an instruction"},
      {"vector memset dst=sbuf.f33[0:1]@0", "line 2, column 24: cannot read the value of dst"},
      {"vector memset dst=sbuf.f32[4:1]@0", "line 2, column 31: cannot read the value of dst"},
      {"vector memset dst=sbuf.f32[0:1]@0{1x1,1x1,1x1,1x1,1x1}", "line 2, column 51: cannot read the value of dst"},
      {"vector memset dst=sbuf.f32[0:1]@0{1x}", "line 2, column 37: cannot read the value of dst"},
      {"vector memset dst=sbuf.f32[0:99999999999]@0", "line 2, column 30: cannot read the value of dst"},
      {"vector memset dst=sbuf.f32[0:1]@0;", "line 2, column 34: unexpected characters after dst"},
      {"vector memset debug=1 debug=2", "line 2, column 28: debug is given twice"},
      {"pe nc_matmul accumulate=1", "line 2, column 24: unexpected characters after accumulate"},
      {"vector memset scalar0=f32:", "line 2, column 27: cannot read the value of scalar0"},
      {"vector memset scalar0=f32:nan:3f800000", "line 2, column 39: cannot read the value of scalar0"},
      {"buffer inout \"x\" bytes=4", "line 2, column 13: expected input, output, constant or scratch"},
      {"buffer constant \"x\" bytes=1 data=0", "line 2, column 35: data must have two hex digits a byte"},
      {"buffer constant \"x\" bytes=1 data=0g", "line 2, column 36: data must be hex digits"},
      {"buffer input \"x bytes=4", "line 2, column 24: expected the buffer's name in quotes"},
      {"buffer input \"x\" bytes=4 5", "line 2, column 26: unexpected '5'"},
      {"parameter \"p\" f31", "line 2, column 15: expected a dtype"},
      {"debug 2 \"a\" \"b\"", "line 2, column 8: debug entries must count up; expected 1"},
      {"program \"q\" machine=\"\" semaphores=0", "line 2, column 8: a second program line"},
  };
  for (const auto& [line, message] : cases) {
    const auto p = parse_text(std::string(kHeader) + line);
    ASSERT_FALSE(p.ok()) << line;
    EXPECT_EQ(p.status().code(), StatusCode::invalid_argument);
    EXPECT_EQ(p.status().message(), message) << line;
  }
  EXPECT_EQ(parse_text("").status().message(), "line 1, column 1: the text must begin with a program line");
  EXPECT_EQ(parse_text("sync loop_end").status().message(), "line 1, column 5: the text must begin with a program line");
}

TEST(TextTest, DamagedTextNeverDoesMoreThanFail) {
  std::mt19937 random(3);
  int refused = 0;
  for (uint32_t seed = 0; seed < 150; ++seed) {
    Program p = RandomProgram(seed).make();
    for (Buffer& b : p.buffers) b.data.resize(std::min<size_t>(b.data.size(), 8));
    std::string text = print_text(p);
    for (int edits = 0; edits < 4; ++edits) {
      const size_t at = random() % text.size();
      if (random() % 2) text[at] = static_cast<char>(random());
      else text.erase(at, 1 + random() % 9);
    }
    const auto back = parse_text(text);
    refused += !back.ok();
    if (back.ok()) { EXPECT_TRUE(parse_text(print_text(*back)).ok()); }
  }
  EXPECT_GT(refused, 50);
}

}  // namespace
}  // namespace lanewise::isa
