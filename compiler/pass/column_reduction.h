// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Reductions over leading dimensions: the results lie side by side in memory, what is reduced lies far apart.
#pragma once

#include <optional>
#include <vector>

#include "compiler/ir/module.h"

namespace lanewise::compiler::pass {

struct ColumnReduction {
  int64_t rows = 1, columns = 1;   // reduced elements, results
};

// Nothing when a kept dimension (of more than one element) lies outside of a reduced one.
std::optional<ColumnReduction> column_reduction(const std::vector<int64_t>& operand_shape, const std::vector<int64_t>& dims);

// By op: values that will lie in memory whatever scheduling does: inputs, results of matmuls, gathers and reductions,
// what those read, what is stored.
std::vector<bool> in_memory(const ir::Module& module);

// Whether the value (or what reshapes and widening conversions of it look at) lies in memory row after row.
bool lies_in_rows(const ir::Module& module, int32_t value, const std::vector<bool>& in_memory);

}  // namespace lanewise::compiler::pass
