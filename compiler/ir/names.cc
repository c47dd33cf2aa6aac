// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/names.h"

#include <iterator>

namespace lanewise::compiler::ir {
namespace {

constexpr std::string_view kKinds[] = {"input",   "constant", "parameter", "iota",    "unary",     "binary",
                                       "select",  "convert",  "reduce",    "matmul",  "gather",    "reshape",
                                       "permute", "broadcast", "slice",    "concat",  "pad"};
static_assert(std::size(kKinds) == kOpKindCount);

}  // namespace

std::string_view kind_name(OpKind kind) { return kKinds[static_cast<size_t>(kind)]; }

std::optional<OpKind> parse_kind(std::string_view name) {
  for (size_t i = 0; i < std::size(kKinds); ++i) {
    if (kKinds[i] == name) return static_cast<OpKind>(i);
  }
  return std::nullopt;
}

}  // namespace lanewise::compiler::ir
