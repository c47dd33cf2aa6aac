// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <map>
#include <string_view>
#include <utility>

#include "isa/trn2/table.h"
#include "trace/import/neff/program.h"

namespace lanewise::trace::neff {
namespace {

using device::Operand;
namespace trn2 = isa::trn2;

constexpr int64_t kStep = trn2::kSbufPartitionStep;

std::string_view role_name(trn2::Role role) {
  switch (role) {
    case trn2::Role::dst: return "dst";
    case trn2::Role::src0: return "src0";
    case trn2::Role::src1: return "src1";
    case trn2::Role::stationary: return "stationary";
    case trn2::Role::moving: return "moving";
    case trn2::Role::predicate: return "predicate";
    case trn2::Role::scalar0: return "scalar0";
    case trn2::Role::scalar1: return "scalar1";
  }
  return "";
}

int64_t element_bytes(std::string_view dtype) {
  const trn2::DTypeRow* row = trn2::dtype_row(dtype);
  return row != nullptr ? row->bytes : 1;
}

Operand operand(const trn2::Pattern& p) {
  Operand o;
  o.role = role_name(p.role);
  o.space = p.space() == isa::Space::sbuf ? device::Space::sbuf : p.space() == isa::Space::psum ? device::Space::psum : device::Space::none;
  if (const trn2::DTypeRow* row = trn2::dtype_row(p.dtype)) o.dtype = row->name;
  o.address = p.offset();
  o.partition = p.partition();
  o.partitions = p.partitions;
  for (int d = p.rank - 1; d >= 0; --d) {
    if (p.dims[d].count == 1 && (d > 0 || !o.sizes.empty())) continue;
    o.sizes.push_back(p.dims[d].count);
    o.steps.push_back(p.dims[d].step);
  }
  return o;
}

// Bytes to elements where the pattern moves whole elements, else it stays in bytes.
Operand operand(const DmaSide& side, std::string_view role) {
  Operand o;
  o.role = role;
  o.space = side.on_chip() ? device::Space::sbuf : device::Space::hbm;
  if (!side.on_chip()) o.tensor = side.variable;
  o.address = side.offset;
  const size_t rank = std::min(side.sizes.size(), side.steps.size());
  int64_t element = element_bytes(side.dtype);
  bool whole = rank > 0 && side.steps[0] == 1 && side.sizes[0] % element == 0;
  for (size_t d = 1; d < rank; ++d) whole = whole && (side.steps[d] % element == 0);
  o.dtype = whole || element == 1 ? side.dtype : "uint8";
  if (!whole) element = 1;
  if (side.on_chip() && side.offset >= 0 && side.offset < trn2::kPsumBase) {
    o.partition = static_cast<int32_t>(side.offset / kStep);
    o.address = side.offset % kStep;
    o.partitions = 1;
  }
  for (size_t d = rank; d-- > 0;) {
    if (side.on_chip() && side.steps[d] == kStep && o.partitions <= 1 && side.sizes[d] <= 128) {
      o.partitions = static_cast<int32_t>(side.sizes[d]);
      continue;
    }
    o.sizes.push_back(d == 0 ? side.sizes[d] / element : side.sizes[d]);
    o.steps.push_back(d == 0 ? 1 : side.steps[d] / element);
  }
  return o;
}

int64_t product(int64_t a, int64_t b) {
  int64_t r = 0;
  return __builtin_mul_overflow(a, b, &r) ? std::numeric_limits<int64_t>::max() : r;
}
int64_t sum(int64_t a, int64_t b) {
  int64_t r = 0;
  return __builtin_add_overflow(a, b, &r) ? std::numeric_limits<int64_t>::max() : r;
}
int64_t elements_of(const Operand& o) {
  int64_t n = o.space == device::Space::hbm ? 1 : std::max(o.partitions, 1);
  for (int64_t size : o.sizes) n = product(n, std::max<int64_t>(size, 0));
  return n;
}
int64_t bytes_of(const Operand& o) { return product(elements_of(o), element_bytes(o.dtype)); }

std::string describe(const Operand& o) {
  std::string out = o.space == device::Space::hbm ? o.tensor : "sbuf";
  out += "." + o.dtype;
  if (o.space != device::Space::hbm) out += "[" + std::to_string(o.partition) + ":" + std::to_string(o.partition + o.partitions) + "]";
  out += "@" + std::to_string(o.address) + "{";
  for (size_t d = 0; d < o.sizes.size(); ++d)
    out += (d > 0 ? "," : "") + std::to_string(o.steps[d]) + "x" + std::to_string(o.sizes[d]);
  return out + "}";
}

class Builder {
 public:
  explicit Builder(const RealNeff& neff) : neff_(neff) {}

  device::Program run() {
    out_.name = neff_.header.name;
    out_.compiler = "neuronx-cc " + neff_.tool_version;
    out_.target = neff_.target == "cayman" ? "trn2" : neff_.target;
    out_.cores = static_cast<uint16_t>(neff_.cores.size());
    for (size_t c = 0; c < neff_.cores.size(); ++c) core(static_cast<uint16_t>(c), neff_.cores[c]);
    return std::move(out_);
  }

 private:
  void core(uint16_t number, const Core& core) {
    first_queue_ = static_cast<uint32_t>(out_.queues.size());
    for (const Queue& q : core.queues) out_.queues.push_back({number, q.name, q.owner});
    for (const EngineCode& code : core.engines) {
      const uint32_t first = static_cast<uint32_t>(out_.instructions.size());
      for (size_t i = 0; i < code.instructions.size(); ++i) instruction(number, core, code, i);
      descriptors(number, core, code, first);
    }
    if (number == 0) tensors(core);
  }

  uint32_t queue_index(const Core& core, std::string_view name) const {
    for (size_t q = 0; q < core.queues.size(); ++q)
      if (core.queues[q].name == name) return first_queue_ + static_cast<uint32_t>(q);
    return device::kNone;
  }

  void instruction(uint16_t number, const Core& core, const EngineCode& code, size_t index) {
    const trn2::Instruction& in = code.instructions[index];
    device::Instruction& out = out_.instructions.emplace_back();
    out.core = number;
    out.engine = code.engine;
    out.index = static_cast<uint32_t>(index);
    out.opcode = in.row != nullptr ? std::string(in.row->name) : "UNKNOWN_0x" + trn2::hex(in).substr(0, 2);
    out.text = trn2::print(in);
    if (index < code.names.size()) out.name = code.names[index].name, out.ir_op = code.names[index].made_of;
    out.setup = in.row != nullptr && in.row->setup;
    out.transpose = in.transpose;
    if (in.opcode == 0x21)
      if (const trn2::FunctionRow* row = trn2::function_row(in.function)) out.function = row->name;
    if (const auto value = trn2::reaches(in.wait)) out.waits.push_back({in.wait.semaphore, ">=", *value});
    if (in.update.kind == trn2::kIncrement) out.updates.push_back({in.update.semaphore, "+", 1});
    for (const trn2::Pattern& p : in.patterns) add(operand(p), p.role == trn2::Role::dst, &out);
    if (!in.queue.empty()) trigger(core, code, in, &out);
    if (out.opcode == "MATMUL")
      out.flops = product(in.pass != 0 && !in.transpose ? 1 : 2, product(int64_t{in.rows} * in.columns, in.pattern(trn2::Role::moving)->elements()));
    else
      out.flops = product(arithmetic(in), out.elements);
  }

  // Operations for each element that comes out.
  static int64_t arithmetic(const trn2::Instruction& in) {
    const auto step = [](uint8_t alu) { return alu != 0 ? 1 : 0; };
    const auto read = [&](trn2::Role role) { return in.pattern(role) != nullptr ? in.pattern(role)->elements() : 0; };
    switch (in.opcode) {
      case 0x21: return 3;   // scale, bias, function
      case 0x41:
      case 0x48: return 1;
      case 0x42:
      case 0x45: return read(trn2::Role::dst) > 0 ? read(trn2::Role::src0) / read(trn2::Role::dst) : 0;
      case 0x43:
      case 0x9d: return step(in.alu) + step(in.alu1);
      default: return 0;
    }
  }

  static void add(Operand o, bool written, device::Instruction* out) {
    int64_t& bytes = written ? out->bytes_written : out->bytes_read;
    bytes = sum(bytes, bytes_of(o));
    if (written) out->elements = sum(out->elements, elements_of(o));
    out->operands.push_back(std::move(o));
  }

  void trigger(const Core& core, const EngineCode& code, const trn2::Instruction& in, device::Instruction* out) {
    out->queue = queue_index(core, in.queue);
    const DmaBlock* block = core.block(code.engine, in.queue, in.descriptor);
    if (block == nullptr) return;
    std::string text;
    for (const DmaElement& e : block->elements) {
      Operand to = operand(e.to, "dst"), from = operand(e.from, "src0");
      text += " " + e.operation + " " + describe(to) + " <- " + describe(from);
      out->operands.push_back(std::move(to));
      out->operands.push_back(std::move(from));
    }
    const Queue* queue = core.queue(in.queue);
    if (block->semaphore >= 0) {
      const auto rings = static_cast<uint32_t>(queue != nullptr && queue->rings > 0 ? queue->rings : 1);
      out->updates.push_back({static_cast<int32_t>(block->semaphore), "+", rings});
      text += " done=s" + std::to_string(block->semaphore) + "+" + std::to_string(rings);
    }
    out->text += text;
  }

  void descriptors(uint16_t number, const Core& core, const EngineCode& code, uint32_t first) {
    std::map<std::pair<std::string_view, int64_t>, uint32_t> triggers;   // first of equal ones
    for (size_t i = 0; i < code.instructions.size(); ++i)
      if (!code.instructions[i].queue.empty()) triggers.emplace(std::pair(std::string_view(code.instructions[i].queue), int64_t{code.instructions[i].descriptor}), first + static_cast<uint32_t>(i));
    for (const DmaBlock& block : code.blocks) {
      const auto found = triggers.find({block.queue, block.id});
      const uint32_t trigger = found == triggers.end() ? device::kNone : found->second;
      for (const DmaElement& e : block.elements) {
        device::DmaDescriptor& d = out_.descriptors.emplace_back();
        d.core = number;
        d.queue = queue_index(core, block.queue);
        d.trigger = trigger;
        d.name = block.name;
        d.from = operand(e.from, "src0");
        d.to = operand(e.to, "dst");
        d.bytes = bytes_of(d.to);
      }
    }
  }

  void tensors(const Core& core) {
    for (const Variable& v : core.variables) {
      if (v.type == "state-buffer") continue;
      device::Tensor t;
      t.name = v.name;
      t.kind = v.type == "file" ? "constant" : v.type == "input" || v.type == "output" ? v.type : "scratch";
      t.bytes = v.bytes;
      if (const TensorInfo* info = core.tensor(v.name)) t.dtype = info->dtype, t.shape = info->shape;
      const auto constant = core.constants.find(v.name);
      if (constant != core.constants.end()) t.dtype = constant->second.dtype, t.shape = constant->second.shape;
      out_.tensors.push_back(std::move(t));
    }
  }

  const RealNeff& neff_;
  device::Program out_;
  uint32_t first_queue_ = 0;
};

}  // namespace

device::Program program_of(const RealNeff& neff) { return Builder(neff).run(); }

}  // namespace lanewise::trace::neff
