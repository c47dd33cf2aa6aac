// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Programs made up here, ours and in the form of neuronx-cc's, run on named arrays.
#include "lab/run_neff.h"

#include <gtest/gtest.h>

#include <cstring>

#include "lab/real_program.h"
#include "trace/import/neff/neff_fixture.h"
#include "trace/import/neff/program.h"

namespace lanewise::lab {
namespace {

using trace::neff::small_neff;

machine::Machine trn2() {
  auto m = machine::load_machine("trn2");
  LW_CHECK(m.ok(), m.status().to_string());
  return std::move(m).value();
}
trace::neff::Npy floats(std::vector<float> v, std::vector<int64_t> shape) {
  return {"float32", std::move(shape), std::string(reinterpret_cast<const char*>(v.data()), v.size() * 4)};
}
std::vector<float> values(const trace::neff::Npy& a) {
  std::vector<float> out(a.bytes.size() / 4);
  std::memcpy(out.data(), a.bytes.data(), a.bytes.size());
  return out;
}
std::vector<float> count_up() {
  std::vector<float> x(32);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i) - 7.5f;
  return x;
}

TEST(RunNeff, OneOfOursWithAParameter) {
  const auto program = isa::parse_text(R"(program "scale" machine="trn2" semaphores=2
buffer input "x" bytes=128
buffer output "y" bytes=128
parameter "k" f32
sync dma_copy dst=sbuf.f32[0:4]@0{1x8} hbm_src=hbm0.f32@0{8x4,1x8} update=s0+1
sync dma_copy src0=sbuf.f32[0:4]@64{1x8} hbm_dst=hbm1.f32@0{8x4,1x8} wait=s1>=1
vector tensor_scalar op0=multiply dst=sbuf.f32[0:4]@64{1x8} src0=sbuf.f32[0:4]@0{1x8} scalar0=param:0 wait=s0>=1 update=s1+1
)");
  ASSERT_TRUE(program.ok()) << program.status().to_string();
  const auto bytes = trace::record::write_neff(*program, 1, "", "test");
  ASSERT_TRUE(bytes.ok());
  const auto r = run_neff(*bytes, {{"x", floats(count_up(), {4, 8})}, {"k", floats({3}, {})}}, trn2());
  ASSERT_TRUE(r.ok()) << r.status().to_string();
  EXPECT_EQ(r->outputs.at("y").dtype, "float32");
  const auto y = values(r->outputs.at("y"));
  for (size_t i = 0; i < y.size(); ++i) EXPECT_EQ(y[i], 3 * count_up()[i]);
  EXPECT_EQ(run_neff(*bytes, {{"x", floats(count_up(), {4, 8})}}, trn2()).status().message(), "input k is missing; the program takes k (float32 []) x (float32 [])");
}

TEST(RunNeff, OneInTheFormOfNeuronxCc) {
  const auto r = run_neff(small_neff().bytes(), {{"x", floats(count_up(), {4, 8})}}, trn2());
  ASSERT_TRUE(r.ok()) << r.status().to_string();
  EXPECT_EQ(r->outputs.at("y").shape, (std::vector<int64_t>{4, 8}));
  const auto y = values(r->outputs.at("y"));
  for (size_t i = 0; i < y.size(); ++i) EXPECT_EQ(y[i], 2 * count_up()[i]);
}

TEST(RunNeff, WhatIsNotUnderstoodStopsWithItsBytes) {
  trace::neff::Fixture f = small_neff();
  std::string& binary = f.members["sg00/DVE.bin"];
  binary[2 * 64 + 14] = 0x3d;   // an operation that is not in the table
  auto r = run_neff(f.bytes(), {{"x", floats(count_up(), {4, 8})}}, trn2());
  EXPECT_EQ(r.status().code(), StatusCode::unimplemented);
  EXPECT_NE(r.status().message().find("sg00/DVE.bin instruction 2: ALU code 0x3d is not known: 41100000 05081306"), std::string::npos) << r.status().message();
  binary[2 * 64 + 14] = 0x17;   // one that is, and that we do not compute
  r = run_neff(f.bytes(), {{"x", floats(count_up(), {4, 8})}}, trn2());
  EXPECT_NE(r.status().message().find("the operation absolute_difference has no counterpart: 41100000"), std::string::npos) << r.status().message();
  binary[2 * 64] = 0x58;        // an opcode of which only the name is known
  auto neff = trace::neff::read_file(f.bytes());
  ASSERT_TRUE(neff.ok());
  EXPECT_NE(real_program(*neff, 0).status().message().find("MAX_POOL_SELECT is known by its name only: 58100000"), std::string::npos);
  binary[2 * 64] = 0x55;        // and one that nobody knows
  neff = trace::neff::read_file(f.bytes());
  EXPECT_NE(real_program(*neff, 0).status().message().find("opcode 0x55 is not known"), std::string::npos);
  EXPECT_EQ(real_program(*neff, 1).status().code(), StatusCode::not_found);
}

TEST(RunNeff, DescriptorsThatHaveNoCounterpartAreRefused) {
  const auto with = [](const std::string& from, const std::string& to) {
    trace::neff::Fixture f = small_neff();
    std::string& json = f.members["sg00/SP.json"];
    json.replace(json.find(from), from.size(), to);
    return run_neff(f.bytes(), {{"x", floats(count_up(), {4, 8})}}, trn2()).status();
  };
  trace::neff::Fixture large = small_neff();
  std::string& def = large.members["sg00/def.json"];
  def.replace(def.rfind("128"), 3, "9000000000000000");
  EXPECT_EQ(run_neff(large.bytes(), {{"x", floats(count_up(), {4, 8})}}, trn2()).status().code(), StatusCode::data_loss);
  EXPECT_EQ(with("\"op\": \"copy\"", "\"op\": \"transpose\"").code(), StatusCode::unimplemented);
  EXPECT_EQ(with("\"from_sizes\": [32, 4]", "\"from_sizes\": [32, 3]").code(), StatusCode::data_loss);
  EXPECT_EQ(with("\"from\": \"x\"", "\"from\": \"z\"").code(), StatusCode::data_loss);
  EXPECT_EQ(with("\"to_steps\": [1, 262144]", "\"to_steps\": [1, 524288]").code(), StatusCode::unimplemented);
  EXPECT_EQ(with("\"to_off\": 64", "\"to_off\": 33554432").code(), StatusCode::unimplemented);   // PSUM
  EXPECT_EQ(with("\"from_off\": 0", "\"from_off\": 64").code(), StatusCode::out_of_range);       // past the tensor
  EXPECT_EQ(with("\"semaphore\": 8", "\"semaphore\": 10").code(), StatusCode::failed_precondition);   // nobody tells the adder
  EXPECT_TRUE(with("\"from_steps\": [1, 32]", "\"from_steps\": [1, 0]").ok());                   // a broadcast
}

}  // namespace
}  // namespace lanewise::lab
