// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Instructions of the tensor engine as loads and columns.
//
//   load_stationary    one load
//   multiply_moving    the columns of one pass
//   nc_matmul          a load and its columns; fp32 `fp32_passes` times
//   nc_transpose       a load that passes through unchanged and an identity of P columns past it
#pragma once

#include "isa/instruction.h"
#include "machine/machine.h"
#include "sim/unit/pe/steps.h"

namespace lanewise::sim::pe {

struct Work {
  int passes = 1;
  bool loads = false, streams = false;   // what each pass consists of
  LoadStep load;
  ColumnStep columns;
};
// `strided`: src0 lies `wide_stride_bytes` apart or more in SBUF (sim/unit/sbuf/access.h).
Work work(const isa::Instruction& in, const machine::Machine& machine, bool strided);

// What an instruction does to the array, as one run.
struct WorkRun {
  Picos begin;           // of its load where that is not hidden behind the columns before; else the array takes it
  Picos end;             // the last result is in PSUM (of a load alone: the weights are in the array)
  bool limited = false;  // at half clock when its last columns began
};
// Earliest begin of `work` ready at `ready`.
Picos earliest(Steps* steps, const Work& work, Picos ready);
// Its first step was handed out at `handed`, the later ones one by one behind it; `ready`: its semaphore let it go.
WorkRun run(Steps* steps, const Work& work, Picos handed, Picos ready, const machine::Machine& machine);

}  // namespace lanewise::sim::pe
