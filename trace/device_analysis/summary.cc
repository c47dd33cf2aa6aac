// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/device_analysis/metrics.h"
#include "trace/device_analysis/names.h"
#include "trace/device_analysis/peaks.h"

namespace lanewise::trace::device_analysis {
namespace {

class Rows {
 public:
  explicit Rows(const Metrics& m)
      : m_(m), with_(m.total_time + m.overhead),
        table_("metrics", {{"metric", ColumnType::text}, {"value", ColumnType::real}, {"with_overhead", ColumnType::real}, {"unit", ColumnType::text}, {"formula", ColumnType::text}}) {}

  // The overhead is no part of it.
  void plain(std::string_view name, double value, std::string_view unit, std::string_view formula) {
    table_.row().text(name).real(value).null().text(unit).text(formula);
  }
  void both(std::string_view name, double value, double with_overhead, std::string_view unit, std::string_view formula) {
    table_.row().text(name).real(value).real(with_overhead).text(unit).text(formula);
  }
  void share(std::string_view name, Picos part, std::string_view formula) {
    both(name, of(part, m_.total_time), of(part, with_), "of 1", formula);
  }
  Picos with() const { return with_; }
  Table take() { return std::move(table_); }

 private:
  static double of(Picos part, Picos total) { return total.value <= 0 ? 0 : static_cast<double>(part.value) / static_cast<double>(total.value); }
  const Metrics& m_;
  Picos with_;
  Table table_;
};

}  // namespace

Result<std::vector<Table>> summary_tables(const Subject& subject) {
  const Metrics m = metrics(subject);
  const machine::Machine& machine = subject.machine;
  Rows rows(m);
  const Picos total = m.total_time, with = rows.with();
  const auto us = [](Picos t) { return static_cast<double>(t.value) * 1e-6; };
  rows.both("total_time", us(total), us(with), "us", "start to stop of the run, idle gaps inside count");
  rows.plain("total_exec_time", us(m.total_exec_time), "us", "first to last real instruction or DMA");
  rows.plain("exec_overhead", static_cast<double>(subject.profile.exec_overhead_ns) / 1e3, "us", "of every execution, before and after the program");
  rows.plain("device_capture_overhead", static_cast<double>(subject.profile.device_capture_overhead_ns) / 1e3, "us", "added while the device capture is on");
  rows.plain("total_active_time", us(m.total_active_time), "us", "union of engines and DMAs");
  rows.share("total_active_share", m.total_active_time, "total_active_time / total_time");
  for (int e = 0; e < isa::kEngineCount; ++e) {
    const std::string name(lane_name(static_cast<isa::Engine>(e)));
    rows.plain(name + "_active_time", us(m.engines[e].active), "us", "union of its runs, waits for semaphores left out");
    rows.share(name + "_active_share", m.engines[e].active, name + "_active_time / total_time");
  }
  rows.plain("dma_active_time", us(m.dma.active), "us", "at least one DMA moves");
  rows.share("dma_active_share", m.dma.active, "dma_active_time / total_time");
  rows.plain("hardware_flops", static_cast<double>(m.hardware_flops), "FLOP", "sum over matmuls of 2 x rows x columns x moving columns");
  rows.plain("transpose_flops", static_cast<double>(m.transpose_flops), "FLOP", "part of hardware_flops that only moves data");
  rows.both("mfu", mfu(m, machine, total), mfu(m, machine, with), "of 1", "(hardware_flops - transpose_flops) / (peak_ops x total_time)");
  rows.both("hfu", hfu(m, machine, total), hfu(m, machine, with), "of 1", "hardware_flops / (peak_ops x total_time)");
  rows.both("mbu", mbu(m, machine, total), mbu(m, machine, with), "of 1", "(hbm_read + hbm_write) / total_time / peak of one HBM stack");
  rows.both("mbu_of_share", mbu_of_share(m, machine, total), mbu_of_share(m, machine, with), "of 1", "the same, of what this core may draw");
  rows.plain("arithmetic_intensity", arithmetic_intensity(m), "FLOP/B", "(hardware_flops - transpose_flops) / (hbm_read + hbm_write)");
  rows.plain("peak_flops_bandwidth_ratio", peak_ops(machine) / hbm_stack(machine), "FLOP/B", "peak_ops / peak of one HBM stack");
  rows.plain("peak_ops", peak_ops(machine), "FLOP/s", "2 x rows x columns x clock of the tensor engine");
  const Traffic& t = m.traffic;
  rows.plain("hbm_read", static_cast<double>(t.hbm_read), "B", "by DMAs");
  rows.plain("hbm_write", static_cast<double>(t.hbm_written), "B", "by DMAs");
  rows.plain("hbm_minimum", static_cast<double>(t.minimum_read + t.minimum_written), "B", "inputs, weights and outputs once");
  rows.plain("spill_save", static_cast<double>(t.spill_save), "B", "written to scratch");
  rows.plain("spill_reload", static_cast<double>(t.spill_reload), "B", "read from scratch");
  rows.plain("dma_transfers", static_cast<double>(m.dma.transfers), "", "transfers, not descriptors");
  rows.plain("average_dma_size", m.dma.transfers == 0 ? 0 : static_cast<double>(m.dma.bytes) / static_cast<double>(m.dma.transfers), "B", "bytes / transfers");
  rows.plain("average_descriptor_size", m.dma.packets == 0 ? 0 : static_cast<double>(m.dma.bytes) / static_cast<double>(m.dma.packets), "B", "bytes / descriptors");
  rows.plain("tensor_throttled_time", us(m.throttled), "us", "matmuls at reduced clock, overlaps added");
  std::vector<Table> tables;
  tables.push_back(rows.take());
  return tables;
}

}  // namespace lanewise::trace::device_analysis
