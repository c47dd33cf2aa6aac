// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Instructions that no file here has, built as they are described and run: x is loaded, one instruction makes y of it.
#include "lab/real_elements.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <functional>

#include "lab/run_neff.h"
#include "trace/import/neff/neff_fixture.h"

namespace lanewise::lab {
namespace {

using trace::record::store_le;

std::vector<float> input() {
  std::vector<float> x(32);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 11) - 4.5f;
  return x;
}
uint32_t bits(float f) { return std::bit_cast<uint32_t>(f); }

void pattern(std::string* b, size_t at, uint32_t address, std::vector<uint16_t> counts, std::vector<uint16_t> steps) {
  store_le<uint32_t>(b, at, address);
  for (size_t d = 0; d < counts.size(); ++d) {
    store_le<uint16_t>(b, at + 4 + 2 * d, steps[d]);
    store_le<uint16_t>(b, at + 4 + 2 * (counts.size() + d), counts[d]);
  }
}
std::string one(uint8_t opcode) { return trace::neff::instruction(opcode, 8, 16, 6); }
void both4(std::string* b) {
  pattern(b, 12, 64, {8, 1, 1, 1}, {1, 1, 1, 1});
  pattern(b, 44, 128, {8, 1, 1, 1}, {1, 1, 1, 1});
  (*b)[32] = (*b)[33] = 0x0a, (*b)[34] = 4;
}
void both3(std::string* b) {
  pattern(b, 16, 64, {8, 1, 1}, {1, 1, 1});
  pattern(b, 48, 128, {8, 1, 1}, {1, 1, 1});
  (*b)[32] = (*b)[33] = 0x0a, (*b)[34] = 4;
}

// y of a program whose engine `member` runs `instruction`; the result's sentence where it refuses.
struct Outcome {
  std::vector<float> y;
  std::vector<std::string> notes;
  std::string refused;
};
Outcome run(const std::string& instruction, const std::string& member = "sg00/DVE.bin") {
  trace::neff::Fixture f = trace::neff::small_neff();
  const std::string setup = trace::neff::instruction(0xb1) + trace::neff::instruction(0xcc);
  f.members["sg00/DVE.bin"] = setup;
  f.members[member] = setup + instruction;
  const auto x = input();
  auto machine = machine::load_machine("trn2");
  LW_CHECK(machine.ok(), machine.status().to_string());
  const auto r = run_neff(f.bytes(), {{"x", {"float32", {4, 8}, std::string(reinterpret_cast<const char*>(x.data()), 128)}}}, *machine);
  Outcome out;
  if (!r.ok()) {
    out.refused = r.status().message();
    return out;
  }
  out.y.resize(32);
  std::memcpy(out.y.data(), r->outputs.at("y").bytes.data(), 128);
  out.notes = r->notes;
  return out;
}
void expect(const Outcome& r, const std::function<float(size_t partition, size_t column)>& wanted) {
  ASSERT_EQ(r.refused, "");
  for (size_t p = 0; p < 4; ++p)
    for (size_t c = 0; c < 8; ++c) EXPECT_FLOAT_EQ(r.y[p * 8 + c], wanted(p, c)) << p << " " << c;
}
float x(size_t p, size_t c) { return input()[p * 8 + c]; }

TEST(RealElements, TensorScalarWithValuesPointersAndReversedSteps) {
  std::string b = one(0x43);
  both3(&b);
  b[36] = 0x05, b[37] = 0x08, b[38] = 1;   // maximum(3 - x, 0.5)
  store_le<uint32_t>(&b, 40, bits(3));
  store_le<uint32_t>(&b, 44, bits(0.5f));
  Outcome r = run(b);
  expect(r, [](size_t p, size_t c) { return std::max(3 - x(p, c), 0.5f); });
  ASSERT_EQ(r.notes.size(), 3u);
  EXPECT_EQ(r.notes[2], "TENSOR_SCALAR is read as public descriptions have it, which no file has proved");
  b[35] = 1, b[36] = 0x06, b[37] = 0, b[38] = 0;   // times the first element of each partition
  store_le<uint32_t>(&b, 40, 64);
  expect(run(b), [](size_t p, size_t c) { return x(p, c) * x(p, 0); });
  b[36] = 0, b[37] = 0x04;
  EXPECT_NE(run(b).refused.find("a second operation without a first: 43100000"), std::string::npos);
}

TEST(RealElements, ReductionsOverTheInnermostDimensionsWithTheirResultsNegated) {
  std::string b = one(0x42);
  both4(&b);
  pattern(&b, 12, 64, {4, 1, 8, 1}, {0, 1, 1, 1});   // every element four times
  b[36] = 0x04, b[37] = 3, b[35] = 1;                // minus the sum over the two innermost
  expect(run(b), [](size_t p, size_t c) { return -4 * x(p, c); });
  pattern(&b, 12, 64, {8, 8, 1, 1}, {1, 0, 1, 1});   // the whole partition, eight times
  b[36] = 0x08, b[37] = 2, b[35] = 0;
  expect(run(b), [](size_t p, size_t) {
    float most = x(p, 0);
    for (size_t c = 1; c < 8; ++c) most = std::max(most, x(p, c));
    return most;
  });
  b[36] = 0x05;
  EXPECT_NE(run(b).refused.find("a reduction by subtract"), std::string::npos);
  b[36] = 0x08, b[37] = 0;
  EXPECT_NE(run(b).refused.find("a reduction over no dimension"), std::string::npos);
}

TEST(RealElements, PoolsAreMaximaOrScaledSums) {
  std::string b = one(0x45);
  both4(&b);
  pattern(&b, 12, 64, {2, 1, 8, 1}, {0, 1, 1, 1});
  b[36] = 2, b[37] = 3;
  store_le<uint32_t>(&b, 40, bits(0.25f));
  expect(run(b), [](size_t p, size_t c) { return x(p, c) / 2; });
  b[36] = 1;
  expect(run(b), [](size_t p, size_t c) { return x(p, c); });
}

TEST(RealElements, MemsetIotaAndCopies) {
  std::string b = one(0x49);
  store_le<uint32_t>(&b, 28, 8);
  b[32] = 0x0a, b[34] = 4;
  store_le<uint32_t>(&b, 40, bits(-2.5f));
  pattern(&b, 44, 128, {8, 1, 1, 1}, {1, 1, 1, 1});
  expect(run(b), [](size_t, size_t) { return -2.5f; });
  b = one(0x7e);
  both4(&b);
  b[32] = 0;
  store_le<uint32_t>(&b, 12, 7);                       // base
  store_le<uint16_t>(&b, 16, 3);                       // step of the innermost dimension
  for (int d = 0; d < 4; ++d) store_le<uint16_t>(&b, 24 + 2 * static_cast<size_t>(d), d == 0 ? 8 : 1);
  store_le<uint32_t>(&b, 36, 100);
  expect(run(b, "sg00/Pool.bin"), [](size_t p, size_t c) { return 7.0f + 100.0f * static_cast<float>(p) + 3.0f * static_cast<float>(c); });
  b = one(0x48);
  both4(&b);
  expect(run(b), [](size_t p, size_t c) { return 1 / x(p, c); });
}

TEST(RealElements, ActivationsScaleAddTheirBiasAndApplyTheFunction) {
  std::string b = one(0x21);
  both3(&b);
  b[14] = 3, b[15] = 1, b[32] = static_cast<char>(0xaa), b[35] = 2;   // relu(2 x - 1)
  store_le<uint32_t>(&b, 36, bits(2));
  store_le<uint32_t>(&b, 40, bits(-1));
  expect(run(b, "sg00/Activation.bin"), [](size_t p, size_t c) { return std::max(2 * x(p, c) - 1, 0.0f); });
  b[15] = 0;                                                          // the bias: the last element of each partition
  store_le<uint32_t>(&b, 40, 64 + 7 * 4);
  expect(run(b, "sg00/Activation.bin"), [](size_t p, size_t c) { return std::max(2 * x(p, c) + x(p, 7), 0.0f); });
  b[35] = 3;
  EXPECT_NE(run(b, "sg00/Activation.bin").refused.find("the function lrelu has no counterpart: 21100000"), std::string::npos);
  b[35] = 2, b[14] = 2;
  EXPECT_NE(run(b, "sg00/Activation.bin").refused.find("a sum that goes on over instructions"), std::string::npos);
}

TEST(RealElements, AScalarAndTwoTensors) {
  std::string b = one(0x9d);
  const std::vector<uint16_t> counts = {8, 1}, steps = {1, 1};
  pattern(&b, 12, 64, counts, steps);
  pattern(&b, 24, 64, counts, steps);
  pattern(&b, 48, 128, counts, steps);
  b[36] = 0x06, b[37] = 0x05, b[38] = 2, b[40] = static_cast<char>(0xaa), b[41] = 0x0a, b[42] = 4, b[43] = 0x0a;
  store_le<uint32_t>(&b, 60, bits(3));   // x - 3 x
  expect(run(b), [](size_t p, size_t c) { return x(p, c) - 3 * x(p, c); });
}

TEST(RealElements, OperandsOutsideTheirMemoryAreRefused) {
  std::string b = one(0x43);
  both3(&b);
  b[36] = 0x04;
  pattern(&b, 16, 0x3fff0, {8, 1, 1}, {1, 1, 1});   // past the end of a partition
  EXPECT_NE(run(b).refused.find("an operand outside its partition"), std::string::npos) << run(b).refused;
  b[34] = 127;
  pattern(&b, 16, 4 * 0x40000, {8, 1, 1}, {1, 1, 1});
  EXPECT_NE(run(b).refused.find("an operand past partition 127"), std::string::npos) << run(b).refused;
}

}  // namespace
}  // namespace lanewise::lab
