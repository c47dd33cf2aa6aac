// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "isa/table.h"

#include <array>

namespace lanewise::isa {
namespace {

template <typename... Fields>
constexpr FieldSet fields(Fields... f) {
  return (FieldSet{0} | ... | bit(f));
}
template <typename... Engines>
constexpr EngineSet on(Engines... e) {
  return static_cast<EngineSet>((0u | ... | bit(e)));
}

using enum Field;

constexpr EngineSet kAll = on(Engine::pe, Engine::vector, Engine::scalar, Engine::gpsimd, Engine::sync);
constexpr EngineSet kElementwise = on(Engine::vector, Engine::scalar, Engine::gpsimd);
constexpr EngineSet kTensor = on(Engine::vector, Engine::gpsimd);
constexpr FieldSet kSync = fields(wait, update, debug);

constexpr std::array<OpcodeInfo, kOpcodeCount> kOpcodes = {{
    // op, name, engines, required, optional, dst, src, i64 on any engine, meaning
    {Opcode::dma_copy, "dma_copy", kAll, 0, kSync | fields(queue, dst, src0, hbm_dst, hbm_src), kAnyDType, kAnyDType,
     true, "copy between SBUF and device memory on a DMA queue"},
    {Opcode::tensor_copy, "tensor_copy", kElementwise, fields(dst, src0), kSync, kAnyDType, kAnyDType, true,
     "dst = src0"},
    {Opcode::tensor_tensor, "tensor_tensor", kTensor, fields(op0, dst, src0, src1), kSync, kAnyDType, kAnyDType,
     false, "dst = src0 op0 src1"},
    {Opcode::tensor_scalar, "tensor_scalar", kElementwise, fields(op0, dst, src0, scalar0),
     kSync | fields(op1, scalar1, reverse0, reverse1), kAnyDType, kAnyDType, false,
     "dst = (src0 op0 scalar0) op1 scalar1"},
    {Opcode::tensor_reduce, "tensor_reduce", kTensor, fields(op0, reduce_dims, dst, src0), kSync, kAnyDType, kAnyDType,
     false, "dst = reduce op0 over the trailing reduce_dims dims of src0"},
    {Opcode::select, "select", kTensor, fields(dst, src0, src2), kSync | fields(src1, scalar0), kAnyDType, kAnyDType,
     false, "dst = src2 != 0 ? src0 : src1 or scalar0"},
    {Opcode::tensor_copy_predicated, "tensor_copy_predicated", kTensor, fields(dst, src0, src2), kSync, kAnyDType,
     kAnyDType, false, "where src2 != 0: dst = src0"},
    {Opcode::reciprocal, "reciprocal", on(Engine::vector), fields(dst, src0), kSync, kAnyDType, kAnyDType, false,
     "dst = 1 / src0"},
    {Opcode::memset, "memset", kTensor, fields(dst, scalar0), kSync, kAnyDType, 0, true, "dst = scalar0"},
    {Opcode::iota, "iota", on(Engine::gpsimd), fields(dst, scalar0),
     kSync | fields(iota_partition_step, iota_step), kAnyDType, 0, true,
     "dst[p, i] = scalar0 + p * iota_partition_step + sum(i_k * iota_step_k)"},
    {Opcode::activation, "activation", on(Engine::scalar), fields(fn, dst, src0), kSync | fields(scalar0, scalar1),
     kAnyDType, kAnyDType, false, "dst = fn(src0 * scalar0 + scalar1)"},
    {Opcode::activation_reduce, "activation_reduce", on(Engine::scalar), fields(fn, op0, dst, dst2, src0),
     kSync | fields(scalar0, scalar1), kAnyDType, kAnyDType, false,
     "dst = fn(src0 * scalar0 + scalar1), dst2 = sum of dst over the free axis"},
    {Opcode::nc_matmul, "nc_matmul", on(Engine::pe), fields(dst, src0, src1), kSync | fields(accumulate),
     bit(DType::f32), kFloatDTypes, false, "dst (+)= src0^T * src1"},
    {Opcode::nc_transpose, "nc_transpose", on(Engine::pe), fields(dst, src0), kSync, kUpTo32Bits, kUpTo32Bits,
     false, "dst = src0^T"},
    {Opcode::semaphore_wait, "semaphore_wait", kAll, fields(wait), fields(debug), 0, 0, true, "wait only"},
    {Opcode::semaphore_increment, "semaphore_increment", kAll, fields(update), fields(debug), 0, 0, true,
     "update only"},
    {Opcode::loop_begin, "loop_begin", kAll, fields(loop_register, loop_end, loop_step), kSync, 0, 0, true,
     "for loop_register = 0, loop_step, ... while < loop_end"},
    {Opcode::loop_end, "loop_end", kAll, 0, kSync, 0, 0, true, "end of the innermost loop"},
    {Opcode::load_stationary, "load_stationary", on(Engine::pe), fields(src0), kSync | fields(upper_part, lower_part), 0,
     kUpTo32Bits, false, "the array holds src0"},
    {Opcode::multiply_moving, "multiply_moving", on(Engine::pe), fields(dst, src0),
     kSync | fields(accumulate, pass_through), kUpTo32Bits, kFloatDTypes, false, "dst (+)= held^T * src0"},
    {Opcode::load_table, "load_table", on(Engine::scalar), fields(fn), kSync, 0, 0, true,
     "the table set of fn becomes resident"},
}};

constexpr std::array<AluOpInfo, kAluOpCount> kAluOps = {{
    // op, name, comparison, logical, bitvec, reduces
    {AluOp::none, "none", false, false, false, false},
    {AluOp::bypass, "bypass", false, false, false, false},
    {AluOp::add, "add", false, false, false, true},
    {AluOp::subtract, "subtract", false, false, false, false},
    {AluOp::multiply, "multiply", false, false, false, true},
    {AluOp::divide, "divide", false, false, false, false},
    {AluOp::maximum, "maximum", false, false, false, true},
    {AluOp::minimum, "minimum", false, false, false, true},
    {AluOp::power, "power", false, false, false, false},
    {AluOp::fmod, "fmod", false, false, false, false},
    {AluOp::remainder, "remainder", false, false, false, false},
    {AluOp::floor_divide, "floor_divide", false, false, false, false},
    {AluOp::equal, "equal", true, false, false, false},
    {AluOp::not_equal, "not_equal", true, false, false, false},
    {AluOp::less, "less", true, false, false, false},
    {AluOp::less_equal, "less_equal", true, false, false, false},
    {AluOp::greater, "greater", true, false, false, false},
    {AluOp::greater_equal, "greater_equal", true, false, false, false},
    {AluOp::logical_and, "logical_and", false, true, false, true},
    {AluOp::logical_or, "logical_or", false, true, false, true},
    {AluOp::logical_xor, "logical_xor", false, true, false, true},
    {AluOp::bitwise_and, "bitwise_and", false, false, true, true},
    {AluOp::bitwise_or, "bitwise_or", false, false, true, true},
    {AluOp::bitwise_xor, "bitwise_xor", false, false, true, true},
    {AluOp::shift_left, "shift_left", false, false, true, false},
    {AluOp::shift_right, "shift_right", false, false, true, false},
}};

// Table sets: 1 exponential, 2 logarithm, 3 roots, 4 error function, 5 trigonometric, 6 arctangent.
constexpr std::array<ActFnInfo, kActFnCount> kActFns = {{
    {ActFn::none, "none", 0},         {ActFn::copy, "copy", 0},           {ActFn::abs, "abs", 0},
    {ActFn::square, "square", 0},     {ActFn::sqrt, "sqrt", 3},           {ActFn::rsqrt, "rsqrt", 3},
    {ActFn::reciprocal, "reciprocal", 3}, {ActFn::exp, "exp", 1},         {ActFn::expm1, "expm1", 1},
    {ActFn::log, "log", 2},           {ActFn::log1p, "log1p", 2},         {ActFn::log2, "log2", 2},
    {ActFn::tanh, "tanh", 1},         {ActFn::sigmoid, "sigmoid", 1},     {ActFn::silu, "silu", 1},
    {ActFn::gelu, "gelu", 4},         {ActFn::gelu_tanh, "gelu_tanh", 1}, {ActFn::erf, "erf", 4},
    {ActFn::sin, "sin", 5},           {ActFn::cos, "cos", 5},             {ActFn::tan, "tan", 5},
    {ActFn::atan, "atan", 6},         {ActFn::relu, "relu", 0},           {ActFn::sign, "sign", 0},
    {ActFn::softplus, "softplus", 1}, {ActFn::floor, "floor", 0},         {ActFn::ceil, "ceil", 0},
    {ActFn::trunc, "trunc", 0},       {ActFn::round, "round", 0},         {ActFn::mish, "mish", 1},
    {ActFn::exp2, "exp2", 1},         {ActFn::erfinv, "erfinv", 4},
}};

constexpr std::array<std::string_view, kEngineCount> kEngines = {"pe", "vector", "scalar", "gpsimd", "sync"};

// A row out of place would give an opcode its neighbour's rules.
template <typename Table, typename Key>
constexpr bool in_order(const Table& table, Key key) {
  for (size_t i = 0; i < table.size(); ++i)
    if (static_cast<size_t>(table[i].*key) != i) return false;
  return true;
}
static_assert(in_order(kOpcodes, &OpcodeInfo::op));
static_assert(in_order(kAluOps, &AluOpInfo::op));
static_assert(in_order(kActFns, &ActFnInfo::fn));

template <typename Enum, typename Table>
std::optional<Enum> find_by_name(const Table& table, std::string_view name) {
  for (size_t i = 0; i < table.size(); ++i)
    if (table[i].name == name) return static_cast<Enum>(i);
  return std::nullopt;
}

}  // namespace

const OpcodeInfo& info(Opcode op) { return kOpcodes[static_cast<size_t>(op)]; }
const AluOpInfo& info(AluOp op) { return kAluOps[static_cast<size_t>(op)]; }
const ActFnInfo& info(ActFn fn) { return kActFns[static_cast<size_t>(fn)]; }
std::string_view engine_name(Engine engine) { return kEngines[static_cast<size_t>(engine)]; }

std::optional<Engine> parse_engine(std::string_view name) {
  for (size_t i = 0; i < kEngines.size(); ++i)
    if (kEngines[i] == name) return static_cast<Engine>(i);
  return std::nullopt;
}
std::optional<Opcode> parse_opcode(std::string_view name) { return find_by_name<Opcode>(kOpcodes, name); }
std::optional<AluOp> parse_alu_op(std::string_view name) { return find_by_name<AluOp>(kAluOps, name); }
std::optional<ActFn> parse_act_fn(std::string_view name) { return find_by_name<ActFn>(kActFns, name); }

}  // namespace lanewise::isa
