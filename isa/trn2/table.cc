// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "isa/trn2/table.h"

namespace lanewise::isa::trn2 {
namespace {

using enum What;
constexpr Evidence O = Evidence::observed, I = Evidence::inferred;

constexpr Field kHeader[] = {
    {0, 1, opcode}, {1, 1, words}, {4, 1, wait_kind}, {5, 1, wait_semaphore},
    {6, 1, update_kind}, {7, 1, update_semaphore}, {8, 4, wait_value},
};

constexpr Field kTensorTensor[] = {
    {12, 1, dtype_pair}, {13, 1, dtype, Role::dst}, {14, 1, alu}, {15, 1, partitions},
    {16, 16, pattern3, Role::src0}, {32, 16, pattern3, Role::src1}, {48, 16, pattern3, Role::dst},
};
// The order of the two dtypes is that of the patterns; known files only copy within one dtype.
constexpr Field kCopy[] = {
    {12, 20, pattern4, Role::src0}, {32, 1, dtype, Role::src0, I}, {33, 1, dtype, Role::dst, I}, {34, 1, partitions},
    {44, 20, pattern4, Role::dst},
};
constexpr Field kLoadWeights[] = {
    {16, 16, pattern3, Role::stationary}, {32, 1, dtype, Role::stationary}, {33, 1, pass}, {34, 1, transpose},
    {38, 1, rows, Role::dst, I}, {39, 1, columns, Role::dst, I}, {44, 1, row_groups, Role::dst, I},
    {45, 1, column_groups, Role::dst, I},
};
constexpr Field kMatmul[] = {
    {16, 16, pattern3, Role::moving}, {32, 1, dtype, Role::moving}, {33, 1, pass}, {34, 1, transpose},
    {38, 1, rows, Role::dst, I}, {39, 1, columns, Role::dst, I}, {43, 1, accumulate}, {44, 1, row_groups, Role::dst, I},
    {45, 1, column_groups, Role::dst, I}, {48, 16, pattern3, Role::dst},
};
constexpr Field kDmaTrigger[] = {{12, 36, queue}, {48, 4, descriptor}};

constexpr EngineSet on(std::initializer_list<Engine> engines) {
  EngineSet set = 0;
  for (Engine e : engines) set |= bit(e);
  return set;
}
constexpr EngineSet kPe = on({Engine::pe}), kVector = on({Engine::vector}), kScalar = on({Engine::scalar}),
                    kAll = on({Engine::pe, Engine::vector, Engine::scalar, Engine::gpsimd, Engine::sync});

constexpr OpcodeRow kOpcodes[] = {
    {0x01, "LDWEIGHTS", kPe, kLoadWeights, O, false, "the array holds the stationary operand; columns come last first"},
    {0x02, "MATMUL", kPe, kMatmul, O, false, "the moving operand streams past what the array holds, into PSUM"},
    {0x23, "ACT_TABLE_LOAD", kScalar, {}, I, false, "loads the table set of the engine's JSON"},
    {0x41, "TENSOR_TENSOR", kVector, kTensorTensor, O, false, "dst = src0 op src1"},
    {0x46, "COPY", on({Engine::vector, Engine::scalar}), kCopy, O, false, "dst = src0"},
    {0xa0, "SEMAPHORE_WAIT", kAll, {}, O, true, "only its wait: an instruction holds one, a second needs another"},
    {0xa4, "DMA_WAIT", kAll, {}, I, true, "only its wait: for the last DMAs of the program"},
    {0xb1, "SETUP_B1", kAll, {}, I, true, "first instruction of every engine"},
    {0xc1, "DMA_TRIGGER", kAll, kDmaTrigger, O, false, "starts the descriptors of one id on a queue"},
    {0xcc, "SETUP_CC", kAll, {}, I, true, "second instruction of every engine"},
};

// 7 and 0xa are observed in the fp16 and fp32 twins of one kernel; the others follow the order of the public list of
// types around these two.
constexpr DTypeRow kDTypes[] = {
    {0x02, "int8", 1, true, DType::i8, I},     {0x03, "uint8", 1, true, DType::u8, I},
    {0x04, "int16", 2, true, DType::i16, I},   {0x05, "uint16", 2, false, DType::i16, I},
    {0x06, "bfloat16", 2, true, DType::bf16, I}, {0x07, "float16", 2, true, DType::f16, O},
    {0x08, "int32", 4, true, DType::i32, I},   {0x09, "uint32", 4, false, DType::i32, I},
    {0x0a, "float32", 4, true, DType::f32, O},
};

// add is observed (outputs equal NumPy's); the two after it follow the order of the public list of operations.
constexpr AluRow kAlu[] = {{0x04, AluOp::add, O}, {0x05, AluOp::subtract, I}, {0x06, AluOp::multiply, I}};

}  // namespace

std::span<const Field> header_fields() { return kHeader; }
std::span<const OpcodeRow> opcode_rows() { return kOpcodes; }

const OpcodeRow* opcode_row(uint8_t code) {
  for (const OpcodeRow& row : kOpcodes)
    if (row.code == code) return &row;
  return nullptr;
}
const DTypeRow* dtype_row(uint8_t code) {
  for (const DTypeRow& row : kDTypes)
    if (row.code == code) return &row;
  return nullptr;
}
const DTypeRow* dtype_row(std::string_view name) {
  for (const DTypeRow& row : kDTypes)
    if (row.name == name) return &row;
  return nullptr;
}
const AluRow* alu_row(uint8_t code) {
  for (const AluRow& row : kAlu)
    if (row.code == code) return &row;
  return nullptr;
}

}  // namespace lanewise::isa::trn2
