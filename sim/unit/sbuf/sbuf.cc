// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "sim/unit/sbuf/sbuf.h"

namespace lanewise::sim::sbuf {
namespace {

bool in_sbuf(const isa::Tile& t) { return t.space == isa::Space::sbuf; }

}  // namespace

bool SharedPort::needs(const isa::Instruction& in, bool fast_mode) const {
  if (in.engine != isa::Engine::vector && in.engine != isa::Engine::gpsimd) return false;
  if (in.op == isa::Opcode::dma_copy) return false;
  // GpSimd always works on SBUF; it only meets Vector where Vector takes the port.
  if (in.engine == isa::Engine::vector && !always_ && !fast_mode) return false;
  return in_sbuf(in.dst) || in_sbuf(in.src0) || in_sbuf(in.src1) || in_sbuf(in.src2);
}

}  // namespace lanewise::sim::sbuf
