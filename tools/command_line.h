// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What a newcomer types: answers in sentences before the parser's own errors.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"

namespace lanewise::tools {

// `help`, `help COMMAND`, a word that is no command, a file without a command: prints, and gives the exit code (0, or 2). No value: the
// first word is a command or an option.
std::optional<int> answer_first_word(const CLI::App& app, int argc, char** argv);

// The one path of a command that takes one trace. invalid_argument: there are several.
Result<std::string> one_trace(const std::string& command, const std::vector<std::string>& paths);

// A whole number from `least` on, at most 18 digits. `zero`: what 0 means, said when the text is none ("for all rows"). CLI11's own checks of this kind
// print the largest double, 309 digits.
CLI::Validator whole_number(int64_t least, const std::string& zero = "");
// The value as commands take it: 0 becomes more than any table has.
int64_t rows_of_top(int64_t top);

}  // namespace lanewise::tools
