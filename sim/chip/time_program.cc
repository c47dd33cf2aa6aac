// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "sim/chip/chip.h"
#include "sim/chip/timing_model.h"

namespace lanewise::sim {

Result<Timing> time_program(const isa::Program& program, const machine::Machine& machine,
                            const TimingOptions& options) {
  return TimingModel(program, machine, options.records).run();
}

std::string_view simulator_version() { return "2"; }

}  // namespace lanewise::sim
