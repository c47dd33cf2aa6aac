// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/gather_stage.h"

#include <algorithm>

namespace lanewise::compiler::emit {

using isa::Tile;

namespace {

constexpr int64_t kRowBytes = 16384;   // of a row held in a partition
constexpr int kDepth = 3;

Tile column(isa::DType dtype, int64_t partitions, uint32_t offset, int64_t elements) {
  Tile t;
  t.space = isa::Space::sbuf;
  t.dtype = dtype;
  t.partitions = static_cast<uint16_t>(partitions);
  t.offset = offset;
  if (elements > 1) {
    t.rank = 1;
    t.dims[0] = {1, static_cast<uint32_t>(elements)};
  }
  return t;
}

// `rows` x `columns` elements from (row, column) on.
isa::Hbm block(const stage::Access& access, int64_t row, int64_t rows, int64_t column, int64_t columns) {
  isa::Hbm hbm;
  hbm.buffer = access.buffer;
  hbm.dtype = access.dtype;
  hbm.offset = (access.at.offset + access.at.coef[0] * row + access.at.coef[1] * column) * isa::dtype_bytes(access.dtype);
  if (rows > 1) hbm.dims[hbm.rank++] = {access.at.coef[0], rows};
  if (columns > 1) hbm.dims[hbm.rank++] = {access.at.coef[1], columns};
  return hbm;
}

}  // namespace

Status emit_gather_stage(const stage::Stage& stage, Writer& writer) {
  const stage::Gather& g = stage.gather;
  writer.begin_stage(stage.order, isa::Engine::scalar);
  const int64_t rows = stage.atoms[0].size, width = stage.atoms[1].size;
  const int64_t bytes = isa::dtype_bytes(g.dtype);
  const int64_t part = std::min(width, kRowBytes / bytes);
  const int64_t row_bytes = (part * bytes + 31) / 32 * 32;
  const uint32_t region = writer.reserve_sbuf(kDepth * (32 + row_bytes));
  int turn = 0, index_turn = 0;
  for (int64_t r = 0; r < rows; r += 128) {
    const int64_t count = std::min<int64_t>(128, rows - r);
    const Tile index = column(g.indices.dtype, count, region + static_cast<uint32_t>(32 * (index_turn++ % kDepth)), 1);
    writer.load(index, block(g.indices, r, count, 0, 1), stage.op);
    for (int64_t c = 0; c < width; c += part) {
      const int64_t columns = std::min(part, width - c);
      const Tile tile = column(g.dtype, count, region + static_cast<uint32_t>(kDepth * 32 + row_bytes * (turn++ % kDepth)), columns);
      isa::Instruction i;
      i.op = isa::Opcode::dma_copy;
      i.engine = isa::Engine::gpsimd;
      i.dst = tile;
      i.hbm_src.buffer = g.table;
      i.hbm_src.dtype = g.dtype;
      i.hbm_src.offset = (g.table_offset + c * g.column_stride) * bytes;
      if (columns > 1) {
        i.hbm_src.rank = 1;
        i.hbm_src.dims[0] = {g.column_stride, columns};
      }
      i.hbm_src.row_index = index;
      i.hbm_src.row_stride = g.table_row_stride;
      writer.add(i, stage.op);
      for (const stage::Store& store : stage.stores) writer.store(block(store.access, r, count, c, columns), tile, stage.op);
    }
  }
  return ok_status();
}

}  // namespace lanewise::compiler::emit
