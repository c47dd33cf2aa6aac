// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include <bit>

#include "isa/pattern.h"
#include "isa/rules.h"

namespace lanewise::isa {
namespace {

std::string str(int64_t v) { return std::to_string(v); }

template <typename Pattern>
Broken check_dims(const Pattern& p, bool written) {
  if (p.rank > p.dims.size()) return "rank " + str(p.rank) + " is above " + str(p.dims.size());
  for (size_t i = 0; i < p.dims.size(); ++i) {
    const auto& d = p.dims[i];
    if (i >= p.rank) {
      if (d != typename std::decay_t<decltype(p.dims)>::value_type{})
        return "dim " + str(i) + " lies beyond the rank and must keep its default";
      continue;
    }
    if (static_cast<int64_t>(d.count) < 1) return "dim " + str(i) + " has no elements";
    if (written && d.stride == 0 && d.count > 1) return "dim " + str(i) + " writes one element several times (stride 0)";
  }
  return {};
}

template <typename Pattern>
Broken check_register(const RuleContext& context, const Pattern& p, int64_t& last_value) {
  last_value = 0;
  if (p.loop_register == -1) {
    if (p.register_stride != 0) return "a register stride without a loop register";
    return {};
  }
  if (p.loop_register < -1 || p.loop_register >= kLoopRegisters)
    return "loop register " + str(p.loop_register) + " does not exist";
  last_value = context.last_value[static_cast<size_t>(p.loop_register)];
  if (last_value < 0) return "loop register " + str(p.loop_register) + " belongs to no open loop";
  return {};
}

Broken check_partitions(const Tile& t) {
  const int start = t.partition, count = t.partitions;
  if (count < 1 || count > 128) return "a tile has 1 to 128 partitions, not " + str(count);
  if (start + count > 128) return "partitions " + str(start) + " to " + str(start + count - 1) + " go past 127";
  const int step = count > 64 ? 128 : count > 32 ? 64 : 32;
  if (start % step != 0)
    return "quadrant rule: " + str(count) + " partitions cannot start at " + str(start) + ", only at " +
           (step == 128 ? "0" : step == 64 ? "0 or 64" : "0, 32, 64 or 96");
  return {};
}

}  // namespace

Broken check_tile(const RuleContext& context, const Tile& tile, bool written) {
  if (Broken b = check_partitions(tile); !b.empty()) return b;
  if (Broken b = check_dims(tile, written); !b.empty()) return b;
  int64_t last_value = 0;
  if (Broken b = check_register(context, tile, last_value); !b.empty()) return b;
  const int64_t size = dtype_bytes(tile.dtype);
  if (tile.offset % size != 0 || tile.register_stride % size != 0)
    return "offset " + str(tile.offset) + " or its register stride is not a multiple of the element's " + str(size) +
           " bytes";
  const ByteRange range = byte_range(tile, last_value);
  const int64_t limit =
      tile.space == Space::psum ? context.limits.psum_partition_bytes : context.limits.sbuf_partition_bytes;
  if (range.begin < 0 || range.end > limit)
    return "bytes " + str(range.begin) + " to " + str(range.end) + " of a partition lie outside " +
           (tile.space == Space::psum ? "PSUM" : "SBUF") + " (0 to " + str(limit) + ")";
  return {};
}

Broken check_hbm(const RuleContext& context, const Hbm& hbm, bool written) {
  const auto& buffers = context.program.buffers;
  if (hbm.buffer >= static_cast<int64_t>(buffers.size()))
    return "buffer " + str(hbm.buffer) + " does not exist; the program has " + str(static_cast<int64_t>(buffers.size()));
  const Buffer& buffer = buffers[static_cast<size_t>(hbm.buffer)];
  if (written && buffer.kind == Buffer::Kind::constant) return "buffer " + str(hbm.buffer) + " is a constant";
  if (Broken b = check_dims(hbm, written); !b.empty()) return b;
  int64_t last_value = 0;
  if (Broken b = check_register(context, hbm, last_value); !b.empty()) return b;
  const ByteRange range = byte_range(hbm, last_value);
  if (range.begin < 0 || range.end > buffer.bytes)
    return "bytes " + str(range.begin) + " to " + str(range.end) + " lie outside buffer " + str(hbm.buffer) + " (0 to " +
           str(buffer.bytes) + ")";

  const Tile& rows = hbm.row_index;
  if (!rows.present()) {
    if (rows != Tile{} || hbm.row_stride != 0) return "a row stride without a row index";
    return {};
  }
  if (rows.space != Space::sbuf) return "the row index must be in SBUF";
  if (rows.dtype != DType::i32 && rows.dtype != DType::i64) return "the row index must be i32 or i64";
  if (Broken b = check_tile(context, rows, false); !b.empty()) return "row index: " + b;
  if (element_count(rows) != 1) return "the row index must have one element a partition";
  return {};
}

Broken check_scalar(const RuleContext& context, const Scalar& s, int partitions) {
  Scalar canonical;
  switch (s.kind) {
    case Scalar::Kind::none: break;
    case Scalar::Kind::f32: canonical = Scalar::of(s.f); break;
    case Scalar::Kind::i64: canonical = Scalar::of_int(s.i); break;
    case Scalar::Kind::parameter: canonical = Scalar::of_parameter(s.i); break;
    case Scalar::Kind::tile: canonical = Scalar::of_tile(s.tile); break;
  }
  if (s.i != canonical.i || s.tile != canonical.tile || (s.kind != Scalar::Kind::f32 && std::bit_cast<uint32_t>(s.f) != 0))   // -0 too
    return "a scalar of one kind carries values of another";
  if (s.kind == Scalar::Kind::parameter) {
    const auto count = static_cast<int64_t>(context.program.parameters.size());
    if (s.i < 0 || s.i >= count) return "parameter " + str(s.i) + " does not exist; the program has " + str(count);
  }
  if (s.kind != Scalar::Kind::tile) return {};
  if (!s.tile.present()) return "a tile scalar without a tile";
  if (Broken b = check_tile(context, s.tile, false); !b.empty()) return b;
  if (element_count(s.tile) != 1) return "must have one element a partition";
  if (s.tile.partitions != partitions)
    return "has " + str(s.tile.partitions) + " partitions, the instruction has " + str(partitions);
  return {};
}

}  // namespace lanewise::isa
