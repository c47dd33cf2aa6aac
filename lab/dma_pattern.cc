// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/dma_pattern.h"

#include <optional>

#include "isa/trn2/table.h"

namespace lanewise::lab {
namespace {

using trace::neff::DmaElement;
using trace::neff::DmaSide;

constexpr int64_t kMostElements = int64_t{1} << 40;

struct Step {
  int64_t step, count;
};

std::string describe(const DmaSide& s) {
  const auto list = [](const std::vector<int64_t>& v) {
    std::string out = "[";
    for (size_t i = 0; i < v.size(); ++i) out += (i > 0 ? ", " : "") + std::to_string(v[i]);
    return out + "]";
  };
  return s.variable + " " + s.dtype + " offset " + std::to_string(s.offset) + " sizes " + list(s.sizes) + " steps " + list(s.steps);
}

// In which unit both sides are cut into elements.
struct Unit {
  isa::DType dtype;
  int64_t bytes;
};

// Dimensions in units of `unit`, outermost first; empty when the pattern does not move whole ones.
std::optional<std::vector<Step>> in_units(const DmaSide& s, int64_t unit) {
  if (s.sizes.size() != s.steps.size() || s.sizes.empty()) return std::nullopt;
  if (s.steps[0] != 1 || s.sizes[0] % unit != 0 || s.offset % unit != 0) return std::nullopt;
  std::vector<Step> out;
  for (size_t d = s.sizes.size(); d-- > 1;) {
    if (s.sizes[d] < 1 || s.steps[d] % unit != 0) return std::nullopt;
    if (s.sizes[d] > 1) out.push_back({s.steps[d] / unit, s.sizes[d]});
  }
  if (s.sizes[0] < unit) return std::nullopt;
  out.push_back({1, s.sizes[0] / unit});
  return out;
}

Status onto_tile(const DmaSide& s, Unit unit, std::vector<Step> dims, isa::Tile* tile) {
  constexpr int64_t kPartition = isa::trn2::kSbufPartitionStep;
  if (s.offset < 0 || s.offset >= isa::trn2::kPsumBase) return unimplemented("a DMA outside SBUF: " + describe(s));
  tile->space = isa::Space::sbuf;
  tile->dtype = unit.dtype;
  tile->partition = static_cast<uint16_t>(s.offset / kPartition);
  tile->offset = static_cast<uint32_t>(s.offset % kPartition);
  // Outermost dimensions that walk partitions: adjacent ones, so several must continue each other.
  int64_t partitions = 1;
  size_t walking = 0;
  while (walking + 1 < dims.size() && dims[walking].step * unit.bytes >= kPartition) ++walking;
  for (size_t d = walking; d-- > 0;) {
    if (dims[d].step * unit.bytes != kPartition * partitions) return unimplemented("a DMA over partitions that are not adjacent: " + describe(s));
    partitions *= dims[d].count;
    if (partitions > 128) break;
  }
  dims.erase(dims.begin(), dims.begin() + static_cast<ptrdiff_t>(walking));
  for (const Step& d : dims)
    if (d.step * unit.bytes >= kPartition) return unimplemented("a DMA whose partitions are not its outermost dimension: " + describe(s));
  if (partitions < 1 || tile->partition + partitions > 128) return data_loss("a DMA past partition 127: " + describe(s));
  if (dims.size() > tile->dims.size()) return unimplemented("a DMA of more than 4 dimensions in a partition: " + describe(s));
  tile->partitions = static_cast<uint16_t>(partitions);
  for (const Step& d : dims) {
    if (d.count > INT32_MAX || d.step > INT32_MAX || d.step < INT32_MIN) return data_loss("a DMA larger than a partition: " + describe(s));
    tile->dims[tile->rank++] = {static_cast<int32_t>(d.step), static_cast<uint32_t>(d.count)};
  }
  return ok_status();
}

Status onto_buffer(const trace::neff::Core& core, const DmaSide& s, Unit unit, const std::vector<Step>& dims, isa::Hbm* hbm) {
  for (size_t v = 0; v < core.variables.size(); ++v)
    if (core.variables[v].name == s.variable) hbm->buffer = static_cast<int32_t>(v);
  if (hbm->buffer < 0) return data_loss("a DMA names a variable that def.json does not have: " + describe(s));
  if (dims.size() > hbm->dims.size()) return unimplemented("a DMA of more than 6 dimensions: " + describe(s));
  hbm->dtype = unit.dtype;
  hbm->offset = s.offset;
  for (const Step& d : dims) hbm->dims[hbm->rank++] = {d.step, d.count};
  return ok_status();
}

Status put(const trace::neff::Core& core, const DmaSide& s, Unit unit, const std::vector<Step>& dims, isa::Tile* tile, isa::Hbm* hbm) {
  return s.on_chip() ? onto_tile(s, unit, dims, tile) : onto_buffer(core, s, unit, dims, hbm);
}

// How the two sides are cut: by their dtypes where both move whole elements, else (only bits move) by bytes.
Status choose_units(const DmaElement& e, Unit* from, Unit* to) {
  const isa::trn2::DTypeRow *f = isa::trn2::dtype_row(e.from.dtype), *t = isa::trn2::dtype_row(e.to.dtype);
  const bool cast = e.from.dtype != e.to.dtype;
  if (cast && (f == nullptr || t == nullptr || !f->ours || !t->ours))
    return unimplemented("a DMA that casts " + e.from.dtype + " to " + e.to.dtype);
  const bool whole = f != nullptr && t != nullptr && in_units(e.from, f->bytes) && in_units(e.to, t->bytes);
  if (cast && !whole) return unimplemented("a DMA that casts parts of elements: " + describe(e.from) + " to " + describe(e.to));
  if (!whole) {
    *from = *to = {isa::DType::u8, 1};
    return ok_status();
  }
  *from = {f->dtype, f->bytes};
  *to = {t->dtype, t->bytes};
  return ok_status();
}

int64_t count(const std::vector<Step>& dims) {
  int64_t n = 1;
  for (const Step& d : dims)
    if (__builtin_mul_overflow(n, d.count, &n)) return INT64_MAX;
  return n;
}

}  // namespace

Result<isa::Instruction> dma_copy(const trace::neff::Core& core, const DmaElement& e) {
  if (e.operation != "copy" && e.operation != "cast")
    return unimplemented("a DMA that does more than copy and cast: \"" + e.operation + "\" " + describe(e.from) + " to " + describe(e.to));
  Unit from{}, to{};
  LW_RETURN_IF_ERROR(choose_units(e, &from, &to));
  const auto from_dims = in_units(e.from, from.bytes), to_dims = in_units(e.to, to.bytes);
  if (!from_dims || !to_dims)
    return unimplemented("a DMA whose innermost dimension is not contiguous: " + describe(e.from) + " to " + describe(e.to));
  if (count(*from_dims) > kMostElements || count(*to_dims) > kMostElements)
    return data_loss("a DMA of more elements than device memory holds: " + describe(e.from) + " to " + describe(e.to));
  if (count(*from_dims) != count(*to_dims))
    return data_loss("a DMA with sides of different size: " + describe(e.from) + " to " + describe(e.to));
  isa::Instruction in;
  in.op = isa::Opcode::dma_copy;
  LW_RETURN_IF_ERROR(put(core, e.to, to, *to_dims, &in.dst, &in.hbm_dst));
  LW_RETURN_IF_ERROR(put(core, e.from, from, *from_dims, &in.src0, &in.hbm_src));
  return in;
}

}  // namespace lanewise::lab
