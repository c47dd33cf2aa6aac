// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// One whole tensor at a time, one element after the other, nothing shared with the compiled path. Every op that reads
// through an index is one list of source offsets (strided_offsets), so that there is one piece of index arithmetic.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "compiler/ir/module.h"
#include "compiler/ir/number.h"
#include "compiler/ir/scalar_math.h"
#include "compiler/ir/strided.h"

namespace lanewise::compiler::ir {
namespace {

using isa::AluOp;
using isa::DType;
using Offsets = std::vector<int64_t>;

// Row-major elements; `f` for floating point dtypes, `i` for integers and bool.
struct Tensor {
  std::vector<float> f;
  std::vector<int64_t> i;
};

class Evaluator {
 public:
  Evaluator(const Module& module, const std::vector<HostBuffer>& buffers, const std::vector<HostParameter>& parameters)
      : module_(module), buffers_(buffers), parameters_(parameters) {}

  Status run() {
    tensors_.resize(module_.ops.size());
    for (size_t n = 0; n < module_.ops.size(); ++n) LW_RETURN_IF_ERROR(evaluate_op(module_.ops[n], tensors_[n]));
    for (const Store& store : module_.stores) LW_RETURN_IF_ERROR(write(store));
    return ok_status();
  }

 private:
  Status evaluate_op(const Op& op, Tensor& result);
  Status read(const Op& op, Tensor& result);
  Status write(const Store& store);
  Status in_buffer(const Offsets& offsets, DType dtype, size_t buffer, std::string_view what) const;

  const Op& operand_op(const Op& op, size_t i) const { return module_.ops[op.operands[i]]; }
  const Tensor& operand(const Op& op, size_t i) const { return tensors_[op.operands[i]]; }

  void generate(const Op& op, Tensor& result);
  void pointwise(const Op& op, Tensor& result);
  void convert(const Op& op, Tensor& result);
  void reduce(const Op& op, Tensor& result);
  void matmul(const Op& op, Tensor& result);
  Status gather(const Op& op, Tensor& result);
  void view(const Op& op, Tensor& result);
  void concat(const Op& op, Tensor& result);
  void pad(const Op& op, Tensor& result);

  const Module& module_;
  const std::vector<HostBuffer>& buffers_;
  const std::vector<HostParameter>& parameters_;
  std::vector<Tensor> tensors_;
};

void resize(Tensor& tensor, DType dtype, size_t n) {
  if (isa::is_float(dtype)) {
    tensor.f.resize(n);
  } else {
    tensor.i.resize(n);
  }
}

void set_float(Tensor& tensor, DType dtype, size_t at, double value) { tensor.f[at] = round_to(dtype, value); }
void set_integer(Tensor& tensor, DType dtype, size_t at, int64_t value) { tensor.i[at] = wrap_to(dtype, value); }

// result[n] = source[offsets[n]]
void copy_from(const Tensor& source, const Offsets& offsets, DType dtype, Tensor& result) {
  for (size_t n = 0; n < offsets.size(); ++n) {
    if (isa::is_float(dtype)) {
      result.f[n] = source.f[offsets[n]];
    } else {
      result.i[n] = source.i[offsets[n]];
    }
  }
}

// result[offsets[n]] = source[n]
void copy_to(const Tensor& source, const Offsets& offsets, DType dtype, Tensor& result) {
  for (size_t n = 0; n < offsets.size(); ++n) {
    if (isa::is_float(dtype)) {
      result.f[offsets[n]] = source.f[n];
    } else {
      result.i[offsets[n]] = source.i[n];
    }
  }
}

// Row-major strides with 0 where the size is 1: an operand read in the shape of a larger result.
Offsets broadcast_strides(const std::vector<int64_t>& shape) {
  Offsets strides = row_major_strides(shape);
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 1) strides[d] = 0;
  }
  return strides;
}

Status Evaluator::in_buffer(const Offsets& offsets, DType dtype, size_t buffer, std::string_view what) const {
  if (buffer >= buffers_.size()) return invalid_argument(std::string(what) + ": no buffer is bound");
  for (const int64_t offset : offsets) {
    if (offset < 0 || (offset + 1) * isa::dtype_bytes(dtype) > buffers_[buffer].bytes) {
      return out_of_range(std::string(what) + ": element " + std::to_string(offset) + " is outside of the buffer of " +
                          std::to_string(buffers_[buffer].bytes) + " bytes");
    }
  }
  return ok_status();
}

Status Evaluator::read(const Op& op, Tensor& result) {
  const Offsets offsets = strided_offsets(op.shape, op.strides, op.offset);
  LW_RETURN_IF_ERROR(in_buffer(offsets, op.dtype, op.index, "input " + std::to_string(op.index)));
  const std::byte* data = buffers_[op.index].data;
  for (size_t n = 0; n < offsets.size(); ++n) {
    const std::byte* at = data + offsets[n] * isa::dtype_bytes(op.dtype);
    if (isa::is_float(op.dtype)) {
      result.f[n] = load_float(op.dtype, at);
    } else {
      result.i[n] = load_integer(op.dtype, at);
    }
  }
  return ok_status();
}

Status Evaluator::write(const Store& store) {
  const Op& op = module_.ops[store.value];
  const Tensor& value = tensors_[store.value];
  const size_t buffer = store.index + (store.to_input ? 0 : module_.inputs);
  const Offsets offsets = strided_offsets(op.shape, store.strides, 0);
  LW_RETURN_IF_ERROR(in_buffer(offsets, op.dtype, buffer, "store of %" + std::to_string(store.value)));
  for (size_t n = 0; n < offsets.size(); ++n) {
    std::byte* at = buffers_[buffer].data + offsets[n] * isa::dtype_bytes(op.dtype);
    if (isa::is_float(op.dtype)) {
      store_float(op.dtype, value.f[n], at);
    } else {
      store_integer(op.dtype, value.i[n], at);
    }
  }
  return ok_status();
}

void Evaluator::generate(const Op& op, Tensor& result) {
  const Offsets along = op.kind == OpKind::iota ? [&] {
    Offsets strides(op.shape.size(), 0);
    strides[op.dims[0]] = op.step;
    return strided_offsets(op.shape, strides, op.ivalue);
  }() : Offsets(op.elements(), op.ivalue);
  for (size_t n = 0; n < along.size(); ++n) {
    if (!isa::is_float(op.dtype)) {
      const int64_t value = op.kind == OpKind::parameter ? parameters_[op.index].i : along[n];
      set_integer(result, op.dtype, n, value);
    } else {
      const double value = op.kind == OpKind::parameter ? parameters_[op.index].f
                           : op.kind == OpKind::iota    ? static_cast<double>(along[n])
                                                        : op.fvalue;
      set_float(result, op.dtype, n, value);
    }
  }
}

void Evaluator::pointwise(const Op& op, Tensor& result) {
  std::vector<Offsets> at;
  for (const int32_t value : op.operands) {
    at.push_back(strided_offsets(op.shape, broadcast_strides(module_.ops[value].shape), 0));
  }
  const size_t elements = static_cast<size_t>(op.elements());
  const bool is_float = isa::is_float(operand_op(op, op.kind == OpKind::select ? 1 : 0).dtype);
  for (size_t n = 0; n < elements; ++n) {
    if (op.kind == OpKind::select) {
      const size_t branch = operand(op, 0).i[at[0][n]] ? 1 : 2;
      if (is_float) {
        result.f[n] = operand(op, branch).f[at[branch][n]];
      } else {
        result.i[n] = operand(op, branch).i[at[branch][n]];
      }
    } else if (is_float) {
      const float a = operand(op, 0).f[at[0][n]];
      const float value = op.kind == OpKind::unary ? apply(op.fn, a) : apply(op.alu, a, operand(op, 1).f[at[1][n]]);
      if (op.dtype == DType::b8) {
        result.i[n] = value != 0;
      } else {
        set_float(result, op.dtype, n, value);
      }
    } else {
      const int64_t a = operand(op, 0).i[at[0][n]];
      set_integer(result, op.dtype, n, op.kind == OpKind::unary ? apply(op.fn, a) : apply(op.alu, a, operand(op, 1).i[at[1][n]]));
    }
  }
}

void Evaluator::convert(const Op& op, Tensor& result) {
  const Offsets at = strided_offsets(op.shape, broadcast_strides(operand_op(op, 0).shape), 0);
  const Tensor& source = operand(op, 0);
  const bool from_float = isa::is_float(operand_op(op, 0).dtype);
  for (size_t n = 0; n < at.size(); ++n) {
    if (!isa::is_float(op.dtype)) {
      result.i[n] = from_float ? truncate_to(op.dtype, source.f[at[n]]) : wrap_to(op.dtype, source.i[at[n]]);
    } else {
      // An int64 becomes f32 in one rounding, not by way of double.
      result.f[n] = round_to(op.dtype, from_float ? source.f[at[n]] : static_cast<float>(source.i[at[n]]));
    }
  }
}

void Evaluator::reduce(const Op& op, Tensor& result) {
  const Op& from = operand_op(op, 0);
  const Offsets to = strided_offsets(from.shape, broadcast_strides(op.shape), 0);
  const size_t elements = static_cast<size_t>(op.elements());
  if (!isa::is_float(op.dtype)) {
    const int64_t start = op.alu == AluOp::multiply ? 1 : op.alu == AluOp::maximum ? INT64_MIN : op.alu == AluOp::minimum ? INT64_MAX : 0;
    std::fill(result.i.begin(), result.i.end(), start);
    for (size_t n = 0; n < to.size(); ++n) result.i[to[n]] = apply(op.alu, result.i[to[n]], operand(op, 0).i[n]);
    for (size_t n = 0; n < elements; ++n) result.i[n] = wrap_to(op.dtype, result.i[n]);
    return;
  }
  // Sums and products in double: the f32 that every order of f32 additions is near to.
  const double start = op.alu == AluOp::multiply ? 1 : op.alu == AluOp::maximum ? -INFINITY : op.alu == AluOp::minimum ? INFINITY : 0;
  std::vector<double> sums(elements, start);
  for (size_t n = 0; n < to.size(); ++n) {
    double& sum = sums[to[n]];
    const float x = operand(op, 0).f[n];
    if (op.alu == AluOp::add) {
      sum += x;
    } else if (op.alu == AluOp::multiply) {
      sum *= x;
    } else {
      sum = apply(op.alu, static_cast<float>(sum), x);
    }
  }
  for (size_t n = 0; n < elements; ++n) set_float(result, op.dtype, n, sums[n]);
}

void Evaluator::matmul(const Op& op, Tensor& result) {
  const Op &a = operand_op(op, 0), &b = operand_op(op, 1);
  const size_t rank = op.shape.size();
  const int64_t m = op.shape[rank - 2], n = op.shape[rank - 1], k = a.shape[rank - 1];
  const std::vector<int64_t> batch(op.shape.begin(), op.shape.end() - 2);
  const auto matrices = [&](const Op& of) {
    Offsets strides = broadcast_strides(of.shape);
    strides.resize(rank - 2);
    return strided_offsets(batch, strides, 0);
  };
  const Offsets at_a = matrices(a), at_b = matrices(b);
  for (size_t i = 0; i < at_a.size(); ++i) {
    for (int64_t row = 0; row < m; ++row) {
      for (int64_t column = 0; column < n; ++column) {
        double sum = 0;
        for (int64_t j = 0; j < k; ++j) {
          sum += static_cast<double>(operand(op, 0).f[at_a[i] + row * k + j]) * operand(op, 1).f[at_b[i] + j * n + column];
        }
        set_float(result, op.dtype, (i * m + row) * n + column, sum);
      }
    }
  }
}

Status Evaluator::gather(const Op& op, Tensor& result) {
  const int64_t rows = operand_op(op, 0).shape[0], width = op.shape[1];
  Offsets from;
  for (const int64_t row : operand(op, 1).i) {
    if (row < 0 || row >= rows) return out_of_range("gather: index " + std::to_string(row) + " of a table of " + std::to_string(rows) + " rows");
    for (int64_t i = 0; i < width; ++i) from.push_back(row * width + i);
  }
  copy_from(operand(op, 0), from, op.dtype, result);
  return ok_status();
}

void Evaluator::view(const Op& op, Tensor& result) {
  const Op& source = operand_op(op, 0);
  Offsets strides = row_major_strides(source.shape);
  int64_t start = 0;
  if (op.kind == OpKind::permute) {
    Offsets permuted;
    for (const int64_t d : op.dims) permuted.push_back(strides[d]);
    strides = permuted;
  } else if (op.kind == OpKind::broadcast) {
    strides = broadcast_strides(source.shape);
  } else if (op.kind == OpKind::slice) {
    for (size_t d = 0; d < strides.size(); ++d) {
      start += op.starts[d] * strides[d];
      strides[d] *= op.steps[d];
    }
  } else {
    strides = row_major_strides(op.shape);   // reshape: row-major order stays
  }
  copy_from(operand(op, 0), strided_offsets(op.shape, strides, start), op.dtype, result);
}

void Evaluator::concat(const Op& op, Tensor& result) {
  const Offsets strides = row_major_strides(op.shape);
  int64_t start = 0;
  for (size_t i = 0; i < op.operands.size(); ++i) {
    const std::vector<int64_t>& shape = operand_op(op, i).shape;
    copy_to(operand(op, i), strided_offsets(shape, strides, start), op.dtype, result);
    start += shape[op.dims[0]] * strides[op.dims[0]];
  }
}

void Evaluator::pad(const Op& op, Tensor& result) {
  Offsets strides = row_major_strides(op.shape);
  copy_from(operand(op, 1), Offsets(op.elements(), 0), op.dtype, result);
  int64_t start = 0;
  for (size_t d = 0; d < strides.size(); ++d) {
    start += op.starts[d] * strides[d];
    strides[d] *= op.steps[d];
  }
  copy_to(operand(op, 0), strided_offsets(operand_op(op, 0).shape, strides, start), op.dtype, result);
}

Status Evaluator::evaluate_op(const Op& op, Tensor& result) {
  resize(result, op.dtype, static_cast<size_t>(op.elements()));
  switch (op.kind) {
    case OpKind::input: return read(op, result);
    case OpKind::constant:
    case OpKind::parameter:
    case OpKind::iota: generate(op, result); break;
    case OpKind::unary:
    case OpKind::binary:
    case OpKind::select: pointwise(op, result); break;
    case OpKind::convert: convert(op, result); break;
    case OpKind::reduce: reduce(op, result); break;
    case OpKind::matmul: matmul(op, result); break;
    case OpKind::gather: return gather(op, result);
    case OpKind::reshape:
    case OpKind::permute:
    case OpKind::broadcast:
    case OpKind::slice: view(op, result); break;
    case OpKind::concat: concat(op, result); break;
    case OpKind::pad: pad(op, result); break;
  }
  return ok_status();
}

}  // namespace

Status evaluate(const Module& module, const std::vector<HostBuffer>& buffers, const std::vector<HostParameter>& parameters) {
  LW_RETURN_IF_ERROR(verify(module));
  if (buffers.size() != static_cast<size_t>(module.inputs) + module.outputs) {
    return invalid_argument("evaluate: " + std::to_string(buffers.size()) + " buffers for " + std::to_string(module.inputs) +
                            " inputs and " + std::to_string(module.outputs) + " outputs");
  }
  if (parameters.size() != module.parameters.size()) return invalid_argument("evaluate: wrong number of parameters");
  return Evaluator(module, buffers, parameters).run();
}

}  // namespace lanewise::compiler::ir
