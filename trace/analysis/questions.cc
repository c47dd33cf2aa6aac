// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/analysis/questions.h"

#include <algorithm>
#include <array>

#include "trace/analysis/annotations.h"
#include "trace/analysis/chain.h"
#include "trace/analysis/copies.h"
#include "trace/analysis/gaps.h"
#include "trace/analysis/health.h"
#include "trace/analysis/hidden.h"
#include "trace/analysis/kernels.h"
#include "trace/analysis/launches.h"
#include "trace/analysis/links_table.h"
#include "trace/analysis/memory.h"
#include "trace/analysis/ops.h"
#include "trace/analysis/overlap.h"
#include "trace/analysis/ranks.h"
#include "trace/analysis/steps.h"
#include "trace/analysis/summary.h"
#include "trace/analysis/tree.h"
#include "trace/analysis/verdict.h"

namespace lanewise::trace::analysis {
namespace {

using Answer = Result<std::vector<Table>>;

std::vector<Table> only(Table table) {
  std::vector<Table> tables;
  tables.push_back(std::move(table));
  return tables;
}

// For analyses that take nothing but a selection.
template <Answer (*tables)(const Model&, const Selection&)>
Answer of_selection(const Model& model, const QuestionOptions& options) {
  return tables(model, options.selection);
}

Answer ops(const Model& model, const QuestionOptions& options) {
  constexpr auto kGroups = std::to_array<std::string_view>({"shape", "stack", "module", "step", "rank"});
  OpsOptions ops;
  ops.selection = options.selection;
  for (const std::string& by : options.by) {
    const auto at = std::find(kGroups.begin(), kGroups.end(), by);
    if (at == kGroups.end()) return invalid_argument("cannot group by " + by + "; there are shape, stack, module, step, rank");
    ops.groups.push_back(static_cast<OpsGroup>(at - kGroups.begin()));
  }
  LW_ASSIGN_OR_RETURN(Table table, ops_table(model, ops));
  return only(std::move(table));
}

Answer kernels(const Model& model, const Selection& selection) {
  LW_ASSIGN_OR_RETURN(Table table, kernels_table(model, selection));
  return only(std::move(table));
}

Answer gaps(const Model& model, const Selection& selection) {
  LW_ASSIGN_OR_RETURN(const GapsReport report, find_gaps(model, selection));
  return gaps_tables(model, report);
}

Answer chain(const Model& model, const QuestionOptions& options) {
  if (options.event.has_value() == !options.selection.name.empty()) return invalid_argument("chain takes either an event or a name");
  schema::EventId event;
  if (options.event) {
    event = *options.event;
  } else {
    LW_ASSIGN_OR_RETURN(event, find_event(model, options.selection.name, options.nth));
  }
  LW_ASSIGN_OR_RETURN(Table table, chain_table(model, event));
  return only(std::move(table));
}

Answer tree(const Model& model, const QuestionOptions& options) {
  TreeOptions tree;
  tree.selection = options.selection;
  tree.thread = options.thread;
  tree.bottom_up = options.bottom_up;
  LW_ASSIGN_OR_RETURN(Table table, tree_table(model, tree));
  return only(std::move(table));
}

// The names of an enumeration that ends with `count`.
template <typename Kind, std::string_view (*name)(Kind)>
std::vector<std::string_view> names_of() {
  std::vector<std::string_view> names;
  for (size_t i = 0; i < static_cast<size_t>(Kind::count); ++i) names.push_back(name(static_cast<Kind>(i)));
  return names;
}

// Of the runtime calls in a summary.
std::vector<std::string_view> runtime_kinds() {
  using enum schema::CallKind;
  std::vector<std::string_view> names;
  for (const schema::CallKind kind : {launch, graph_launch, copy, fill, sync, allocate, release, record, wait}) names.push_back(schema::call_kind_name(kind));
  return names;
}

std::vector<std::string_view> kernel_kinds() {
  return {schema::role_name(schema::Role::kernel), schema::role_name(schema::Role::memcpy), schema::role_name(schema::Role::memset)};
}

constexpr auto kQuestions = std::to_array<Question>({
    {"summary", "What the device did, what it waited for, what cost most, how far to trust it", kAskWindow, "devices",
     of_selection<summary_tables>, runtime_kinds},
    {"ops", "Operators, runtime calls and kernels with calls, CPU and device time (PyTorch's key averages)", kAskAll | kAskBy, "rows", ops},
    {"kernels", "What ran on the devices, by name", kAskAll, "rows", of_selection<kernels>, kernel_kinds},
    {"links", "How each device event is tied to its runtime call and operator", kAskAll, "rows", of_selection<links_tables>},
    {"chain", "One event from Python to the device, with the times between", kAskName | kAskEvent, "steps", chain},
    {"tree", "Call tree of the host threads, top-down or bottom-up", kAskAll | kAskTree, "rows", tree},
    {"gaps", "Where a device was idle, each nanosecond with one cause", kAskWindow, "gaps", of_selection<gaps>, names_of<Cause, cause_name>},
    {"steps", "Each profiler step: kernels, communication, copies, runtime, loader, other", kAskWindow, "rows", of_selection<steps_tables>},
    {"copies", "What was copied between host and device, how fast, and who asked", kAskAll, "rows", of_selection<copies_tables>, names_of<CopyKind, copy_kind_name>},
    {"launches", "From the launch call to the start on the device; queue depth; launch-bound stretches", kAskAll, "rows",
     of_selection<launches_tables>},
    {"hidden", "Allocations, waits, copies, fallbacks and compilations, with the line behind them", kAskAll, "rows", of_selection<hidden_tables>, names_of<HiddenKind, hidden_kind_name>},
    {"overlap", "Computation against communication between devices", kAskAll, "rows", of_selection<overlap_tables>},
    {"memory", "Memory over time, its peak, and who holds it", kAskAll, "rows", of_selection<memory_tables>},
    {"annotations", "Marked ranges of the host with the device work they asked for", kAskAll, "rows", of_selection<annotations_tables>},
    {"health", "What is wrong or missing in the file itself", kAskRank, "checks", of_selection<health_tables>, health_checks},
    {"ranks", "Ranks side by side: stragglers, waiting in collectives, clock skew", kAskStep | kAskBetween, "ranks", of_selection<ranks_tables>},
    {"verdict", "What to change first, with evidence", kAskWindow, "findings", of_selection<verdict_tables>, verdict_kinds},
});

}  // namespace

std::span<const Question> questions() { return kQuestions; }

const Question* find_question(std::string_view name) {
  const auto at = std::find_if(kQuestions.begin(), kQuestions.end(), [&](const Question& q) { return q.name == name; });
  return at == kQuestions.end() ? nullptr : &*at;
}

}  // namespace lanewise::trace::analysis
