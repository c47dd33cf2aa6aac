// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/estimate.h"

#include <algorithm>
#include <cstdlib>

#include "isa/sequencer.h"

namespace lanewise::compiler::emit {

using isa::Engine;
using isa::Instruction;
using isa::Opcode;
using isa::Tile;

namespace {

bool narrow(const Tile& t) { return t.present() && isa::dtype_bytes(t.dtype) == 2; }

Estimate pipelined(const Clock& clock, int64_t fixed, int64_t cycles, int64_t least) {
  return {clock.to_picos(Cycles(std::max(cycles, least))).value, clock.to_picos(Cycles(fixed + std::max(cycles, least))).value, 0};
}

int64_t elements(const Instruction& i) {
  return std::max(i.dst.elements_per_partition(), i.src0.present() ? i.src0.elements_per_partition() : 1);
}

Estimate vector(const Instruction& i, const machine::Machine& machine) {
  const auto& v = machine.vector;
  int64_t cycles = elements(i);
  if (i.op == Opcode::select) cycles *= 2;
  if (v.perf_modes && narrow(i.dst) && narrow(i.src0)) {
    if (i.op == Opcode::tensor_copy || i.op == Opcode::tensor_scalar) cycles /= 4;
    if (i.op == Opcode::tensor_tensor && narrow(i.src1)) cycles /= 2;
  } else if (i.op == Opcode::tensor_tensor) {
    cycles *= v.tensor_tensor_fp32_cycles;
  }
  return pipelined(v.clock, v.fixed_cycles, cycles, v.min_interval_cycles);
}

Estimate pe(const Instruction& i, const machine::Machine& machine) {
  const auto& p = machine.pe;
  const int64_t columns = i.op == Opcode::nc_matmul ? i.src1.elements_per_partition() : i.src0.partitions;
  const bool wide = isa::dtype_bytes(i.src0.dtype) == 4;
  const int64_t cycles = wide ? columns * p.fp32_passes * p.fp32_cycles_per_column : columns;
  const int64_t passes = wide ? p.fp32_passes : 1;
  const Picos least(2 * passes * p.hand_over_ps);   // a load and its columns a pass
  return {std::max(p.clock.to_picos(Cycles(cycles)), least).value, p.clock.to_picos(Cycles(p.fill_drain_cycles + cycles)).value, 0};
}

// Contiguous bytes at the end of a pattern.
int64_t run_bytes(const isa::Hbm& hbm) {
  int64_t run = 1;
  for (int d = hbm.rank; d-- > 0;) {
    if (hbm.dims[d].stride != run) break;
    run *= hbm.dims[d].count;
  }
  return run * isa::dtype_bytes(hbm.dtype);
}

Estimate dma(const Instruction& i, const machine::Machine& machine) {
  const auto& d = machine.dma;
  const isa::Hbm& hbm = i.hbm_src.present() ? i.hbm_src : i.hbm_dst;
  const Tile& tile = i.dst.present() ? i.dst : i.src0;
  int64_t bytes = hbm.elements() * isa::dtype_bytes(hbm.dtype);
  if (hbm.row_index.present()) bytes *= hbm.row_index.partitions;
  int64_t run = std::max<int64_t>(1, std::min(run_bytes(hbm), d.descriptor_max_bytes));
  int64_t engines = d.engines;
  if (tile.present()) {
    run = std::max<int64_t>(1, std::min(run, bytes / tile.partitions));
    engines = std::clamp<int64_t>(tile.partitions * d.engines / std::max<int64_t>(1, machine.memory.partitions), 1, d.engines);
  }
  const int64_t cycles = bytes / run * (run / std::max<int64_t>(1, d.bytes_per_cycle) + 1 + d.descriptor_cycles) / engines;
  const int64_t shared = static_cast<int64_t>(static_cast<double>(bytes) * 1e12 / static_cast<double>(std::max<int64_t>(1, d.hbm_bytes_per_second)));
  return {isa::sequencer(machine, i.engine).trigger_interval_ps, d.start_ps + d.drain_ps + d.completion_ps, std::max(d.clock.to_picos(Cycles(cycles)).value, shared)};
}

}  // namespace

Estimate estimate(const Instruction& i, const machine::Machine& machine) {
  if (i.op == Opcode::dma_copy) return dma(i, machine);
  switch (i.engine) {
    case Engine::vector: return vector(i, machine);
    case Engine::pe: return pe(i, machine);
    case Engine::scalar: {
      const auto& s = machine.scalar;
      const bool copies = i.op != Opcode::activation && i.op != Opcode::activation_reduce;
      return pipelined(s.clock, copies ? s.copy_fixed_cycles : s.function_fixed_cycles, elements(i), s.min_interval_cycles);
    }
    case Engine::gpsimd: {
      const auto& g = machine.gpsimd;
      const bool wide = isa::dtype_bytes(i.dst.dtype) == 8 || (i.src0.present() && isa::dtype_bytes(i.src0.dtype) == 8);
      return pipelined(g.clock, g.fixed_cycles, elements(i) * (wide ? g.int64_factor : 1), g.min_interval_cycles);
    }
    case Engine::sync: break;
  }
  return {};
}

}  // namespace lanewise::compiler::emit
