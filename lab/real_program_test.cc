// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Real binaries on the simulated core, where they are there (../shared/hardware beside the source, or LANEWISE_SHARED).
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>

#include "lab/real_program.h"
#include "lab/run_neff.h"
#include "sim/chip/chip.h"
#include "trace/import/neff/program.h"

namespace lanewise::lab {
namespace {

std::string file(const std::string& name) {
  const char* shared = std::getenv("LANEWISE_SHARED");
  const auto path = std::filesystem::path(shared != nullptr ? shared : LANEWISE_SOURCE_DIR "/../shared") / "hardware" / name;
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
#define LW_REAL_FILE(variable, name) \
  const std::string variable = file(name); \
  if (variable.empty()) GTEST_SKIP() << name << " is not there: real programs are not run"

machine::Machine trn2() {
  auto m = machine::load_machine("trn2");
  LW_CHECK(m.ok(), m.status().to_string());
  return std::move(m).value();
}

std::vector<float> random_floats(size_t n, uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> value;
  std::vector<float> out(n);
  for (float& f : out) f = value(random);
  return out;
}
trace::neff::Npy array(const std::vector<float>& v) {
  return {"float32", {static_cast<int64_t>(v.size())}, std::string(reinterpret_cast<const char*>(v.data()), v.size() * 4)};
}
std::vector<float> floats(const trace::neff::Npy& a) {
  std::vector<float> out(a.bytes.size() / 4);
  std::memcpy(out.data(), a.bytes.data(), a.bytes.size());
  return out;
}

TEST(RealProgram, AddsExactly) {
  LW_REAL_FILE(neff, "stream_256k_fd1k.neff");
  const auto a = random_floats(256000, 1), b = random_floats(256000, 2);
  auto r = run_neff(neff, {{"a_vec", array(a)}, {"b_vec", array(b)}}, trn2());
  ASSERT_TRUE(r.ok()) << r.status().to_string();
  const auto out = floats(r->outputs.at("out"));
  for (size_t i = 0; i < out.size(); ++i) ASSERT_EQ(out[i], a[i] + b[i]) << i;
  EXPECT_TRUE(r->notes.empty()) << r->notes[0];
}

TEST(RealProgram, TransposesBits) {
  LW_REAL_FILE(neff, "transpose_1024.neff");
  const auto a = random_floats(1024 * 1024, 3);
  auto r = run_neff(neff, {{"a_tensor", array(a)}}, trn2());
  ASSERT_TRUE(r.ok()) << r.status().to_string();
  EXPECT_EQ(r->outputs.at("out").shape, (std::vector<int64_t>{1024, 1024}));
  const auto out = floats(r->outputs.at("out"));
  for (size_t i = 0; i < 1024; ++i)
    for (size_t j = 0; j < 1024; ++j) ASSERT_EQ(out[i * 1024 + j], a[j * 1024 + i]);
}

TEST(RealProgram, ConvolvesInF32) {
  LW_REAL_FILE(neff, "conv2d_3_float32_smaller.neff");
  const auto x = random_floats(256 * 32 * 16, 4), w = random_floats(256 * 256 * 9, 5), bias = random_floats(256, 6);
  auto r = run_neff(neff, {{"X", array(x)}, {"W", array(w)}, {"bias", array(bias)}}, trn2());
  ASSERT_TRUE(r.ok()) << r.status().to_string();
  const auto out = floats(r->outputs.at("X_out"));
  ASSERT_EQ(out.size(), 256u * 30 * 14);
  double error = 0, largest = 0;
  for (size_t o = 0; o < 256; o += 5)
    for (size_t i = 0; i < 30; ++i)
      for (size_t j = 0; j < 14; ++j) {
        double sum = bias[o];
        for (size_t c = 0; c < 256; ++c)
          for (size_t k = 0; k < 9; ++k) sum += double{w[(o * 256 + c) * 9 + k]} * x[(c * 32 + i + k / 3) * 16 + j + k % 3];
        error = std::max(error, std::abs(out[(o * 30 + i) * 14 + j] - sum));
        largest = std::max(largest, std::abs(sum));
      }
  EXPECT_LT(error, 1e-5 * largest);
}

TEST(RealProgram, EveryInstructionButSetUpHasItsPlaceAndTheTimingModelReachesTheEnd) {
  for (const char* name : {"stream_256k_fd1k.neff", "transpose_1024.neff", "conv2d_3_float32_smaller.neff", "conv2d_4_float16_smaller.neff"}) {
    LW_REAL_FILE(bytes, name);
    SCOPED_TRACE(name);
    auto neff = trace::neff::read_file(bytes);
    ASSERT_TRUE(neff.ok()) << neff.status().to_string();
    for (size_t c = 0; c < neff->cores.size(); ++c) {
      auto real = real_program(*neff, c);
      ASSERT_TRUE(real.ok()) << real.status().to_string();
      for (size_t e = 0; e < isa::kEngineCount; ++e) {
        ASSERT_EQ(real->source[e].size(), real->program.streams[e].size());
        EXPECT_EQ(real->program.streams[e].size() + 2, neff->cores[c].engines[e].instructions.size());   // set-up: 2
        for (size_t i = 0; i < real->source[e].size(); ++i) EXPECT_EQ(real->source[e][i], i + 2);
      }
      const machine::Machine m = machine_for(*real, trn2());
      const Status legal = isa::verify(real->program, {m.memory.sbuf_partition_bytes, 16384});
      EXPECT_TRUE(legal.ok()) << legal.to_string();
      const Status hazards = sim::check_hazards(real->program, m);
      EXPECT_TRUE(hazards.ok()) << hazards.to_string();
      auto timing = sim::time_program(real->program, m, {.records = true});
      ASSERT_TRUE(timing.ok()) << timing.status().to_string();
      EXPECT_EQ(timing->instructions, real->program.instruction_count());
      if (c == 0) {
        EXPECT_GT(timing->duration, Picos(5'000'000));
        EXPECT_LT(timing->duration, Picos(500'000'000));
      }
    }
  }
}

TEST(RealProgram, WrongInputsAreNamed) {
  LW_REAL_FILE(neff, "stream_256k_fd1k.neff");
  EXPECT_EQ(run_neff(neff, {}, trn2()).status().message(),
            "input a_vec is missing; the program takes a_vec (float32 [256000]) b_vec (float32 [256000])");
  const auto a = random_floats(10, 1);
  const auto wrong = run_neff(neff, {{"a_vec", array(a)}, {"b_vec", array(a)}}, trn2());
  EXPECT_EQ(wrong.status().code(), StatusCode::invalid_argument);
  EXPECT_EQ(run_neff(neff, {{"c", array(a)}}, trn2()).status().code(), StatusCode::not_found);
}

}  // namespace
}  // namespace lanewise::lab
