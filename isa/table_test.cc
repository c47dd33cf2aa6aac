// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "isa/table.h"

#include <gtest/gtest.h>

#include <set>

namespace lanewise::isa {
namespace {

TEST(TableTest, EveryNameIsUniqueAndParsesBack) {
  std::set<std::string_view> seen;
  for (int i = 0; i < kOpcodeCount; ++i) {
    const auto op = static_cast<Opcode>(i);
    EXPECT_TRUE(seen.insert(opcode_name(op)).second);
    EXPECT_EQ(parse_opcode(opcode_name(op)), op);
    EXPECT_EQ(info(op).required & info(op).optional, 0u);
    EXPECT_NE(info(op).engines, 0);
    EXPECT_FALSE(info(op).meaning.empty());
  }
  seen.clear();
  for (int i = 0; i < kAluOpCount; ++i) {
    const auto op = static_cast<AluOp>(i);
    EXPECT_TRUE(seen.insert(alu_op_name(op)).second);
    EXPECT_EQ(parse_alu_op(alu_op_name(op)), op);
  }
  seen.clear();
  for (int i = 0; i < kActFnCount; ++i) {
    const auto fn = static_cast<ActFn>(i);
    EXPECT_TRUE(seen.insert(act_fn_name(fn)).second);
    EXPECT_EQ(parse_act_fn(act_fn_name(fn)), fn);
  }
  for (int i = 0; i < kDTypeCount; ++i) EXPECT_EQ(parse_dtype(dtype_name(static_cast<DType>(i))), static_cast<DType>(i));
  for (int i = 0; i < kEngineCount; ++i) EXPECT_EQ(parse_engine(engine_name(static_cast<Engine>(i))), static_cast<Engine>(i));
  EXPECT_EQ(parse_opcode("tensor_texture"), std::nullopt);
  EXPECT_EQ(parse_dtype("b8"), std::nullopt);
}

TEST(TableTest, AttributesOfOperations) {
  EXPECT_TRUE(info(AluOp::less).comparison);
  EXPECT_FALSE(info(AluOp::less).reduces);
  EXPECT_TRUE(info(AluOp::shift_left).bitvec);
  EXPECT_TRUE(info(AluOp::maximum).reduces);
  EXPECT_EQ(info(ActFn::copy).table_set, 0);
  EXPECT_EQ(info(ActFn::exp).table_set, info(ActFn::sigmoid).table_set);
  EXPECT_NE(info(ActFn::exp).table_set, info(ActFn::rsqrt).table_set);
}

TEST(FieldTest, SetFieldsAreThoseThatDiffer) {
  Instruction i;
  EXPECT_EQ(fields_set(i), 0u);
  i.queue = 3;
  i.scalar0 = Scalar::of(1.0f);
  EXPECT_EQ(fields_set(i), bit(Field::queue) | bit(Field::scalar0));
}

}  // namespace
}  // namespace lanewise::isa
