// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What a DMA moves.
#pragma once

#include "base/status.h"
#include "sim/core/memory.h"

namespace lanewise::sim::dma {

// Runs one dma_copy to the end. Equal dtypes move bit by bit, integers exactly, everything else through f32.
// Errors: out_of_range for an access outside a buffer or scratchpad, indexed rows included; the message names the row.
Status run(const core::Memory& memory, const isa::Instruction& in, const core::Registers& registers);

}  // namespace lanewise::sim::dma
