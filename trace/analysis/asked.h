// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Who asked for something: the operator and the line of Python behind a host row or a device event.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "trace/analysis/model.h"
#include "trace/analysis/table.h"

namespace lanewise::trace::analysis {

// A Python function as the profiler names it: "folder/file.py(21): function". The line is the one at which the profiler saw the
// function first: its head, or, when it ran already as the profile began, where it stood then.
struct PythonLine {
  schema::Row row = kNoRow;
  std::string_view file, function;  // views into the session's pool
  int64_t line = 0;
  explicit operator bool() const { return row != kNoRow; }
};

// No value: a name without a place, such as "<built-in function len>" or "nn.Module: Linear_0".
std::optional<PythonLine> parse_frame(std::string_view name);

// Operators that are nothing but a copy between host and device, or make one: aten::to, aten::copy_, aten::item, ...
bool is_copy_op(std::string_view name);

struct Asker {
  schema::Row op = kNoRow;        // the operator that the user called: the outermost one named "aten::...", else the innermost one
  schema::Row outermost = kNoRow; // the outermost operator of any name, steps and loaders apart
  PythonLine line;
};

// Finds askers; keeps what it learned about names, so use one for many questions.
class AskerFinder {
 public:
  explicit AskerFinder(const Model& model) : model_(model), classes_(model.session().strings().size(), kUnknown) {}

  // A host row: what it lies in, itself included.
  Asker of_host(uint32_t part, schema::Row row);
  // By its operator, else by its call.
  Asker of_event(uint32_t part, const DeviceEvent& event);

  // The innermost Python function with a place around a row that is the user's: outside of PyTorch and of the backend's own
  // package; else the innermost with a place. A backward operator has the line of its forward operator.
  PythonLine line_of(uint32_t part, schema::Row row);

 private:
  enum Class : uint8_t { kUnknown, kNoFrame, kOwnFrame, kUserFrame, kAten, kRange, kOtherName };
  Class class_of(store::StringId name, schema::Role role);
  PythonLine frame_around(uint32_t part, schema::Row row);

  const Model& model_;
  std::vector<uint8_t> classes_;  // by StringId: a name is either a Python function's or an operator's
};

// Adds the columns op, file, line (null where not known) to a row.
void add_asker(const Model& model, uint32_t part, const Asker& asker, Table::RowWriter* row);

}  // namespace lanewise::trace::analysis
