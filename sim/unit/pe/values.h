// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What the tensor engine computes.
#pragma once

#include "base/status.h"
#include "sim/core/datapath.h"

namespace lanewise::sim::pe {

// nc_matmul: every element is fma(a[k], b[k], sum) for k = 0, 1, ... K-1 in f32 from 0, then added to PSUM when the
// instruction accumulates. nc_transpose moves bits.
// Errors: unimplemented for an opcode this engine does not have; those of core/datapath.h.
Status run(const core::Work& work);

}  // namespace lanewise::sim::pe
