// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What ran: by opcode, by IR op, by ATen node, by engine, and each instruction.
#pragma once

#include <vector>

#include "trace/device_analysis/options.h"

namespace lanewise::trace::device_analysis {

// Tables: opcodes, ir_ops, aten_nodes, engines: runs, sum of their times, union of their times per engine, FLOPs, bytes.
// instructions: one row an instruction of the program with the sum over its runs.
Result<std::vector<Table>> instructions_tables(const Subject& subject);

}  // namespace lanewise::trace::device_analysis
