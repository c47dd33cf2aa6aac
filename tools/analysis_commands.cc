// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/analysis_commands.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "tools/command_summary.h"
#include "tools/table_text.h"
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

namespace lanewise::tools {
namespace {

namespace analysis = trace::analysis;
using analysis::Model;
using analysis::Selection;
using analysis::Table;

Answer one_table(Table table) {
  Answer answer;
  answer.tables.push_back(std::move(table));
  return answer;
}

Result<Answer> run_ops(const Model& model, const AnalysisArguments& arguments, const Selection& selection) {
  constexpr auto kGroups = std::to_array<std::string_view>({"shape", "stack", "module", "step", "rank"});
  analysis::OpsOptions options;
  options.selection = selection;
  for (const std::string& by : arguments.by) {
    const auto at = std::find(kGroups.begin(), kGroups.end(), by);
    if (at == kGroups.end()) return invalid_argument("cannot group by " + by + "; there are shape, stack, module, step, rank");
    options.groups.push_back(static_cast<analysis::OpsGroup>(at - kGroups.begin()));
  }
  LW_ASSIGN_OR_RETURN(Table table, analysis::ops_table(model, options));
  return one_table(std::move(table));
}

Result<Answer> run_gaps(const Model& model, const AnalysisArguments&, const Selection& selection) {
  LW_ASSIGN_OR_RETURN(const analysis::GapsReport report, analysis::find_gaps(model, selection));
  Answer answer;
  answer.tables = analysis::gaps_tables(model, report);
  answer.main = 1;
  if (report.devices.empty()) {
    answer.head = "This trace has no device events, so no device was idle.\n";
    answer.only_head = true;
    return answer;
  }
  for (const analysis::DeviceGaps& gaps : report.devices) {
    const analysis::Device& device = model.devices()[gaps.device];
    const auto line = [&](std::string_view name, int64_t ns) {
      char text[128];
      const double share = gaps.wall_ns > 0 ? 100.0 * static_cast<double>(ns) / static_cast<double>(gaps.wall_ns) : 0;
      std::snprintf(text, sizeof(text), "  %-18.*s %12s  %5.1f %%\n", static_cast<int>(name.size()), name.data(), span_text(ns).c_str(), share);
      answer.head += text;
    };
    answer.head += printable(device.name) + (model.files().size() > 1 ? " of file " + std::to_string(device.part) : "") + "\n";
    line("wall", gaps.wall_ns);
    line("busy", gaps.busy_ns);
    for (size_t i = 0; i < analysis::kCauses; ++i) {
      if (gaps.causes[i] > 0) line(analysis::cause_name(static_cast<analysis::Cause>(i)), gaps.causes[i]);
    }
  }
  return answer;
}

Result<Answer> run_summary(const Model& model, const AnalysisArguments&, const Selection& selection) {
  Answer answer;
  LW_ASSIGN_OR_RETURN(answer.tables, analysis::summary_tables(model, selection));
  answer.main = 2;
  answer.head = summary_text(answer.tables, style_of_stdout());
  answer.only_head = true;
  return answer;
}

Result<Answer> run_kernels(const Model& model, const AnalysisArguments&, const Selection& selection) {
  LW_ASSIGN_OR_RETURN(Table table, analysis::kernels_table(model, selection));
  return one_table(std::move(table));
}

Result<Answer> run_links(const Model& model, const AnalysisArguments&, const Selection& selection) {
  Answer answer;
  LW_ASSIGN_OR_RETURN(answer.tables, analysis::links_tables(model, selection));
  answer.main = 1;
  return answer;
}

Result<Answer> run_chain(const Model& model, const AnalysisArguments& arguments, const Selection& selection) {
  if (arguments.event.empty() == selection.name.empty()) return invalid_argument("chain takes either --event ID or --name NAME [--nth K]");
  trace::schema::EventId event;
  if (!arguments.event.empty()) {
    const auto id = trace::schema::EventId::parse(arguments.event);
    if (!id) return invalid_argument("'" + arguments.event + "' is no event id");
    event = *id;
  } else {
    LW_ASSIGN_OR_RETURN(event, analysis::find_event(model, selection.name, arguments.nth));
  }
  LW_ASSIGN_OR_RETURN(Table table, analysis::chain_table(model, event));
  return one_table(std::move(table));
}

Result<Answer> run_tree(const Model& model, const AnalysisArguments& arguments, const Selection& selection) {
  analysis::TreeOptions options;
  options.selection = selection;
  options.thread = arguments.thread;
  options.bottom_up = arguments.bottom_up;
  LW_ASSIGN_OR_RETURN(Table table, analysis::tree_table(model, options));
  // People read the depth from the indent.
  Table shown("rows", {{"name", analysis::ColumnType::text}, {"calls", analysis::ColumnType::count}, {"total_ns", analysis::ColumnType::ns},
                       {"self_ns", analysis::ColumnType::ns}, {"device_ns", analysis::ColumnType::ns}});
  const size_t rows = std::min(table.rows(), static_cast<size_t>(arguments.top < 0 ? 40 : arguments.top));
  for (size_t row = 0; row < rows; ++row) {
    const auto depth = static_cast<size_t>(table["depth"].integers[row]);
    const std::string name(table["name"].texts[row]);
    shown.row().text(std::string(2 * depth, ' ') + (depth == 0 && !options.bottom_up ? "thread " : "") + name)
        .integer(table["calls"].integers[row]).integer(table["total_ns"].integers[row])
        .integer(table["self_ns"].integers[row]).integer(table["device_ns"].integers[row]);
  }
  Answer answer;
  answer.head = rows == 0 ? "no rows\n" : table_text(shown, style_of_stdout());
  if (rows < table.rows()) answer.head += std::to_string(table.rows() - rows) + " more rows (--top N, --json)\n";
  answer.only_head = arguments.sort.empty();
  if (!answer.only_head) answer.head.clear();
  answer.tables.push_back(std::move(table));
  return answer;
}

Result<Answer> run_steps(const Model& model, const AnalysisArguments&, const Selection& selection) {
  Answer answer;
  LW_ASSIGN_OR_RETURN(answer.tables, analysis::steps_tables(model, selection));
  answer.main = 1;
  if (answer.tables[1].rows() == 0) {
    answer.head = "This trace has no ProfilerStep ranges.\n";
    answer.only_head = true;
  }
  return answer;
}

// A command that shows the tables of one analysis as they are; `main` is the table for --sort, --top and --csv.
template <Result<std::vector<Table>> (*tables)(const Model&, const Selection&), size_t main>
Result<Answer> run_tables(const Model& model, const AnalysisArguments&, const Selection& selection) {
  Answer answer;
  LW_ASSIGN_OR_RETURN(answer.tables, tables(model, selection));
  answer.main = main;
  return answer;
}

// The curve is for charts: text shows only its peak.
Result<Answer> run_memory(const Model& model, const AnalysisArguments& arguments, const Selection& selection) {
  Answer answer;
  LW_ASSIGN_OR_RETURN(answer.tables, analysis::memory_tables(model, selection));
  answer.main = 1;
  if (answer.tables[0].rows() == 0) {
    answer.head = "This trace has no memory events; PyTorch writes them with profile_memory=True.\n";
    answer.only_head = true;
  } else {
    answer.head = table_text(answer.tables[0], style_of_stdout());
  }
  return answer;
}

// The list of commands. One that needs more than a model and tables has a file of its own, command_<name>.cc.
constexpr auto kCommands = std::to_array<AnalysisCommand>({
    {"summary", "One screen: what the device did, what it waited for, what cost most, how far to trust it",
     kStepOption | kRankOption | kDeviceOption | kBetweenOption, run_summary},
    {"ops", "Operators, runtime calls and kernels with calls, CPU and device time (PyTorch's key averages)",
     kSelectOptions | kByOption, run_ops},
    {"kernels", "What ran on the devices, by name", kSelectOptions, run_kernels},
    {"links", "How each device event is tied to its runtime call and operator", kSelectOptions, run_links},
    {"chain", "One event from Python to the device, with the times between", kNameOption | kEventOptions, run_chain},
    {"tree", "Call tree of the host threads, top-down or bottom-up", kSelectOptions | kTreeOptions, run_tree},
    {"gaps", "Where a device was idle, each nanosecond with one cause",
     kStepOption | kRankOption | kDeviceOption | kBetweenOption, run_gaps},
    {"steps", "Each profiler step: kernels, communication, copies, runtime, loader, other",
     kStepOption | kRankOption | kDeviceOption | kBetweenOption, run_steps},
    {"copies", "What was copied between host and device, how fast, and who asked", kSelectOptions, run_tables<analysis::copies_tables, 1>},
    {"launches", "From the launch call to the start on the device; queue depth; launch-bound stretches", kSelectOptions,
     run_tables<analysis::launches_tables, 2>},
    {"hidden", "Allocations, waits, copies, fallbacks and compilations, with the line behind them", kSelectOptions,
     run_tables<analysis::hidden_tables, 1>},
    {"overlap", "Computation against communication between devices", kSelectOptions, run_tables<analysis::overlap_tables, 1>},
    {"memory", "Memory over time, its peak, and who holds it", kSelectOptions, run_memory},
    {"annotations", "Marked ranges of the host with the device work they asked for", kSelectOptions, run_tables<analysis::annotations_tables, 0>},
    {"health", "What is wrong or missing in the file itself", kRankOption, run_tables<analysis::health_tables, 0>},
    {"ranks", "Ranks side by side: stragglers, waiting in collectives, clock skew", kStepOption | kBetweenOption,
     run_tables<analysis::ranks_tables, 0>},
    {"verdict", "What to change first, with evidence", kStepOption | kRankOption | kDeviceOption | kBetweenOption,
     run_tables<analysis::verdict_tables, 0>},
});

}  // namespace

std::span<const AnalysisCommand> analysis_commands() { return kCommands; }

}  // namespace lanewise::tools
