// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "sim/unit/sbuf/sbuf.h"

#include <cstdlib>

namespace lanewise::sim::sbuf {
namespace {

bool wide(const isa::Tile& t, int64_t limit) {
  for (int d = t.rank - 1; d >= 0; --d) {
    if (t.dims[d].count == 1) continue;
    return std::abs(int64_t{t.dims[d].stride}) * isa::dtype_bytes(t.dtype) >= limit;
  }
  return false;
}

bool in_sbuf(const isa::Tile& t) { return t.space == isa::Space::sbuf; }

}  // namespace

int64_t stride_factor(const isa::Instruction& in, const machine::Machine& machine) {
  const int64_t limit = machine.memory.wide_stride_bytes;
  for (const isa::Tile* t : {&in.dst, &in.src0, &in.src1, &in.src2})
    if (t->present() && wide(*t, limit)) return 2;
  return 1;
}

bool SharedPort::needs(const isa::Instruction& in, bool fast_mode) const {
  if (in.engine != isa::Engine::vector && in.engine != isa::Engine::gpsimd) return false;
  if (in.op == isa::Opcode::dma_copy) return false;
  // GpSimd always works on SBUF; it only meets Vector where Vector takes the port.
  if (in.engine == isa::Engine::vector && !always_ && !fast_mode) return false;
  return in_sbuf(in.dst) || in_sbuf(in.src0) || in_sbuf(in.src1) || in_sbuf(in.src2);
}

}  // namespace lanewise::sim::sbuf
