// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/matmul_operand.h"

#include <algorithm>

#include "base/status.h"

namespace lanewise::compiler::emit {

using isa::Engine;
using isa::Instruction;
using isa::Tile;

namespace {

constexpr int64_t kNaturalElements = 2048;   // of k in one natural tile
constexpr int kNaturalTiles = 4;

Tile sbuf_tile(isa::DType dtype, int64_t partitions, uint32_t offset) {
  Tile t;
  t.space = isa::Space::sbuf;
  t.dtype = dtype;
  t.partitions = static_cast<uint16_t>(partitions);
  t.offset = offset;
  return t;
}

void push_dim(Tile& tile, int64_t stride, int64_t count) {
  if (count == 1) return;
  tile.dims[tile.rank++] = {static_cast<int32_t>(stride), static_cast<uint32_t>(count)};
}

isa::Hbm hbm_of(const stage::Access& access, int64_t element, const Walk& walk) {
  isa::Hbm hbm;
  hbm.buffer = access.buffer;
  hbm.dtype = access.dtype;
  hbm.offset = element * isa::dtype_bytes(access.dtype);
  for (const WalkDim& dim : merged(walk, 1)) hbm.dims[hbm.rank++] = {dim.stride[0], dim.count};
  return hbm;
}

}  // namespace

MatmulOperand::MatmulOperand(const stage::Stage& stage, const stage::Access& access, double number,
                             std::vector<int32_t> columns, isa::DType dtype, Writer& writer)
    : stage_(stage), access_(access), number_(number), columns_(std::move(columns)), dtype_(dtype), writer_(writer) {
  bool columns_run = false;
  for (int32_t atom : columns_) columns_run |= access.at.coef[atom] == 1;
  transposed_ = access.at.coef[stage.matmul.contracted] == 1 && !columns_run;
}

int64_t MatmulOperand::natural_bytes() const {
  const int64_t k = stage_.atoms[stage_.matmul.contracted].size;
  return transposed_ ? kNaturalTiles * std::min(k, kNaturalElements) * bytes() : 0;
}

int64_t MatmulOperand::columns(const Frame& frame) const {
  int64_t n = 1;
  for (int32_t atom : columns_) n *= frame.extent[atom];
  return n;
}

int64_t MatmulOperand::address(const Frame& frame) const {
  int64_t at = access_.at.offset;
  for (size_t a = 0; a < stage_.atoms.size(); ++a)
    if (static_cast<int32_t>(a) != stage_.matmul.contracted) at += access_.at.coef[a] * frame.base[a];
  return at;
}

void MatmulOperand::bring(const Frame& frame, int64_t begin, int64_t end, uint32_t offset, int64_t pitch, int32_t ir_op) {
  if (access_.buffer < 0) {
    const int64_t length = end - begin;
    Instruction fill;
    fill.op = isa::Opcode::memset;
    fill.engine = Engine::vector;
    fill.dst = sbuf_tile(dtype_, std::min(length, kPeRows), offset);
    push_dim(fill.dst, pitch, (length + kPeRows - 1) / kPeRows);
    push_dim(fill.dst, 1, columns(frame));
    fill.scalar0 = isa::Scalar::of(static_cast<float>(number_));
    writer_.add(fill, ir_op);
  } else if (transposed_) {
    bring_transposed(frame, begin, end, offset, pitch, ir_op);
  } else {
    bring_direct(frame, begin, end, offset, pitch, ir_op);
  }
}

void MatmulOperand::bring_direct(const Frame& frame, int64_t begin, int64_t end, uint32_t offset, int64_t pitch, int32_t ir_op) {
  const int64_t stride = access_.at.coef[stage_.matmul.contracted];
  const int64_t n = columns(frame);
  const auto part = [&](int64_t from, int64_t rows, int64_t tiles) {
    Walk walk{{rows, {stride}}, {tiles, {stride * kPeRows}}};
    for (int32_t atom : columns_) walk.push_back({frame.extent[atom], {access_.at.coef[atom]}});
    Tile tile = sbuf_tile(dtype_, rows, offset + static_cast<uint32_t>((from - begin) / kPeRows * pitch * bytes()));
    if (pitch == n) {
      push_dim(tile, 1, tiles * n);
    } else {
      push_dim(tile, pitch, tiles);
      push_dim(tile, 1, n);
    }
    writer_.load(tile, hbm_of(access_, address(frame) + stride * from, walk), ir_op);
  };
  const int64_t whole = (end - begin) / kPeRows;
  if (whole > 0) part(begin, kPeRows, whole);
  if (const int64_t rest = (end - begin) % kPeRows; rest > 0) part(begin + whole * kPeRows, rest, 1);
}

void MatmulOperand::bring_transposed(const Frame& frame, int64_t begin, int64_t end, uint32_t offset, int64_t pitch, int32_t ir_op) {
  if (columns(frame) <= kPeRows) return transpose_block(frame, begin, end, offset, pitch, ir_op);
  // More columns than partitions: blocks of the innermost atom.
  Frame block = frame;
  std::vector<int64_t> index(columns_.size(), 0);
  const int32_t inner = columns_.back();
  int64_t done = 0;
  for (;;) {
    for (size_t k = 0; k + 1 < columns_.size(); ++k) {
      block.base[columns_[k]] = frame.base[columns_[k]] + index[k];
      block.extent[columns_[k]] = 1;
    }
    for (int64_t c = 0; c < frame.extent[inner]; c += kPeRows) {
      block.base[inner] = frame.base[inner] + c;
      block.extent[inner] = std::min(kPeRows, frame.extent[inner] - c);
      transpose_block(block, begin, end, offset + static_cast<uint32_t>(done * bytes()), pitch, ir_op);
      done += block.extent[inner];
    }
    size_t k = columns_.size() - 1;
    while (k > 0 && ++index[k - 1] == frame.extent[columns_[k - 1]]) index[--k] = 0;
    if (k == 0) return;
  }
}

void MatmulOperand::transpose_block(const Frame& frame, int64_t begin, int64_t end, uint32_t offset, int64_t pitch, int32_t ir_op) {
  const auto& memory = writer_.machine().memory;
  const int64_t n = columns(frame);
  const int64_t natural = std::min(stage_.atoms[stage_.matmul.contracted].size, kNaturalElements);
  const int64_t tiles_a_bank = std::max<int64_t>(1, memory.psum_bank_bytes / bytes() / n);
  for (int64_t from = begin; from < end; from += natural) {
    const int64_t length = std::min(natural, end - from);
    Tile source = sbuf_tile(dtype_, n, natural_ + static_cast<uint32_t>(natural_turn_++ % kNaturalTiles * natural * bytes()));
    push_dim(source, 1, length);
    Walk walk;
    for (int32_t atom : columns_) walk.push_back({frame.extent[atom], {access_.at.coef[atom]}});
    walk.push_back({length, {1}});
    writer_.load(source, hbm_of(access_, address(frame) + from, walk), ir_op);
    const int64_t tiles = (length + kPeRows - 1) / kPeRows;
    for (int64_t first = 0; first < tiles;) {
      // Tiles of one height share a copy.
      const int64_t rows = std::min(kPeRows, length - first * kPeRows);
      int64_t count = 1;
      while (count < tiles_a_bank && first + count < tiles && std::min(kPeRows, length - (first + count) * kPeRows) == rows) ++count;
      const uint32_t bank = writer_.next_psum_bank();
      for (int64_t t = 0; t < count; ++t) {
        Instruction transpose;
        transpose.op = isa::Opcode::nc_transpose;
        transpose.engine = Engine::pe;
        transpose.src0 = sbuf_tile(dtype_, n, source.offset + static_cast<uint32_t>((first + t) * kPeRows * bytes()));
        push_dim(transpose.src0, 1, rows);
        transpose.dst = sbuf_tile(dtype_, rows, bank + static_cast<uint32_t>(t * n * bytes()));
        transpose.dst.space = isa::Space::psum;
        push_dim(transpose.dst, 1, n);
        writer_.add(transpose, ir_op);
      }
      Instruction copy;
      copy.op = isa::Opcode::tensor_copy;
      copy.engine = turn_ % 2 == 0 ? Engine::vector : Engine::scalar;
      copy.src0 = sbuf_tile(dtype_, rows, bank);
      copy.src0.space = isa::Space::psum;
      push_dim(copy.src0, 1, count * n);
      copy.dst = sbuf_tile(dtype_, rows, offset + static_cast<uint32_t>(((from - begin) / kPeRows + first) * pitch * bytes()));
      if (pitch == n) {
        push_dim(copy.dst, 1, count * n);
      } else {
        push_dim(copy.dst, pitch, count);
        push_dim(copy.dst, 1, n);
      }
      writer_.add(copy, ir_op);
      ++turn_;
      first += count;
    }
  }
}

}  // namespace lanewise::compiler::emit
