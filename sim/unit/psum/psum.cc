// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "sim/unit/psum/psum.h"

#include <algorithm>
#include <bit>

#include "sim/core/memory.h"

namespace lanewise::sim::psum {

uint32_t Banks::used(const isa::Instruction& in, const core::Registers& registers) const {
  if (in.engine != isa::Engine::vector && in.engine != isa::Engine::scalar) return 0;
  uint32_t mask = 0;
  for (const isa::Tile* t : {&in.dst, &in.src0, &in.src1, &in.src2}) {
    if (t->space != isa::Space::psum) continue;
    if (one_bank_) return 1;
    core::ByteRange r = core::free_range(*t);
    const int64_t moved = t->loop_register >= 0 ? registers[t->loop_register] * int64_t{t->register_stride} : 0;
    const int64_t last = std::clamp<int64_t>((r.end + moved - 1) / bank_bytes_, 0, kMaxBanks - 1);
    for (int64_t b = std::clamp<int64_t>((r.begin + moved) / bank_bytes_, 0, kMaxBanks - 1); b <= last; ++b)
      mask |= 1u << b;
  }
  return mask;
}

Picos Banks::free(isa::Engine engine, uint32_t banks) const {
  const auto& other = until_[engine == isa::Engine::vector ? 1 : 0];
  Picos t;
  for (; banks != 0; banks &= banks - 1) t = std::max(t, other[std::countr_zero(banks)]);
  return t;
}

void Banks::take(isa::Engine engine, uint32_t banks, Picos until) {
  auto& mine = until_[engine == isa::Engine::vector ? 0 : 1];
  for (; banks != 0; banks &= banks - 1) mine[std::countr_zero(banks)] = until;
}

}  // namespace lanewise::sim::psum
