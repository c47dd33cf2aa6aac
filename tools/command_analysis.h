// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The commands that answer a question about a trace with tables: one for each row of trace/analysis/questions.h. Reading the
// file, selecting, sorting, limits and the output forms are the same for all.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/answer.h"
#include "trace/analysis/questions.h"

namespace lanewise::tools {

struct AnalysisArguments : OutputArguments {
  std::string path, producers;
  bool strict = false;
  // Selection.
  std::vector<std::string> steps;  // "3", "3-5"
  std::optional<int64_t> rank;
  std::string device, between, name;
  // Of single questions.
  std::vector<std::string> by;  // ops: shape, stack, module, step, rank
  std::string event;            // chain: an event id
  int64_t nth = 1;              // chain: which event of that name
  std::string thread;           // tree: tid
  bool bottom_up = false;       // tree
};

// Opens, answers, prints. Exit code: 0; 1 a limit was exceeded; 2 usage or input; 130 interrupted.
int run_analysis(const trace::analysis::Question& question, const AnalysisArguments& arguments);

}  // namespace lanewise::tools
