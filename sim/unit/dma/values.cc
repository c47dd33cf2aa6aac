// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "sim/unit/dma/values.h"

#include <string>

#include "sim/core/copy.h"
#include "sim/core/rows.h"

namespace lanewise::sim::dma {
namespace {

using core::View;

// One side of the copy.
Status resolve(const core::Memory& memory, const isa::Tile& tile, const isa::Hbm& hbm,
               const core::Registers& registers, View* view) {
  if (tile.present()) return core::resolve(memory, tile, registers, view);
  return core::resolve(memory, hbm, registers, view);
}

// Partition p of `tile` against row index[p] of `rows`.
Status indexed(const core::Memory& memory, const isa::Hbm& pattern, const core::Registers& registers, View tile,
               View row, bool gather) {
  View index;
  LW_RETURN_IF_ERROR(core::resolve(memory, pattern.row_index, registers, &index));
  const int64_t partitions = tile.count[0];
  if (index.elements() != partitions)
    return invalid_argument("the row index has " + std::to_string(index.elements()) + " entries for " +
                            std::to_string(partitions) + " partitions");
  const core::HostBuffer& buffer = memory.buffers[pattern.buffer];
  const int64_t element = isa::dtype_bytes(pattern.dtype);
  const core::ByteRange base = core::buffer_range(pattern);
  const int64_t moved = pattern.loop_register >= 0 ? registers[pattern.loop_register] * pattern.register_stride : 0;
  std::array<int64_t, 128> rows;
  if (partitions > static_cast<int64_t>(rows.size())) return invalid_argument("more than 128 indexed rows");
  core::RunCursor cursor(index);
  core::load(cursor, rows.data(), partitions);
  View one = tile;
  one.count[0] = 1;
  for (int64_t p = 0; p < partitions; ++p) {
    int64_t shift = 0, begin = 0, end = 0;
    const bool overflow = __builtin_mul_overflow(rows[p], pattern.row_stride * element, &shift) ||
                          __builtin_add_overflow(base.begin + moved, shift, &begin) ||
                          __builtin_add_overflow(base.end + moved, shift, &end);
    if (overflow || begin < 0 || end > buffer.bytes)
      return out_of_range("indexed row " + std::to_string(rows[p]) + " (partition " + std::to_string(p) +
                          ") lies outside buffer " + std::to_string(pattern.buffer) + ", which has " +
                          std::to_string(buffer.bytes) + " bytes");
    View there = row;
    there.base += shift;
    one.base = tile.base + p * tile.stride[0];
    if (gather) core::copy_cast(one, there);
    else core::copy_cast(there, one);
  }
  return ok_status();
}

}  // namespace

Status run(const core::Memory& memory, const isa::Instruction& in, const core::Registers& registers) {
  View to, from;
  LW_RETURN_IF_ERROR(resolve(memory, in.dst, in.hbm_dst, registers, &to));
  LW_RETURN_IF_ERROR(resolve(memory, in.src0, in.hbm_src, registers, &from));
  const bool gather = in.hbm_src.present() && in.hbm_src.row_index.present();
  const bool scatter = in.hbm_dst.present() && in.hbm_dst.row_index.present();
  if (gather || scatter) {
    if (gather == scatter || !(gather ? in.dst : in.src0).present())
      return invalid_argument("an indexed DMA needs a tile on its other side");
    const View& tile = gather ? to : from;
    const View& row = gather ? from : to;
    if (tile.elements() != row.elements() * tile.count[0])
      return invalid_argument("an indexed row has " + std::to_string(row.elements()) + " elements, a partition " +
                              std::to_string(tile.elements() / tile.count[0]));
    return indexed(memory, gather ? in.hbm_src : in.hbm_dst, registers, tile, row, gather);
  }
  if (to.elements() != from.elements())
    return invalid_argument("a DMA writes " + std::to_string(to.elements()) + " elements and reads " +
                            std::to_string(from.elements()));
  core::copy_cast(to, from);
  return ok_status();
}

}  // namespace lanewise::sim::dma
