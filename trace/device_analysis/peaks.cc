// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/device_analysis/peaks.h"

#include "trace/device_analysis/operands.h"

namespace lanewise::trace::device_analysis {
namespace {

double hz(Clock clock) { return static_cast<double>(clock.khz) * 1e3; }

}  // namespace

double peak_ops(const machine::Machine& m) { return 2.0 * static_cast<double>(m.memory.partitions * kPeColumns) * hz(m.pe.clock); }

double tensor_peak(const machine::Machine& m, std::string_view dtype) {
  const int64_t width = dtype_bytes(dtype);
  if (width >= 4) return peak_ops(m) / static_cast<double>(m.pe.fp32_passes * m.pe.fp32_cycles_per_column);
  if (width == 1) return peak_ops(m) * static_cast<double>(m.pe.columns_cycles_fp8_den) / static_cast<double>(m.pe.columns_cycles_fp8_num);
  return peak_ops(m) * static_cast<double>(m.pe.columns_cycles_16bit_den) / static_cast<double>(m.pe.columns_cycles_16bit_num);
}

double element_peak(const machine::Machine& m, isa::Engine engine, std::string_view dtype) {
  constexpr double kBestMode = 4;
  const auto lanes = static_cast<double>(m.memory.partitions);
  switch (engine) {
    case isa::Engine::vector: return lanes * hz(m.vector.clock) * (m.vector.perf_modes && dtype_bytes(dtype) <= 2 ? kBestMode : 1);
    case isa::Engine::scalar: return lanes * hz(m.scalar.clock);
    case isa::Engine::gpsimd: return lanes * hz(m.gpsimd.clock);
    case isa::Engine::pe:
    case isa::Engine::sync: return 0;
  }
  return 0;
}

double hbm_share(const machine::Machine& m) { return static_cast<double>(m.dma.hbm_bytes_per_second); }
double hbm_stack(const machine::Machine& m) { return hbm_share(m) * static_cast<double>(m.chip.cores_per_hbm_stack); }
double dma_peak(const machine::Machine& m) { return static_cast<double>(m.dma.engines * m.dma.bytes_per_cycle) * hz(m.dma.clock); }

double bf16_equivalent(std::string_view dtype) {
  const int64_t width = dtype_bytes(dtype);
  return width >= 4 ? 4 : width == 1 ? 0.5 : 1;
}

}  // namespace lanewise::trace::device_analysis
