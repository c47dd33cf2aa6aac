// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What the Scalar engine computes.
#pragma once

#include "base/status.h"
#include "sim/core/datapath.h"

namespace lanewise::sim::scalar {

// activation: fn(src0 * scalar0 + scalar1); the product and the sum are rounded to f32 one after the other, and a scalar
// that is absent is not applied. activation_reduce also sums, per partition and in the order of core/reduce.h, what it
// wrote. Errors: unimplemented for an opcode this engine does not have; those of core/datapath.h.
Status run(const core::Work& work);

}  // namespace lanewise::sim::scalar
