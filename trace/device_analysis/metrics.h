// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The numbers of a profile as a whole, by their public definitions. docs/device_level.md has each formula with its source.
#pragma once

#include <array>
#include <cstdint>

#include "trace/device_analysis/options.h"
#include "trace/device_analysis/traffic.h"

namespace lanewise::trace::device_analysis {

struct EngineMetrics {
  Picos active;              // union of its runs; waits for semaphores are between runs and excluded
  Picos instruction_time;    // sum of its runs, overlaps added
  int64_t instructions = 0;  // runs
  int64_t flops = 0;
};

// How descriptors of a DMA came to be; public queue types.
enum class DmaOrigin : uint8_t { fixed, software, hardware };
struct DmaMetrics {
  Picos active;              // union over queues and engines
  Picos transfer_time;       // sum over transfers, overlaps added
  int64_t transfers = 0, packets = 0, bytes = 0;
};

// Of more than one core: times are means over the cores that ran anything (so that shares of total_time stay within 1), counts and bytes sums.
struct Metrics {
  Picos total_time;          // the whole capture
  Picos total_exec_time;     // first to last real instruction or DMA
  Picos total_active_time;   // union of engines and DMAs
  Picos exec_active_time;    // the part of it within total_exec_time
  Picos overhead;            // of the execution around the program: exec_overhead + device_capture_overhead
  int64_t cores = 1;
  std::array<EngineMetrics, isa::kEngineCount> engines;
  DmaMetrics dma;
  std::array<DmaMetrics, 3> dma_by_origin;   // by DmaOrigin
  int64_t matmuls = 0, activations = 0;
  Picos activation_time;
  int64_t hardware_flops = 0, transpose_flops = 0;   // of the tensor engine
  double adjusted_hardware_flops = 0, adjusted_transpose_flops = 0;   // bfloat16 equivalents
  Picos throttled;           // tensor engine at reduced clock
  Traffic traffic;
  int64_t sbuf_read = 0, sbuf_written = 0, psum_read = 0, psum_written = 0;   // engines and DMAs
  int64_t psum_to_sbuf_bytes = 0, psum_to_sbuf_count = 0;
  int64_t weight_bytes = 0, input_bytes = 0, output_bytes = 0;   // sizes of tensors
};
Metrics metrics(const Subject& subject);

// Ratios; `total` is total_time, with or without the overhead.
double seconds(Picos t);
double mfu(const Metrics& m, const machine::Machine& machine, Picos total);   // instruction form: transposes left out
double hfu(const Metrics& m, const machine::Machine& machine, Picos total);
double mbu(const Metrics& m, const machine::Machine& machine, Picos total);   // of one stack of HBM
double mbu_of_share(const Metrics& m, const machine::Machine& machine, Picos total);   // of what the cores may draw
double arithmetic_intensity(const Metrics& m);                                // FLOP per byte of HBM, tensor engine only

// Tables: metrics (value, value with overhead, unit, formula).
Result<std::vector<Table>> summary_tables(const Subject& subject);

}  // namespace lanewise::trace::device_analysis
