// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// A table in the width of a terminal. Whole while it fits. Else columns go that say least: empty ones, numbers that an earlier column has
// already, what is the same in every row, a few minor ones by name, then from the right; never the first one, nor the lead. The lead (the
// column called name, text, op or a_ops, else the widest text) gets what is left of the width, at least kLeadWidth.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "trace/analysis/table.h"

namespace lanewise::tools {

// 24 characters of a name's beginning, "...", and an end.
inline constexpr size_t kNameBegin = 24, kLeadWidth = 32;
// Sentences can be narrower, since they wrap.
inline constexpr size_t kSentenceWidth = 22;
// Other texts are cut to this, but for words: kinds, devices.
inline constexpr size_t kTextWidth = 12, kWordWidth = 20;

struct ShownColumn {
  size_t column;  // of the table
  std::vector<std::string> cells;  // the head, then the rows
  bool text = false;
  bool lead = false;
  bool wraps = false;  // sentences: over several lines, never cut
  size_t width = 0;    // on the screen; cells may be longer
};

// Characters on the screen, near enough: code points.
size_t width_of(std::string_view text);

// Chooses columns and sets their widths. `screen`: columns of the terminal; 0: everything at its full width.
void fit_columns(const trace::analysis::Table& table, size_t screen, std::vector<ShownColumn>* shown);

// "begin...end" of at most `width` characters; the beginning gets kNameBegin where there is room for an end as well.
std::string cut_middle(const std::string& text, size_t width);

// Lines of at most `width` characters, cut at blanks where there are any. At least one.
std::vector<std::string> wrap_words(const std::string& text, size_t width);

}  // namespace lanewise::tools
