// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/verify.h"

#include <algorithm>

#include "compiler/ir/names.h"
#include "compiler/ir/scanner.h"
#include "isa/table.h"

namespace lanewise::compiler::ir {
namespace {

using isa::AluOp;
using isa::DType;

// Checks one op. Every rule is one `rule(condition, sentence)`; the first that does not hold is the answer.
class OpVerifier {
 public:
  OpVerifier(const Module& module, int32_t number) : module_(module), op_(module.ops[number]), number_(number) {}

  Status run() {
    common();
    if (status_.ok()) by_kind();
    return status_;
  }

 private:
  bool rule(bool holds, std::string_view sentence) {
    if (!holds && status_.ok()) {
      status_ = invalid_argument("%" + std::to_string(number_) + " = " + std::string(kind_name(op_.kind)) + ": " + std::string(sentence));
    }
    return holds;
  }
  const Op& operand(size_t i) const { return module_.ops[op_.operands[i]]; }
  size_t rank() const { return op_.shape.size(); }

  void common();
  void by_kind();
  void broadcasts(size_t i);
  void leaf();
  void pointwise();
  void reduce();
  void matmul();
  void gather();
  void permute();
  void slice();
  void concat();
  void pad();

  const Module& module_;
  const Op& op_;
  int32_t number_;
  Status status_;
};

int operand_count(OpKind kind) {
  switch (kind) {
    case OpKind::input:
    case OpKind::constant:
    case OpKind::parameter:
    case OpKind::iota: return 0;
    case OpKind::binary:
    case OpKind::matmul:
    case OpKind::gather:
    case OpKind::pad: return 2;
    case OpKind::select: return 3;
    case OpKind::concat: return -1;
    default: return 1;
  }
}

bool valid_dims(const std::vector<int64_t>& dims, size_t rank) {
  std::vector<bool> seen(rank, false);
  for (const int64_t d : dims) {
    if (d < 0 || d >= static_cast<int64_t>(rank) || seen[d]) return false;
    seen[d] = true;
  }
  return true;
}

void OpVerifier::common() {
  rule(rank() <= kMaxRank, "rank is at most 8");
  rule(checked_elements(op_.shape) >= 0, "sizes are not negative and hold at most 2^48 elements");
  const int count = operand_count(op_.kind);
  rule(count < 0 ? !op_.operands.empty() : op_.operands.size() == static_cast<size_t>(count), "wrong number of operands");
  for (const int32_t value : op_.operands) rule(value >= 0 && value < number_, "operands come earlier");
}

void OpVerifier::broadcasts(size_t i) {
  const std::vector<int64_t>& shape = operand(i).shape;
  if (!rule(shape.size() == rank(), "operands have the result's rank")) return;
  for (size_t d = 0; d < rank(); ++d) {
    rule(shape[d] == op_.shape[d] || shape[d] == 1, "an operand's dimension is the result's or 1");
  }
}

void OpVerifier::leaf() {
  switch (op_.kind) {
    case OpKind::input:
      rule(op_.index >= 0 && op_.index < module_.inputs, "input number in range");
      rule(op_.strides.size() == rank(), "one stride a dimension");
      break;
    case OpKind::parameter:
      if (rule(op_.index >= 0 && op_.index < static_cast<int32_t>(module_.parameters.size()), "parameter number in range")) {
        rule(op_.dtype == module_.parameters[op_.index], "dtype is the parameter's");
      }
      break;
    case OpKind::iota:
      rule(op_.dims.size() == 1 && valid_dims(op_.dims, rank()), "dims is one dimension of the result");
      rule((isa::is_integer(op_.dtype) && op_.dtype != DType::b8) || op_.dtype == DType::f32, "dtype is an integer or f32");
      break;
    default: break;
  }
}

void OpVerifier::pointwise() {
  for (size_t i = 0; i < op_.operands.size(); ++i) broadcasts(i);
  if (!status_.ok()) return;
  if (op_.kind == OpKind::unary) {
    rule(op_.fn != isa::ActFn::none, "a function is named");
    rule(operand(0).dtype == op_.dtype, "operand and result have one dtype");
    const bool exact = op_.fn == isa::ActFn::abs || op_.fn == isa::ActFn::sign || op_.fn == isa::ActFn::copy;
    rule(isa::is_float(op_.dtype) || exact, "functions other than abs and sign are of floating point");
  } else if (op_.kind == OpKind::binary) {
    const DType dtype = operand(0).dtype;
    rule(op_.alu != AluOp::none && op_.alu != AluOp::bypass, "an operation is named");
    rule(operand(1).dtype == dtype, "operands have one dtype");
    const bool logical = isa::info(op_.alu).comparison || isa::info(op_.alu).logical;
    rule(op_.dtype == (logical ? DType::b8 : dtype), "the result has the operands' dtype, bool for comparisons and logical ops");
    rule(!isa::info(op_.alu).bitvec || isa::is_integer(dtype), "bitwise ops are of integers");
  } else if (op_.kind == OpKind::select) {
    rule(operand(0).dtype == DType::b8, "the predicate is bool");
    rule(operand(1).dtype == op_.dtype && operand(2).dtype == op_.dtype, "both branches have the result's dtype");
  }
}

void OpVerifier::reduce() {
  rule(op_.alu == AluOp::add || op_.alu == AluOp::multiply || op_.alu == AluOp::maximum || op_.alu == AluOp::minimum,
       "operation is add, multiply, maximum or minimum");
  rule(operand(0).dtype == op_.dtype, "operand and result have one dtype");
  const std::vector<int64_t>& shape = operand(0).shape;
  if (!rule(shape.size() == rank(), "operand has the result's rank") || !rule(valid_dims(op_.dims, rank()), "dims are dimensions, each once")) return;
  for (size_t d = 0; d < rank(); ++d) {
    const bool reduced = std::find(op_.dims.begin(), op_.dims.end(), static_cast<int64_t>(d)) != op_.dims.end();
    rule(op_.shape[d] == (reduced ? 1 : shape[d]), "reduced dimensions stay with size 1, others keep their size");
    rule(!reduced || shape[d] > 0 || op_.alu == AluOp::add || op_.alu == AluOp::multiply, "maximum and minimum are of at least one element");
  }
}

void OpVerifier::matmul() {
  const Op &a = operand(0), &b = operand(1);
  rule(isa::is_float(a.dtype) && a.dtype == b.dtype && isa::is_float(op_.dtype), "operands have one floating point dtype");
  if (!rule(rank() >= 2 && a.shape.size() == rank() && b.shape.size() == rank(), "ranks are equal and at least 2")) return;
  const size_t n = rank();
  rule(a.shape[n - 2] == op_.shape[n - 2] && b.shape[n - 1] == op_.shape[n - 1] && a.shape[n - 1] == b.shape[n - 2],
       "sizes are [M, K] x [K, N] -> [M, N]");
  for (size_t d = 0; d + 2 < n; ++d) {
    rule((a.shape[d] == op_.shape[d] || a.shape[d] == 1) && (b.shape[d] == op_.shape[d] || b.shape[d] == 1) &&
             op_.shape[d] == (a.shape[d] == 1 ? b.shape[d] : a.shape[d]),
         "batch dimensions are equal or 1");
  }
}

void OpVerifier::gather() {
  const Op &table = operand(0), &indices = operand(1);
  rule(indices.dtype == DType::i64 || indices.dtype == DType::i32, "indices are i32 or i64");
  rule(table.dtype == op_.dtype, "table and result have one dtype");
  if (!rule(table.shape.size() == 2 && indices.shape.size() == 1 && rank() == 2, "table [V, D], indices [N], result [N, D]")) return;
  rule(op_.shape[0] == indices.shape[0] && op_.shape[1] == table.shape[1], "table [V, D], indices [N], result [N, D]");
}

void OpVerifier::permute() {
  rule(operand(0).dtype == op_.dtype, "operand and result have one dtype");
  const std::vector<int64_t>& shape = operand(0).shape;
  if (!rule(shape.size() == rank() && op_.dims.size() == rank() && valid_dims(op_.dims, rank()), "dims are a permutation")) return;
  for (size_t d = 0; d < rank(); ++d) rule(op_.shape[d] == shape[op_.dims[d]], "result dim i is operand dim dims[i]");
}

void OpVerifier::slice() {
  rule(operand(0).dtype == op_.dtype, "operand and result have one dtype");
  const std::vector<int64_t>& shape = operand(0).shape;
  if (!rule(shape.size() == rank() && op_.starts.size() == rank() && op_.steps.size() == rank(), "one start and step a dimension")) return;
  for (size_t d = 0; d < rank(); ++d) {
    rule(op_.steps[d] != 0, "steps are not 0");
    if (op_.shape[d] == 0) continue;
    const int64_t last = op_.starts[d] + (op_.shape[d] - 1) * op_.steps[d];
    rule(op_.starts[d] >= 0 && op_.starts[d] < shape[d] && last >= 0 && last < shape[d], "inside the operand");
  }
}

void OpVerifier::concat() {
  if (!rule(op_.dims.size() == 1 && valid_dims(op_.dims, rank()), "dims is one dimension")) return;
  const size_t along = static_cast<size_t>(op_.dims[0]);
  int64_t sum = 0;
  for (size_t i = 0; i < op_.operands.size(); ++i) {
    rule(operand(i).dtype == op_.dtype, "operands and result have one dtype");
    if (!rule(operand(i).shape.size() == rank(), "operands have the result's rank")) return;
    for (size_t d = 0; d < rank(); ++d) rule(d == along || operand(i).shape[d] == op_.shape[d], "other dimensions are equal");
    sum += operand(i).shape[along];
  }
  rule(sum == op_.shape[along], "sizes along the dimension add up");
}

void OpVerifier::pad() {
  const std::vector<int64_t>& shape = operand(0).shape;
  rule(operand(0).dtype == op_.dtype && operand(1).dtype == op_.dtype, "operand, fill and result have one dtype");
  rule(operand(1).shape == std::vector<int64_t>(rank(), 1), "fill is one element of the result's rank");
  if (!rule(shape.size() == rank() && op_.starts.size() == rank() && op_.steps.size() == rank(), "one start and step a dimension")) return;
  for (size_t d = 0; d < rank(); ++d) {
    rule(op_.steps[d] > 0, "steps are at least 1");
    if (shape[d] == 0) continue;
    rule(op_.starts[d] >= 0 && op_.starts[d] + (shape[d] - 1) * op_.steps[d] < op_.shape[d], "inside the result");
  }
}

void OpVerifier::by_kind() {
  switch (op_.kind) {
    case OpKind::input:
    case OpKind::constant:
    case OpKind::parameter:
    case OpKind::iota: return leaf();
    case OpKind::unary:
    case OpKind::binary:
    case OpKind::select:
    case OpKind::convert: return pointwise();
    case OpKind::reduce: return reduce();
    case OpKind::matmul: return matmul();
    case OpKind::gather: return gather();
    case OpKind::reshape:
      rule(operand(0).dtype == op_.dtype, "operand and result have one dtype");
      rule(operand(0).elements() == op_.elements(), "as many elements as the operand");
      return;
    case OpKind::permute: return permute();
    case OpKind::broadcast:
      rule(operand(0).dtype == op_.dtype, "operand and result have one dtype");
      return broadcasts(0);
    case OpKind::slice: return slice();
    case OpKind::concat: return concat();
    case OpKind::pad: return pad();
  }
}

Status verify_store(const Module& module, const Store& store, std::vector<bool>& output_written) {
  const std::string name = std::string("store to ") + (store.to_input ? "input " : "output ") + std::to_string(store.index) + ": ";
  if (store.value < 0 || store.value >= static_cast<int32_t>(module.ops.size())) return invalid_argument(name + "value exists");
  if (store.index < 0 || store.index >= (store.to_input ? module.inputs : module.outputs)) return invalid_argument(name + "number in range");
  const Op& value = module.ops[store.value];
  if (store.strides.size() != value.shape.size()) return invalid_argument(name + "one stride a dimension");
  if (store.to_input) return ok_status();
  if (output_written[store.index]) return invalid_argument(name + "an output is written once");
  output_written[store.index] = true;
  return ok_status();
}

}  // namespace

Status verify_op(const Module& module, int32_t op) { return OpVerifier(module, op).run(); }

Status verify(const Module& module) {
  if (module.inputs < 0 || module.outputs < 0) return invalid_argument("module: counts are not negative");
  if (module.input_alias.size() != static_cast<size_t>(module.inputs)) return invalid_argument("module: one alias entry an input");
  for (int32_t i = 0; i < module.inputs; ++i) {
    if (module.input_alias[i] < -1 || module.input_alias[i] >= i) return invalid_argument("module: input " + std::to_string(i) + ": alias is an earlier input");
  }
  for (const DType dtype : module.parameters) {
    if (dtype != DType::f32 && dtype != DType::i64) return invalid_argument("module: parameters are f32 or i64");
  }
  std::vector<int32_t> input_dtype(module.inputs, -1);
  for (int32_t i = 0; i < static_cast<int32_t>(module.ops.size()); ++i) {
    LW_RETURN_IF_ERROR(verify_op(module, i));
    const Op& op = module.ops[i];
    if (op.kind != OpKind::input) continue;
    int32_t& seen = input_dtype[op.index];
    if (seen >= 0 && seen != static_cast<int32_t>(op.dtype)) return invalid_argument("%" + std::to_string(i) + " = input: one dtype an input");
    seen = static_cast<int32_t>(op.dtype);
  }
  std::vector<bool> written(module.outputs, false);
  for (const Store& store : module.stores) {
    LW_RETURN_IF_ERROR(verify_store(module, store, written));
    const DType dtype = module.ops[store.value].dtype;
    if (store.to_input && input_dtype[store.index] >= 0 && input_dtype[store.index] != static_cast<int32_t>(dtype)) {
      return invalid_argument("store to input " + std::to_string(store.index) + ": the value has the input's dtype");
    }
  }
  for (int32_t i = 0; i < module.outputs; ++i) {
    if (!written[i]) return invalid_argument("module: output " + std::to_string(i) + " is never written");
  }
  return ok_status();
}

}  // namespace lanewise::compiler::ir
