// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// For tests: random programs that obey every rule of verify(). All opcodes, engines, dtypes, negative and zero strides,
// loops with address registers, indirect DMA, parameters and debug entries occur. They need not compute anything
// sensible and may deadlock: they are for text form, codecs and verifier.
#pragma once

#include <algorithm>
#include <random>
#include <vector>

#include "isa/pattern.h"
#include "isa/program.h"
#include "isa/table.h"

namespace lanewise::isa {

inline constexpr VerifyLimits kRandomLimits{65536, 16384};

class RandomProgram {
 public:
  explicit RandomProgram(uint32_t seed) : random_(seed) {}

  Program make() {
    program_ = {};
    program_.name = "random \"" + std::to_string(pick(0, 999)) + "\\";
    program_.machine = "trn2";
    program_.semaphores_used = pick(1, kSemaphores);
    make_buffers();
    for (int64_t i = pick(1, 3); i > 0; --i)
      program_.parameters.push_back({"p" + std::to_string(i), i == 1 ? DType::i64 : coin() ? DType::f32 : DType::i64});
    for (int64_t i = pick(0, 3); i > 0; --i)
      program_.debug.push_back({"op\n" + std::to_string(i), coin() ? "aten::mul.Tensor" : "\xc3\xa9 # \"x\""});
    for (int e = 0; e < kEngineCount; ++e) make_stream(static_cast<Engine>(e));
    return std::move(program_);
  }

 private:
  struct OpenLoop {
    int8_t loop_register;
    int64_t last_value;
  };

  int64_t pick(int64_t low, int64_t high) { return std::uniform_int_distribution<int64_t>(low, high)(random_); }
  bool coin() { return pick(0, 1) == 1; }
  template <typename T>
  T one_of(std::initializer_list<T> list) { return list.begin()[pick(0, static_cast<int64_t>(list.size()) - 1)]; }

  void make_buffers() {
    for (auto kind : {Buffer::Kind::input, Buffer::Kind::output, Buffer::Kind::constant, Buffer::Kind::scratch}) {
      Buffer b;
      b.kind = kind;
      b.name = "b" + std::to_string(static_cast<int>(kind));
      b.bytes = pick(60000, 80000);
      if (kind == Buffer::Kind::constant) {
        b.data.resize(static_cast<size_t>(b.bytes));
        for (std::byte& byte : b.data) byte = static_cast<std::byte>(random_());
      }
      program_.buffers.push_back(std::move(b));
    }
  }

  DType dtype(DTypeSet legal) {
    for (;;) {
      const auto t = static_cast<DType>(pick(0, kDTypeCount - 1));
      if (contains(legal, t)) return t;
    }
  }

  // Strides and counts of `elements`, split over up to `most` dims; `written` keeps strides away from 0.
  template <typename Dims>
  uint8_t fill_dims(Dims& dims, size_t most, int64_t elements, bool written) {
    std::vector<int64_t> counts;
    while (counts.size() + 1 < most && elements > 1 && coin()) {
      int64_t factor = pick(1, 8);
      if (elements % factor != 0) factor = 1;
      counts.push_back(factor);
      elements /= factor;
    }
    if (elements > 1 || counts.size() > 0 || coin()) counts.push_back(elements);
    int64_t stride = coin() ? 1 : pick(2, 3);
    for (size_t i = counts.size(); i-- > 0;) {
      dims[i].count = static_cast<decltype(dims[i].count)>(counts[i]);
      const bool broadcast = !written && pick(0, 9) == 0;
      dims[i].stride = static_cast<decltype(dims[i].stride)>(broadcast ? 0 : pick(0, 4) == 0 ? -stride : stride);
      stride = stride * counts[i] + pick(0, 2);
    }
    return static_cast<uint8_t>(counts.size());
  }

  // Moves the pattern so that it lies inside `limit`; plain contiguous at 0 when its strides are too wide.
  template <typename Pattern>
  void place(Pattern& p, int64_t elements, int64_t limit) {
    const int64_t size = dtype_bytes(p.dtype);
    int64_t last = 0;
    if (!loops_.empty() && pick(0, 2) == 0) {
      const OpenLoop& loop = loops_[static_cast<size_t>(pick(0, static_cast<int64_t>(loops_.size()) - 1))];
      p.loop_register = loop.loop_register;
      p.register_stride = static_cast<decltype(p.register_stride)>(pick(-3, 3) * size);
      last = loop.last_value;
    }
    const ByteRange range = byte_range(p, last);
    if (range.end - range.begin > limit) {
      p.loop_register = -1;
      p.register_stride = 0;
      std::fill(p.dims.begin(), p.dims.end(), typename std::decay_t<decltype(p.dims)>::value_type{});
      p.rank = 1;
      p.dims[0].count = static_cast<decltype(p.dims[0].count)>(elements);
      p.offset = 0;
      return;
    }
    const int64_t slack = (limit - (range.end - range.begin)) / size;
    p.offset = static_cast<decltype(p.offset)>(-range.begin + pick(0, slack) * size);
  }

  Tile tile(Space space, DType type, int64_t partitions, int64_t elements, bool written) {
    Tile t;
    t.space = space;
    t.dtype = type;
    t.partitions = static_cast<uint16_t>(partitions);
    t.partition = static_cast<uint16_t>(partitions > 64 ? 0 : partitions > 32 ? pick(0, 1) * 64 : pick(0, 3) * 32);
    t.rank = fill_dims(t.dims, t.dims.size(), elements, written);
    const int64_t limit = space == Space::psum ? kRandomLimits.psum_partition_bytes : kRandomLimits.sbuf_partition_bytes;
    place(t, elements, limit);
    return t;
  }
  // Contiguous inside one PSUM bank.
  Tile bank_tile(DType type, int64_t partitions, int64_t elements) {
    Tile t = tile(Space::psum, type, partitions, 1, true);
    t.loop_register = -1;
    t.register_stride = 0;
    t.rank = 1;
    t.dims = {};
    t.dims[0].count = static_cast<uint32_t>(elements);
    t.offset = static_cast<uint32_t>(pick(0, 7) * 2048);
    return t;
  }
  Hbm hbm(DType type, int64_t elements, bool written) {
    Hbm h;
    h.dtype = type;
    h.buffer = static_cast<int32_t>(written ? one_of({1, 3}) : pick(0, 3));
    h.rank = fill_dims(h.dims, h.dims.size(), elements, written);
    place(h, elements, program_.buffers[static_cast<size_t>(h.buffer)].bytes);
    return h;
  }
  Scalar scalar(Engine engine, int64_t partitions, bool integer) {
    const int64_t kind = pick(integer ? 1 : 0, 3);
    if (kind == 0) return Scalar::of(one_of({0.1f, -0.0f, 3e38f, 1e-45f, std::numeric_limits<float>::infinity(), 7.0f}));
    if (kind == 1) return Scalar::of_int(one_of<int64_t>({0, -1, std::numeric_limits<int64_t>::min(), 1 << 20}));
    if (kind == 2) return Scalar::of_parameter(static_cast<int64_t>(program_.parameters.size()) - 1);  // the i64 one
    const DType type = dtype(integer ? kIntegerDTypes & kUpTo32Bits : kUpTo32Bits);
    const Space space = engine == Engine::gpsimd || coin() ? Space::sbuf : Space::psum;
    return Scalar::of_tile(tile(space, type, partitions, 1, false));
  }

  void make_stream(Engine engine) {
    auto& stream = program_.streams[static_cast<size_t>(engine)];
    for (int64_t n = pick(0, 14); n > 0; --n) {
      Instruction i = instruction(engine);
      decorate(i);
      stream.push_back(i);
    }
    while (!loops_.empty()) {
      Instruction end;
      end.op = Opcode::loop_end;
      end.engine = engine;
      stream.push_back(end);
      loops_.pop_back();
    }
  }

  int16_t semaphore() { return static_cast<int16_t>(pick(0, program_.semaphores_used - 1)); }
  void decorate(Instruction& i) {
    const OpcodeInfo& row = info(i.op);
    if (contains(row.required, Field::wait) || (contains(row.optional, Field::wait) && coin()))
      i.wait = {semaphore(), static_cast<uint32_t>(pick(0, 1000))};
    if (contains(row.required, Field::update) || (contains(row.optional, Field::update) && coin()))
      i.update = {semaphore(), static_cast<uint32_t>(pick(1, 16))};
    i.debug = static_cast<uint32_t>(pick(0, static_cast<int64_t>(program_.debug.size()) - 1));
  }

  Instruction instruction(Engine engine) {
    Instruction i;
    i.engine = engine;
    for (;;) {
      i.op = static_cast<Opcode>(pick(0, kOpcodeCount - 1));
      if (!contains(info(i.op).engines, engine)) continue;
      if (i.op == Opcode::loop_end && loops_.empty()) continue;
      if (i.op == Opcode::loop_begin && loops_.size() == 3) continue;
      break;
    }
    fill(i);
    return i;
  }

  void fill(Instruction& i) {
    const OpcodeInfo& row = info(i.op);
    const DTypeSet reach = i.engine == Engine::gpsimd || row.i64_anywhere ? kAnyDType : kUpTo32Bits;
    const int64_t partitions = pick(1, 128), elements = pick(1, 400);
    const auto space = [&] { return i.engine == Engine::gpsimd || coin() ? Space::sbuf : Space::psum; };
    const auto dst = [&](DTypeSet types) { return tile(space(), dtype(types & reach), partitions, elements, true); };
    const auto src = [&](DTypeSet types) { return tile(space(), dtype(types & reach), partitions, elements, false); };
    const auto sbuf_src = [&](DTypeSet types) {
      return tile(Space::sbuf, dtype(types & reach), partitions, elements, false);
    };
    const auto alu = [&](bool bitvec) {
      for (;;) {
        const auto op = static_cast<AluOp>(pick(1, kAluOpCount - 1));
        if (info(op).bitvec == bitvec) return op;
      }
    };
    switch (i.op) {
      case Opcode::dma_copy: return fill_dma(i, partitions, elements);
      case Opcode::tensor_copy:
      case Opcode::reciprocal:
        i.dst = dst(kAnyDType);
        i.src0 = src(kAnyDType);
        return;
      case Opcode::tensor_tensor: {
        const bool bitvec = coin();
        i.op0 = alu(bitvec);
        const DTypeSet types = bitvec ? kIntegerDTypes : kAnyDType;
        i.dst = dst(types);
        i.src0 = sbuf_src(types);
        i.src1 = src(types);
        return;
      }
      case Opcode::tensor_scalar: {
        const bool bitvec = i.engine != Engine::scalar && coin();
        const DTypeSet types = bitvec ? kIntegerDTypes : kAnyDType;
        i.op0 = i.engine == Engine::scalar ? AluOp::multiply : alu(bitvec);
        i.dst = dst(types);
        i.src0 = src(types);
        i.scalar0 = scalar(i.engine, partitions, bitvec);
        i.reverse0 = i.engine != Engine::scalar && coin();
        if (coin()) return;
        i.op1 = i.engine == Engine::scalar ? AluOp::add : alu(bitvec);
        i.scalar1 = scalar(i.engine, partitions, bitvec);
        i.reverse1 = i.engine != Engine::scalar && coin();
        return;
      }
      case Opcode::tensor_reduce: {
        const bool bitvec = coin();
        const DTypeSet types = bitvec ? kIntegerDTypes : kAnyDType;
        do i.op0 = alu(bitvec);
        while (!info(i.op0).reduces);
        do i.src0 = src(types);
        while (i.src0.rank == 0);
        i.reduce_dims = static_cast<uint8_t>(pick(1, i.src0.rank));
        Tile kept = i.src0;
        kept.rank = static_cast<uint8_t>(kept.rank - i.reduce_dims);
        i.dst = tile(space(), dtype(types & reach), partitions, element_count(kept), true);
        return;
      }
      case Opcode::select:
        i.dst = dst(kAnyDType);
        i.src0 = sbuf_src(kAnyDType);
        i.src2 = src(kIntegerDTypes & kUpTo32Bits);
        if (coin()) i.src1 = sbuf_src(kAnyDType);
        else i.scalar0 = scalar(i.engine, partitions, false);
        return;
      case Opcode::tensor_copy_predicated:
        i.dst = dst(kAnyDType);
        i.src0 = sbuf_src(bit(i.dst.dtype));
        i.src2 = src(kIntegerDTypes & kUpTo32Bits);
        return;
      case Opcode::memset:
        i.dst = dst(kAnyDType);
        i.scalar0 = scalar(i.engine, partitions, false);
        return;
      case Opcode::iota:
        i.dst = dst(kAnyDType);
        i.scalar0 = scalar(i.engine, partitions, true);
        i.iota_partition_step = pick(-1'000'000'000'000, 1'000'000'000'000);
        for (int k = 0; k < i.dst.rank; ++k) i.iota_step[static_cast<size_t>(k)] = pick(-9, 9);
        return;
      case Opcode::activation:
      case Opcode::activation_reduce:
        i.fn = static_cast<ActFn>(pick(1, kActFnCount - 1));
        i.dst = dst(kAnyDType);
        i.src0 = src(kAnyDType);
        if (coin()) i.scalar0 = scalar(i.engine, partitions, false);
        if (coin()) i.scalar1 = scalar(i.engine, partitions, false);
        if (i.op == Opcode::activation) return;
        i.op0 = AluOp::add;
        i.dst2 = tile(space(), DType::f32, partitions, 1, true);
        return;
      case Opcode::nc_matmul: {
        const bool wide = coin();
        const DTypeSet types = wide ? bit(DType::f32) : kFloatDTypes & ~bit(DType::f32);
        const int64_t columns = pick(1, 128), moving = pick(1, 512);
        i.accumulate = coin();
        i.src0 = tile(Space::sbuf, dtype(types), partitions, columns, false);
        i.src1 = tile(Space::sbuf, dtype(types), partitions, moving, false);
        i.dst = bank_tile(DType::f32, columns, moving);
        return;
      }
      case Opcode::nc_transpose: {
        const int64_t columns = pick(1, 128);
        i.src0 = tile(Space::sbuf, dtype(kUpTo32Bits), partitions, columns, false);
        i.dst = bank_tile(i.src0.dtype, columns, partitions);
        return;
      }
      case Opcode::load_stationary:
        i.src0 = tile(Space::sbuf, dtype(kUpTo32Bits), partitions, pick(1, 128), false);
        if (i.src0.dtype == DType::f32 && coin()) (coin() ? i.upper_part : i.lower_part) = true;
        return;
      case Opcode::multiply_moving: {
        const int64_t moving = pick(1, 512);
        i.pass_through = coin();
        i.accumulate = !i.pass_through && coin();
        i.src0 = tile(Space::sbuf, dtype(kFloatDTypes), partitions, moving, false);
        i.dst = bank_tile(i.pass_through ? i.src0.dtype : DType::f32, pick(1, 128), moving);
        return;
      }
      case Opcode::load_table: i.fn = static_cast<ActFn>(pick(1, kActFnCount - 1)); return;
      case Opcode::loop_begin: {
        i.loop_register = static_cast<int8_t>(pick(0, 9) + 10 * static_cast<int64_t>(loops_.size()));
        i.loop_step = static_cast<int32_t>(pick(1, 9));
        i.loop_end = static_cast<int32_t>(pick(1, 30));
        loops_.push_back({i.loop_register, (i.loop_end - 1) / i.loop_step * int64_t{i.loop_step}});
        return;
      }
      case Opcode::loop_end: loops_.pop_back(); return;
      case Opcode::semaphore_wait:
      case Opcode::semaphore_increment: return;
    }
  }

  void fill_dma(Instruction& i, int64_t partitions, int64_t elements) {
    i.queue = static_cast<uint8_t>(pick(0, 15));
    const DType type = dtype(kAnyDType);
    if (i.engine == Engine::gpsimd && coin()) {
      const bool gather = coin();
      Hbm& rows = gather ? i.hbm_src : i.hbm_dst;
      rows = hbm(dtype(kAnyDType), elements, !gather);
      rows.row_index = tile(Space::sbuf, one_of({DType::i32, DType::i64}), partitions, 1, false);
      rows.row_stride = pick(-100, 1000);
      (gather ? i.dst : i.src0) = tile(Space::sbuf, type, partitions, elements, gather);
      return;
    }
    const int64_t total = pick(1, 20) * pick(1, 20);
    const int64_t rows = pick(1, 16);
    if (coin()) i.dst = tile(Space::sbuf, type, rows, total, true);
    else i.hbm_dst = hbm(type, rows * total, true);
    if (coin()) i.src0 = tile(Space::sbuf, dtype(kAnyDType), rows, total, false);
    else i.hbm_src = hbm(dtype(kAnyDType), rows * total, false);
  }

  std::mt19937 random_;
  Program program_;
  std::vector<OpenLoop> loops_;
};

}  // namespace lanewise::isa
