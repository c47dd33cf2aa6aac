// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The roofline: what bounds a program, an ATen node, an opcode.
//
// Each part asks every ceiling for the time it would need there at best:
//
//   compute   the longest of the engines. Tensor: FLOPs / peak of the operands' type, transposes, which occupy the array,
//             included. The others: elements of the largest operand / elements that the engine takes at best
//   hbm       bytes read from and written to HBM / the core's share of HBM
//   dma       bytes of all DMAs / all DMA engines at full rate
//   overhead  the execution's overhead; only the program as a whole has it
//
// The bound is the ceiling that needs most; headroom = time / that. Where even that ceiling needs less than half of the time, none of
// them explains it: the part waits (`latency`; see stalls and critical-path). Intensity counts useful FLOPs (without transposes)
// of all engines over bytes of HBM.
#pragma once

#include <string>
#include <vector>

#include "trace/device_analysis/options.h"

namespace lanewise::trace::device_analysis {

struct Demand {
  double compute = 0, hbm = 0, dma = 0, overhead = 0;   // seconds
};

struct RooflinePoint {
  std::string level;         // "program", "program with overhead", "aten_node", "module", "opcode"
  std::string name;
  Picos time;                // union of its runs and DMAs; of the program: total_time
  int64_t runs = 0;
  double flops = 0;          // useful
  double hbm_bytes = 0;
  std::string dtype;         // of the tensor engine's operands with most FLOPs, or empty
  isa::Engine engine = isa::Engine::sync;   // that needs most time at its ceiling
  Demand demand;
  std::string bound;         // "compute", "memory", "dma", "overhead", "latency"; "none" when it needs nothing
  double headroom = 1;       // time over the time of the highest ceiling
  std::string sentence;
};
std::vector<RooflinePoint> roofline(const Subject& subject);

struct Ceiling {
  std::string name, kind;    // kind: "compute" (FLOP/s or elements/s), "memory" (B/s), "overhead" (s)
  double value = 0;
  std::string unit, source;
};
std::vector<Ceiling> ceilings(const Subject& subject);

// Tables: points, ceilings.
Result<std::vector<Table>> roofline_tables(const Subject& subject);

}  // namespace lanewise::trace::device_analysis
