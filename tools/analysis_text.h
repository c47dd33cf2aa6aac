// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What an answer looks like as text. Most are their tables; a few questions have a form of their own.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/command_analysis.h"
#include "trace/analysis/table.h"

namespace lanewise::tools {

AnswerText text_of_answer(std::string_view question, const std::vector<trace::analysis::Table>& tables, const AnalysisArguments& arguments);

}  // namespace lanewise::tools
