// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// verdict: what to change first. Findings by expected gain, each with the events it rests on and the line of Python.
//
// gain_ns is device time that would be free if the cause were gone and nothing else took its place: idle time of the device with that
// cause (gaps.h), or time in which the device did only that. Idle time counts for one finding only. In a file without devices it is host
// time. The overhead of the watching and sim_lag are in no gain: they would not be there without the profiler or the simulator.
//
//   h2d_copy        an operator that is no copy itself copies from host to device: most often a tensor on the CPU among its inputs
//   d2h_copy        a copy from device to host holds the host: item(), nonzero(), printing a tensor
//   pageable_copy   copies the user asked for from memory that is not pinned, with the device idle
//   tiny_copies     copies of at most kTinyCopyBytes, again and again (copies.h)
//   sync            a wait for the device that leaves it idle; none at the end of a step (of the file, when there are no steps) behind which
//                   its thread asks for nothing more: that one waits for work that has to be done
//   fallback        an operator that runs on the host: idle time meanwhile, and its copies, waits and allocations, which are no findings of their own
//   compile, recompile, allocate   as hidden.h, while the device was idle
//   dataloader      the step waited for its loader
//   host_bound      the device waited for other host code; one finding an operator (or the line, for code outside of operators)
//   launch_latency  work was on its way and the device idle
//   copy_wait       the same, and the oldest of it was a copy that no finding above is about
//   execution_overhead  the fixed cost of executions but one of each device, without what the capture adds: fewer and larger programs save it
//   exposed_communication  communication that no computation hides, without waiting for late ranks
//   straggler       other ranks waited for this one in collectives
//   hot_kernel, hot_op     where the most time goes; no claim of a gain (gain_ns 0)
//   cannot_tell     a claim that this file cannot support, and why; gain_ns 0, last
//
//   findings  rank (from 1), kind, text, gain_ns, evidence (event ids, at most kEvidence), file, line (asked.h, or the very line of the call
//            where the file tells it; null: not known)
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trace/analysis/asked.h"
#include "trace/analysis/selection.h"
#include "trace/analysis/table.h"

namespace lanewise::trace::analysis {

inline constexpr size_t kEvidence = 8;

struct VerdictFinding {
  std::string_view kind;
  std::string text;
  int64_t gain_ns = 0;
  std::vector<schema::EventId> evidence;
  PythonLine line;
};

// All kinds of findings.
std::vector<std::string_view> verdict_kinds();

// Sorted as the table.
Result<std::vector<VerdictFinding>> find_verdict(const Model& model, const Selection& selection = {});

Result<std::vector<Table>> verdict_tables(const Model& model, const Selection& selection = {});

// Its parts. What the file cannot tell:
void add_limits(const Model& model, const Filter& filter, std::vector<VerdictFinding>* findings);
// Where in its function a row ran, as far as the Python functions called before and after it tell: " (in separate, called from its
// line 24)", " (in separate, between its lines 23 and 24)", "". `line`: when it is one line; else 0.
struct CallPlace {
  std::string text;
  int64_t line = 0;
};
CallPlace call_place(const Model& model, uint32_t part, schema::Row row, const PythonLine& line);

}  // namespace lanewise::trace::analysis
