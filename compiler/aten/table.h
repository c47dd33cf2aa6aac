// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The lowering table: rows by topic, one file a topic. To serve another op, add its row to the file of its topic.
#pragma once

#include <span>
#include <string_view>

#include "base/status.h"
#include "compiler/aten/lowering.h"

namespace lanewise::compiler::aten {

// `signature`: kinds of the arguments in schema order, separated by spaces; those after '|' may be left out. A kind is
//   tensor, tensors (a list), number (literal or $k), numbers, operand (tensor or number), int, ints (a list or one), bool, bools,
//   dtype, string, any (accepted and not read); with '?' it may also be none.
struct Row {
  std::string_view op;
  std::string_view signature;
  Status (*lower)(Lowering&);
};

// nullptr when the table does not have it. A trailing ".default" is ignored.
const Row* find_row(std::string_view op);

// Whether the arguments are of the row's kinds; the error names op, argument and kind.
Status check_signature(const Row& row, const Node& node);

std::span<const Row> activation_rows();
std::span<const Row> activation_backward_rows();
std::span<const Row> assemble_rows();
std::span<const Row> compare_rows();
std::span<const Row> copy_rows();
std::span<const Row> foreach_rows();
std::span<const Row> generate_rows();
std::span<const Row> index_rows();
std::span<const Row> loss_rows();
std::span<const Row> matmul_rows();
std::span<const Row> norm_rows();
std::span<const Row> optimizer_rows();
std::span<const Row> pointwise_rows();
std::span<const Row> reduce_rows();
std::span<const Row> reduce_extreme_rows();
std::span<const Row> reduce_moment_rows();
std::span<const Row> scatter_rows();
std::span<const Row> softmax_rows();
std::span<const Row> view_rows();

}  // namespace lanewise::compiler::aten
