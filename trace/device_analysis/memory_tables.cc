// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "trace/device_analysis/intervals.h"
#include "trace/device_analysis/lifetimes.h"
#include "trace/device_analysis/names.h"
#include "trace/device_analysis/traffic.h"

namespace lanewise::trace::device_analysis {
namespace {

using device::kNone;
using device::Space;

Table tensors_table(const device::DeviceProfile& profile, const Traffic& t) {
  Table table("tensors", {{"tensor", ColumnType::text}, {"kind", ColumnType::text}, {"dtype", ColumnType::text}, {"bytes", ColumnType::bytes}, {"read_bytes", ColumnType::bytes},
                          {"written_bytes", ColumnType::bytes}, {"read_times", ColumnType::real}, {"written_times", ColumnType::real}, {"transfers", ColumnType::count},
                          {"average_descriptor_bytes", ColumnType::bytes}});
  const auto times = [](int64_t moved, int64_t size) { return size > 0 ? static_cast<double>(moved) / static_cast<double>(size) : 0; };
  for (size_t i = 0; i < t.tensors.size(); ++i) {
    const device::Tensor& tensor = profile.program.tensors[i];
    const TensorTraffic& sum = t.tensors[i];
    table.row().text(tensor.name).text(tensor.kind).text(tensor.dtype).integer(tensor.bytes).integer(sum.read).integer(sum.written).real(times(sum.read, tensor.bytes))
        .real(times(sum.written, tensor.bytes)).integer(sum.transfers).integer(sum.descriptors > 0 ? (sum.read + sum.written) / sum.descriptors : 0);
  }
  return table;
}

Table totals_table(const Traffic& t) {
  Table table("totals", {{"what", ColumnType::text}, {"bytes", ColumnType::bytes}, {"meaning", ColumnType::text}});
  const auto row = [&](std::string_view what, int64_t bytes, std::string_view meaning) { table.row().text(what).integer(bytes).text(meaning); };
  row("hbm_minimum", t.minimum_read + t.minimum_written, "every input, weight and output once");
  row("hbm_actual", t.hbm_read + t.hbm_written, "read and written by DMAs");
  row("hbm_read", t.hbm_read, "from HBM");
  row("hbm_written", t.hbm_written, "to HBM");
  row("reloads", t.reloads, "of inputs and weights beyond the first time");
  row("rewrites", t.rewrites, "of outputs beyond the first time");
  row("spill_save", t.spill_save, "written to scratch");
  row("spill_reload", t.spill_reload, "read from scratch");
  row("unknown", t.unknown, "of DMAs whose sides the program does not name");
  return table;
}

// What holds at the begin of a span comes first, then what changes in it.
std::vector<Occupancy> samples_within(const std::vector<Occupancy>& samples, const Interval& span) {
  std::vector<Occupancy> out;
  for (const Occupancy& o : samples) {
    if (o.at >= span.end) continue;
    if (o.at > span.begin) {
      out.push_back(o);
      continue;
    }
    if (!out.empty() && out.back().core == o.core) out.pop_back();
    out.push_back(o);
    out.back().at = span.begin;
  }
  return out;
}

// Peak and mean over what is looked at, mean weighted with time.
Table spaces_table(const Subject& subject, const std::vector<Occupancy>& samples) {
  Table table("spaces", {{"core", ColumnType::integer}, {"space", ColumnType::text}, {"capacity_bytes", ColumnType::bytes}, {"peak_bytes", ColumnType::bytes},
                         {"peak_at_ps", ColumnType::ps}, {"mean_bytes", ColumnType::bytes}, {"peak_share", ColumnType::real}});
  const auto& memory = subject.machine.memory;
  const Interval looked_at = subject.looked_at();
  const Picos end = looked_at.end, length = looked_at.end - looked_at.begin;
  for (uint16_t core = 0; core < core_count(subject.profile); ++core) {
    for (const bool psum : {false, true}) {
      const int64_t capacity = memory.partitions * (psum ? memory.psum_banks * memory.psum_bank_bytes : memory.sbuf_partition_bytes);
      int64_t peak = 0;
      Picos peak_at;
      double weighted = 0;
      for (size_t i = 0; i < samples.size(); ++i) {
        if (samples[i].core != core) continue;
        const int64_t bytes = psum ? samples[i].psum : samples[i].sbuf;
        if (bytes > peak) peak = bytes, peak_at = samples[i].at;
        const Picos until = i + 1 < samples.size() && samples[i + 1].core == core ? samples[i + 1].at : end;
        weighted += static_cast<double>(bytes) * static_cast<double>((until - samples[i].at).value);
      }
      table.row().integer(core).text(psum ? "PSUM" : "SBUF").integer(capacity).integer(peak).integer(peak_at.value)
          .integer(length.value > 0 ? static_cast<int64_t>(weighted / static_cast<double>(length.value)) : 0)
          .real(capacity > 0 ? static_cast<double>(peak) / static_cast<double>(capacity) : 0);
    }
  }
  return table;
}

Table occupancy_table(const std::vector<Occupancy>& samples) {
  Table table("occupancy", {{"core", ColumnType::integer}, {"at_ps", ColumnType::ps}, {"sbuf_bytes", ColumnType::bytes}, {"psum_bytes", ColumnType::bytes}});
  for (const Occupancy& o : samples) table.row().integer(o.core).integer(o.at.value).integer(o.sbuf).integer(o.psum);
  return table;
}

// Of a range all that lies there for a part of it.
Table lifetimes_table(const Subject& subject, const std::vector<Lifetime>& all) {
  const device::DeviceProfile& profile = subject.profile;
  Table table("lifetimes", {{"core", ColumnType::integer}, {"space", ColumnType::text}, {"partition", ColumnType::integer}, {"partitions", ColumnType::count}, {"address", ColumnType::integer},
                            {"bytes_per_partition", ColumnType::bytes}, {"bytes", ColumnType::bytes}, {"begin_ps", ColumnType::ps}, {"dur_ps", ColumnType::ps},
                            {"writes", ColumnType::count}, {"reads", ColumnType::count}, {"written_by", ColumnType::text}, {"ir_op", ColumnType::text}});
  for (const Lifetime& l : all) {
    if (subject.range && (l.end <= subject.range->begin || l.begin >= subject.range->end)) continue;
    const device::Instruction* in = l.writer == kNone ? nullptr : &profile.program.instructions[l.writer];
    const std::string by = in == nullptr ? "" : (l.by_dma ? "DMA of " : "") + std::string(lane_name(in->engine)) + "[" + std::to_string(in->index) + "]";
    table.row().integer(l.core).text(l.box.space == Space::psum ? "PSUM" : "SBUF").integer(l.box.partition).integer(l.box.partition_end - l.box.partition)
        .integer(l.box.begin).integer(l.box.end - l.box.begin).integer(l.box.bytes()).integer(l.begin.value).integer((l.end - l.begin).value).integer(l.writes)
        .integer(l.reads).text(by).text(in == nullptr ? "" : in->ir_op);
  }
  return table;
}

}  // namespace

Result<std::vector<Table>> memory_tables(const Subject& subject) {
  const Traffic t = traffic(subject);
  const std::vector<Lifetime> lives = lifetimes(subject.profile);
  std::vector<Occupancy> samples = occupancy(lives);
  if (subject.range) samples = samples_within(samples, subject.looked_at());
  std::vector<Table> tables;
  tables.push_back(tensors_table(subject.profile, t));
  tables.push_back(totals_table(t));
  tables.push_back(spaces_table(subject, samples));
  tables.push_back(occupancy_table(samples));
  tables.push_back(lifetimes_table(subject, lives));
  return tables;
}

}  // namespace lanewise::trace::device_analysis
