// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/steps.h"

#include <algorithm>
#include <vector>

#include "isa/trn2/table.h"

namespace lanewise::lab {
namespace {

using trace::device::Instruction;
using trace::device::Operand;

struct Row {
  std::string_view opcode;
  Work work;
  isa::Opcode ours;
};
constexpr Row kRows[] = {
    {"SET_ORDERING_MODE", Work::start, isa::Opcode::semaphore_wait},
    {"PSEUDO_BRANCH_LABEL", Work::start, isa::Opcode::semaphore_wait},
    {"LDWEIGHTS", Work::load, isa::Opcode::load_stationary},
    {"MATMUL", Work::columns, isa::Opcode::multiply_moving},
    {"ACTIVATE", Work::elements, isa::Opcode::activation},
    {"TENSOR_TENSOR", Work::elements, isa::Opcode::tensor_tensor},
    {"TENSOR_TENSOR_BITVEC", Work::elements, isa::Opcode::tensor_tensor},
    {"TENSOR_REDUCE", Work::elements, isa::Opcode::tensor_reduce},
    {"TENSOR_REDUCE_BITVEC", Work::elements, isa::Opcode::tensor_reduce},
    {"POOL", Work::elements, isa::Opcode::tensor_reduce},
    {"TENSOR_SCALAR", Work::elements, isa::Opcode::tensor_scalar},
    {"TENSOR_SCALAR_BITVEC", Work::elements, isa::Opcode::tensor_scalar},
    {"SCALAR_TENSOR_TENSOR", Work::elements, isa::Opcode::tensor_tensor},
    {"SCALAR_TENSOR_TENSOR_BITVEC", Work::elements, isa::Opcode::tensor_tensor},
    {"COPY", Work::elements, isa::Opcode::tensor_copy},
    {"CAST", Work::elements, isa::Opcode::tensor_copy},
    {"STREAM_TRANSPOSE", Work::elements, isa::Opcode::tensor_copy},
    {"RECIPROCAL", Work::elements, isa::Opcode::reciprocal},
    {"MEMSET", Work::elements, isa::Opcode::memset},
    {"IOTA", Work::elements, isa::Opcode::iota},
    {"COPY_PREDICATED", Work::elements, isa::Opcode::tensor_copy_predicated},
    {"CAST_PREDICATED", Work::elements, isa::Opcode::select},
    {"ACT_TABLE_LOAD", Work::table, isa::Opcode::load_table},
    {"EVENT_SEMAPHORE", Work::wait, isa::Opcode::semaphore_wait},
    {"NOP", Work::wait, isa::Opcode::semaphore_wait},
    {"ENGINE_NOP", Work::wait, isa::Opcode::semaphore_wait},
    {"DRAIN", Work::wait, isa::Opcode::semaphore_wait},
    {"PSEUDO_DMA_TRIGGER", Work::trigger, isa::Opcode::dma_copy},
};
const Row* row_of(std::string_view opcode) {
  for (const Row& row : kRows)
    if (row.opcode == opcode) return &row;
  return nullptr;
}

const Operand* operand(const Instruction& in, std::string_view role) {
  for (const Operand& o : in.operands)
    if (o.role == role) return &o;
  return nullptr;
}

Result<isa::DType> dtype_of(const Operand& o, const Instruction& in) {
  const isa::trn2::DTypeRow* row = isa::trn2::dtype_row(o.dtype);
  if (row == nullptr)
    return unimplemented("an operand of " + in.text + " has the type '" + o.dtype + "', which is not known");
  return row->dtype;
}

Result<isa::Tile> tile(const Operand& o, const Instruction& in) {
  isa::Tile t;
  t.space = o.space == trace::device::Space::psum ? isa::Space::psum : isa::Space::sbuf;
  LW_ASSIGN_OR_RETURN(t.dtype, dtype_of(o, in));
  t.partition = static_cast<uint16_t>(o.partition);
  t.partitions = static_cast<uint16_t>(o.partitions);
  t.offset = static_cast<uint32_t>(o.address);
  t.rank = static_cast<uint8_t>(std::min<size_t>(o.sizes.size(), 4));
  for (int d = 0; d < t.rank; ++d) {
    t.dims[d].count = static_cast<decltype(t.dims[d].count)>(o.sizes[static_cast<size_t>(d)]);
    t.dims[d].stride = static_cast<decltype(t.dims[d].stride)>(o.steps[static_cast<size_t>(d)]);
  }
  return t;
}

Status missing(const Instruction& in, std::string_view role) {
  return unimplemented("no " + std::string(role) + " operand in " + in.text + "; the replay stops");
}

// The function's time depends on whether it needs a table; one that is not ours does.
isa::ActFn function_of(const Instruction& in) {
  const auto* row = isa::trn2::function_row(std::string_view(in.function));
  return row != nullptr && row->fn != isa::ActFn::none ? row->fn : isa::ActFn::exp;
}

// As ours: dst and sources of elements, stationary or moving as src0.
Result<isa::Instruction> translated(const Instruction& in, const Row& row) {
  isa::Instruction ours;
  ours.op = row.ours;
  ours.engine = in.engine;
  ours.pass_through = in.transpose;
  struct Slot {
    std::string_view role;
    isa::Tile* tile;
    bool required;
  };
  const bool two = row.ours == isa::Opcode::tensor_tensor;
  const bool makes = row.ours == isa::Opcode::memset || row.ours == isa::Opcode::iota;   // reads nothing
  std::vector<Slot> slots;
  switch (row.work) {
    case Work::load: slots = {{"stationary", &ours.src0, true}}; break;
    case Work::columns: slots = {{"moving", &ours.src0, true}}; break;
    case Work::elements: slots = {{"dst", &ours.dst, true}, {"src0", &ours.src0, !makes}, {"src1", &ours.src1, two}, {"predicate", &ours.src2, false}}; break;
    default: break;
  }
  for (const Slot& slot : slots) {
    const Operand* o = operand(in, slot.role);
    if (o == nullptr && slot.required) return missing(in, slot.role);
    if (o == nullptr) continue;
    LW_ASSIGN_OR_RETURN(*slot.tile, tile(*o, in));
  }
  if (row.ours == isa::Opcode::activation) ours.fn = function_of(in);
  return ours;
}

}  // namespace

Work work_of(std::string_view opcode) {
  const Row* row = row_of(opcode);
  return row == nullptr ? Work::none : row->work;
}

Result<Step> step_of(const Instruction& in, const machine::Machine& machine) {
  const Row* row = row_of(in.opcode);
  if (row == nullptr) return unimplemented("the replay does not understand " + in.text + "; it stops there");
  if (in.sync_unknown) return unimplemented("the replay does not understand how " + in.text + " waits or updates; it stops there");
  Step step;
  step.work = row->work;
  LW_ASSIGN_OR_RETURN(const isa::Instruction ours, translated(in, *row));
  if (step.work == Work::elements && in.engine != isa::Engine::vector && in.engine != isa::Engine::scalar && in.engine != isa::Engine::gpsimd)
    return unimplemented("no unit for " + in.text + " on this engine; the replay stops");
  step.ours = sim::step_of(ours, machine);
  if (step.work == Work::table)
    step.ours.stages = sim::behind_table_load(step.ours.stages, Picos(machine.scalar.table_load_ps));
  return step;
}

}  // namespace lanewise::lab
