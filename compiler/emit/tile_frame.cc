// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/tile_frame.h"

#include "base/status.h"

namespace lanewise::compiler::emit {

Walk merged(const Walk& walk, int operands) {
  Walk result;
  for (const WalkDim& dim : walk) {
    if (dim.count == 1) continue;
    bool joins = !result.empty();
    if (joins) {
      for (int k = 0; k < operands; ++k) joins &= result.back().stride[k] == dim.stride[k] * dim.count;
    }
    if (joins) {
      result.back().count *= dim.count;
      result.back().stride = dim.stride;
    } else {
      result.push_back(dim);
    }
  }
  return result;
}

void set_dims(isa::Tile& tile, const Walk& walk, int which) {
  LW_CHECK(walk.size() <= tile.dims.size(), "a tile has four free dimensions");
  tile.rank = static_cast<uint8_t>(walk.size());
  for (size_t d = 0; d < walk.size(); ++d) {
    tile.dims[d].stride = static_cast<int32_t>(walk[d].stride[which]);
    tile.dims[d].count = static_cast<uint32_t>(walk[d].count);
  }
}

int64_t FrameTiles::partitions(const Frame& frame) const {
  int64_t n = 1;
  for (int32_t atom : stage_.place.partition) n *= frame.extent[atom];
  return n;
}

int64_t FrameTiles::elements(const Frame& frame, AtomMask atoms) const {
  int64_t n = 1;
  for (int32_t atom : stage_.place.free)
    if (stage::contains(atoms, atom)) n *= frame.extent[atom];
  return n;
}

int64_t FrameTiles::stride(const Frame& frame, AtomMask atoms, int atom) const {
  if (!stage::contains(atoms, atom)) return 0;
  int64_t stride = 1;
  for (size_t i = stage_.place.free.size(); i-- > 0;) {
    const int32_t inner = stage_.place.free[i];
    if (inner == atom) return stride;
    if (stage::contains(atoms, inner)) stride *= frame.extent[inner];
  }
  LW_CHECK(false, "not a free atom");
}

isa::Hbm FrameTiles::hbm(const Frame& frame, const stage::Access& access, AtomMask atoms) const {
  Walk walk;
  for (int32_t atom : stage_.place.partition) walk.push_back({frame.extent[atom], {access.at.coef[atom]}});
  for (int32_t atom : stage_.place.free)
    if (stage::contains(atoms, atom)) walk.push_back({frame.extent[atom], {access.at.coef[atom]}});
  walk = merged(walk, 1);
  isa::Hbm hbm;
  LW_CHECK(walk.size() <= hbm.dims.size(), "a device-memory pattern has six dimensions");
  hbm.buffer = access.buffer;
  hbm.dtype = access.dtype;
  hbm.rank = static_cast<uint8_t>(walk.size());
  int64_t at = access.at.offset;
  for (size_t a = 0; a < stage_.atoms.size(); ++a) at += access.at.coef[a] * frame.base[a];
  hbm.offset = at * isa::dtype_bytes(access.dtype);
  for (size_t d = 0; d < walk.size(); ++d) hbm.dims[d] = {walk[d].stride[0], walk[d].count};
  return hbm;
}

isa::Tile FrameTiles::tile(const Frame& frame, AtomMask atoms, isa::DType dtype, uint32_t offset) const {
  isa::Tile t;
  t.space = isa::Space::sbuf;
  t.dtype = dtype;
  t.partitions = static_cast<uint16_t>(partitions(frame));
  t.offset = offset;
  const int64_t n = elements(frame, atoms);
  if (n > 1) {
    t.rank = 1;
    t.dims[0] = {1, static_cast<uint32_t>(n)};
  }
  return t;
}

}  // namespace lanewise::compiler::emit
