// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/aten/lower.h"

#include "compiler/aten/table.h"
#include "compiler/ir/verify.h"

namespace lanewise::compiler::aten {
namespace {

constexpr ValueId kNotYet = -1;

Status check_rank(const TensorMeta& meta, std::string_view what) {
  if (meta.sizes.size() <= ir::kMaxRank) return ok_status();
  return unimplemented(std::string(what) + ": tensors of more than 8 dimensions are not served");
}

// Everything that `node` appended must hold the rules: the builder lets wrong shapes through for this check to name.
Status lower_node(const Graph& graph, size_t position, ir::Module& module, ir::Builder& builder, std::vector<ValueId>& values) {
  const Node& node = graph.nodes[position];
  const Row* row = find_row(node.op);
  if (!row) return unimplemented(node.op + ": the lowering table does not have this op");
  LW_RETURN_IF_ERROR(check_signature(*row, node));
  for (const int32_t result : node.results) {
    if (result >= 0) LW_RETURN_IF_ERROR(check_rank(graph.values[result].meta, node.op));
  }
  const size_t first = module.ops.size();
  builder.set_origin(node.op, static_cast<int32_t>(position));
  Lowering lowering(graph, node, builder, values);
  const Status status = row->lower(lowering);
  LW_RETURN_IF_ERROR(status);
  for (size_t i = first; i < module.ops.size(); ++i) {
    const Status rule = ir::verify_op(module, static_cast<int32_t>(i));
    if (!rule.ok()) return rule.with_context(node.op + ": arguments do not fit together");
  }
  for (size_t k = 0; k < node.results.size(); ++k) {
    if (node.results[k] < 0 || values[node.results[k]] != kNotYet) continue;
    return invalid_argument(node.op + ": has no result " + std::to_string(k));
  }
  return ok_status();
}

Status lower_output(const Graph& graph, const Output& output, ir::Module& module, ir::Builder& builder, const std::vector<ValueId>& values) {
  ir::Store store;
  store.value = values[output.value];
  store.to_input = output.into_input >= 0;
  const TensorMeta* target = &graph.values[output.value].meta;
  if (store.to_input) {
    store.index = output.into_input;
    target = &graph.values[graph.inputs[output.into_input].value].meta;
    if (target->sizes != graph.values[output.value].meta.sizes) {
      return invalid_argument("%" + graph.values[output.value].name + " does not have the sizes of the input it is stored into");
    }
    builder.set_origin("", -1);
    store.value = builder.convert(store.value, target->dtype);
  } else {
    store.index = module.outputs++;
  }
  store.strides = target->strides;
  module.stores.push_back(std::move(store));
  return ok_status();
}

}  // namespace

Result<ir::Module> lower(const Graph& graph, std::string_view name) {
  ir::Module module;
  module.name = std::string(name);
  module.parameters = graph.parameters;
  module.inputs = static_cast<int32_t>(graph.inputs.size());
  ir::Builder builder(module);
  std::vector<ValueId> values(graph.values.size(), kNotYet);
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    const Input& input = graph.inputs[i];
    const TensorMeta& meta = graph.values[input.value].meta;
    LW_RETURN_IF_ERROR(check_rank(meta, "%" + graph.values[input.value].name));
    values[input.value] = builder.input(static_cast<int32_t>(i), meta.dtype, meta.sizes, meta.strides);
    module.input_alias.push_back(input.alias);
  }
  for (size_t i = 0; i < graph.nodes.size(); ++i) LW_RETURN_IF_ERROR(lower_node(graph, i, module, builder, values));
  for (const Output& output : graph.outputs) LW_RETURN_IF_ERROR(lower_output(graph, output, module, builder, values));
  LW_RETURN_IF_ERROR(ir::verify(module));
  return module;
}

}  // namespace lanewise::compiler::aten
