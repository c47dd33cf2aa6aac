// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "sim/unit/scalar/tables.h"

#include "isa/table.h"

namespace lanewise::sim::scalar {

using isa::Opcode;

Picos Tables::load(const isa::Instruction& in, const machine::Machine& machine) {
  const bool asked = in.op == Opcode::load_table;
  if (!asked && in.op != Opcode::activation && in.op != Opcode::activation_reduce) return Picos(0);
  const int wanted = isa::info(in.fn).table_set;
  if (asked) loaded_ = 0;   // loads whatever is there
  if (wanted == 0 || wanted == loaded_) return Picos(0);
  loaded_ = wanted;
  return Picos(machine.scalar.table_load_ps);
}

}  // namespace lanewise::sim::scalar
