// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// A stage that only moves bytes needs no SBUF: one DMA from device memory to device memory takes half the way. It is one
// when both sides walk the same runs (at least some descriptors' worth) and fit the six dimensions of a pattern.
#pragma once

#include <vector>

#include "compiler/stage/stage.h"

namespace lanewise::compiler::stage {

// Makes the stage a copy stage if it can be one. Its atoms then are in the order of the pattern, outermost first.
void find_copy(Stage& stage);

}  // namespace lanewise::compiler::stage
