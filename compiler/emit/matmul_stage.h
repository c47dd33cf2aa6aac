// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Emits a stage with a matmul: result[m, n] = sum over k of a[m, k] * b[k, n], then the stage's pointwise epilogue.
//
//   for loops that b depends on (batch)
//     for panels of columns            b[all k, panel] comes to SBUF once, block by block
//       for loops that only a depends on, for tiles of 128 rows
//         a[tile, all k]^T             brought one tile ahead, so that the PE never waits for a transpose
//         for blocks of 512 columns    one PSUM bank: all of k accumulates there, then the epilogue takes it out
//
// A panel is as wide as SBUF allows, since a is read once a panel. Where k is so long that not even 512 columns of b
// fit, k is streamed instead: a block of 4 x 128 rows and 512 columns holds four PSUM banks while slices of a and b pass
// by (per slice the DMA then moves what the PE multiplies in about the same time).
#pragma once

#include "base/status.h"
#include "compiler/emit/writer.h"
#include "compiler/stage/stage.h"

namespace lanewise::compiler::emit {

// Errors: unimplemented for integer operands.
Status emit_matmul_stage(const stage::Stage& stage, Writer& writer);

}  // namespace lanewise::compiler::emit
