// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Codes of dtypes, ALU operations and activation functions. Published ones are those of the third chip generation
// (docs/formats/neff.md has the source).
#include "isa/trn2/table.h"

namespace lanewise::isa::trn2 {
namespace {

constexpr Evidence O = Evidence::observed, P = Evidence::published;

constexpr DTypeRow kDTypes[] = {
    {0x01, "uint64", 8, false, DType::i64, P},       {0x02, "int8", 1, true, DType::i8, P},
    {0x03, "uint8", 1, true, DType::u8, P},          {0x04, "int16", 2, true, DType::i16, P},
    {0x05, "uint16", 2, false, DType::i16, P},       {0x06, "bfloat16", 2, true, DType::bf16, P},
    {0x07, "float16", 2, true, DType::f16, O},       {0x08, "int32", 4, true, DType::i32, P},
    {0x09, "uint32", 4, false, DType::i32, P},       {0x0a, "float32", 4, true, DType::f32, O},
    {0x0b, "float32r", 4, false, DType::f32, P},     {0x0c, "int64", 8, true, DType::i64, P},
    {0x0d, "float8_e3m4", 1, false, DType::f8e4m3, P}, {0x0e, "float8_e4m3", 1, true, DType::f8e4m3, P},
    {0x0f, "float8_e5m2", 1, true, DType::f8e5m2, P},
};

// 0xc4 and up compute on integers, exactly.
constexpr AluRow kAlu[] = {
    {0x00, "bypass", AluOp::bypass, P},
    {0x01, "bitwise_not", AluOp::none, P},
    {0x02, "arith_shift_left", AluOp::shift_left, P},
    {0x03, "arith_shift_right", AluOp::shift_right, P},
    {0x04, "add", AluOp::add, O},
    {0x05, "subtract", AluOp::subtract, P},
    {0x06, "multiply", AluOp::multiply, P},
    {0x07, "divide", AluOp::divide, P},
    {0x08, "maximum", AluOp::maximum, P},
    {0x09, "minimum", AluOp::minimum, P},
    {0x0a, "bitwise_and", AluOp::bitwise_and, P},
    {0x0b, "bitwise_or", AluOp::bitwise_or, P},
    {0x0c, "bitwise_xor", AluOp::bitwise_xor, P},
    {0x0d, "logical_and", AluOp::logical_and, P},
    {0x0e, "logical_or", AluOp::logical_or, P},
    {0x0f, "logical_xor", AluOp::logical_xor, P},
    {0x10, "logical_shift_left", AluOp::shift_left, P},
    {0x11, "logical_shift_right", AluOp::none, P},
    {0x12, "equal", AluOp::equal, P},
    {0x13, "greater", AluOp::greater, P},
    {0x14, "greater_equal", AluOp::greater_equal, P},
    {0x15, "less_equal", AluOp::less_equal, P},
    {0x16, "less", AluOp::less, P},
    {0x17, "absolute_difference", AluOp::none, P},
    {0x18, "not_equal", AluOp::not_equal, P},
    {0x19, "absolute_value", AluOp::none, P},
    {0x1a, "power", AluOp::power, P},
    {0x1b, "mod", AluOp::none, P},
    {0x1c, "crc32", AluOp::none, P},
    {0x1d, "rsqrt", AluOp::none, P},
    {0xc4, "add_int", AluOp::none, P},
    {0xc5, "multiply_int", AluOp::none, P},
    {0xc6, "subtract_int", AluOp::none, P},
    {0xc7, "divide_int", AluOp::none, P},
    {0xc8, "mod_int", AluOp::none, P},
};

constexpr FunctionRow kFunctions[] = {
    {1, "identity", ActFn::copy},       {2, "relu", ActFn::relu},          {3, "lrelu", ActFn::none},
    {4, "prelu", ActFn::none},          {5, "sigmoid", ActFn::sigmoid},    {6, "tanh", ActFn::tanh},
    {7, "exp", ActFn::exp},             {8, "sqrt", ActFn::sqrt},          {9, "softplus", ActFn::softplus},
    {10, "log", ActFn::log},            {19, "sin", ActFn::sin},           {21, "erf", ActFn::erf},
    {22, "derivative_erf", ActFn::none}, {23, "gelu", ActFn::gelu},        {24, "mish", ActFn::mish},
    {25, "gelu_tanh", ActFn::gelu_tanh}, {26, "gelu_sigmoid", ActFn::none}, {28, "arctan", ActFn::atan},
    {29, "rsqrt", ActFn::rsqrt},        {30, "square", ActFn::square},     {31, "sign", ActFn::sign},
    {32, "derivative_gelu", ActFn::none}, {33, "abs", ActFn::abs},         {34, "abs_reciprocal_sqrt", ActFn::none},
    {35, "is_finite", ActFn::none},     {36, "silu", ActFn::silu},         {37, "derivative_silu", ActFn::none},
    {38, "derivative_gelu_sigmoid", ActFn::none}, {128, "copy", ActFn::copy}, {129, "reciprocal", ActFn::reciprocal},
};

template <typename Table>
auto find(const Table& table, uint8_t code) -> decltype(&table[0]) {
  for (const auto& row : table)
    if (row.code == code) return &row;
  return nullptr;
}
template <typename Table>
auto find(const Table& table, std::string_view name) -> decltype(&table[0]) {
  for (const auto& row : table)
    if (row.name == name) return &row;
  return nullptr;
}

}  // namespace

const DTypeRow* dtype_row(uint8_t code) { return find(kDTypes, code); }
const DTypeRow* dtype_row(std::string_view name) { return find(kDTypes, name); }
const AluRow* alu_row(uint8_t code) { return find(kAlu, code); }
const FunctionRow* function_row(uint8_t code) { return find(kFunctions, code); }
const FunctionRow* function_row(std::string_view name) { return find(kFunctions, name); }

}  // namespace lanewise::isa::trn2
