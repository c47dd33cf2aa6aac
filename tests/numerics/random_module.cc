// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/numerics/random_module.h"

#include <algorithm>
#include <random>

#include "compiler/ir/builder.h"

namespace lanewise::test {
namespace {

using compiler::ir::Builder;
using compiler::ir::Module;
using compiler::ir::Shape;
using compiler::ir::ValueId;
using isa::ActFn;
using isa::AluOp;
using isa::DType;

class Maker {
 public:
  Maker(uint32_t seed, const RandomModuleOptions& options) : random_(seed), options_(options), build_(module_) {}

  Module run() {
    module_.name = "random";
    const int inputs = 1 + pick(4);
    for (int i = 0; i < inputs; ++i) add_input();
    for (int i = 0; i < options_.ops; ++i) add_op();
    add_stores();
    return std::move(module_);
  }

 private:
  int pick(int n) { return static_cast<int>(random_() % static_cast<uint32_t>(n)); }
  bool chance(int percent) { return pick(100) < percent; }
  template <typename T>
  T one_of(std::initializer_list<T> list) { return list.begin()[pick(static_cast<int>(list.size()))]; }

  // Values whose every bit is the same however they are computed.
  bool exact(ValueId v) const { return exact_[v]; }
  // Whether a conversion stays exact: large integers as floats would later be truncated out of range, where engines
  // and host differ.
  bool survives(ValueId v, DType to) const {
    const bool large = build_.dtype(v) == DType::i64 || build_.dtype(v) == DType::i32;
    return exact(v) && !(isa::is_float(to) && large);
  }
  bool is_float(ValueId v) const { return isa::is_float(build_.dtype(v)); }

  void note(ValueId v, bool is_exact) {
    exact_.resize(module_.ops.size(), true);
    exact_[v] = is_exact;
    if (std::find(pool_.begin(), pool_.end(), v) == pool_.end()) pool_.push_back(v);
  }
  ValueId any() {
    // Late values more often: deep programs.
    const size_t n = pool_.size();
    return chance(60) ? pool_[n - 1 - static_cast<size_t>(pick(static_cast<int>(std::min<size_t>(n, 3))))] : pool_[static_cast<size_t>(pick(static_cast<int>(n)))];
  }

  Shape random_shape() {
    Shape shape(static_cast<size_t>(pick(5)));
    int64_t left = options_.elements;
    for (int64_t& s : shape) {
      s = std::min<int64_t>(left, one_of<int64_t>({1, 2, 3, 4, 5, 7, 8, 12, 16, 31, 64, 128, 130, 257, 1000, 1536, 5000}));
      left = std::max<int64_t>(1, left / s);
    }
    std::shuffle(shape.begin(), shape.end(), random_);
    return shape;
  }

  // Row-major of the dimensions in random order, with gaps now and then.
  std::vector<int64_t> random_strides(const Shape& shape) {
    std::vector<size_t> order(shape.size());
    for (size_t d = 0; d < order.size(); ++d) order[d] = d;
    if (chance(40)) std::shuffle(order.begin(), order.end(), random_);
    std::vector<int64_t> strides(shape.size(), 1);
    int64_t stride = chance(15) ? 2 : 1;
    for (size_t d = order.size(); d-- > 0;) {
      strides[order[d]] = stride;
      stride = stride * shape[order[d]] + (chance(15) ? pick(5) : 0);
    }
    return strides;
  }

  void add_input() {
    const Shape shape = random_shape();
    std::vector<int64_t> strides = random_strides(shape);
    // An expanded input: read only.
    bool expanded = false;
    if (!shape.empty() && chance(15)) {
      strides[static_cast<size_t>(pick(static_cast<int>(shape.size())))] = 0;
      expanded = true;
    }
    const DType dtype = one_of({DType::f32, DType::f32, DType::bf16, DType::f16, DType::i64, DType::i32, DType::b8, DType::u8});
    const int32_t number = module_.inputs++;
    module_.input_alias.push_back(-1);
    note(build_.input(number, dtype, shape, strides), true);
    writable_.push_back(!expanded);
  }

  // A value that may stand beside one of this shape and dtype.
  ValueId partner(const Shape& shape, DType dtype) {
    for (int attempt = 0; attempt < 6; ++attempt) {
      const ValueId v = pool_[static_cast<size_t>(pick(static_cast<int>(pool_.size())))];
      const Shape other = build_.shape(v);
      bool fits = other.size() == shape.size();
      for (size_t d = 0; fits && d < shape.size(); ++d) fits = other[d] == shape[d] || other[d] == 1;
      if (!fits) continue;
      if (build_.dtype(v) == dtype) return v;
      if (exact(v) || isa::is_float(dtype)) {
        const bool was = survives(v, dtype);
        const ValueId c = build_.convert(v, dtype, true);
        note(c, was);
        return c;
      }
    }
    Shape ones(shape.size(), 1);
    ValueId v;
    if (chance(40) && !shape.empty() && dtype != DType::b8 && (isa::is_integer(dtype) || dtype == DType::f32)) {
      v = build_.iota(dtype, shape, pick(static_cast<int>(shape.size())), pick(5), 1 + pick(3));
    } else {
      v = build_.constant(dtype, dtype == DType::b8 ? 1 : 1 + pick(3), ones);
    }
    note(v, true);
    return v;
  }

  ValueId as_float(ValueId v) {
    if (is_float(v)) return v;
    // Large integers make large errors.
    const bool was = survives(v, DType::f32);
    ValueId f = build_.convert(v, DType::f32, true);
    note(f, was);
    f = build_.unary(ActFn::tanh, f);
    note(f, false);
    return f;
  }

  void add_op() {
    switch (pick(13)) {
      case 0: return add_function();
      case 1:
      case 2:
      case 3: return add_binary();
      case 4: return add_select();
      case 5: return add_convert();
      case 6: return add_reduce();
      case 7: return add_matmul();
      case 8: return add_permute();
      case 9: return add_reshape();
      case 10: return add_slice();
      case 11: return chance(50) ? add_concat() : add_pad();
      case 12: return chance(50) ? add_gather() : add_broadcast();
    }
  }

  void add_function() {
    const ValueId x = any();
    if (!is_float(x)) {
      if (build_.dtype(x) != DType::b8) note(build_.unary(one_of({ActFn::abs, ActFn::sign}), x), exact(x));
      return;
    }
    const ActFn fn = one_of({ActFn::tanh, ActFn::sigmoid, ActFn::abs, ActFn::relu, ActFn::gelu, ActFn::erf});
    note(build_.unary(fn, x), exact(x) && (fn == ActFn::abs || fn == ActFn::relu));
  }

  void add_binary() {
    const ValueId a = any();
    const DType dtype = build_.dtype(a);
    const ValueId b = partner(build_.shape(a), dtype);
    const bool both = exact(a) && exact(b);
    const bool swap = chance(50);
    const ValueId x = swap ? b : a, y = swap ? a : b;
    if (dtype == DType::b8) {
      note(build_.binary(one_of({AluOp::logical_and, AluOp::logical_or, AluOp::logical_xor}), x, y), both);
    } else if (isa::is_integer(dtype)) {
      note(build_.binary(one_of({AluOp::add, AluOp::subtract, AluOp::multiply, AluOp::maximum, AluOp::minimum, AluOp::floor_divide, AluOp::remainder,
                                 AluOp::less, AluOp::equal, AluOp::greater_equal, AluOp::bitwise_and, AluOp::bitwise_xor}), x, y), both);
    } else if (both && chance(25)) {
      note(build_.binary(one_of({AluOp::less, AluOp::greater, AluOp::less_equal, AluOp::not_equal}), x, y), true);
    } else {
      note(build_.binary(one_of({AluOp::add, AluOp::subtract, AluOp::multiply, AluOp::maximum, AluOp::minimum}), x, y), false);
    }
  }

  void add_select() {
    const ValueId a = any();
    const ValueId b = partner(build_.shape(a), build_.dtype(a));
    const ValueId p = partner(build_.shape(a), DType::b8);
    if (!exact(p)) return;
    note(build_.select(p, a, b), exact(a) && exact(b));
  }

  void add_convert() {
    const ValueId x = any();
    DType to = one_of({DType::f32, DType::bf16, DType::f16, DType::i64, DType::i32, DType::i16, DType::u8, DType::b8});
    if (isa::is_integer(to) && is_float(x) && !exact(x)) to = DType::bf16;
    // f16 ends at 65504: only what stays small.
    if (to == DType::f16 && !is_float(x)) to = DType::f32;
    note(build_.convert(x, to, true), survives(x, to));
  }

  std::vector<int64_t> some_dims(size_t rank) {
    std::vector<int64_t> dims;
    for (size_t d = 0; d < rank; ++d)
      if (chance(45)) dims.push_back(static_cast<int64_t>(d));
    return dims;
  }

  void add_reduce() {
    const ValueId x = any();
    const std::vector<int64_t> dims = some_dims(build_.shape(x).size());
    if (dims.empty()) return;
    if (!is_float(x)) {
      if (build_.dtype(x) == DType::b8) return;
      note(build_.reduce(one_of({AluOp::add, AluOp::maximum, AluOp::minimum, AluOp::multiply}), x, dims), exact(x));
    } else if (build_.dtype(x) == DType::f32 || chance(20)) {
      note(build_.reduce(one_of({AluOp::add, AluOp::maximum, AluOp::minimum}), x, dims), false);
    } else {
      const ValueId wide = build_.convert(x, DType::f32);
      note(wide, exact(x));
      note(build_.reduce(AluOp::add, wide, dims), false);
    }
  }

  void add_matmul() {
    ValueId a = as_float(any());
    const Shape shape = build_.shape(a);
    if (shape.size() < 2) return;
    // The left operand times its own transpose, or times a slice of it seen otherwise.
    const ValueId b = build_.transpose(a);
    note(b, exact(a));
    int64_t work = 1;
    for (int64_t s : shape) work *= s;
    if (work * shape[shape.size() - 2] > 400 * options_.elements) return;
    if (work * shape[shape.size() - 2] / shape.back() > 4 * options_.elements) return;
    note(build_.matmul(a, b, chance(60) ? DType::f32 : build_.dtype(a)), false);
  }

  void add_permute() {
    const ValueId x = any();
    std::vector<int64_t> dims(build_.shape(x).size());
    for (size_t d = 0; d < dims.size(); ++d) dims[d] = static_cast<int64_t>(d);
    std::shuffle(dims.begin(), dims.end(), random_);
    note(build_.permute(x, dims), exact(x));
  }

  void add_reshape() {
    const ValueId x = any();
    int64_t left = 1;
    for (int64_t s : build_.shape(x)) left *= s;
    Shape shape;
    while (left > 1 && shape.size() < 4) {
      int64_t part = one_of<int64_t>({2, 3, 4, 5, 7, 8, 16, 31, 64});
      if (left % part != 0) part = chance(30) ? left : 1;
      shape.push_back(part);
      left /= part;
    }
    shape.push_back(left);
    note(build_.reshape(x, shape), exact(x));
  }

  void add_slice() {
    const ValueId x = any();
    const Shape from = build_.shape(x);
    Shape shape, starts, steps;
    for (int64_t s : from) {
      const int64_t step = one_of<int64_t>({1, 1, 1, 2, -1, -2});
      const int64_t count = 1 + static_cast<int64_t>(random_() % static_cast<uint32_t>((s + std::abs(step) - 1) / std::abs(step)));
      const int64_t reach = (count - 1) * std::abs(step);
      const int64_t slack = s - 1 - reach;
      const int64_t low = slack > 0 ? static_cast<int64_t>(random_() % static_cast<uint32_t>(slack + 1)) : 0;
      shape.push_back(count);
      starts.push_back(step > 0 ? low : low + reach);
      steps.push_back(step);
    }
    note(build_.slice(x, starts, shape, steps), exact(x));
  }

  void add_concat() {
    const ValueId x = any();
    const Shape shape = build_.shape(x);
    if (shape.empty()) return;
    std::vector<ValueId> parts{x};
    bool all = exact(x);
    for (int i = pick(3); i >= 0; --i) {
      ValueId other = pool_[static_cast<size_t>(pick(static_cast<int>(pool_.size())))];
      if (build_.shape(other) != shape || build_.dtype(other) != build_.dtype(x)) other = x;
      parts.push_back(other);
      all = all && exact(other);
    }
    int64_t elements = static_cast<int64_t>(parts.size());
    for (int64_t s : shape) elements *= s;
    if (elements > 3 * options_.elements) return;
    note(build_.concat(parts, pick(static_cast<int>(shape.size()))), all);
  }

  void add_pad() {
    const ValueId x = any();
    const Shape from = build_.shape(x);
    Shape shape, starts, steps;
    int64_t elements = 1;
    for (int64_t s : from) {
      steps.push_back(1 + pick(2));
      starts.push_back(pick(3));
      shape.push_back(starts.back() + (s - 1) * steps.back() + 1 + pick(3));
      elements *= shape.back();
    }
    if (elements > 3 * options_.elements) return;
    const ValueId fill = build_.constant(build_.dtype(x), pick(2), Shape(from.size(), 1));
    note(fill, true);
    note(build_.pad(x, fill, starts, steps, shape), exact(x));
  }

  void add_gather() {
    const ValueId table = any();
    const Shape shape = build_.shape(table);
    if (shape.size() != 2) return;
    // Indices in range: iota modulo the rows.
    const int64_t n = 1 + pick(200);
    if (n * shape[1] > 3 * options_.elements) return;
    const ValueId count = build_.iota(chance(50) ? DType::i64 : DType::i32, {n}, 0, pick(7), 1 + pick(5));
    note(count, true);
    const ValueId rows = build_.constant(build_.dtype(count), static_cast<double>(shape[0]), {1});
    note(rows, true);
    const ValueId index = build_.binary(AluOp::remainder, count, rows);
    note(index, true);
    note(build_.gather(table, index), exact(table));
  }

  void add_broadcast() {
    const ValueId x = any();
    Shape shape = build_.shape(x);
    int64_t elements = 1;
    for (int64_t& s : shape) {
      if (s == 1 && chance(70)) s = 1 + pick(20);
      elements *= s;
    }
    if (elements > 3 * options_.elements) return;
    note(build_.broadcast(x, shape), exact(x));
  }

  void add_stores() {
    const int stores = 1 + pick(3);
    for (int i = 0; i < stores; ++i) {
      const ValueId v = any();
      if (stored(v)) continue;
      compiler::ir::Store store;
      store.value = v;
      store.index = module_.outputs++;
      store.strides = random_strides(build_.shape(v));
      module_.stores.push_back(store);
    }
    // In place, where something has an input's shape and dtype.
    for (int32_t i = 0; i < module_.inputs; ++i) {
      if (!writable_[static_cast<size_t>(i)] || chance(50)) continue;
      const ValueId input = input_value(i);
      for (size_t k = pool_.size(); k-- > 0;) {
        const ValueId v = pool_[k];
        if (v == input || build_.dtype(v) != build_.dtype(input) || build_.shape(v) != build_.shape(input)) continue;
        module_.stores.push_back({v, true, i, build_.op(input).strides});
        break;
      }
    }
  }
  bool stored(ValueId v) const {
    return std::any_of(module_.stores.begin(), module_.stores.end(), [&](const auto& s) { return s.value == v; });
  }
  ValueId input_value(int32_t number) const {
    for (size_t i = 0; i < module_.ops.size(); ++i)
      if (module_.ops[i].kind == compiler::ir::OpKind::input && module_.ops[i].index == number) return static_cast<ValueId>(i);
    return -1;
  }

  std::mt19937 random_;
  RandomModuleOptions options_;
  Module module_;
  Builder build_;
  std::vector<ValueId> pool_;
  std::vector<bool> exact_, writable_;
};

}  // namespace

compiler::ir::Module random_module(uint32_t seed, const RandomModuleOptions& options) { return Maker(seed, options).run(); }

}  // namespace lanewise::test
