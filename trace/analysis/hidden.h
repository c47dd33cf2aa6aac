// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// hidden: what happens behind the lines of a program, with the operator and the line of Python that caused it.
//
//   allocate, release  runtime calls that get memory of the device or give it back (not blocks of PyTorch's own cache)
//   sync               runtime calls in which the host waits for the device
//   copy               runtime calls that copy
//   fallback           an operator without a kernel for the device, run on the host
//   compile            a program is made or loaded: the backend's compiler, torch.compile, a module loaded at first use. Only the
//                      outermost of nested ones counts
//   recompile          a compile of something that the file shows compiled before (rows that name it); and calls of a compiled region
//                      F/N with N > 0: torch.compile compiled function F again N times. What that cost is only known when its
//                      compile rows are in the file, so these have host_ns 0
//
//   kinds  kind, calls, host_ns (sum of durations; a fallback holds its copies and waits, so kinds do not add up), longest_ns, event
//   rows   kind, name, part, op, file, line (asked.h), calls, host_ns, longest_ns, per_step (null without steps), event (the longest);
//          by host_ns, then calls
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "trace/analysis/asked.h"
#include "trace/analysis/selection.h"
#include "trace/analysis/table.h"

namespace lanewise::trace::analysis {

enum class HiddenKind : uint8_t { allocate, release, sync, copy, fallback, compile, recompile, count };
std::string_view hidden_kind_name(HiddenKind kind);

struct HiddenItem {
  uint32_t part = 0;
  schema::Row row = kNoRow;
  HiddenKind kind = HiddenKind::sync;
  store::StringId name = store::kNoString;  // what was called, compiled or run on the host
  int64_t host_ns = 0;
  Asker asker;
};

// In order of part and row.
std::vector<HiddenItem> find_hidden(const Model& model, const Filter& filter);

Result<std::vector<Table>> hidden_tables(const Model& model, const Selection& selection = {});

}  // namespace lanewise::trace::analysis
