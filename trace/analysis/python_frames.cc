// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/analysis/python_frames.h"

namespace lanewise::trace::analysis {

using schema::Role;
using schema::Row;

namespace {

bool is_module(std::string_view name) { return name.starts_with(kModulePrefix); }

// Calls visit(name) for each Python row around `row`, innermost first, until it returns false.
template <typename Visit>
Row visit_python(const Model& model, uint32_t part, Row row, const Visit& visit) {
  const auto& events = model.events(part);
  const auto& parent = model.file(part).nesting.parent;
  for (; row != kNoRow; row = parent[row]) {
    if (events.role_of(row) == Role::python && !visit(model.name(part, row))) return row;
  }
  return kNoRow;
}

}  // namespace

Row python_frame(const Model& model, uint32_t part, Row row) { return visit_python(model, part, row, is_module); }

std::string python_stack(const Model& model, uint32_t part, Row row, int frames) {
  std::string stack;
  visit_python(model, part, row, [&](std::string_view name) {
    if (is_module(name)) return true;
    if (frames-- <= 0) return false;
    if (!stack.empty()) stack += "; ";
    stack += name;
    return true;
  });
  return stack;
}

std::string module_path(const Model& model, uint32_t part, Row row) {
  std::string path;
  visit_python(model, part, row, [&](std::string_view name) {
    if (is_module(name)) path = std::string(name.substr(kModulePrefix.size())) + (path.empty() ? "" : "/") + path;
    return true;
  });
  return path;
}

}  // namespace lanewise::trace::analysis
