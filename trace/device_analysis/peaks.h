// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What the machine could do at most, from the machine file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "isa/instruction.h"
#include "machine/machine.h"

namespace lanewise::trace::device_analysis {

// Columns of the systolic array; its rows are the partitions. Source: NKI architecture guides, 128 x 128 in every generation.
inline constexpr int64_t kPeColumns = 128;

// FLOP/s of one tensor engine for operands of a public element type: 2 x rows x columns x clock, over the cycles that a moving
// column of that type takes. 16-bit when the type is not known.
double tensor_peak(const machine::Machine& machine, std::string_view dtype);
// The public "peak ops" of MFU and HFU: 2 x rows x columns x clock.
double peak_ops(const machine::Machine& machine);
// Elements/s of Vector, Scalar or GpSimd at best: a lane takes one element a cycle; the Vector engine's best mode takes four of
// 16 bit (public guides of trn2 and later; vector.perf_modes). An element may get several operations on its way. 0: Tensor, Sync.
double element_peak(const machine::Machine& machine, isa::Engine engine, std::string_view dtype);
// bytes/s: the share of one core; a stack of HBM, which cores_per_hbm_stack share; all DMA engines of a core.
double hbm_share(const machine::Machine& machine);
double hbm_stack(const machine::Machine& machine);
double dma_peak(const machine::Machine& machine);

// FLOPs of a type in FLOPs of bfloat16 (public factors: float32 4, 8 bit 0.5, else 1).
double bf16_equivalent(std::string_view dtype);

}  // namespace lanewise::trace::device_analysis
