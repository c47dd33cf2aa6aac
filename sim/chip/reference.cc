// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The plain interpreter: one element at a time, from the comments of the instruction set, sharing no kernel with the
// units. Only the elementary functions (activations, power) are the units' own: they are tested against libm instead.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <string>

#include "isa/convert.h"
#include "isa/table.h"
#include "sim/chip/chip.h"
#include "sim/chip/execution.h"
#include "sim/chip/reference_arithmetic.h"
#include "sim/core/float_mode.h"
#include "sim/unit/scalar/functions.h"

namespace lanewise::sim {
namespace {

using isa::AluOp;
using isa::DType;
using isa::Instruction;
using isa::Opcode;
using isa::Tile;
using reference::Number;

Status outside(const std::string& what) { return out_of_range(what + " lies outside its memory"); }

class Reference final : public Executor {
 public:
  Reference(const isa::Program& program, const machine::Machine& machine, const Launch& launch)
      : launch_(launch), footprint_(core::footprint(program, machine)), partitions_(machine.memory.partitions),
        sbuf_(static_cast<size_t>(partitions_ * footprint_.sbuf_bytes)),
        psum_(static_cast<size_t>(partitions_ * footprint_.psum_bytes)) {}

  Status execute(isa::Engine engine, const core::StreamCursor& at) override {
    registers_ = &at.registers();
    const Instruction& in = at.instruction();
    exact_ = engine == isa::Engine::gpsimd;
    failure_ = ok_status();
    run(in);
    return failure_;
  }

 private:
  void run(const Instruction& in);
  void elementwise(const Instruction& in);
  void reduce(const Instruction& in);
  void matmul(const Instruction& in);
  void load_stationary(const Instruction& in);
  void multiply_moving(const Instruction& in);
  void dma(const Instruction& in);
  void iota(const Instruction& in);

  void fail(Status s) {
    if (failure_.ok()) failure_ = std::move(s);
  }

  // Element k (in element order of the free dimensions) of partition p.
  std::byte* at(const Tile& t, int64_t p, int64_t k) {
    int64_t offset = t.offset;
    if (t.loop_register >= 0) offset += (*registers_)[t.loop_register] * t.register_stride;
    const int64_t size = isa::dtype_bytes(t.dtype);
    for (int d = t.rank - 1; d >= 0; --d) {
      offset += k % t.dims[d].count * t.dims[d].stride * size;
      k /= t.dims[d].count;
    }
    const bool in_sbuf = t.space == isa::Space::sbuf;
    const int64_t bytes = in_sbuf ? footprint_.sbuf_bytes : footprint_.psum_bytes;
    if (!t.present() || k != 0 || p >= t.partitions || t.partition + p >= partitions_ || offset < 0 ||
        offset + size > bytes) {
      fail(outside("a tile"));
      return scrap_;
    }
    return (in_sbuf ? sbuf_ : psum_).data() + (t.partition + p) * bytes + offset;
  }
  std::byte* at(const isa::Hbm& h, int64_t k, int64_t row) {
    int64_t offset = h.offset;
    if (h.loop_register >= 0) offset += (*registers_)[h.loop_register] * h.register_stride;
    const int64_t size = isa::dtype_bytes(h.dtype);
    for (int d = h.rank - 1; d >= 0; --d) {
      offset += k % h.dims[d].count * h.dims[d].stride * size;
      k /= h.dims[d].count;
    }
    if (h.buffer < 0 || static_cast<size_t>(h.buffer) >= launch_.buffers.size()) {
      fail(outside("a buffer"));
      return scrap_;
    }
    const core::HostBuffer& b = launch_.buffers[h.buffer];
    const __int128 where = static_cast<__int128>(row) * h.row_stride * size + offset;
    if (where < 0 || where + size > b.bytes) {
      fail(outside("an access to buffer " + std::to_string(h.buffer)));
      return scrap_;
    }
    return b.data + static_cast<int64_t>(where);
  }

  Number read(const Tile& t, int64_t p, int64_t k) { return reference::load(t.dtype, at(t, p, k)); }
  void write(const Tile& t, int64_t p, int64_t k, Number v) { reference::store(t.dtype, at(t, p, k), v); }
  Number read(const isa::Scalar& s, int64_t p) {
    switch (s.kind) {
      case isa::Scalar::Kind::none: break;
      case isa::Scalar::Kind::f32: return Number::of(s.f);
      case isa::Scalar::Kind::i64: return Number::of(s.i);
      case isa::Scalar::Kind::tile: return read(s.tile, p, 0);
      case isa::Scalar::Kind::parameter: {
        if (s.i < 0 || static_cast<size_t>(s.i) >= launch_.parameters.size()) {
          fail(outside("a parameter"));
          break;
        }
        const core::ParameterInput& v = launch_.parameters[s.i];
        return v.integer ? Number::of(v.i) : Number::of(v.f);
      }
    }
    return Number::of(0.0f);
  }
  Number apply(AluOp op, Number a, Number b, bool exact) {
    const std::optional<Number> r = reference::apply(op, a, b, exact);
    if (!r) fail(invalid_argument("operation " + std::string(isa::alu_op_name(op)) + " on floats"));
    return r.value_or(Number::of(0.0f));
  }

  const Launch& launch_;
  core::Footprint footprint_;
  int64_t partitions_;
  std::vector<std::byte> sbuf_, psum_;
  const core::Registers* registers_ = nullptr;
  bool exact_ = false;
  std::vector<std::vector<std::byte>> held_;   // by row and column of the array: the element as it was
  std::vector<std::vector<float>> weights_;
  DType held_dtype_ = DType::f32;
  Status failure_;
  std::byte scrap_[8] = {};
};

void Reference::run(const Instruction& in) {
  switch (in.op) {
    case Opcode::dma_copy: return dma(in);
    case Opcode::tensor_reduce: return reduce(in);
    case Opcode::iota: return iota(in);
    case Opcode::nc_matmul: return matmul(in);
    case Opcode::nc_transpose:
      for (int64_t p = 0; p < in.src0.partitions; ++p)
        for (int64_t k = 0; k < in.src0.elements_per_partition(); ++k)
          std::copy_n(at(in.src0, p, k), isa::dtype_bytes(in.src0.dtype), at(in.dst, k, p));
      return;
    case Opcode::load_stationary: return load_stationary(in);
    case Opcode::multiply_moving: return multiply_moving(in);
    case Opcode::load_table:
    case Opcode::semaphore_wait:
    case Opcode::semaphore_increment:
    case Opcode::loop_begin:
    case Opcode::loop_end: return;
    default: return elementwise(in);
  }
}

void Reference::elementwise(const Instruction& in) {
  const scalar::FunctionRow function = scalar::function_row(in.fn);
  const int64_t n = in.dst.elements_per_partition();
  for (int64_t p = 0; p < in.dst.partitions; ++p) {
    std::vector<Number> written;
    for (int64_t k = 0; k < n; ++k) {
      switch (in.op) {
        case Opcode::tensor_copy:
          if (in.dst.dtype == in.src0.dtype)
            std::copy_n(at(in.src0, p, k), isa::dtype_bytes(in.src0.dtype), at(in.dst, p, k));
          else
            write(in.dst, p, k, read(in.src0, p, k));
          break;
        case Opcode::tensor_tensor:
          write(in.dst, p, k,
                apply(in.op0, read(in.src0, p, k), read(in.src1, p, k), reference::exact(in.op0, exact_)));
          break;
        case Opcode::tensor_scalar: {
          const Number x = read(in.src0, p, k);
          const Number a = read(in.scalar0, p), b = read(in.scalar1, p);
          const bool two = in.op1 != AluOp::none;
          const bool integers = x.integer && (a.integer || in.op0 == AluOp::bypass) &&
                                (!two || in.op1 == AluOp::bypass || b.integer);
          const bool exact = integers && (exact_ || (reference::exact(in.op0, false) &&
                                                     (!two || reference::exact(in.op1, false))));
          const Number first = exact ? x : Number::of(x.as_float());
          Number r = in.reverse0 ? apply(in.op0, a, first, exact) : apply(in.op0, first, a, exact);
          if (two) r = in.reverse1 ? apply(in.op1, b, r, exact) : apply(in.op1, r, b, exact);
          write(in.dst, p, k, r);
          break;
        }
        case Opcode::select:
        case Opcode::tensor_copy_predicated: {
          const Number m = read(in.src2, p, k);
          const bool yes = m.integer ? m.i != 0 : m.f != 0;
          const bool predicated = in.op == Opcode::tensor_copy_predicated;
          if (!yes && predicated) break;
          const bool from_scalar = !yes && !in.src1.present();
          const Tile& from = yes ? in.src0 : in.src1;
          bool same = in.dst.dtype == in.src0.dtype;
          if (in.src1.present()) same &= in.src1.dtype == in.dst.dtype;
          else if (in.scalar0.kind == isa::Scalar::Kind::tile) same &= in.scalar0.tile.dtype == in.dst.dtype;
          if (same && !from_scalar) {
            std::copy_n(at(from, p, k), isa::dtype_bytes(from.dtype), at(in.dst, p, k));
          } else {
            const Number s = read(in.scalar0, p), chosen = from_scalar ? s : read(from, p, k);
            write(in.dst, p, k, same ? chosen : reference::common(chosen, in.src0, in.src1, in.scalar0, s));
          }
          break;
        }
        case Opcode::reciprocal: write(in.dst, p, k, Number::of(1.0f / read(in.src0, p, k).as_float())); break;
        case Opcode::memset: write(in.dst, p, k, read(in.scalar0, p)); break;
        case Opcode::activation:
        case Opcode::activation_reduce: {
          if (function == nullptr) return fail(invalid_argument("an activation without a function"));
          float x = read(in.src0, p, k).as_float();
          if (in.scalar0.present()) x = x * read(in.scalar0, p).as_float();
          if (in.scalar1.present()) x = x + read(in.scalar1, p).as_float();
          float y;
          function(&x, &y, 1);
          write(in.dst, p, k, Number::of(y));
          if (in.op == Opcode::activation_reduce) written.push_back(Number::of(read(in.dst, p, k).as_float()));
          break;
        }
        default: return fail(unimplemented("the reference interpreter does not know this instruction"));
      }
    }
    if (in.op == Opcode::activation_reduce) write(in.dst2, p, 0, reference::reduce(AluOp::add, written, false));
  }
}

void Reference::reduce(const Instruction& in) {
  int64_t length = 1;
  for (int d = in.src0.rank - in.reduce_dims; d < in.src0.rank; ++d) length *= in.src0.dims[d].count;
  const bool exact = isa::is_integer(in.src0.dtype) && reference::exact(in.op0, exact_);
  for (int64_t p = 0; p < in.dst.partitions; ++p)
    for (int64_t o = 0; o < in.dst.elements_per_partition(); ++o) {
      std::vector<Number> row;
      for (int64_t k = 0; k < length; ++k) {
        const Number v = read(in.src0, p, o * length + k);
        row.push_back(exact ? v : Number::of(v.as_float()));
      }
      write(in.dst, p, o, reference::reduce(in.op0, row, exact));
    }
}

void Reference::matmul(const Instruction& in) {
  const int64_t n = in.src1.elements_per_partition();
  for (int64_t i = 0; i < in.dst.partitions; ++i)
    for (int64_t j = 0; j < n; ++j) {
      float sum = 0;
      for (int64_t k = 0; k < in.src0.partitions; ++k)
        sum = std::fmaf(read(in.src0, k, i).as_float(), read(in.src1, k, j).as_float(), sum);
      if (in.accumulate) sum = read(in.dst, i, j).as_float() + sum;
      write(in.dst, i, j, Number::of(sum));
    }
}

void Reference::load_stationary(const Instruction& in) {
  held_.clear();
  weights_.clear();
  held_dtype_ = in.src0.dtype;
  const int64_t size = isa::dtype_bytes(held_dtype_);
  for (int64_t k = 0; k < in.src0.partitions; ++k) {
    std::vector<std::byte>& row = held_.emplace_back();
    std::vector<float>& weights = weights_.emplace_back();
    for (int64_t m = 0; m < in.src0.elements_per_partition(); ++m) {
      const std::byte* element = at(in.src0, k, m);
      row.insert(row.end(), element, element + size);
      const float whole = reference::load(held_dtype_, element).as_float();
      uint32_t bits;
      std::memcpy(&bits, &whole, sizeof bits);
      for (int low = 0; low < 24 - isa::kUpperPartBits; ++low) bits &= ~(1u << low);
      float upper;
      std::memcpy(&upper, &bits, sizeof upper);
      weights.push_back(in.upper_part ? upper : in.lower_part ? whole - upper : whole);
    }
  }
}

void Reference::multiply_moving(const Instruction& in) {
  const auto rows = static_cast<int64_t>(held_.size());
  if (rows == 0 || rows != in.src0.partitions ||
      static_cast<int64_t>(weights_[0].size()) != in.dst.partitions)
    return fail(invalid_argument("multiply_moving past an array of another shape"));
  const int64_t size = isa::dtype_bytes(held_dtype_);
  for (int64_t i = 0; i < in.dst.partitions; ++i)
    for (int64_t j = 0; j < in.src0.elements_per_partition(); ++j) {
      float sum = 0;
      for (int64_t k = 0; k < rows; ++k) {
        const float moving = read(in.src0, k, j).as_float();
        if (in.pass_through && moving != 0)
          std::copy_n(held_[static_cast<size_t>(k)].data() + i * size, size, at(in.dst, i, j));
        if (!in.pass_through)
          sum = std::fmaf(weights_[static_cast<size_t>(k)][static_cast<size_t>(i)], moving, sum);
      }
      if (in.pass_through) continue;
      if (in.accumulate) sum = read(in.dst, i, j).as_float() + sum;
      write(in.dst, i, j, Number::of(sum));
    }
}

void Reference::iota(const Instruction& in) {
  for (int64_t p = 0; p < in.dst.partitions; ++p)
    for (int64_t k = 0; k < in.dst.elements_per_partition(); ++k) {
      auto value = static_cast<uint64_t>(read(in.scalar0, p).i) +
                   static_cast<uint64_t>(p) * static_cast<uint64_t>(in.iota_partition_step);
      int64_t rest = k;
      for (int d = in.dst.rank - 1; d >= 0; --d) {
        value += static_cast<uint64_t>(rest % in.dst.dims[d].count) * static_cast<uint64_t>(in.iota_step[d]);
        rest /= in.dst.dims[d].count;
      }
      write(in.dst, p, k, Number::of(static_cast<int64_t>(value)));
    }
}

void Reference::dma(const Instruction& in) {
  const bool gather = in.hbm_src.row_index.present(), scatter = in.hbm_dst.row_index.present();
  const Tile& any = in.dst.present() ? in.dst : in.src0;
  const int64_t total = any.present() ? any.partitions * any.elements_per_partition() : in.hbm_dst.elements();
  const int64_t row_length = any.elements_per_partition();
  for (int64_t k = 0; k < total; ++k) {
    const int64_t p = any.present() ? k / row_length : 0;
    auto side = [&](const Tile& t, const isa::Hbm& h, bool indexed) {
      if (t.present()) {
        const int64_t n = t.elements_per_partition();
        return at(t, k / n, k % n);
      }
      if (!indexed) return at(h, k, 0);
      return at(h, k % row_length, read(h.row_index, p, 0).i);
    };
    std::byte* to = side(in.dst, in.hbm_dst, scatter);
    const std::byte* from = side(in.src0, in.hbm_src, gather);
    const DType to_type = in.dst.present() ? in.dst.dtype : in.hbm_dst.dtype;
    const DType from_type = in.src0.present() ? in.src0.dtype : in.hbm_src.dtype;
    if (to_type == from_type) std::copy_n(from, isa::dtype_bytes(to_type), to);
    else reference::store(to_type, to, reference::load(from_type, from));
  }
}

}  // namespace

Status run_values_reference(const isa::Program& program, const machine::Machine& machine,
                            std::span<const Binding> buffers, std::span<const ParameterValue> parameters) {
  LW_ASSIGN_OR_RETURN(const Launch launch, bind_launch(program, buffers, parameters));
  const core::DefaultFloatMode float_mode;
  Reference reference(program, machine, launch);
  return execute_program(program, reference, std::numeric_limits<int64_t>::max());
}

}  // namespace lanewise::sim
