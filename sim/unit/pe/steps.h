// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The tensor engine by the steps that captures time one by one: loads of weights and the moving columns past them.
//
//            begin                    first column                     last column        end
//   load       |-- read --|-- to_columns --|
//              |-- read --|------ pipeline ------| end of the load
//   columns               begin ... fill ... |---------- columns ----------|-- drain --|
//
// Columns stream without a gap behind those before them; an instruction that has to queue for that begins `fill` cycles
// of the array before its first column. A load runs beside the columns before it; its last stage waits for them to begin.
#pragma once

#include "base/units.h"
#include "machine/machine.h"
#include "sim/unit/pe/limiter.h"

namespace lanewise::sim::pe {

struct LoadStep {
  int64_t columns = 0;
  int64_t bytes = 2;           // an element
  bool pass_through = false;   // fp32 that moves unchanged (transposes) loads in one pass
  bool strided = false;        // elements `wide_stride_bytes` apart or more
};
struct ColumnStep {
  int64_t columns = 0;
  int64_t bytes = 2;
};
struct StepRun {
  Picos begin, end;
  bool limited = false;        // at half clock when it began
};

class Steps {
 public:
  // `phase`: when a window of the limiter begins.
  Steps(const machine::Machine& machine, Picos phase) : machine_(machine), limiter_(machine, phase) {}

  // `ready`: handed out, and its semaphore let it go. In the order of the engine's stream.
  StepRun load(const LoadStep& step, Picos ready);
  StepRun columns(const ColumnStep& step, Picos ready);
  // Earliest begin of the next load and the next columns that are ready at `ready`.
  Picos earliest_load(Picos ready) const;
  Picos earliest_columns(Picos ready);

 private:
  Picos cycles(int64_t n, bool limited) const {
    return machine_.pe.clock.to_picos(Cycles(n * (limited ? machine_.pe.throttle_factor : 1)));
  }

  const machine::Machine& machine_;
  Limiter limiter_;
  Picos last_load_{INT64_MIN / 4}, last_columns_{INT64_MIN / 4};   // begins
  Picos first_column_{INT64_MIN / 4};   // of the columns before
  Picos loaded_;                        // the array holds the weights of the last load
  Picos free_;                          // the last column has entered
};

}  // namespace lanewise::sim::pe
