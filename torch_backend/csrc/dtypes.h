// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// ScalarType <-> element type of the chip. 64-bit floats and complex numbers do not exist there and are never narrowed
// silently.
#pragma once

#include <cstdint>
#include <optional>

#include <c10/core/ScalarType.h>

#include "isa/dtype.h"

namespace lanewise::torch_backend {

std::optional<isa::DType> to_dtype(c10::ScalarType type) noexcept;
c10::ScalarType to_scalar_type(isa::DType type) noexcept;

// Throws TypeError with a sentence that says what to use instead.
isa::DType require_dtype(c10::ScalarType type);

// One bit per supported ScalarType, as c10::DeviceCapability wants it.
uint64_t supported_scalar_type_bits() noexcept;

}  // namespace lanewise::torch_backend
