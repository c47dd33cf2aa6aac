// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Tables as text: for people, for spreadsheets, for machines.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json_writer.h"
#include "trace/analysis/table.h"

namespace lanewise::tools {

struct TextStyle {
  size_t width = 0;     // columns of the terminal; 0: no terminal, nothing is cut
  bool colours = false;
};
// Of standard output; NO_COLOR turns colours off.
TextStyle style_of_stdout();

// Aligned, a head line, numbers to the right, spans as "12.3 us", null as "-". Long texts are cut in the middle to fit the width.
// Columns named "events" or with lists are left out.
std::string table_text(const trace::analysis::Table& table, const TextStyle& style);

// The rows as a JSON array of objects; event ids as text, times as integers. Columns "a.b" become members of an object a.
void write_rows(JsonWriter& w, const trace::analysis::Table& table);

// Without control characters: a name in a trace must not steer the terminal.
std::string printable(std::string_view text);

// "1.234 ms"; "0" for zero.
std::string span_text(int64_t ns);
std::string picos_text(int64_t ps);
std::string bytes_text(int64_t bytes);

}  // namespace lanewise::tools
