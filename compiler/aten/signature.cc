// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "compiler/aten/table.h"

namespace lanewise::compiler::aten {
namespace {

template <typename T>
bool is(const Argument& argument) {
  return std::holds_alternative<T>(argument.value);
}

template <typename T>
bool is_list_of(const Argument& argument) {
  const auto* list = std::get_if<ArgumentList>(&argument.value);
  if (!list) return false;
  for (const Argument& element : *list) {
    if (!is<T>(element)) return false;
  }
  return true;
}

bool is_number(const Argument& argument) {
  return is<double>(argument) || is<int64_t>(argument) || is<bool>(argument) || is<ParameterRef>(argument);
}

bool matches(std::string_view kind, const Argument& argument) {
  if (kind.ends_with('?')) {
    if (is<None>(argument)) return true;
    kind.remove_suffix(1);
  }
  if (kind == "any") return true;
  if (kind == "tensor") return is<ValueRef>(argument);
  if (kind == "tensors") return is_list_of<ValueRef>(argument);
  if (kind == "number") return is_number(argument);
  if (kind == "numbers") {
    const auto* list = std::get_if<ArgumentList>(&argument.value);
    return list && std::all_of(list->begin(), list->end(), is_number);
  }
  if (kind == "operand") return is_number(argument) || is<ValueRef>(argument);
  if (kind == "int") return is<int64_t>(argument);
  if (kind == "ints") return is<int64_t>(argument) || is_list_of<int64_t>(argument);
  if (kind == "bool") return is<bool>(argument);
  if (kind == "bools") return is_list_of<bool>(argument);
  if (kind == "dtype") return is<DType>(argument);
  if (kind == "string") return is<std::string>(argument);
  LW_CHECK(false, "unknown kind in a signature: " + std::string(kind));
}

}  // namespace

Status check_signature(const Row& row, const Node& node) {
  size_t position = 0;
  bool optional = false;
  std::string_view rest = row.signature;
  while (!rest.empty()) {
    const size_t space = rest.find(' ');
    const std::string_view kind = rest.substr(0, space);
    rest = space == std::string_view::npos ? std::string_view() : rest.substr(space + 1);
    if (kind == "|") {
      optional = true;
      continue;
    }
    if (position >= node.arguments.size()) {
      if (optional) return ok_status();
      return invalid_argument(node.op + ": argument " + std::to_string(position) + " (" + std::string(kind) + ") is missing");
    }
    if (!matches(kind, node.arguments[position])) {
      return invalid_argument(node.op + ": argument " + std::to_string(position) + " must be " + std::string(kind));
    }
    ++position;
  }
  if (node.arguments.size() > position) {
    return invalid_argument(node.op + ": takes at most " + std::to_string(position) + " arguments, got " + std::to_string(node.arguments.size()));
  }
  return ok_status();
}

}  // namespace lanewise::compiler::aten
