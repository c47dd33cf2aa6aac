// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "sim/unit/sbuf/access.h"

#include <cstdlib>

namespace lanewise::sim::sbuf {

int64_t inner_stride_bytes(const isa::Tile& t) {
  for (int d = t.rank - 1; d >= 0; --d)
    if (t.dims[d].count > 1) return std::abs(int64_t{t.dims[d].stride}) * isa::dtype_bytes(t.dtype);
  return 0;
}

core::Patterns access(const isa::Instruction& in, const machine::Machine& machine) {
  const int64_t limit = machine.memory.wide_stride_bytes;
  core::Patterns a;
  for (const isa::Tile* t : {&in.src0, &in.src1, &in.src2})
    a.wide_read |= t->space == isa::Space::sbuf && inner_stride_bytes(*t) >= limit;
  a.partial_write = in.dst.space == isa::Space::sbuf && isa::dtype_bytes(in.dst.dtype) < 4 &&
                    inner_stride_bytes(in.dst) >= limit;
  return a;
}

}  // namespace lanewise::sim::sbuf
