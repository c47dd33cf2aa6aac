// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The list of analyses: name, what it answers, which options it takes, and the function. Whoever shows tables without a text form
// of his own walks this list: the Python module makes a method of each row, export a file of each table.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace/analysis/selection.h"
#include "trace/analysis/table.h"

namespace lanewise::trace::analysis {

struct QuestionOptions {
  Selection selection;
  std::vector<std::string> by;            // ops: shape, stack, module, step, rank
  std::optional<schema::EventId> event;   // chain; else selection.name and nth
  int64_t nth = 1;
  std::string thread;                     // tree: tid
  bool bottom_up = false;                 // tree
};

// Which members of QuestionOptions a question looks at.
enum QuestionOption : unsigned {
  kAskStep = 1 << 0, kAskRank = 1 << 1, kAskDevice = 1 << 2, kAskBetween = 1 << 3, kAskName = 1 << 4,
  kAskBy = 1 << 5, kAskEvent = 1 << 6, kAskTree = 1 << 7,
  kAskWindow = kAskStep | kAskRank | kAskDevice | kAskBetween,
  kAskAll = kAskWindow | kAskName,
};

struct Question {
  std::string_view name, text;
  unsigned options;
  std::string_view main_table;  // of the answer: what people mean by the question's name
  Result<std::vector<Table>> (*answer)(const Model& model, const QuestionOptions& options);
  // What its column kind (else cause) can hold; null: it has none.
  std::vector<std::string_view> (*kinds)() = nullptr;

  // It needs to be told which event: not a question about the trace as a whole.
  bool about_one_event() const { return (options & kAskEvent) != 0; }
};

std::span<const Question> questions();
// Null when there is no such question.
const Question* find_question(std::string_view name);

}  // namespace lanewise::trace::analysis
