// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What engines share in SBUF.
#pragma once

#include "base/units.h"
#include "isa/instruction.h"
#include "machine/machine.h"

namespace lanewise::sim::sbuf {

// The port that Vector and GpSimd share. On v2 every instruction of either that touches SBUF takes it; from v3 on only
// Vector's performance modes contend with GpSimd. Whoever comes second waits until the first has streamed its data.
class SharedPort {
 public:
  explicit SharedPort(const machine::Machine& machine) : always_(machine.gpsimd.shares_sbuf_port_with_vector) {}

  // Whether `in` needs the port. `fast_mode`: Vector runs it in a 2x or 4x mode.
  bool needs(const isa::Instruction& in, bool fast_mode) const;
  // Earliest time the engine may begin.
  Picos free(isa::Engine engine) const { return engine == isa::Engine::vector ? gpsimd_until_ : vector_until_; }
  void take(isa::Engine engine, Picos until) {
    (engine == isa::Engine::vector ? vector_until_ : gpsimd_until_) = until;
  }

 private:
  bool always_;
  Picos vector_until_, gpsimd_until_;
};

}  // namespace lanewise::sim::sbuf
