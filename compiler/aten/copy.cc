// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Copies, conversions and tensors made from nothing but numbers.
#include "compiler/aten/table.h"

namespace lanewise::compiler::aten {
namespace {

// dtype and layout are those of the result; the value is the operand's.
Status lower_same(Lowering& l) { return l.result(l.tensor(0)); }

// A conversion that the program asks for: its rounding is part of the program's meaning.
ValueId converted(Lowering& l, size_t i) {
  const DType dtype = l.meta().dtype;
  return l.build.convert(l.tensor(i), dtype, isa::is_float(dtype) && dtype != DType::f32);
}

Status lower_conversion(Lowering& l) { return l.result(converted(l, 0)); }

// Into argument 0's dtype and sizes.
Status lower_copy(Lowering& l) {
  return l.result(l.build.broadcast(converted(l, 1), l.meta().sizes));
}

Status fill_with(Lowering& l, size_t value) {
  const DType dtype = l.meta().dtype;
  if (l.is_tensor(value)) {
    if (l.build.rank(l.tensor(value)) != 0) return l.wrong("the value must have no dimensions");
    return l.result(l.build.broadcast(l.build.convert(l.tensor(value), dtype), l.meta().sizes));
  }
  return l.result(l.filled(value, dtype, l.meta().sizes));
}

template <size_t value>
Status lower_fill(Lowering& l) {
  return fill_with(l, value);
}

template <int value>
Status lower_constant(Lowering& l) {
  return l.result(l.build.constant(l.meta().dtype, value, l.meta().sizes));
}

constexpr Row kRows[] = {
    {"aten::_to_copy", "tensor | any any any any any any", lower_conversion},
    {"aten::alias", "tensor", lower_same},
    {"aten::clone", "tensor | any", lower_same},
    {"aten::contiguous", "tensor | any", lower_same},
    {"aten::copy", "tensor tensor | any", lower_copy},
    {"aten::copy_", "tensor tensor | any", lower_copy},
    {"aten::detach", "tensor", lower_same},
    {"aten::fill.Scalar", "tensor number", lower_fill<1>},
    {"aten::fill.Tensor", "tensor tensor", lower_fill<1>},
    {"aten::full", "ints number | any any any any", lower_fill<1>},
    {"aten::full_like", "tensor number | any any any any any", lower_fill<1>},
    {"aten::lift_fresh_copy", "tensor", lower_same},
    {"aten::new_full", "tensor ints number | any any any any", lower_fill<2>},
    {"aten::new_ones", "tensor ints | any any any any", lower_constant<1>},
    {"aten::new_zeros", "tensor ints | any any any any", lower_constant<0>},
    {"aten::ones", "ints | any any any any", lower_constant<1>},
    {"aten::ones_like", "tensor | any any any any any", lower_constant<1>},
    {"aten::scalar_tensor", "number | any any any any", lower_fill<0>},
    {"aten::zero", "tensor", lower_constant<0>},
    {"aten::zeros", "ints | any any any any", lower_constant<0>},
    {"aten::zeros_like", "tensor | any any any any any", lower_constant<0>},
    {"prims::convert_element_type", "tensor dtype", lower_conversion},
};

}  // namespace

std::span<const Row> copy_rows() { return kRows; }

}  // namespace lanewise::compiler::aten
