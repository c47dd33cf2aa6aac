// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/aten/promotion.h"

#include <utility>

namespace lanewise::compiler::aten {

using isa::DType;

DType promote(DType a, DType b) {
  if (a == b) return a;
  if (isa::is_float(a) && isa::is_float(b)) return DType::f32;   // two different floats: neither holds the other
  if (isa::is_float(a)) return a;
  if (isa::is_float(b)) return b;
  if (a == DType::b8) return b;
  if (b == DType::b8) return a;
  // u8 does not fit into i8.
  if ((a == DType::u8 && b == DType::i8) || (a == DType::i8 && b == DType::u8)) return DType::i16;
  return isa::dtype_bytes(a) >= isa::dtype_bytes(b) ? a : b;
}

namespace {

std::optional<DType> combine(std::optional<DType> higher, std::optional<DType> lower) {
  if (!higher) return lower;
  if (!lower || isa::is_float(*higher)) return higher;
  if (*higher == DType::b8 || isa::is_float(*lower)) return promote(*higher, *lower);
  return higher;
}

}  // namespace

DType Promotion::result() const { return combine(dimensioned_, combine(zero_dim_, number_)).value_or(DType::f32); }

}  // namespace lanewise::compiler::aten
