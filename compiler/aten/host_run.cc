// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/aten/host_run.h"

#include "compiler/aten/lower.h"
#include "compiler/ir/number.h"
#include "compiler/ir/strided.h"

namespace lanewise::compiler::aten {

using isa::DType;

int64_t span_of(const TensorMeta& meta) {
  int64_t last = 0;
  for (size_t d = 0; d < meta.sizes.size(); ++d) {
    if (meta.sizes[d] == 0) return 0;
    last += (meta.sizes[d] - 1) * meta.strides[d];
  }
  return last + 1;
}

HostTensor HostTensor::empty(TensorMeta meta) {
  HostTensor tensor;
  tensor.data.resize(static_cast<size_t>(span_of(meta) * isa::dtype_bytes(meta.dtype)));
  tensor.meta = std::move(meta);
  return tensor;
}

HostTensor HostTensor::of(TensorMeta meta, const std::vector<double>& values) {
  HostTensor tensor = empty(std::move(meta));
  const DType dtype = tensor.meta.dtype;
  const auto offsets = ir::strided_offsets(tensor.meta.sizes, tensor.meta.strides, 0);
  LW_CHECK(values.size() == offsets.size(), "one value for each element");
  for (size_t i = 0; i < offsets.size(); ++i) {
    std::byte* at = tensor.data.data() + offsets[i] * isa::dtype_bytes(dtype);
    if (isa::is_float(dtype)) {
      ir::store_float(dtype, static_cast<float>(values[i]), at);
    } else {
      ir::store_integer(dtype, ir::truncate_to(dtype, values[i]), at);
    }
  }
  return tensor;
}

std::vector<double> HostTensor::values() const {
  std::vector<double> result;
  for (const int64_t offset : ir::strided_offsets(meta.sizes, meta.strides, 0)) {
    const std::byte* at = data.data() + offset * isa::dtype_bytes(meta.dtype);
    result.push_back(isa::is_float(meta.dtype) ? ir::load_float(meta.dtype, at)
                                               : static_cast<double>(ir::load_integer(meta.dtype, at)));
  }
  return result;
}

Result<std::vector<HostTensor>> run_on_host(const Graph& graph, std::vector<HostTensor> inputs,
                                            const std::vector<ir::HostParameter>& parameters,
                                            const std::function<Status(ir::Module&)>& rewrite) {
  LW_ASSIGN_OR_RETURN(ir::Module module, lower(graph, "host"));
  if (rewrite) LW_RETURN_IF_ERROR(rewrite(module));
  for (const Output& output : graph.outputs) {
    if (output.into_input < 0) inputs.push_back(HostTensor::empty(graph.values[output.value].meta));
  }
  std::vector<ir::HostBuffer> buffers;
  for (HostTensor& tensor : inputs) buffers.push_back({tensor.data.data(), static_cast<int64_t>(tensor.data.size())});
  LW_RETURN_IF_ERROR(ir::evaluate(module, buffers, parameters));
  return inputs;
}

}  // namespace lanewise::compiler::aten
