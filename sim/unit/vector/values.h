// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What the Vector engine computes: in f32, except for copies and for operations that are exact on integers anywhere.
#pragma once

#include "base/status.h"
#include "sim/core/datapath.h"

namespace lanewise::sim::vector {

// Errors: unimplemented for an opcode this engine does not have; those of core/datapath.h.
Status run(const core::Work& work);

}  // namespace lanewise::sim::vector
