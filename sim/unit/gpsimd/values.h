// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What GpSimd computes: integers exactly in 64 bits, everything else in f32.
#pragma once

#include "base/status.h"
#include "sim/core/datapath.h"

namespace lanewise::sim::gpsimd {

// Errors: unimplemented for an opcode this engine does not have; those of core/datapath.h.
Status run(const core::Work& work);

}  // namespace lanewise::sim::gpsimd
