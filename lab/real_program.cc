// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/real_program.h"

#include <algorithm>

#include "isa/trn2/table.h"
#include "lab/dma_pattern.h"

namespace lanewise::lab {
namespace {

namespace trn2 = isa::trn2;
using isa::Opcode;
using trace::neff::Core;
using trace::neff::EngineCode;

// In the other order: the first element is the last one.
void turn_round(isa::Tile* tile) {
  int64_t offset = tile->offset;
  const int64_t size = isa::dtype_bytes(tile->dtype);
  for (int d = 0; d < tile->rank; ++d) {
    offset += int64_t{tile->dims[d].stride} * (int64_t{tile->dims[d].count} - 1) * size;
    tile->dims[d].stride = -tile->dims[d].stride;
  }
  tile->offset = static_cast<uint32_t>(offset);
}

class Translator {
 public:
  Translator(const Core& core, Purpose purpose) : core_(core), purpose_(purpose) {}

  Result<RealProgram> run(std::string name) {
    for (char& c : name)
      if (c < 0x20 || c > 0x7e) c = '?';
    out_.program.name = std::move(name);
    out_.program.machine = "trn2";
    out_.program.semaphores_used = isa::kSemaphores;
    LW_RETURN_IF_ERROR(buffers());
    for (const EngineCode& code : core_.engines) {
      for (size_t i = 0; i < code.instructions.size(); ++i) {
        index_ = i;
        const Status status = instruction(code, code.instructions[i]);
        if (!status.ok())
          return status.with_context(code.member + " instruction " + std::to_string(i));
      }
    }
    out_.sbuf_partition_bytes = std::max(core_.sbuf_partition_bytes, highest_);
    return std::move(out_);
  }

 private:
  Status buffers() {
    for (const trace::neff::Variable& v : core_.variables) {
      isa::Buffer b;
      b.name = v.name;
      b.bytes = v.type == "state-buffer" ? 0 : v.bytes;
      b.kind = v.type == "input" ? isa::Buffer::Kind::input : v.type == "output" ? isa::Buffer::Kind::output : isa::Buffer::Kind::scratch;
      const auto constant = core_.constants.find(v.name);
      if (v.type == "file" && constant == core_.constants.end())
        return data_loss("constant " + v.name + " is not in the archive, or could not be read");
      if (constant != core_.constants.end()) {
        const std::string& bytes = constant->second.bytes;
        if (static_cast<int64_t>(bytes.size()) != b.bytes)
          return data_loss("constant " + v.name + " has " + std::to_string(bytes.size()) + " bytes, def.json says " + std::to_string(b.bytes));
        b.kind = isa::Buffer::Kind::constant;
        b.data.resize(bytes.size());
        std::transform(bytes.begin(), bytes.end(), b.data.begin(), [](char c) { return static_cast<std::byte>(c); });
      }
      out_.program.buffers.push_back(std::move(b));
    }
    return ok_status();
  }

  void emit(const EngineCode& code, isa::Instruction in) {
    in.engine = code.engine;
    const auto e = static_cast<size_t>(code.engine);
    out_.program.streams[e].push_back(in);
    out_.source[e].push_back(static_cast<uint32_t>(index_));
  }
  void note(std::string sentence) {
    if (std::find(out_.notes.begin(), out_.notes.end(), sentence) == out_.notes.end()) out_.notes.push_back(std::move(sentence));
  }

  Status refuse(const trn2::Instruction& in, std::string why) {
    return unimplemented(std::move(why) + ": " + trn2::hex(in));
  }

  Status tile(const trn2::Instruction& in, trn2::Role role, isa::Tile* out) {
    const trn2::Pattern* p = in.pattern(role);
    const auto t = p != nullptr ? trn2::tile(*p) : std::nullopt;
    if (!t) return refuse(in, "an operand that is not understood");
    if (t->partition + t->partitions > 128) return refuse(in, "an operand past partition 127");
    const trn2::DTypeRow* type = trn2::dtype_row(p->dtype);
    if (type->evidence == trn2::Evidence::inferred)
      note("dtype code " + std::to_string(p->dtype) + " is read as " + std::string(type->name) + ", which no file has proved");
    *out = *t;
    if (t->space == isa::Space::sbuf) {
      int64_t end = int64_t{t->offset} + isa::dtype_bytes(t->dtype);
      for (int d = 0; d < t->rank; ++d) end += std::max<int64_t>(0, int64_t{t->dims[d].stride}) * (int64_t{t->dims[d].count} - 1) * isa::dtype_bytes(t->dtype);
      highest_ = std::min<int64_t>(std::max(highest_, end), trn2::kSbufPartitionStep);
    }
    return ok_status();
  }

  Status instruction(const EngineCode& code, const trn2::Instruction& in) {
    const bool only_alu = in.row != nullptr && !in.not_understood.empty() && trn2::alu_row(in.alu) == nullptr &&
                          in.bytes_of(trn2::ByteUse::unknown) == 1;
    if (!in.not_understood.empty() && !(only_alu && purpose_ == Purpose::timing)) return refuse(in, in.not_understood);
    isa::Instruction out;
    if (in.wait.kind == trn2::kWaitAtLeast) out.wait = {in.wait.semaphore, in.wait.value};
    if (in.update.kind == trn2::kIncrement) out.update = {in.update.semaphore, 1};
    switch (in.opcode) {
      case 0x01: return load_weights(code, in, out);
      case 0x02: return matmul(code, in, out);
      case 0x23:
        out.op = Opcode::load_table;
        out.fn = isa::ActFn::exp;   // names its set; which functions a real set holds is another matter
        return emit(code, out), ok_status();
      case 0x41: return tensor_tensor(code, in, out);
      case 0x46:
        out.op = Opcode::tensor_copy;
        LW_RETURN_IF_ERROR(tile(in, trn2::Role::dst, &out.dst));
        LW_RETURN_IF_ERROR(tile(in, trn2::Role::src0, &out.src0));
        if (out.dst.dtype != out.src0.dtype) note("which of COPY's two dtypes is the source's is read by analogy");
        return emit(code, out), ok_status();
      case 0xc1: return trigger(code, in, out);
      case 0xa0:
      case 0xa4:
      case 0xb1:
      case 0xcc: return semaphores_only(code, out);
      default: return refuse(in, "opcode " + std::string(in.row->name) + " has no counterpart");
    }
  }

  Status semaphores_only(const EngineCode& code, const isa::Instruction& in) {
    isa::Instruction out;
    if (in.wait.semaphore >= 0) {
      out.op = Opcode::semaphore_wait;
      out.wait = in.wait;
      emit(code, out);
    }
    if (in.update.semaphore >= 0) {
      out = {};
      out.op = Opcode::semaphore_increment;
      out.update = in.update;
      emit(code, out);
    }
    return ok_status();
  }

  Status load_weights(const EngineCode& code, const trn2::Instruction& in, isa::Instruction out) {
    out.op = Opcode::load_stationary;
    LW_RETURN_IF_ERROR(tile(in, trn2::Role::stationary, &out.src0));
    if (out.src0.elements_per_partition() != in.columns) return refuse(in, "a stationary operand of another size than the array's columns");
    turn_round(&out.src0);
    const bool parts = !in.transpose && out.src0.dtype == isa::DType::f32;
    if (!parts && !in.transpose && in.pass != 0) return refuse(in, "weights in passes that are not f32");
    out.upper_part = parts && in.pass == 1;
    out.lower_part = parts && in.pass == 2;
    if (parts) note("f32 weights go in two passes, upper bits and the rest; the split is ours");
    return emit(code, out), ok_status();
  }

  Status matmul(const EngineCode& code, const trn2::Instruction& in, isa::Instruction out) {
    out.op = Opcode::multiply_moving;
    LW_RETURN_IF_ERROR(tile(in, trn2::Role::moving, &out.src0));
    LW_RETURN_IF_ERROR(tile(in, trn2::Role::dst, &out.dst));
    out.pass_through = in.transpose;
    out.accumulate = !in.transpose && (in.accumulate & 1) == 0;
    return emit(code, out), ok_status();
  }

  Status tensor_tensor(const EngineCode& code, const trn2::Instruction& in, isa::Instruction out) {
    out.op = Opcode::tensor_tensor;
    LW_RETURN_IF_ERROR(tile(in, trn2::Role::dst, &out.dst));
    LW_RETURN_IF_ERROR(tile(in, trn2::Role::src0, &out.src0));
    LW_RETURN_IF_ERROR(tile(in, trn2::Role::src1, &out.src1));
    const trn2::AluRow* alu = trn2::alu_row(in.alu);
    out.op0 = alu != nullptr ? alu->op : isa::AluOp::add;   // only for timing, which does not look at it
    if (alu == nullptr) note("ALU code " + std::to_string(in.alu) + " is not known; it is timed as any other");
    else if (alu->evidence == trn2::Evidence::inferred)
      note("ALU code " + std::to_string(in.alu) + " is read as " + std::string(isa::alu_op_name(alu->op)) + ", which no file has proved");
    return emit(code, out), ok_status();
  }

  Status trigger(const EngineCode& code, const trn2::Instruction& in, const isa::Instruction& at) {
    const trace::neff::DmaBlock* block = core_.block(code.engine, in.queue, in.descriptor);
    if (block == nullptr) return refuse(in, "queue " + in.queue + " has no descriptors of id " + std::to_string(in.descriptor));
    uint8_t number = 0;
    const trace::neff::Queue* queue = core_.queue(in.queue);
    for (const trace::neff::Queue& q : core_.queues) {
      if (&q == queue) break;
      if (q.owner == code.engine) ++number;
    }
    if (number > 15) return unimplemented("more than 16 DMA queues of one engine");
    std::vector<isa::Instruction> copies;
    for (const trace::neff::DmaElement& element : block->elements) {
      auto copy = dma_copy(core_, element);
      if (!copy.ok()) return copy.status().with_context("descriptor " + block->name);
      for (const isa::Tile* t : {&copy->dst, &copy->src0})
        if (t->present()) highest_ = std::min<int64_t>(std::max(highest_, int64_t{t->offset} + 1), trn2::kSbufPartitionStep);
      copy->queue = number;
      copies.push_back(*copy);
    }
    if (copies.empty()) return refuse(in, "a DMA without descriptors");
    copies.front().wait = at.wait;
    if (block->semaphore >= isa::kSemaphores) return data_loss("descriptor " + block->name + " updates semaphore " + std::to_string(block->semaphore) + ", a core has 256");
    if (block->semaphore >= 0)
      copies.back().update = {static_cast<int16_t>(block->semaphore), static_cast<uint32_t>(std::clamp<int64_t>(queue != nullptr ? queue->rings : 1, 1, 256))};
    for (const isa::Instruction& copy : copies) emit(code, copy);
    isa::Instruction own;
    own.update = at.update;   // of the trigger itself, not of the transfer
    return semaphores_only(code, own);
  }

  const Core& core_;
  Purpose purpose_;
  RealProgram out_;
  size_t index_ = 0;
  int64_t highest_ = 0;
};

}  // namespace

Result<RealProgram> real_program(const trace::neff::RealNeff& neff, size_t core, Purpose purpose) {
  if (core >= neff.cores.size())
    return not_found("core " + std::to_string(core) + ": the NEFF has " + std::to_string(neff.cores.size()));
  return Translator(neff.cores[core], purpose).run(neff.header.name);
}

machine::Machine machine_for(const RealProgram& program, machine::Machine base) {
  base.memory.sbuf_partition_bytes = std::max(base.memory.sbuf_partition_bytes, program.sbuf_partition_bytes);
  return base;
}

}  // namespace lanewise::lab
