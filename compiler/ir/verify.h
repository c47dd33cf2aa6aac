// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The rules of module.h for one op, given what is before it. The error names the op and the rule.
#pragma once

#include "compiler/ir/module.h"

namespace lanewise::compiler::ir {

inline constexpr int kMaxRank = 8;

Status verify_op(const Module& module, int32_t op);

}  // namespace lanewise::compiler::ir
