// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// For tests: programs in a few words.
#pragma once

#include <initializer_list>
#include <vector>

#include "isa/program.h"
#include "machine/machine.h"

namespace lanewise::sim::test {

using isa::ActFn;
using isa::AluOp;
using isa::DType;
using isa::Engine;
using isa::Hbm;
using isa::Instruction;
using isa::Opcode;
using isa::Scalar;
using isa::Space;
using isa::Tile;

inline Tile tile(Space space, DType dtype, int partitions, std::initializer_list<isa::FreeDim> dims, uint32_t offset = 0,
                 int partition = 0) {
  Tile t;
  t.space = space;
  t.dtype = dtype;
  t.partition = static_cast<uint16_t>(partition);
  t.partitions = static_cast<uint16_t>(partitions);
  t.offset = offset;
  for (const isa::FreeDim& d : dims) t.dims[t.rank++] = d;
  return t;
}
inline Tile sbuf(DType dtype, int partitions, uint32_t n, uint32_t offset = 0, int partition = 0) {
  return tile(Space::sbuf, dtype, partitions, {{1, n}}, offset, partition);
}
inline Tile psum(DType dtype, int partitions, uint32_t n, uint32_t offset = 0, int partition = 0) {
  return tile(Space::psum, dtype, partitions, {{1, n}}, offset, partition);
}

// Rows of n elements, `pitch` elements apart.
inline Hbm hbm(int buffer, DType dtype, int64_t rows, int64_t n, int64_t offset_bytes = 0, int64_t pitch = -1) {
  Hbm h;
  h.buffer = buffer;
  h.dtype = dtype;
  h.offset = offset_bytes;
  h.rank = 2;
  h.dims[0] = {pitch < 0 ? n : pitch, rows};
  h.dims[1] = {1, n};
  return h;
}

inline Instruction op(Engine engine, Opcode opcode) {
  Instruction in;
  in.engine = engine;
  in.op = opcode;
  return in;
}
inline Instruction load(Engine engine, const Tile& dst, const Hbm& src, int queue = 0) {
  Instruction in = op(engine, Opcode::dma_copy);
  in.dst = dst;
  in.hbm_src = src;
  in.queue = static_cast<uint8_t>(queue);
  return in;
}
inline Instruction store(Engine engine, const Hbm& dst, const Tile& src, int queue = 0) {
  Instruction in = op(engine, Opcode::dma_copy);
  in.hbm_dst = dst;
  in.src0 = src;
  in.queue = static_cast<uint8_t>(queue);
  return in;
}
inline Instruction binary(Engine engine, AluOp alu, const Tile& dst, const Tile& a, const Tile& b) {
  Instruction in = op(engine, Opcode::tensor_tensor);
  in.op0 = alu;
  in.dst = dst;
  in.src0 = a;
  in.src1 = b;
  return in;
}
inline Instruction copy(Engine engine, const Tile& dst, const Tile& src) {
  Instruction in = op(engine, Opcode::tensor_copy);
  in.dst = dst;
  in.src0 = src;
  return in;
}
inline Instruction with_scalar(Engine engine, AluOp alu, const Tile& dst, const Tile& src, const Scalar& s) {
  Instruction in = op(engine, Opcode::tensor_scalar);
  in.op0 = alu;
  in.dst = dst;
  in.src0 = src;
  in.scalar0 = s;
  return in;
}
inline Instruction activation(ActFn fn, const Tile& dst, const Tile& src) {
  Instruction in = op(Engine::scalar, Opcode::activation);
  in.fn = fn;
  in.dst = dst;
  in.src0 = src;
  return in;
}
inline Instruction matmul(const Tile& dst, const Tile& stationary, const Tile& moving, bool accumulate = false) {
  Instruction in = op(Engine::pe, Opcode::nc_matmul);
  in.dst = dst;
  in.src0 = stationary;
  in.src1 = moving;
  in.accumulate = accumulate;
  return in;
}
inline Instruction memset(Engine engine, const Tile& dst, const Scalar& s) {
  Instruction in = op(engine, Opcode::memset);
  in.dst = dst;
  in.scalar0 = s;
  return in;
}
inline Instruction waits(Instruction in, int semaphore, uint32_t at_least) {
  in.wait = {static_cast<int16_t>(semaphore), at_least};
  return in;
}
inline Instruction updates(Instruction in, int semaphore, uint32_t increment = 1) {
  in.update = {static_cast<int16_t>(semaphore), increment};
  return in;
}

inline isa::Program program(std::initializer_list<Instruction> instructions, std::vector<int64_t> buffer_bytes = {}) {
  isa::Program p;
  p.name = "test";
  p.machine = "trn2";
  p.semaphores_used = 32;
  for (int64_t bytes : buffer_bytes) {
    isa::Buffer b;
    b.kind = isa::Buffer::Kind::output;
    b.name = "buffer" + std::to_string(p.buffers.size());
    b.bytes = bytes;
    p.buffers.push_back(b);
  }
  for (const Instruction& in : instructions) p.streams[static_cast<size_t>(in.engine)].push_back(in);
  return p;
}

inline machine::Machine load_preset(std::string_view spec) {
  auto m = machine::load_machine(spec);
  LW_CHECK(m.ok(), m.status().to_string());
  return std::move(m).value();
}

}  // namespace lanewise::sim::test
