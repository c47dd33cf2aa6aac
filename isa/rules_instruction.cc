// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Rules of one instruction. Limits without a comment are those of the public NeuronCore documents: partition and free
// sizes of the tensor engine, which engine reaches which memory, at most one Vector input in PSUM.
#include "isa/pattern.h"
#include "isa/rules.h"
#include "isa/table.h"

namespace lanewise::isa {
namespace {

constexpr int64_t kMaxFreeElements = 65536;    // that one compute instruction addresses in a partition
constexpr int64_t kMaxPeRows = 128, kMaxPeColumns = 128, kMaxPeMoving = 512;
constexpr int64_t kPsumBankBytes = 2048;       // of a partition

std::string str(int64_t v) { return std::to_string(v); }
std::string str(std::string_view v) { return std::string(v); }

Broken named(std::string_view operand, Broken b) { return b.empty() ? b : str(operand) + ": " + b; }

#define LW_RULE(expression) \
  if (Broken broken = (expression); !broken.empty()) return broken

// Present where the table requires it, default where the table does not list it.
Broken check_fields(const OpcodeInfo& row, const Instruction& i) {
  const FieldSet stray = fields_set(i) & ~(row.required | row.optional);
  Broken broken;
  visit_fields([&](Field f, auto member) {
    if (!broken.empty()) return;
    const auto& value = i.*member;
    using T = std::decay_t<decltype(value)>;
    if (contains(stray, f)) {
      broken = "takes no " + str(field_name(f));
      return;
    }
    bool present = true;
    if constexpr (std::is_same_v<T, Tile> || std::is_same_v<T, Hbm>) {
      present = value.present();
      if (!present && value != T{}) broken = str(field_name(f)) + " is absent but carries values";
    } else if constexpr (std::is_same_v<T, Scalar>) {
      present = value.present();
    } else if constexpr (std::is_same_v<T, SemaphoreWait> || std::is_same_v<T, SemaphoreUpdate>) {
      present = value.semaphore >= 0;
      if (!present && value != T{}) broken = str(field_name(f)) + " has no semaphore but carries values";
    } else if constexpr (std::is_enum_v<T>) {
      present = value != T::none;
    }
    if (broken.empty() && contains(row.required, f) && !present) broken = "needs " + str(field_name(f));
  });
  return broken;
}

Broken check_semaphore(const RuleContext& context, int semaphore) {
  const int64_t used = context.program.semaphores_used;
  if (semaphore >= used) return "semaphore " + str(semaphore) + " is not among the program's " + str(used);
  return {};
}

// Memory an engine can reach, and 64-bit integers, which only GpSimd computes.
Broken check_reach(const OpcodeInfo& row, Engine engine, const Tile& tile) {
  if (engine == Engine::gpsimd && tile.space == Space::psum) return "GpSimd cannot reach PSUM";
  if (row.op == Opcode::dma_copy && tile.space == Space::psum)
    return "DMA moves between SBUF and device memory, not PSUM";
  if (tile.dtype == DType::i64 && engine != Engine::gpsimd && !row.i64_anywhere)
    return "64-bit integers are computed on GpSimd only";
  if (row.op != Opcode::dma_copy && element_count(tile) > kMaxFreeElements)
    return str(element_count(tile)) + " elements a partition; an instruction addresses at most " +
           str(kMaxFreeElements);
  return {};
}

Broken check_operands(const RuleContext& context, const OpcodeInfo& row, const Instruction& i) {
  Broken broken;
  visit_fields([&](Field f, auto member) {
    if (!broken.empty()) return;
    const auto& value = i.*member;
    using T = std::decay_t<decltype(value)>;
    const bool written = f == Field::dst || f == Field::dst2 || f == Field::hbm_dst;
    if constexpr (std::is_same_v<T, Tile>) {
      if (!value.present()) return;
      broken = check_tile(context, value, written);
      if (broken.empty()) broken = check_reach(row, i.engine, value);
      const bool source = f == Field::src0 || f == Field::src1;
      const DTypeSet legal = f == Field::dst ? row.dst_dtypes : source ? row.src_dtypes : kAnyDType;
      if (broken.empty() && !contains(legal, value.dtype)) broken = "cannot be " + str(dtype_name(value.dtype));
    } else if constexpr (std::is_same_v<T, Hbm>) {
      if (value.present()) broken = check_hbm(context, value, written);
    } else if constexpr (std::is_same_v<T, Scalar>) {
      if (!value.present()) return;
      broken = check_scalar(context, value, i.dst.partitions);
      if (broken.empty() && value.kind == Scalar::Kind::tile) broken = check_reach(row, i.engine, value.tile);
    } else if constexpr (std::is_same_v<T, SemaphoreWait> || std::is_same_v<T, SemaphoreUpdate>) {
      broken = check_semaphore(context, value.semaphore);
    }
    broken = named(field_name(f), broken);
  });
  return broken;
}

// dst and every tensor input cover the same partitions x elements.
Broken check_same_shape(const Instruction& i) {
  for (const Tile* src : {&i.src0, &i.src1, &i.src2}) {
    if (!src->present()) continue;
    if (src->partitions != i.dst.partitions)
      return "partition counts differ: dst has " + str(i.dst.partitions) + ", an input " + str(src->partitions);
    if (element_count(*src) != element_count(i.dst))
      return "element counts differ: dst has " + str(element_count(i.dst)) + " a partition, an input " +
             str(element_count(*src));
  }
  return {};
}

Broken check_vector_psum(const Instruction& i) {
  int in_psum = 0;
  for (const Tile* src : {&i.src0, &i.src1, &i.src2}) in_psum += src->space == Space::psum;
  if (in_psum > 1) return "at most one tensor input of a Vector instruction may be in PSUM, here " + str(in_psum);
  return {};
}

bool integer_scalar(const RuleContext& context, const Scalar& s) {
  switch (s.kind) {
    case Scalar::Kind::none: return true;
    case Scalar::Kind::f32: return false;
    case Scalar::Kind::i64: return true;
    case Scalar::Kind::parameter: return context.program.parameters[static_cast<size_t>(s.i)].dtype == DType::i64;
    case Scalar::Kind::tile: return is_integer(s.tile.dtype);
  }
  return false;
}

// Bit-vector operations take integers and give integers, and are never one of two steps with arithmetic.
Broken check_alu(const RuleContext& context, const Instruction& i) {
  const auto bypass = [](AluOp op) { return op == AluOp::none || op == AluOp::bypass; };
  if (!bypass(i.op0) && !bypass(i.op1) && info(i.op0).bitvec != info(i.op1).bitvec)
    return "op0 and op1 must both be bit-vector operations or both arithmetic";
  if (!info(i.op0).bitvec && !info(i.op1).bitvec) return {};
  for (const Tile* t : {&i.dst, &i.src0, &i.src1})
    if (t->present() && !is_integer(t->dtype))
      return "bit-vector operations need integers, not " + str(dtype_name(t->dtype));
  if (!integer_scalar(context, i.scalar0) || !integer_scalar(context, i.scalar1))
    return "bit-vector operations need integer scalars";
  return {};
}

Broken check_tensor_scalar(const Instruction& i) {
  if ((i.op1 == AluOp::none) == i.scalar1.present()) return "op1 and scalar1 come together";
  if (i.reverse1 && i.op1 == AluOp::none) return "reverse1 without op1";
  if (i.engine != Engine::scalar) return {};
  const bool legal = (i.op0 == AluOp::multiply && (i.op1 == AluOp::add || i.op1 == AluOp::none)) ||
                     (i.op0 == AluOp::add && i.op1 == AluOp::none);
  if (!legal || i.reverse0 || i.reverse1)
    return "on the Scalar engine tensor_scalar can multiply, add, or multiply and then add";
  return {};
}

Broken check_reduce(const Instruction& i) {
  if (!info(i.op0).reduces) return str(alu_op_name(i.op0)) + " is not a reduction";
  if (i.reduce_dims < 1 || i.reduce_dims > i.src0.rank)
    return "reduce_dims is " + str(i.reduce_dims) + ", src0 has " + str(i.src0.rank) + " free dims";
  if (i.dst.partitions != i.src0.partitions) return "partition counts of dst and src0 differ";
  Tile kept = i.src0;
  kept.rank = static_cast<uint8_t>(kept.rank - i.reduce_dims);
  if (element_count(i.dst) != element_count(kept))
    return "dst must have the " + str(element_count(kept)) + " elements that are left, it has " +
           str(element_count(i.dst));
  return {};
}

Broken check_predicate(const Instruction& i) {
  if (!is_integer(i.src2.dtype) || i.src2.dtype == DType::i64)
    return "src2: a predicate is bool or an integer of up to 32 bits, not " + str(dtype_name(i.src2.dtype));
  if (i.op == Opcode::select && i.src1.present() == i.scalar0.present()) return "needs either src1 or scalar0";
  if (i.op == Opcode::tensor_copy_predicated && i.dst.dtype != i.src0.dtype) return "dst and src0 must have one dtype";
  return {};
}

// A tile in one PSUM bank at every value of its loop register. Extents are known to lie inside PSUM, which bounds the
// number of steps.
Broken check_one_bank(const RuleContext& context, const Tile& tile) {
  const bool loops = tile.loop_register >= 0 && tile.register_stride != 0;
  const int64_t last = loops ? context.last_value[static_cast<size_t>(tile.loop_register)] : 0;
  const int64_t step = loops ? context.step[static_cast<size_t>(tile.loop_register)] : 1;
  const ByteRange base = byte_range(tile);
  for (int64_t value = 0; value <= last; value += step) {
    const int64_t shift = value * tile.register_stride;
    if ((base.begin + shift) / kPsumBankBytes != (base.end + shift - 1) / kPsumBankBytes)
      return "dst: bytes " + str(base.begin + shift) + " to " + str(base.end + shift) + " cross a PSUM bank of " +
             str(kPsumBankBytes) + " bytes";
  }
  return {};
}

Broken check_pe(const RuleContext& context, const Instruction& i) {
  if (i.dst.space != Space::psum) return "dst: the tensor engine writes PSUM";
  for (const Tile* src : {&i.src0, &i.src1})
    if (src->present() && src->space != Space::sbuf) return "the tensor engine reads SBUF";
  LW_RULE(check_one_bank(context, i.dst));
  const int64_t rows = i.src0.partitions, columns = element_count(i.src0);
  if (rows > kMaxPeRows) return "contraction of " + str(rows) + " is above " + str(kMaxPeRows);
  if (columns > kMaxPeColumns) return "src0 has " + str(columns) + " columns, the array " + str(kMaxPeColumns);
  if (i.dst.partitions != columns)
    return "dst must have src0's " + str(columns) + " columns as partitions, it has " + str(i.dst.partitions);
  if (i.op == Opcode::nc_transpose) {
    if (i.dst.dtype != i.src0.dtype) return "a transpose keeps the dtype";
    if (element_count(i.dst) != rows)
      return "dst must have src0's " + str(rows) + " partitions as elements, it has " + str(element_count(i.dst));
    return {};
  }
  if (i.src1.partitions != rows)
    return "src0 and src1 differ in partitions: " + str(rows) + " and " + str(i.src1.partitions);
  const int64_t moving = element_count(i.src1);
  if (moving > kMaxPeMoving) return "src1 has " + str(moving) + " moving columns, at most " + str(kMaxPeMoving);
  if (element_count(i.dst) != moving)
    return "dst must have src1's " + str(moving) + " columns, it has " + str(element_count(i.dst));
  if ((i.src0.dtype == DType::f32) != (i.src1.dtype == DType::f32)) return "f32 multiplies only with f32";
  return {};
}

// The steps of nc_matmul by themselves. What the array holds when columns move past it depends on what ran before, so its
// shape is checked when the program runs.
Broken check_load_stationary(const Instruction& i) {
  if (i.src0.space != Space::sbuf) return "the tensor engine reads SBUF";
  if (element_count(i.src0) > kMaxPeColumns)
    return "src0 has " + str(element_count(i.src0)) + " columns, the array " + str(kMaxPeColumns);
  if (i.upper_part && i.lower_part) return "either upper_part or lower_part";
  if ((i.upper_part || i.lower_part) && i.src0.dtype != DType::f32) return "only f32 is loaded in parts";
  return {};
}

Broken check_multiply_moving(const RuleContext& context, const Instruction& i) {
  if (i.dst.space != Space::psum) return "dst: the tensor engine writes PSUM";
  if (i.src0.space != Space::sbuf) return "the tensor engine reads SBUF";
  LW_RULE(check_one_bank(context, i.dst));
  if (element_count(i.src0) > kMaxPeMoving)
    return "src0 has " + str(element_count(i.src0)) + " moving columns, at most " + str(kMaxPeMoving);
  if (element_count(i.dst) != element_count(i.src0))
    return "dst must have src0's " + str(element_count(i.src0)) + " columns, it has " + str(element_count(i.dst));
  if (i.pass_through && i.accumulate) return "bits that pass through are not added";
  if (!i.pass_through && i.dst.dtype != DType::f32) return "dst: sums are f32";
  return {};
}

Broken check_dma(const Instruction& i) {
  if (i.dst.present() == i.hbm_dst.present()) return "needs either dst or hbm_dst";
  if (i.src0.present() == i.hbm_src.present()) return "needs either src0 or hbm_src";
  if (i.queue > 15) return "queue " + str(i.queue) + " does not exist; an engine has 0 to 15";
  const bool gather = i.hbm_src.row_index.present(), scatter = i.hbm_dst.row_index.present();
  if (gather || scatter) {
    if (gather && scatter) return "only one side can be indexed by rows";
    if (i.engine != Engine::gpsimd) return "indexed rows need software descriptors, which GpSimd makes";
    const Tile& tile = gather ? i.dst : i.src0;
    const Hbm& hbm = gather ? i.hbm_src : i.hbm_dst;
    if (!tile.present()) return "the other side of indexed rows must be a tile";
    if (tile.partitions != hbm.row_index.partitions)
      return "the tile has " + str(tile.partitions) + " partitions, the row index " + str(hbm.row_index.partitions);
    if (element_count(tile) != element_count(hbm))
      return "a row has " + str(element_count(hbm)) + " elements, the tile " + str(element_count(tile)) + " a partition";
    return {};
  }
  const int64_t to = i.dst.present() ? i.dst.partitions * element_count(i.dst) : element_count(i.hbm_dst);
  const int64_t from = i.src0.present() ? i.src0.partitions * element_count(i.src0) : element_count(i.hbm_src);
  if (to != from) return "element counts differ: writes " + str(to) + ", reads " + str(from);
  return {};
}

Broken check_iota(const RuleContext& context, const Instruction& i) {
  if (!integer_scalar(context, i.scalar0)) return "scalar0 must be an integer";
  for (size_t k = i.dst.rank; k < i.iota_step.size(); ++k)
    if (i.iota_step[k] != 0) return "iota_step has more steps than dst has free dims";
  return {};
}

Broken check_activation(const Instruction& i) {
  LW_RULE(check_same_shape(i));
  if (i.op != Opcode::activation_reduce) return {};
  if (i.op0 != AluOp::add) return "op0 must be add";
  if (i.dst2.partitions != i.dst.partitions || element_count(i.dst2) != 1)
    return "dst2 must have dst's partitions and one element in each";
  return {};
}

Broken check_loop(const Instruction& i) {
  if (i.loop_register < 0 || i.loop_register >= kLoopRegisters)
    return "loop register " + str(i.loop_register) + " does not exist; an engine has 0 to " + str(kLoopRegisters - 1);
  if (i.loop_step < 1) return "loop_step must be at least 1";
  if (i.loop_end < 1) return "loop_end must be at least 1; a loop runs at least once";
  return {};
}

Broken check_shape(const RuleContext& context, const Instruction& i) {
  switch (i.op) {
    case Opcode::dma_copy: return check_dma(i);
    case Opcode::tensor_copy:
    case Opcode::reciprocal: return check_same_shape(i);
    case Opcode::tensor_tensor:
      LW_RULE(check_alu(context, i));
      return check_same_shape(i);
    case Opcode::tensor_scalar:
      LW_RULE(check_tensor_scalar(i));
      LW_RULE(check_alu(context, i));
      return check_same_shape(i);
    case Opcode::tensor_reduce:
      LW_RULE(check_alu(context, i));
      return check_reduce(i);
    case Opcode::select:
    case Opcode::tensor_copy_predicated:
      LW_RULE(check_predicate(i));
      return check_same_shape(i);
    case Opcode::memset: return {};
    case Opcode::iota: return check_iota(context, i);
    case Opcode::activation:
    case Opcode::activation_reduce: return check_activation(i);
    case Opcode::nc_matmul:
    case Opcode::nc_transpose: return check_pe(context, i);
    case Opcode::load_stationary: return check_load_stationary(i);
    case Opcode::multiply_moving: return check_multiply_moving(context, i);
    case Opcode::load_table: return {};
    case Opcode::loop_begin: return check_loop(i);
    case Opcode::semaphore_wait:
    case Opcode::semaphore_increment:
    case Opcode::loop_end: return {};
  }
  return "unknown opcode";
}

}  // namespace

Broken check_instruction(const RuleContext& context, const Instruction& i) {
  const OpcodeInfo& row = info(i.op);
  if (!contains(row.engines, i.engine)) return "does not run on engine " + str(engine_name(i.engine));
  LW_RULE(check_fields(row, i));
  LW_RULE(check_operands(context, row, i));
  LW_RULE(check_shape(context, i));
  if (i.engine == Engine::vector) LW_RULE(check_vector_psum(i));
  if (i.update.semaphore >= 0 && i.update.increment == 0) return "update: an increment of 0 signals nothing";
  if (i.debug >= context.program.debug.size()) return "debug entry " + str(i.debug) + " does not exist";
  return {};
}

}  // namespace lanewise::isa
