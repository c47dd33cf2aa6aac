// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/real_elements.h"

#include <algorithm>
#include <bit>

#include "isa/trn2/table.h"

namespace lanewise::lab {
namespace {

namespace trn2 = isa::trn2;
using isa::AluOp;
using isa::Opcode;
using isa::Scalar;
using trn2::Role;
using Source = trn2::Immediate::Source;
using Steps = std::vector<isa::Instruction>;

constexpr uint8_t kBypass = 0;

class Reader {
 public:
  Reader(const trn2::Instruction& in, Notes* notes) : in_(in), notes_(notes) {}

  Result<Steps> run() {
    switch (in_.opcode) {
      case 0x21: return activate();
      case 0x41:
      case 0x51: return tensor_tensor();
      case 0x42:
      case 0x52: return reduce();
      case 0x43:
      case 0x53: return tensor_scalar();
      case 0x45: return pool();
      case 0x46:
      case 0x47: return same_shape(Opcode::tensor_copy);
      case 0x48: return same_shape(Opcode::reciprocal);
      case 0x49: return memset();
      case 0x72: return predicated();
      case 0x7e: return iota();
      case 0x9d:
      case 0x9e: return scalar_tensor_tensor();
      default: return Steps{};
    }
  }

 private:
  Result<isa::Tile> tile(Role role) { return tile_of(in_, role, notes_); }

  Result<AluOp> alu(uint8_t code) {
    const trn2::AluRow* row = trn2::alu_row(code);
    if (row == nullptr || row->op == AluOp::none)
      return refuse(in_, "the operation " + (row != nullptr ? std::string(row->name) : std::to_string(code)) + " has no counterpart");
    if (row->evidence != trn2::Evidence::observed)
      notes_->add("ALU code " + std::to_string(code) + " is read as " + std::string(row->name) + ", which no file has proved");
    return row->op;
  }

  // `bits`: the value is an integer.
  Result<Scalar> scalar(uint8_t index, Role role, bool bits) {
    const trn2::Immediate& value = in_.immediates[index];
    if (value.source == Source::pointer) {
      LW_ASSIGN_OR_RETURN(const isa::Tile t, tile(role));
      return Scalar::of_tile(t);
    }
    if (value.source != Source::value) return refuse(in_, "a scalar whose address is in a register");
    return bits ? Scalar::of_int(static_cast<int32_t>(value.bits)) : Scalar::of(std::bit_cast<float>(value.bits));
  }

  Result<Steps> same_shape(Opcode op) {
    isa::Instruction out;
    out.op = op;
    LW_ASSIGN_OR_RETURN(out.dst, tile(Role::dst));
    LW_ASSIGN_OR_RETURN(out.src0, tile(Role::src0));
    return Steps{out};
  }

  Result<Steps> tensor_tensor() {
    isa::Instruction out;
    out.op = Opcode::tensor_tensor;
    LW_ASSIGN_OR_RETURN(out.dst, tile(Role::dst));
    LW_ASSIGN_OR_RETURN(out.src0, tile(Role::src0));
    LW_ASSIGN_OR_RETURN(out.src1, tile(Role::src1));
    LW_ASSIGN_OR_RETURN(out.op0, alu(in_.alu));
    return Steps{out};
  }

  Status scalar_steps(isa::Instruction* out) {
    const bool bits = in_.opcode == 0x53;
    LW_ASSIGN_OR_RETURN(out->op0, alu(in_.alu));
    LW_ASSIGN_OR_RETURN(out->scalar0, scalar(0, Role::scalar0, bits));
    out->reverse0 = (in_.reverse & 1) != 0;
    if (in_.alu1 == kBypass) return ok_status();
    LW_ASSIGN_OR_RETURN(out->op1, alu(in_.alu1));
    LW_ASSIGN_OR_RETURN(out->scalar1, scalar(1, Role::scalar1, bits));
    out->reverse1 = (in_.reverse & 2) != 0;
    return ok_status();
  }

  Result<Steps> tensor_scalar() {
    if (in_.alu == kBypass) return in_.alu1 == kBypass ? same_shape(Opcode::tensor_copy) : refuse(in_, "a second operation without a first");
    LW_ASSIGN_OR_RETURN(Steps out, same_shape(Opcode::tensor_scalar));
    LW_RETURN_IF_ERROR(scalar_steps(&out[0]));
    return out;
  }

  Result<Steps> scalar_tensor_tensor() {
    if (in_.accumulator != 0) return refuse(in_, "a sum that a later instruction reads");
    LW_ASSIGN_OR_RETURN(const isa::Tile dst, tile(Role::dst));
    if (dst.dtype != isa::DType::f32) return refuse(in_, "SCALAR_TENSOR_TENSOR into other than float32");
    isa::Instruction first, second;
    first.op = Opcode::tensor_scalar;
    first.dst = second.dst = second.src0 = dst;
    LW_ASSIGN_OR_RETURN(first.src0, tile(Role::src0));
    LW_ASSIGN_OR_RETURN(first.op0, alu(in_.alu));
    LW_ASSIGN_OR_RETURN(first.scalar0, scalar(0, Role::scalar0, in_.opcode == 0x9e));
    first.reverse0 = (in_.reverse & 1) != 0;
    second.op = Opcode::tensor_tensor;
    LW_ASSIGN_OR_RETURN(second.src1, tile(Role::src1));
    LW_ASSIGN_OR_RETURN(second.op0, alu(in_.alu1));
    if ((in_.reverse & 2) != 0) std::swap(second.src0, second.src1);
    if (overlap(dst, second.src0 == dst ? second.src1 : second.src0)) return refuse(in_, "SCALAR_TENSOR_TENSOR onto its own second tensor");
    return Steps{first, second};
  }

  static bool overlap(const isa::Tile& a, const isa::Tile& b) {
    const auto end = [](const isa::Tile& t) {
      int64_t n = 1;
      for (int d = 0; d < t.rank; ++d) n += int64_t{std::abs(t.dims[d].stride)} * (int64_t{t.dims[d].count} - 1);
      return int64_t{t.offset} + n * isa::dtype_bytes(t.dtype);
    };
    return a.space == b.space && a.offset < end(b) && b.offset < end(a) && a.partition < b.partition + b.partitions &&
           b.partition < a.partition + a.partitions;
  }

  // The pattern of src0 with all of its stored dimensions, so that the reduced ones can be counted.
  Result<isa::Instruction> over_dims(AluOp op) {
    isa::Instruction out;
    LW_ASSIGN_OR_RETURN(out.dst, tile(Role::dst));
    LW_ASSIGN_OR_RETURN(out.src0, tile(Role::src0));
    const trn2::Pattern& p = *in_.pattern(Role::src0);
    if (in_.reduced_dims == 0) return refuse(in_, "a reduction over no dimension");
    out.op = Opcode::tensor_reduce;
    out.op0 = op;
    out.reduce_dims = in_.reduced_dims;
    out.src0.rank = p.rank;
    for (int d = 0; d < p.rank; ++d) out.src0.dims[static_cast<size_t>(p.rank - 1 - d)] = {p.dims[static_cast<size_t>(d)].step, p.dims[static_cast<size_t>(d)].count};
    return out;
  }

  static isa::Instruction times(const isa::Tile& dst, float factor) {
    isa::Instruction out;
    out.op = Opcode::tensor_scalar;
    out.dst = out.src0 = dst;
    out.op0 = AluOp::multiply;
    out.scalar0 = Scalar::of(factor);
    return out;
  }

  Result<Steps> reduce() {
    LW_ASSIGN_OR_RETURN(const AluOp op, alu(in_.alu));
    if (!isa::info(op).reduces) return refuse(in_, "a reduction by " + std::string(isa::alu_op_name(op)));
    LW_ASSIGN_OR_RETURN(const isa::Instruction out, over_dims(op));
    Steps steps{out};
    if (in_.negate) steps.push_back(times(out.dst, -1));
    return steps;
  }

  Result<Steps> pool() {
    LW_ASSIGN_OR_RETURN(const isa::Instruction out, over_dims(in_.pool == 1 ? AluOp::maximum : AluOp::add));
    Steps steps{out};
    if (in_.pool == 2 && out.dst.dtype != isa::DType::f32) return refuse(in_, "an average into other than float32");
    if (in_.pool == 2) steps.push_back(times(out.dst, in_.scale));
    return steps;
  }

  Result<Steps> memset() {
    isa::Instruction out;
    out.op = Opcode::memset;
    LW_ASSIGN_OR_RETURN(out.dst, tile(Role::dst));
    switch (out.dst.dtype) {
      case isa::DType::f32: out.scalar0 = Scalar::of(std::bit_cast<float>(in_.fill)); break;
      case isa::DType::bf16: out.scalar0 = Scalar::of(std::bit_cast<float>(in_.fill << 16)); break;
      case isa::DType::f16:
        // The stored bits as they are: two bytes of an integer type.
        out.dst.dtype = isa::DType::i16;
        out.scalar0 = Scalar::of_int(static_cast<int16_t>(in_.fill));
        break;
      case isa::DType::i8:
      case isa::DType::u8:
      case isa::DType::b8: out.scalar0 = Scalar::of_int(static_cast<int8_t>(in_.fill)), out.dst.dtype = isa::DType::i8; break;
      case isa::DType::i16: out.scalar0 = Scalar::of_int(static_cast<int16_t>(in_.fill)); break;
      case isa::DType::i32: out.scalar0 = Scalar::of_int(static_cast<int32_t>(in_.fill)); break;
      default: return refuse(in_, "MEMSET of this type");
    }
    return Steps{out};
  }

  Result<Steps> predicated() {
    LW_ASSIGN_OR_RETURN(Steps out, same_shape(Opcode::tensor_copy_predicated));
    LW_ASSIGN_OR_RETURN(out[0].src2, tile(Role::predicate));
    if (isa::is_float(out[0].src2.dtype)) return refuse(in_, "a predicate that is no integer");
    return out;
  }

  Result<Steps> iota() {
    isa::Instruction out;
    out.op = Opcode::iota;
    LW_ASSIGN_OR_RETURN(out.dst, tile(Role::dst));
    const trn2::Pattern& p = *in_.pattern(Role::dst);
    out.scalar0 = Scalar::of_int(in_.base);
    out.iota_partition_step = in_.partition_step;
    // Dimensions of the target, outermost first and all of them; the ramp must have the same.
    out.dst.rank = p.rank;
    for (size_t d = 0; d < p.rank; ++d) {
      if (in_.ramp[d].count != p.dims[d].count) return refuse(in_, "IOTA whose steps have other dimensions than its target");
      out.dst.dims[p.rank - 1 - d] = {p.dims[d].step, p.dims[d].count};
      out.iota_step[p.rank - 1 - d] = in_.ramp[d].step;
    }
    return Steps{out};
  }

  Result<Steps> activate() {
    const trn2::FunctionRow* row = trn2::function_row(in_.function);
    if (row == nullptr || row->fn == isa::ActFn::none)
      return refuse(in_, "the function " + (row != nullptr ? std::string(row->name) : std::to_string(in_.function)) + " has no counterpart");
    if (in_.accumulator != 0 && in_.accumulator != 3) return refuse(in_, "a sum that goes on over instructions");
    LW_ASSIGN_OR_RETURN(Steps out, same_shape(Opcode::activation));
    out[0].fn = row->fn;
    LW_ASSIGN_OR_RETURN(out[0].scalar0, scalar(0, Role::scalar0, false));
    LW_ASSIGN_OR_RETURN(out[0].scalar1, scalar(1, Role::scalar1, false));
    return out;
  }

  const trn2::Instruction& in_;
  Notes* notes_;
};

}  // namespace

void Notes::add(std::string sentence) {
  if (std::find(sentences_.begin(), sentences_.end(), sentence) == sentences_.end()) sentences_.push_back(std::move(sentence));
}

Status refuse(const trn2::Instruction& in, std::string why) { return unimplemented(std::move(why) + ": " + trn2::hex(in)); }

Result<isa::Tile> tile_of(const trn2::Instruction& in, Role role, Notes* notes) {
  const trn2::Pattern* p = in.pattern(role);
  const auto t = p != nullptr ? trn2::tile(*p) : std::nullopt;
  if (!t) return refuse(in, "an operand that is missing, or of a type that is not computed here");
  if (t->partition + t->partitions > 128) return refuse(in, "an operand past partition 127");
  const trn2::DTypeRow* type = trn2::dtype_row(p->dtype);
  if (type->evidence != trn2::Evidence::observed)
    notes->add("dtype code " + std::to_string(p->dtype) + " is read as " + std::string(type->name) + ", which no file has proved");
  return *t;
}

Result<std::vector<isa::Instruction>> elements_of(const trn2::Instruction& in, Notes* notes) {
  auto steps = Reader(in, notes).run();
  if (steps.ok() && !steps->empty() && in.row->evidence == trn2::Evidence::published)
    notes->add(std::string(in.row->name) + " is read as public descriptions have it, which no file has proved");
  return steps;
}

}  // namespace lanewise::lab
