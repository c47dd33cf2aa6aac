// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/random_module.h"

#include <algorithm>
#include <numeric>

#include "compiler/ir/builder.h"
#include "compiler/ir/number.h"
#include "compiler/ir/strided.h"
#include "isa/table.h"

namespace lanewise::compiler::ir {
namespace {

using isa::ActFn;
using isa::AluOp;
using isa::DType;

class Generator {
 public:
  Generator(std::mt19937_64& random, const RandomOptions& options) : random_(random), options_(options), build_(module_) {}

  Module run() {
    module_.name = "random";
    module_.parameters = {DType::f32, DType::i64};
    for (int i = 0; i < 3; ++i) add_input(i);
    module_.inputs = 3;
    module_.input_alias = {-1, -1, -1};
    for (int i = 0; i < options_.ops; ++i) add_op();
    for (int i = 0; i < 3; ++i) add_store();
    return std::move(module_);
  }

 private:
  int64_t below(int64_t n) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(n)); }
  bool chance(int percent) { return below(100) < percent; }
  template <typename T>
  T one_of(std::initializer_list<T> list) { return list.begin()[below(static_cast<int64_t>(list.size()))]; }

  DType any_dtype() {
    return one_of({DType::f32, DType::f32, DType::f32, DType::bf16, DType::f16, DType::i64, DType::i32, DType::u8, DType::b8});
  }
  Shape any_shape() {
    Shape shape(below(4));
    for (int64_t& size : shape) size = one_of<int64_t>({1, 1, 2, 3, 4, 6});
    return shape;
  }
  ValueId any() { return static_cast<ValueId>(below(static_cast<int64_t>(module_.ops.size()))); }
  // Some value of this dtype.
  ValueId any(DType dtype) { return converted(any(), dtype); }
  ValueId converted(ValueId x, DType dtype) {
    return build_.convert(x, dtype, options_.keep_roundings && isa::is_float(dtype) && dtype != DType::f32);
  }

  void add_input(int index) {
    Shape shape = any_shape();
    std::vector<int64_t> strides = row_major_strides(shape);
    if (chance(40) && shape.size() > 1) {   // as a transposed view
      std::reverse(shape.begin(), shape.end());
      std::reverse(strides.begin(), strides.end());
    }
    if (chance(20)) {
      for (int64_t& stride : strides) stride *= 2;
    }
    if (chance(20) && !strides.empty()) strides[0] = 0;
    build_.input(index, any_dtype(), shape, strides);
  }

  void add_store() {
    const ValueId value = any();
    module_.stores.push_back({value, false, module_.outputs++, row_major_strides(build_.shape(value))});
  }

  // Another value that broadcasts with x: x's sizes, some of them 1.
  ValueId partner(ValueId x, DType dtype) {
    for (int i = 0; i < 8; ++i) {
      const ValueId y = any();
      const Shape a = build_.shape(x), b = build_.shape(y);
      bool fits = true;
      for (size_t d = 0; d < std::min(a.size(), b.size()); ++d) {
        const int64_t p = a[a.size() - 1 - d], q = b[b.size() - 1 - d];
        fits = fits && (p == q || p == 1 || q == 1);
      }
      if (fits) return converted(y, dtype);
    }
    Shape shape = build_.shape(x);
    for (int64_t& size : shape) size = chance(50) ? 1 : size;
    return build_.constant(dtype, one_of({0.0, 1.0, 2.0, -1.5, 3.0}), shape);
  }

  void add_op();
  void add_leaf();
  void add_arithmetic();
  void add_reduction();
  void add_view();
  void add_assembly();

  std::mt19937_64& random_;
  RandomOptions options_;
  Module module_;
  Builder build_;
};

void Generator::add_leaf() {
  const DType dtype = any_dtype();
  switch (below(3)) {
    case 0: build_.constant(dtype, one_of({0.0, -0.0, 1.0, 2.0, 0.1, -7.0}), any_shape()); return;
    case 1: build_.parameter(static_cast<int32_t>(below(2)), any_shape()); return;
    default: {
      Shape shape = any_shape();
      shape.push_back(3);
      build_.iota(one_of({DType::f32, DType::i64, DType::i32}), shape, below(static_cast<int64_t>(shape.size())), below(5), below(3) - 1);
    }
  }
}

void Generator::add_arithmetic() {
  const ValueId x = any();
  const DType dtype = build_.dtype(x);
  switch (below(4)) {
    case 0: {
      const ActFn fn = isa::is_float(dtype) ? one_of({ActFn::exp, ActFn::tanh, ActFn::abs, ActFn::sqrt, ActFn::relu, ActFn::square})
                                            : one_of({ActFn::abs, ActFn::sign});
      build_.unary(fn, x);
      return;
    }
    case 1: {
      const AluOp alu = one_of({AluOp::add, AluOp::subtract, AluOp::multiply, AluOp::maximum, AluOp::divide, AluOp::less,
                                AluOp::equal, AluOp::logical_or});
      const ValueId y = partner(x, dtype);
      if (chance(50)) {
        build_.binary(alu, x, y);
      } else {
        build_.binary(alu, y, x);
      }
      return;
    }
    case 2: {
      const ValueId predicate = partner(x, DType::b8);
      build_.select(predicate, x, chance(20) ? x : build_.constant(dtype, 1, Shape(build_.shape(x).size(), 1)));
      return;
    }
    default: converted(x, any_dtype()); return;
  }
}

void Generator::add_reduction() {
  const ValueId x = any();
  if (build_.rank(x) == 0) return;
  if (chance(30) && build_.rank(x) >= 2) {
    const ValueId a = converted(x, DType::f32);
    build_.matmul(a, build_.transpose(a), DType::f32);
    return;
  }
  build_.reduce(one_of({AluOp::add, AluOp::maximum, AluOp::minimum}), x, {below(build_.rank(x))});
}

void Generator::add_view() {
  const ValueId x = any();
  const int64_t rank = build_.rank(x);
  std::vector<int64_t> order(rank);
  std::iota(order.begin(), order.end(), 0);
  switch (below(4)) {
    case 0: {
      // Join everything, split a factor off, or add a dimension.
      const int64_t n = build_.op(x).elements();
      const Shape shape = build_.shape(x);
      Shape with_one = shape;
      with_one.insert(with_one.begin() + below(rank + 1), 1);
      build_.reshape(x, chance(30) ? Shape{n} : n % 2 == 0 && chance(50) ? Shape{n / 2, 2} : rank < 5 ? with_one : shape);
      return;
    }
    case 1:
      std::shuffle(order.begin(), order.end(), random_);
      build_.permute(x, order);
      return;
    case 2: {
      Shape shape = build_.shape(x);
      for (int64_t& size : shape) size = size == 1 ? one_of<int64_t>({1, 2, 3}) : size;
      build_.broadcast(x, shape);
      return;
    }
    default: {
      if (rank == 0) return;
      const int64_t dim = below(rank), size = build_.size(x, dim);
      if (chance(30)) {
        build_.slice_dim(x, dim, size - 1, size, -1);
      } else {
        const int64_t start = below(size), step = 1 + below(2);
        build_.slice_dim(x, dim, start, (size - start - 1) / step + 1, step);
      }
    }
  }
}

void Generator::add_assembly() {
  const ValueId x = any();
  const int64_t rank = build_.rank(x);
  if (rank == 0) return;
  const int64_t dim = below(rank);
  if (chance(50)) {
    if (build_.size(x, dim) <= 6) build_.concat({x, x}, dim);
    return;
  }
  if (build_.size(x, dim) > 4) return;
  std::vector<int64_t> starts(rank, 0), steps(rank, 1);
  Shape shape = build_.shape(x);
  starts[dim] = below(2);
  steps[dim] = 1 + below(2);
  shape[dim] = starts[dim] + (shape[dim] - 1) * steps[dim] + 1 + below(2);
  const ValueId fill = build_.constant(build_.dtype(x), 2, Shape(rank, 1));
  build_.pad(x, fill, starts, steps, shape);
}

void Generator::add_op() {
  const int64_t kind = below(100);
  if (kind < 10) return add_leaf();
  if (kind < 45) return add_arithmetic();
  if (kind < 55) return add_reduction();
  if (kind < 90) return add_view();
  add_assembly();
}

int64_t bytes_of(const std::vector<int64_t>& shape, const std::vector<int64_t>& strides, int64_t offset, DType dtype) {
  int64_t most = offset;
  for (size_t d = 0; d < shape.size(); ++d) most += std::max<int64_t>((shape[d] - 1) * strides[d], 0);
  return (most + 1) * isa::dtype_bytes(dtype);
}

}  // namespace

Module random_module(std::mt19937_64& random, const RandomOptions& options) { return Generator(random, options).run(); }

Result<std::vector<std::vector<std::byte>>> evaluate_randomly(const Module& module, uint64_t seed) {
  constexpr int64_t kRoom = 4096;   // as much for every buffer, so that it does not depend on which ops are left
  std::vector<std::vector<std::byte>> buffers(module.inputs + module.outputs);
  for (int32_t i = 0; i < module.inputs; ++i) {
    std::mt19937_64 random(seed + static_cast<uint64_t>(i));
    buffers[i].resize(kRoom);
    DType dtype = DType::f32;
    for (const Op& op : module.ops) {
      if (op.kind == OpKind::input && op.index == i) dtype = op.dtype;
    }
    for (int64_t at = 0; at < kRoom; at += isa::dtype_bytes(dtype)) {
      const int64_t number = static_cast<int64_t>(random() % 41) - 20;
      if (isa::is_float(dtype)) {
        store_float(dtype, static_cast<float>(number) * 0.37f, buffers[i].data() + at);
      } else {
        store_integer(dtype, number, buffers[i].data() + at);
      }
    }
  }
  for (const Store& store : module.stores) {
    const Op& value = module.ops[store.value];
    if (!store.to_input) buffers[module.inputs + store.index].resize(bytes_of(value.shape, store.strides, 0, value.dtype));
  }
  std::vector<HostBuffer> bound;
  for (auto& buffer : buffers) bound.push_back({buffer.data(), static_cast<int64_t>(buffer.size())});
  LW_RETURN_IF_ERROR(evaluate(module, bound, std::vector<HostParameter>(module.parameters.size(), HostParameter{0.75, 3})));
  buffers.erase(buffers.begin(), buffers.begin() + module.inputs);   // a dead input's dtype is not known: outputs only
  return buffers;
}

}  // namespace lanewise::compiler::ir
