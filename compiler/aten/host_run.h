// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs a graph on the host, by lowering and ir::evaluate: what tests and the cross-check with PyTorch compare with.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "base/status.h"
#include "compiler/aten/graph.h"
#include "compiler/ir/module.h"

namespace lanewise::compiler::aten {

struct HostTensor {
  TensorMeta meta;
  std::vector<std::byte> data;   // as many bytes as sizes and strides span

  static HostTensor empty(TensorMeta meta);   // bytes are 0
  // `values` in row-major order of the sizes; integers wrap, floating point rounds.
  static HostTensor of(TensorMeta meta, const std::vector<double>& values);
  // Row-major order; int64 values beyond 2^53 are not exact here.
  std::vector<double> values() const;
};

// Elements from the first to the last one that sizes and strides reach; 0 for an empty tensor.
int64_t span_of(const TensorMeta& meta);

// `rewrite`, when set, stands between lowering and evaluation (passes). Answers inputs, then new outputs.
Result<std::vector<HostTensor>> run_on_host(const Graph& graph, std::vector<HostTensor> inputs,
                                            const std::vector<ir::HostParameter>& parameters,
                                            const std::function<Status(ir::Module&)>& rewrite = nullptr);

}  // namespace lanewise::compiler::aten
