// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The same program on a machine with other numbers: timed anew by the simulator, the difference explained.
//
// The explanation is the critical path of both runs by what it consists of: the parts of a path add up to its duration, so the
// differences of the parts add up to the difference of the durations.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "isa/program.h"
#include "trace/analysis/table.h"
#include "trace/device/profile.h"

namespace lanewise::lab {

// A program as the simulator times it. Errors: those of machine::load_machine and sim::time_program.
Result<trace::device::DeviceProfile> timed_profile(const isa::Program& program, const std::string& spec);

// "trn2,pe.clock_khz=1" with `changes` ("key=value") behind it, or `machine` itself when that is given.
std::string changed_spec(const std::string& base, const std::string& machine, const std::vector<std::string>& changes);

struct WhatIf {
  trace::device::DeviceProfile before, after;
  std::string sentence;                          // what changed most, in words
  std::vector<trace::analysis::Table> tables;    // totals, parts (of the critical path), engines
};
Result<WhatIf> what_if(const isa::Program& program, const std::string& before_spec, const std::string& after_spec);

}  // namespace lanewise::lab
