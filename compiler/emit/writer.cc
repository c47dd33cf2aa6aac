// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/writer.h"

#include "base/status.h"
#include "isa/table.h"

namespace lanewise::compiler::emit {
namespace {

// Queues in turn, so that a DMA that does not reach all DMA engines leaves the others to the next one.
constexpr uint32_t kLoadQueues = 8, kStoreQueues = 4;

std::string op_text(const ir::Module& module, int32_t number) {
  const ir::Op& op = module.ops[number];
  const auto name = [&]() -> std::string {
    switch (op.kind) {
      case ir::OpKind::input: return "input " + std::to_string(op.index);
      case ir::OpKind::constant: return "constant";
      case ir::OpKind::parameter: return "parameter " + std::to_string(op.index);
      case ir::OpKind::iota: return "iota";
      case ir::OpKind::unary: return "unary " + std::string(isa::act_fn_name(op.fn));
      case ir::OpKind::binary: return "binary " + std::string(isa::alu_op_name(op.alu));
      case ir::OpKind::select: return "select";
      case ir::OpKind::convert: return "convert";
      case ir::OpKind::reduce: return "reduce " + std::string(isa::alu_op_name(op.alu));
      case ir::OpKind::matmul: return "matmul";
      case ir::OpKind::gather: return "gather";
      case ir::OpKind::reshape: return "reshape";
      case ir::OpKind::permute: return "permute";
      case ir::OpKind::broadcast: return "broadcast";
      case ir::OpKind::slice: return "slice";
      case ir::OpKind::concat: return "concat";
      case ir::OpKind::pad: return "pad";
    }
    return "?";
  };
  return "%" + std::to_string(number) + " " + name();
}

}  // namespace

Writer::Writer(const ir::Module& module, const machine::Machine& machine, isa::Program& program)
    : module_(module), machine_(machine), program_(program), debug_(module.ops.size(), 0) {}

void Writer::begin_stage(int32_t order, isa::Engine store_engine) {
  order_ = order;
  store_engine_ = store_engine;
  kept_banks_ = 0;
}

uint32_t Writer::debug_entry(int32_t ir_op) {
  if (ir_op < 0) return 0;
  if (debug_[ir_op] == 0) {
    debug_[ir_op] = static_cast<uint32_t>(program_.debug.size());
    program_.debug.push_back({op_text(module_, ir_op), module_.ops[ir_op].aten});
    debug_ops_.push_back(ir_op);
  }
  return debug_[ir_op];
}

void Writer::add(isa::Instruction instruction, int32_t ir_op) {
  instruction.debug = debug_entry(ir_op);
  linear_.code.push_back(instruction);
  linear_.order.push_back(order_);
}

void Writer::load(const isa::Tile& dst, const isa::Hbm& src, int32_t ir_op) {
  isa::Instruction i;
  i.op = isa::Opcode::dma_copy;
  i.engine = isa::Engine::sync;
  i.queue = static_cast<uint8_t>(loads_++ % kLoadQueues);
  i.dst = dst;
  i.hbm_src = src;
  add(i, ir_op);
}

void Writer::store(const isa::Hbm& dst, const isa::Tile& src, int32_t ir_op) {
  isa::Instruction i;
  i.op = isa::Opcode::dma_copy;
  i.engine = store_engine_;
  i.queue = static_cast<uint8_t>(stores_++ % kStoreQueues);
  i.hbm_dst = dst;
  i.src0 = src;
  add(i, ir_op);
}

void Writer::copy(const isa::Hbm& dst, const isa::Hbm& src, int32_t ir_op) {
  isa::Instruction i;
  i.op = isa::Opcode::dma_copy;
  i.engine = store_engine_;
  i.queue = static_cast<uint8_t>(stores_++ % kStoreQueues);
  i.hbm_dst = dst;
  i.hbm_src = src;
  add(i, ir_op);
}

uint32_t Writer::reserve_sbuf(int64_t bytes) {
  LW_CHECK(bytes <= sbuf_bytes(), "a stage asks for more than SBUF holds");
  if (next_sbuf_ + bytes > sbuf_bytes()) next_sbuf_ = 0;
  const int64_t at = next_sbuf_;
  next_sbuf_ += (bytes + 63) / 64 * 64;
  return static_cast<uint32_t>(at);
}

uint32_t Writer::next_psum_bank() {
  const uint32_t banks = static_cast<uint32_t>(machine_.memory.psum_banks) - kept_banks_;
  return (kept_banks_ + bank_++ % banks) * static_cast<uint32_t>(machine_.memory.psum_bank_bytes);
}

}  // namespace lanewise::compiler::emit
