// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// ScalarType <-> element type of the chip. 64-bit floats and complex numbers do not exist there and are never narrowed
// silently.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <c10/core/ScalarType.h>

#include "isa/dtype.h"

namespace lanewise::torch_backend {

std::optional<isa::DType> to_dtype(c10::ScalarType type) noexcept;
c10::ScalarType to_scalar_type(isa::DType type) noexcept;

// The sentence that says what to use instead of a type that the device lacks.
std::string lacking(c10::ScalarType type);

// For making and converting tensors: TypeError with that sentence.
isa::DType require_dtype(c10::ScalarType type);
// For operands and results of an op: RuntimeError, since Python's operators replace a TypeError by "unsupported operand".
isa::DType require_operand_dtype(c10::ScalarType type);

// One bit per supported ScalarType, as c10::DeviceCapability wants it.
uint64_t supported_scalar_type_bits() noexcept;

}  // namespace lanewise::torch_backend
