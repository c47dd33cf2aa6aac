// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The commands that answer a question about a trace with tables. A command is a row of analysis_commands(): its name, what it
// says about itself, the options it takes, and a function from a model to an answer. Reading the file, selecting, sorting,
// limits and the three output forms are the same for all.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "trace/analysis/model.h"
#include "trace/analysis/selection.h"
#include "trace/analysis/table.h"

namespace lanewise::tools {

struct AnalysisArguments {
  std::string path, producers;
  bool json = false, csv = false, strict = false;
  std::string sort;         // COLUMN or COLUMN:asc / COLUMN:desc of the main table
  int64_t top = -1;         // rows of the main table in text and CSV; -1: 20 in text, all in CSV. JSON is never cut
  std::string table;        // which table --csv writes; "" = the main one
  std::vector<std::string> fail_if, fail_on;
  // Selection.
  std::vector<std::string> steps;  // "3", "3-5"
  std::optional<int64_t> rank;
  std::string device, between, name;
  // Of single commands.
  std::vector<std::string> by;  // ops: shape, stack, module, step, rank
  std::string event;            // chain: an event id
  int64_t nth = 1;              // chain: which event of that name
  std::string thread;           // tree: tid
  bool bottom_up = false;       // tree
};

struct Answer {
  std::vector<trace::analysis::Table> tables;  // JSON: each under its name
  size_t main = 0;                             // the table that --sort, --top and --csv are about
  // Text form: printed instead of the tables but the main one, when not empty.
  std::string head;
  bool only_head = false;                      // the main table is not printed either
};

// Options a command takes beside --json, --csv, --sort, --top, --strict, --producers, --fail-if and --fail-on.
enum AnalysisOption : unsigned {
  kStepOption = 1 << 0, kRankOption = 1 << 1, kDeviceOption = 1 << 2, kBetweenOption = 1 << 3, kNameOption = 1 << 4,
  kByOption = 1 << 5, kEventOptions = 1 << 6, kTreeOptions = 1 << 7,
  kSelectOptions = kStepOption | kRankOption | kDeviceOption | kBetweenOption | kNameOption,
};

struct AnalysisCommand {
  const char* name;
  const char* help;
  unsigned options;
  Result<Answer> (*run)(const trace::analysis::Model& model, const AnalysisArguments& arguments,
                        const trace::analysis::Selection& selection);
};

// In the order of the help text.
std::span<const AnalysisCommand> analysis_commands();

// Opens, answers, prints. Exit code: 0; 1 a limit was exceeded; 2 usage or input; 130 interrupted.
int run_analysis(const AnalysisCommand& command, const AnalysisArguments& arguments);

}  // namespace lanewise::tools
