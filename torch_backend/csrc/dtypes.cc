// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "torch_backend/csrc/dtypes.h"

#include <c10/util/Exception.h>

namespace lanewise::torch_backend {
namespace {

struct Pair {
  c10::ScalarType torch;
  isa::DType chip;
};
constexpr Pair kPairs[] = {
    {c10::ScalarType::Float, isa::DType::f32},          {c10::ScalarType::BFloat16, isa::DType::bf16},
    {c10::ScalarType::Half, isa::DType::f16},           {c10::ScalarType::Float8_e4m3fn, isa::DType::f8e4m3},
    {c10::ScalarType::Float8_e5m2, isa::DType::f8e5m2}, {c10::ScalarType::Long, isa::DType::i64},
    {c10::ScalarType::Int, isa::DType::i32},            {c10::ScalarType::Short, isa::DType::i16},
    {c10::ScalarType::Char, isa::DType::i8},            {c10::ScalarType::Byte, isa::DType::u8},
    {c10::ScalarType::Bool, isa::DType::b8},
};

}  // namespace

std::optional<isa::DType> to_dtype(c10::ScalarType type) noexcept {
  for (const Pair& pair : kPairs)
    if (pair.torch == type) return pair.chip;
  return std::nullopt;
}

c10::ScalarType to_scalar_type(isa::DType type) noexcept {
  for (const Pair& pair : kPairs)
    if (pair.chip == type) return pair.torch;
  return c10::ScalarType::Undefined;
}

std::string lacking(c10::ScalarType type) {
  if (type == c10::ScalarType::Double) {
    return "device neuron has no float64: its engines compute in float32. Convert first, for example with tensor.float() or "
           "dtype=torch.float32; Python floats need nothing.";
  }
  if (c10::isComplexType(type)) {
    return c10::str("device neuron has no complex numbers (", type, "): keep real and imaginary parts in two float32 tensors.");
  }
  return c10::str("device neuron has no ", type,
                  ": it has float32, bfloat16, float16, float8_e4m3fn, float8_e5m2, int64, int32, int16, int8, uint8 and bool.");
}

isa::DType require_dtype(c10::ScalarType type) {
  if (auto chip = to_dtype(type)) return *chip;
  TORCH_CHECK_TYPE(false, lacking(type));
}

isa::DType require_operand_dtype(c10::ScalarType type) {
  if (auto chip = to_dtype(type)) return *chip;
  TORCH_CHECK(false, lacking(type));
}

uint64_t supported_scalar_type_bits() noexcept {
  uint64_t bits = 0;
  for (const Pair& pair : kPairs) bits |= uint64_t{1} << static_cast<int>(pair.torch);
  return bits;
}

}  // namespace lanewise::torch_backend
