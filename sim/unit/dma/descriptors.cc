// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "sim/unit/dma/descriptors.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "sim/core/copy.h"

namespace lanewise::sim::dma {
namespace {

// Far beyond every free pattern, so that a partition never continues the one before.
constexpr int64_t kPartitionPitch = int64_t{1} << 40;

core::View view_of(const isa::Tile& tile, bool one_partition) {
  core::View v;
  v.dtype = tile.dtype;
  const int64_t element = isa::dtype_bytes(tile.dtype);
  v.push(one_partition ? 1 : tile.partitions, kPartitionPitch);
  for (int d = 0; d < tile.rank; ++d) v.push(tile.dims[d].count, tile.dims[d].stride * element);
  return v;
}
core::View view_of(const isa::Hbm& hbm) {
  core::View v;
  v.dtype = hbm.dtype;
  const int64_t element = isa::dtype_bytes(hbm.dtype);
  for (int d = 0; d < hbm.rank; ++d) v.push(hbm.dims[d].count, hbm.dims[d].stride * element);
  return v;
}

// Elements that lie next to each other at the end of a merged pattern.
int64_t tail_run(const core::View& v) {
  const core::View m = core::merged(v);
  return m.stride[m.rank - 1] == isa::dtype_bytes(m.dtype) ? m.count[m.rank - 1] : 1;
}

int64_t common_run(const core::View& to, const core::View& from) {
  std::vector<core::SharedDim> dims;
  if (!core::share_dims(to, from, &dims)) return std::gcd(tail_run(to), tail_run(from));
  const core::SharedDim& d = dims.front();
  const bool contiguous = d.to_stride == isa::dtype_bytes(to.dtype) && d.from_stride == isa::dtype_bytes(from.dtype);
  return contiguous ? d.count : 1;
}

}  // namespace

Transfer describe(const isa::Instruction& in, const machine::Machine& machine) {
  const machine::Machine::Dma& m = machine.dma;
  const bool indexed = in.hbm_src.row_index.present() || in.hbm_dst.row_index.present();
  const isa::Tile& tile = in.dst.present() ? in.dst : in.src0;
  const core::View to = in.dst.present() ? view_of(in.dst, indexed) : view_of(in.hbm_dst);
  const core::View from = in.src0.present() ? view_of(in.src0, indexed) : view_of(in.hbm_src);
  const int64_t width = std::max(isa::dtype_bytes(to.dtype), isa::dtype_bytes(from.dtype));
  const int64_t elements = to.elements() * (indexed ? int64_t{tile.partitions} : 1);
  const int64_t run = common_run(to, from);

  // One contiguous run as descriptors.
  const int64_t bytes = run * width;
  const int64_t limit = std::max<int64_t>(1, m.descriptor_max_bytes);
  const int64_t full = bytes / limit, rest = bytes % limit;
  auto cycles = [&](int64_t b) {
    return (std::max(b, m.descriptor_min_bytes) + m.bytes_per_cycle - 1) / m.bytes_per_cycle + m.descriptor_cycles;
  };
  const int64_t per_run = full + (rest > 0);
  const int64_t run_cycles = full * cycles(limit) + (rest > 0 ? cycles(rest) : 0);
  const int64_t runs = elements / run;

  Transfer t;
  t.bytes = elements * isa::dtype_bytes(to.dtype);
  t.descriptors = runs * per_run;
  t.indexed_rows = indexed ? tile.partitions : 0;
  if (in.hbm_src.present()) t.hbm_bytes += elements * isa::dtype_bytes(from.dtype);
  if (in.hbm_dst.present()) t.hbm_bytes += t.bytes;
  const int64_t engines = std::clamp<int64_t>(m.engines, 1, kMaxEngines);
  if (tile.present()) {
    const int64_t served = std::max<int64_t>(1, machine.memory.partitions / engines);
    const int64_t cycles_per_partition = runs / tile.partitions * run_cycles;
    std::array<int64_t, kMaxEngines> partitions{};
    for (int64_t p = tile.partition; p < tile.partition + tile.partitions; ++p)
      ++partitions[std::min(p / served, engines - 1)];
    for (int64_t e = 0; e < engines; ++e)
      t.busy_ps[e] = m.clock.to_picos(Cycles(partitions[e] * cycles_per_partition)).value;
    return t;
  }
  // Descriptor by descriptor in turn; a run's last, shorter descriptor is spread like the others.
  for (int64_t e = 0; e < engines; ++e) {
    const int64_t whole = t.descriptors / engines + (e < t.descriptors % engines);
    t.busy_ps[e] =
        m.clock.to_picos(Cycles((whole * run_cycles * runs + t.descriptors - 1) / t.descriptors)).value;
  }
  return t;
}

}  // namespace lanewise::sim::dma
