// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// DMA descriptors of a real NEFF (bytes, innermost dimension first, one flat on-chip address space) as the operands of
// our dma_copy (elements, outermost first, partitions apart).
#pragma once

#include "base/status.h"
#include "isa/instruction.h"
#include "trace/import/neff/real_neff.h"

namespace lanewise::lab {

// A dma_copy without engine, queue and semaphores. Variables become buffers by their index in `core`.
// Errors: unimplemented or data_loss, with the descriptor's sides in the sentence.
Result<isa::Instruction> dma_copy(const trace::neff::Core& core, const trace::neff::DmaElement& element);

}  // namespace lanewise::lab
