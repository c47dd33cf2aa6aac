// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"
#include "isa/instruction.h"
#include "machine/machine.h"

namespace lanewise::sim::scalar {

// The activation tables of the Scalar engine. None is loaded when a program starts. A function whose table set is not
// there first loads it; load_table always loads.
class Tables {
 public:
  // Time that `in` spends on loading its table set first.
  Picos load(const isa::Instruction& in, const machine::Machine& machine);

 private:
  int loaded_ = 0;
};

}  // namespace lanewise::sim::scalar
