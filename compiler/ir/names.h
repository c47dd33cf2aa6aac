// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Words of the IR's text form that are not those of the instruction table.
#pragma once

#include <optional>
#include <string_view>

#include "compiler/ir/module.h"

namespace lanewise::compiler::ir {

std::string_view kind_name(OpKind kind);
std::optional<OpKind> parse_kind(std::string_view name);

}  // namespace lanewise::compiler::ir
