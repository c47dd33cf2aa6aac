// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The list of questions of the device level: name, what it answers, its main table, and the function.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "trace/device_analysis/options.h"

namespace lanewise::trace::device_analysis {

struct Question {
  std::string_view name, text;
  std::string_view main_table;   // of the answer: what people mean by the question's name
  bool ranged;                   // can be asked of a range; the others are about the program as a whole
  Result<std::vector<Table>> (*answer)(const Subject& subject);
};

std::span<const Question> questions();
// Null when there is no such question.
const Question* find_question(std::string_view name);

}  // namespace lanewise::trace::device_analysis
