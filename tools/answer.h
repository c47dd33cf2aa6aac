// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// How commands give an answer that is tables: sorted, limited, as text, CSV or JSON. The same for questions about a trace and
// about a device profile.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_writer.h"
#include "base/status.h"
#include "trace/analysis/table.h"

namespace lanewise::tools {

struct OutputArguments {
  bool json = false, csv = false;
  std::string sort;         // COLUMN or COLUMN:asc / COLUMN:desc of the main table
  int64_t top = -1;         // rows of the main table in text and CSV; -1: 20 in text, all in CSV. JSON is never cut
  std::string table;        // which table --csv writes; "" = the main one
  std::vector<std::string> fail_if, fail_on;
};

// An answer's own text form.
struct AnswerText {
  std::string head;        // printed instead of the tables but the main one, when not empty
  bool only_head = false;  // the main table is not printed either
};

struct Answer {
  std::vector<trace::analysis::Table> tables;  // JSON: each under its name
  std::string_view main_table;                 // the one that --sort, --top and --csv are about
};

struct AnswerForm {
  std::function<AnswerText(const std::vector<trace::analysis::Table>&)> text;   // empty: the tables as they are
  std::function<void(JsonWriter&)> json_head;                                    // members before the tables
  int64_t text_rows = 20;                                                        // of the main table, when --top does not say
};

// Prints to stdout, exceeded limits to stderr. The exit code: 0, or 1 when a limit is exceeded. invalid_argument: a column, table or
// limit that is not there.
Result<int> print_answer(std::string_view command, Answer answer, const OutputArguments& arguments, const AnswerForm& form = {});

}  // namespace lanewise::tools
