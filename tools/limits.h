// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Limits on an answer, for use in scripts: exit code 1 when one is exceeded.
//
//   --fail-if 'COLUMN>VALUE'   some row of a table exceeds the value. COLUMN may be TABLE.COLUMN, else the first table that has it is
//                              meant. Operators > >= < <=. VALUE: a number with ns, us, ms, s, B, KiB, MiB, GiB or nothing; or with %:
//                              of the row's wall_ns where there is one, else of the column's sum.
//   --fail-on 'KIND>N'         more than N rows have this kind (column kind, else cause)
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "trace/analysis/table.h"

namespace lanewise::tools {

// "12ms", "1.5us", "300" (ns) as integer ns. invalid_argument names the text.
Result<int64_t> parse_span(std::string_view text);

// "10ms,12.5ms" of --between as integer ns, the first before the second. Each time has its unit, but 0: nobody means nanoseconds by a bare
// number. invalid_argument names the text.
Result<std::pair<int64_t, int64_t>> parse_between(const std::string& text);

// "5", "5-8" as profiler steps. invalid_argument names the text.
Result<std::vector<int64_t>> parse_steps(const std::vector<std::string>& texts);

// The sentences of the limits that are exceeded, one each. `kinds`: all that --fail-on may name. invalid_argument: a limit that cannot be
// read, names no column, or a kind that is none.
Result<std::vector<std::string>> exceeded_limits(const std::vector<trace::analysis::Table>& tables,
                                                 const std::vector<std::string>& fail_if, const std::vector<std::string>& fail_on,
                                                 const std::vector<std::string_view>& kinds);

}  // namespace lanewise::tools
