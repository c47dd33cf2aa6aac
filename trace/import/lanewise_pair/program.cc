// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/import/lanewise_pair/program.h"

#include <algorithm>
#include <map>
#include <utility>

#include "isa/table.h"

namespace lanewise::trace::lanewise_pair {
namespace {

using isa::Opcode;

// The public names of the element types.
std::string_view public_dtype(isa::DType t) {
  using isa::DType;
  switch (t) {
    case DType::f32: return "float32";
    case DType::bf16: return "bfloat16";
    case DType::f16: return "float16";
    case DType::f8e4m3: return "float8_e4m3";
    case DType::f8e5m2: return "float8_e5m2";
    case DType::i64: return "int64";
    case DType::i32: return "int32";
    case DType::i16: return "int16";
    case DType::i8: return "int8";
    case DType::u8: return "uint8";
    case DType::b8: return "bool";
  }
  return "";
}

std::string buffer_name(const isa::Program& program, size_t buffer) {
  const std::string& name = program.buffers[buffer].name;
  return name.empty() ? "buffer " + std::to_string(buffer) : name;
}

device::Operand operand_of(std::string role, const isa::Tile& tile) {
  device::Operand o;
  o.role = std::move(role);
  o.space = tile.space == isa::Space::psum ? device::Space::psum : device::Space::sbuf;
  o.dtype = public_dtype(tile.dtype);
  o.address = tile.offset;
  o.partition = tile.partition;
  o.partitions = tile.partitions;
  for (int d = 0; d < tile.rank; ++d) {
    o.sizes.push_back(tile.dims[d].count);
    o.steps.push_back(tile.dims[d].stride);
  }
  return o;
}

device::Operand operand_of(std::string role, const isa::Hbm& hbm, const isa::Program& program) {
  device::Operand o;
  o.role = std::move(role);
  o.space = device::Space::hbm;
  if (static_cast<size_t>(hbm.buffer) < program.buffers.size()) o.tensor = buffer_name(program, hbm.buffer);
  o.dtype = public_dtype(hbm.dtype);
  o.address = hbm.offset;
  if (hbm.row_index.present()) {
    o.sizes.push_back(hbm.row_index.partitions);
    o.steps.push_back(hbm.row_stride);
  }
  for (int d = 0; d < hbm.rank; ++d) {
    o.sizes.push_back(hbm.dims[d].count);
    o.steps.push_back(hbm.dims[d].stride);
  }
  return o;
}

int64_t elements(const isa::Tile& tile) { return tile.elements_per_partition() * tile.partitions; }
int64_t bytes(const isa::Tile& tile) { return elements(tile) * isa::dtype_bytes(tile.dtype); }

bool computes(isa::AluOp op) { return op != isa::AluOp::none && op != isa::AluOp::bypass; }

int64_t flops(const isa::Instruction& in) {
  switch (in.op) {
    case Opcode::nc_matmul:
      return 2 * int64_t{in.src0.partitions} * in.src0.elements_per_partition() * in.src1.elements_per_partition();
    case Opcode::nc_transpose:
      return 2 * int64_t{in.src0.partitions} * in.src0.elements_per_partition() * in.src0.partitions;
    case Opcode::multiply_moving: {
      // Each of the two passes that make an f32 product counts half.
      const int64_t whole = 2 * int64_t{in.src0.partitions} * in.dst.partitions * in.src0.elements_per_partition();
      return in.src0.dtype == isa::DType::f32 && !in.pass_through ? whole / 2 : whole;
    }
    case Opcode::tensor_tensor: return elements(in.dst) * computes(in.op0);
    case Opcode::tensor_scalar: return elements(in.dst) * (int{computes(in.op0)} + int{computes(in.op1)});
    case Opcode::tensor_reduce: return elements(in.src0);
    case Opcode::reciprocal: return elements(in.dst);
    case Opcode::activation:
    case Opcode::activation_reduce: {
      const int function = in.fn != isa::ActFn::none && in.fn != isa::ActFn::copy;
      const int sum = in.op == Opcode::activation_reduce;
      return elements(in.dst) * (function + int{in.scalar0.present()} + int{in.scalar1.present()} + sum);
    }
    default: return 0;   // moves, fills and selects compute nothing
  }
}

class Filler {
 public:
  Filler(const isa::Program& program, device::Program* out) : program_(program), out_(out) {}

  void add(isa::Engine engine, uint32_t index, const isa::Instruction& in) {
    device::Instruction i;
    i.engine = engine;
    i.index = index;
    i.opcode = isa::opcode_name(in.op);
    if (in.fn != isa::ActFn::none) i.function = isa::act_fn_name(in.fn);
    i.text = isa::print_text(in);
    if (in.debug != 0 && in.debug < program_.debug.size()) {
      i.ir_op = program_.debug[in.debug].ir_op;
      i.aten_node = program_.debug[in.debug].aten_node;
    }
    if (in.wait.semaphore >= 0) i.waits.push_back({in.wait.semaphore, ">=", in.wait.at_least});
    if (in.update.semaphore >= 0) i.updates.push_back({in.update.semaphore, "+", in.update.increment});
    i.setup = in.op == Opcode::semaphore_wait || in.op == Opcode::semaphore_increment || in.op == Opcode::loop_begin ||
              in.op == Opcode::loop_end;
    i.transpose = in.op == Opcode::nc_transpose || in.pass_through;
    const auto written = [&](const char* role, const isa::Tile& tile) {
      if (!tile.present()) return;
      i.operands.push_back(operand_of(role, tile));
      i.elements += elements(tile);
      i.bytes_written += bytes(tile);
    };
    const auto read = [&](const char* role, const isa::Tile& tile) {
      if (!tile.present()) return;
      i.operands.push_back(operand_of(role, tile));
      i.bytes_read += bytes(tile);
    };
    written("dst", in.dst);
    written("dst2", in.dst2);
    read("src0", in.src0);
    read("src1", in.src1);
    read("src2", in.src2);
    if (in.scalar0.kind == isa::Scalar::Kind::tile) read("scalar0", in.scalar0.tile);
    if (in.scalar1.kind == isa::Scalar::Kind::tile) read("scalar1", in.scalar1.tile);
    if (in.accumulate) i.bytes_read += bytes(in.dst);
    i.flops = flops(in);
    if (in.op == Opcode::dma_copy) add_dma(in, &i);
    out_->instructions.push_back(std::move(i));
  }

 private:
  void add_dma(const isa::Instruction& in, device::Instruction* i) {
    if (in.hbm_dst.present()) i->operands.push_back(operand_of("dst", in.hbm_dst, program_));
    if (in.hbm_src.present()) i->operands.push_back(operand_of("src0", in.hbm_src, program_));
    for (const isa::Hbm* side : {&in.hbm_dst, &in.hbm_src}) {
      if (side->row_index.present()) i->operands.push_back(operand_of("row_index", side->row_index));
    }
    device::DmaDescriptor d;
    d.trigger = static_cast<uint32_t>(out_->instructions.size());
    d.queue = queue_of(in.engine, in.queue);
    d.name = i->ir_op;
    for (const device::Operand& o : i->operands) {
      if (o.role == "dst") d.to = o;
      if (o.role == "src0") d.from = o;
    }
    // An indirect side is written row by row: as many elements as the tile has.
    const isa::Tile& tile = in.dst.present() ? in.dst : in.src0;
    const isa::DType to = in.dst.present() ? in.dst.dtype : in.hbm_dst.dtype;
    const int64_t moved = tile.present() ? elements(tile) : in.hbm_dst.elements();
    d.bytes = moved * isa::dtype_bytes(to);
    i->elements = moved;
    i->bytes_read = i->bytes_written = 0;
    i->queue = d.queue;
    out_->descriptors.push_back(std::move(d));
  }

  uint32_t queue_of(isa::Engine engine, uint8_t queue) {
    const auto key = std::pair(engine, queue);
    const auto [at, fresh] = queues_.try_emplace(key, static_cast<uint32_t>(out_->queues.size()));
    if (fresh) {
      device::DmaQueue q;
      q.name = "q_" + std::string(isa::engine_name(engine)) + "_" + std::to_string(queue);
      q.engine = engine;
      out_->queues.push_back(std::move(q));
    }
    return at->second;
  }

  const isa::Program& program_;
  device::Program* out_;
  std::map<std::pair<isa::Engine, uint8_t>, uint32_t> queues_;
};

std::string_view kind_name(isa::Buffer::Kind kind) {
  switch (kind) {
    case isa::Buffer::Kind::input: return "input";
    case isa::Buffer::Kind::output: return "output";
    case isa::Buffer::Kind::constant: return "constant";
    case isa::Buffer::Kind::scratch: return "scratch";
  }
  return "";
}

// A buffer has no element type of its own; what the DMAs say when they agree.
void name_dtypes(const isa::Program& program, device::Program* out) {
  std::vector<bool> seen(out->tensors.size());
  for (const auto& stream : program.streams) {
    for (const isa::Instruction& in : stream) {
      for (const isa::Hbm* side : {&in.hbm_dst, &in.hbm_src}) {
        if (!side->present() || static_cast<size_t>(side->buffer) >= seen.size()) continue;
        std::string& dtype = out->tensors[side->buffer].dtype;
        if (!seen[side->buffer]) dtype = public_dtype(side->dtype);
        else if (dtype != public_dtype(side->dtype)) dtype.clear();
        seen[side->buffer] = true;
      }
    }
  }
}

}  // namespace

device::Program program_of(const isa::Program& program, uint64_t hash) {
  device::Program out;
  out.name = program.name;
  out.target = program.machine;
  out.hash = std::to_string(hash);
  for (size_t b = 0; b < program.buffers.size(); ++b) {
    const isa::Buffer& buffer = program.buffers[b];
    out.tensors.push_back({buffer_name(program, b), std::string(kind_name(buffer.kind)), "", {}, buffer.bytes});
  }
  name_dtypes(program, &out);
  Filler filler(program, &out);
  for (int e = 0; e < isa::kEngineCount; ++e) {
    for (size_t i = 0; i < program.streams[e].size(); ++i) {
      filler.add(static_cast<isa::Engine>(e), static_cast<uint32_t>(i), program.streams[e][i]);
    }
  }
  return out;
}

Result<device::Program> program_of(const record::Neff& neff) {
  LW_ASSIGN_OR_RETURN(const isa::Program program, record::neff_program(neff));
  device::Program out = program_of(program, neff.program_hash());
  out.compiler = neff.header.build_version;
  return out;
}

}  // namespace lanewise::trace::lanewise_pair
