// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/real_program.h"

#include <algorithm>

#include "isa/trn2/table.h"
#include "lab/dma_pattern.h"
#include "lab/real_elements.h"

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
  explicit Translator(const Core& core) : core_(core) {}

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
    out_.notes = notes_.take();
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

  Status tile(const trn2::Instruction& in, trn2::Role role, isa::Tile* out) {
    LW_ASSIGN_OR_RETURN(*out, tile_of(in, role, &notes_));
    return reach(in, *out);
  }

  // How much SBUF the binary needs. A pattern that runs out of memory is refused here: nothing checks it when it runs.
  Status reach(const trn2::Instruction& in, const isa::Tile& t) {
    if (!t.present()) return ok_status();
    int64_t lowest = t.offset, end = int64_t{t.offset} + isa::dtype_bytes(t.dtype);
    for (int d = 0; d < t.rank; ++d) {
      const int64_t way = int64_t{t.dims[d].stride} * (int64_t{t.dims[d].count} - 1) * isa::dtype_bytes(t.dtype);
      (way < 0 ? lowest : end) += way;
    }
    const int64_t limit = t.space == isa::Space::sbuf ? trn2::kSbufPartitionStep : trn2::kPsumPartitionStep;
    if (lowest < 0 || end > limit) return refuse(in, "an operand outside its partition");
    if (t.space == isa::Space::sbuf) highest_ = std::max(highest_, end);
    return ok_status();
  }

  Status instruction(const EngineCode& code, const trn2::Instruction& in) {
    if (!in.not_understood.empty()) return refuse(in, in.not_understood);
    isa::Instruction out;
    if (const auto value = trn2::reaches(in.wait)) out.wait = {in.wait.semaphore, *value};
    if (in.update.kind == trn2::kIncrement) out.update = {in.update.semaphore, 1};
    switch (in.opcode) {
      case 0x01: return load_weights(code, in, out);
      case 0x02: return matmul(code, in, out);
      case 0x23:
        out.op = Opcode::load_table;
        out.fn = isa::ActFn::exp;   // names its set; which functions a real set holds is another matter
        return emit(code, out), ok_status();
      case 0xc1: return trigger(code, in, out);
      default: break;
    }
    if (in.row->setup) return semaphores_only(code, out);
    LW_ASSIGN_OR_RETURN(std::vector<isa::Instruction> steps, elements_of(in, &notes_));
    if (steps.empty()) return refuse(in, std::string(in.row->name) + " has no counterpart");
    steps.front().wait = out.wait;
    steps.back().update = out.update;
    for (const isa::Instruction& step : steps) {
      for (const isa::Tile* t : {&step.dst, &step.src0, &step.src1, &step.src2, &step.scalar0.tile, &step.scalar1.tile})
        LW_RETURN_IF_ERROR(reach(in, *t));
      emit(code, step);
    }
    return ok_status();
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
    if (parts) notes_.add("f32 weights go in two passes, upper bits and the rest; the split is ours");
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
  RealProgram out_;
  Notes notes_;
  size_t index_ = 0;
  int64_t highest_ = 0;
};

}  // namespace

Result<RealProgram> real_program(const trace::neff::RealNeff& neff, size_t core) {
  if (core >= neff.cores.size())
    return not_found("core " + std::to_string(core) + ": the NEFF has " + std::to_string(neff.cores.size()));
  return Translator(neff.cores[core]).run(neff.header.name);
}

machine::Machine machine_for(const RealProgram& program, machine::Machine base) {
  base.memory.sbuf_partition_bytes = std::max(base.memory.sbuf_partition_bytes, program.sbuf_partition_bytes);
  return base;
}

}  // namespace lanewise::lab
