// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/aten/table.h"

#include <algorithm>

namespace lanewise::compiler::aten {
namespace {

std::vector<const Row*> sorted_rows() {
  std::vector<const Row*> rows;
  for (const auto topic :
       {activation_rows(), activation_backward_rows(), assemble_rows(), compare_rows(), copy_rows(), foreach_rows(),
        generate_rows(), index_rows(), loss_rows(), matmul_rows(), norm_rows(), optimizer_rows(), pointwise_rows(),
        reduce_rows(), reduce_extreme_rows(), reduce_moment_rows(), scatter_rows(), softmax_rows(), view_rows()}) {
    for (const Row& row : topic) rows.push_back(&row);
  }
  std::sort(rows.begin(), rows.end(), [](const Row* a, const Row* b) { return a->op < b->op; });
  for (size_t i = 1; i < rows.size(); ++i) LW_CHECK(rows[i - 1]->op != rows[i]->op, "an op has one row: " + std::string(rows[i]->op));
  return rows;
}

const std::vector<const Row*>& all_rows() {
  static const std::vector<const Row*> rows = sorted_rows();
  return rows;
}

}  // namespace

const Row* find_row(std::string_view op) {
  constexpr std::string_view kDefault = ".default";
  if (op.ends_with(kDefault)) op.remove_suffix(kDefault.size());
  const auto& rows = all_rows();
  const auto at = std::lower_bound(rows.begin(), rows.end(), op, [](const Row* row, std::string_view name) { return row->op < name; });
  return at != rows.end() && (*at)->op == op ? *at : nullptr;
}

bool is_supported(std::string_view op) { return find_row(op) != nullptr; }

std::vector<std::string_view> supported_ops() {
  std::vector<std::string_view> names;
  for (const Row* row : all_rows()) names.push_back(row->op);
  return names;
}

}  // namespace lanewise::compiler::aten
