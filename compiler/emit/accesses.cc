// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/accesses.h"

#include <algorithm>

#include "isa/pattern.h"

namespace lanewise::compiler::emit {
namespace {

constexpr int64_t kBufferParts = 64;

}  // namespace

AccessLister::AccessLister(const std::vector<stage::Buffer>& buffers)
    : buffers_(buffers), written_(buffers.size(), false), members_(buffers.size(), 0) {
  for (const stage::Buffer& b : buffers) {
    ++members_[b.alias_group];
    if (b.written) written_[b.alias_group] = true;
  }
}

void AccessLister::tile(const isa::Tile& tile, bool write) {
  if (!tile.present()) return;
  const isa::ByteRange range = isa::byte_range(tile);
  list_.push_back({tile.space == isa::Space::psum ? 1 : 0, range.begin, range.end, write, tile.partition,
                   static_cast<uint16_t>(tile.partition + tile.partitions - 1), -1});
}

void AccessLister::hbm(const isa::Hbm& hbm, bool write, int32_t order) {
  if (!hbm.present()) return;
  const stage::Buffer& buffer = buffers_[hbm.buffer];
  if (!written_[buffer.alias_group]) return;
  int64_t first = 0, last = kBufferParts;
  if (!hbm.row_index.present() && members_[buffer.alias_group] == 1) {
    const isa::ByteRange range = isa::byte_range(hbm);
    const int64_t part = std::max<int64_t>(1, (buffer.bytes + kBufferParts - 1) / kBufferParts);
    first = range.begin / part;
    last = (range.end + part - 1) / part;
  }
  list_.push_back({2 + buffer.alias_group, first, last, write, 0, 0, order});
}

const std::vector<ByteAccess>& AccessLister::list(const isa::Instruction& i, int32_t order) {
  list_.clear();
  tile(i.src0, false);
  tile(i.src1, false);
  tile(i.src2, false);
  if (i.scalar0.kind == isa::Scalar::Kind::tile) tile(i.scalar0.tile, false);
  if (i.scalar1.kind == isa::Scalar::Kind::tile) tile(i.scalar1.tile, false);
  tile(i.hbm_src.row_index, false);
  tile(i.hbm_dst.row_index, false);
  if (i.accumulate) tile(i.dst, false);
  hbm(i.hbm_src, false, order);
  tile(i.dst, true);
  tile(i.dst2, true);
  hbm(i.hbm_dst, true, order);
  return list_;
}

}  // namespace lanewise::compiler::emit
