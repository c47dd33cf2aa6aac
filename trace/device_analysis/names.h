// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// How rows name a run: one form in all tables.
#pragma once

#include <string>
#include <string_view>

#include "trace/device_analysis/dependencies.h"

namespace lanewise::trace::device_analysis {

// Names as the public lanes have them: "tensor", "vector", "scalar", "gpsimd", "sync".
std::string_view lane_name(isa::Engine engine);

// "sync[12]", with more than one core "1:sync[12]"; a run of the runtime's own work: "sync[-]".
std::string run_text(const device::DeviceProfile& profile, const device::InstructionRun& run);
// "DMA of sync[12]", or "DMA of queue q_sync_0".
std::string run_text(const device::DeviceProfile& profile, const device::DmaRun& run);
std::string node_text(const Dependencies& dependencies, uint32_t node);

// "x -> SBUF"; "" when neither side is known.
std::string direction_text(const device::DeviceProfile& profile, const device::DmaRun& run);
std::string place_text(const device::Operand& operand);

// What tables by module and line call the runs of which the launch says nothing.
inline constexpr char kUnknownSource[] = "unknown";

}  // namespace lanewise::trace::device_analysis
