// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// PSUM banks as Vector and Scalar meet in them: from v3 on the two run in parallel unless they use the same bank; on v2
// (a core whose Vector and GpSimd share the SBUF port as well) they take turns on all of PSUM. The tensor engine writes
// beside both.
#pragma once

#include <array>
#include <cstdint>

#include "base/units.h"
#include "isa/instruction.h"
#include "machine/machine.h"
#include "sim/core/stream.h"

namespace lanewise::sim::psum {

inline constexpr int kMaxBanks = 32;

class Banks {
 public:
  explicit Banks(const machine::Machine& machine)
      : bank_bytes_(machine.memory.psum_bank_bytes), one_bank_(machine.gpsimd.shares_sbuf_port_with_vector) {}

  // Bit b: the instruction touches bank b.
  uint32_t used(const isa::Instruction& in, const core::Registers& registers) const;
  // Earliest time an instruction of `engine` on these banks may begin.
  Picos free(isa::Engine engine, uint32_t banks) const;
  void take(isa::Engine engine, uint32_t banks, Picos until);

 private:
  int64_t bank_bytes_;
  bool one_bank_;
  std::array<std::array<Picos, kMaxBanks>, 2> until_{};   // vector, scalar
};

}  // namespace lanewise::sim::psum
