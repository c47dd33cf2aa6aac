// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <map>

#include "trace/device_analysis/intervals.h"
#include "trace/device_analysis/lifetimes.h"
#include "trace/device_analysis/names.h"
#include "trace/device_analysis/public_schema.h"
#include "trace/device_analysis/public_tables.h"
#include "trace/device_analysis/traffic.h"

namespace lanewise::trace::device_analysis {
namespace {

using device::kNone;
using device::Space;

constexpr std::array<int32_t, 4> kSampled = {0, 32, 64, 96};   // partitions that the public tables sample
constexpr size_t kPublicBanks = 8;                             // of PSUM, in the public table

double part(int64_t of, int64_t all) { return all > 0 ? static_cast<double>(of) / static_cast<double>(all) : 0; }

// Bytes of a box within one partition range and byte range.
int64_t overlap(int64_t a, int64_t b, int64_t from, int64_t to) { return std::max<int64_t>(0, std::min(b, to) - std::max(a, from)); }

void add_memory_use(const PublicBuilder& b, const std::vector<Lifetime>& lives) {
  const auto& memory = b.subject.machine.memory;
  struct Use {
    int64_t sbuf = 0, psum = 0;
    std::array<int64_t, kSampled.size()> sampled{};
    std::array<int64_t, kPublicBanks> banks{};
    bool sbuf_changed = false, psum_changed = false;
  };
  std::map<std::pair<uint16_t, int64_t>, Use> changes;   // (core, ns)
  for (const Lifetime& l : lives) {
    for (const auto& [at, sign] : {std::pair(ns_down(l.begin), int64_t{1}), std::pair(ns_up(l.end), int64_t{-1})}) {
      Use& use = changes[{l.core, at}];
      const int64_t width = l.box.end - l.box.begin;
      if (l.box.space == Space::sbuf) {
        use.sbuf_changed = true;
        use.sbuf += sign * l.box.bytes();
        for (size_t i = 0; i < kSampled.size(); ++i) {
          if (l.box.partition <= kSampled[i] && kSampled[i] < l.box.partition_end) use.sampled[i] += sign * width;
        }
      } else {
        use.psum_changed = true;
        use.psum += sign * l.box.bytes();
        for (size_t i = 0; i < kPublicBanks; ++i) {
          const auto from = static_cast<int64_t>(i) * memory.psum_bank_bytes;
          use.banks[i] += sign * overlap(l.box.begin, l.box.end, from, from + memory.psum_bank_bytes) * (l.box.partition_end - l.box.partition);
        }
      }
    }
  }
  PublicTable sbuf("SbufUsage"), psum("PsumUsage");
  std::map<uint16_t, Use> now;
  for (const auto& [key, change] : changes) {
    Use& use = now[key.first];
    use.sbuf += change.sbuf;
    use.psum += change.psum;
    for (size_t i = 0; i < kSampled.size(); ++i) use.sampled[i] += change.sampled[i];
    for (size_t i = 0; i < kPublicBanks; ++i) use.banks[i] += change.banks[i];
    if (change.sbuf_changed) {
      sbuf.row().set("timestamp", key.second).set("pcore_idx", key.first).set_real("avg_util_percent", part(use.sbuf, memory.partitions * memory.sbuf_partition_bytes));
      for (size_t i = 0; i < kSampled.size(); ++i)
        sbuf.set_real("partition_" + std::to_string(kSampled[i]) + "_util_percent", part(use.sampled[i], memory.sbuf_partition_bytes));
    }
    if (change.psum_changed) {
      psum.row().set("timestamp", key.second).set("pcore_idx", key.first)
          .set_real("avg_util_percent", part(use.psum, memory.partitions * memory.psum_banks * memory.psum_bank_bytes));
      for (size_t i = 0; i < kPublicBanks; ++i) psum.set_real("bank_" + std::to_string(i) + "_util_percent", part(use.banks[i], memory.partitions * memory.psum_bank_bytes));
    }
  }
  b.add(std::move(sbuf), "nothing was written to SBUF");
  b.add(std::move(psum), "nothing was written to PSUM");
}

void add_allocations(const PublicBuilder& b, const std::vector<Lifetime>& lives) {
  const device::Program& program = b.subject.profile.program;
  PublicTable t("SbufAllocation");
  for (const Lifetime& l : lives) {
    if (l.box.space != Space::sbuf) continue;
    for (const int32_t partition : kSampled) {
      if (partition < l.box.partition || partition >= l.box.partition_end) continue;
      t.row().set("start_ts", ns_down(l.begin)).set("end_ts", ns_up(l.end)).set("start_address", l.box.begin).set("end_address", l.box.end - 1).set("partition", int64_t{partition})
          .set("op_source_type", l.by_dma ? "dma" : "instruction").set("pcore_idx", l.core);
      if (l.writer == kNone) continue;
      const device::Instruction& in = program.instructions[l.writer];
      if (!in.ir_op.empty()) t.set("hlo_name", in.ir_op);
      if (!l.by_dma) t.set("opcode", in.opcode).set("operands", in.text);
      else if (in.queue != kNone) t.set("queue_name", program.queues[in.queue].name).set("block_id", int64_t{l.writer});
    }
  }
  b.add(std::move(t), "nothing was written to SBUF");
}

// Throughput as steps: where a DMA begins or ends. `hbm`: only bytes of HBM count.
void add_throughput(const PublicBuilder& b, const char* name, bool hbm) {
  const device::DeviceProfile& p = b.subject.profile;
  const std::vector<Moved> all = moved(p);
  struct Step {
    double rate = 0;     // bytes/s that begin or end
    int64_t done = 0;
  };
  std::map<std::pair<uint16_t, int64_t>, Step> steps;
  for (size_t i = 0; i < p.dmas.size(); ++i) {
    const device::DmaRun& run = p.dmas[i];
    const Moved& m = all[i];
    const int64_t bytes = hbm ? (m.from == Space::hbm ? m.read : 0) + (m.to == Space::hbm ? m.written : 0) : run.bytes;
    if (bytes == 0 || run.end <= run.begin) continue;
    const double rate = static_cast<double>(bytes) / static_cast<double>((run.end - run.begin).value) * 1e12;
    steps[{run.core, ns_down(run.begin)}].rate += rate;
    Step& end = steps[{run.core, ns_up(run.end)}];
    end.rate -= rate;
    end.done += bytes;
  }
  PublicTable t(name);
  std::map<uint16_t, Step> now;
  for (const auto& [key, step] : steps) {
    Step& s = now[key.first];
    s.rate = std::max(0.0, s.rate + step.rate);
    s.done += step.done;
    t.row().set("timestamp", key.second).set_real("current_throughput", s.rate).set("total_transfer_bytes", s.done).set("pcore_idx", key.first);
  }
  b.add(std::move(t), hbm ? "no DMA is known to have used HBM" : "the program moved nothing");
}

void add_pending(const PublicBuilder& b) {
  std::map<std::pair<uint16_t, int64_t>, int64_t> changes;
  for (const device::DmaRun& run : b.subject.profile.dmas) {
    ++changes[{run.core, ns_down(run.triggered.value >= 0 ? run.triggered : run.begin)}];
    --changes[{run.core, ns_up(done(run))}];
  }
  PublicTable t("PendingDma");
  std::map<uint16_t, int64_t> now;
  for (const auto& [key, change] : changes) t.row().set("timestamp", key.second).set("value", now[key.first] += change).set("pcore_idx", key.first);
  b.add(std::move(t), "the program moved nothing");
}

// Spans in which the array ran at a part of its clock: as recorded, or where throttled runs lie.
void add_throttle(const PublicBuilder& b) {
  const device::DeviceProfile& p = b.subject.profile;
  PublicTable events("Throttle"), sums("ThrottleSummary");
  const Picos end = whole(p);
  for (uint16_t core = 0; core < core_count(p); ++core) {
    struct Span {
      Interval at;
      double limit;
    };
    std::vector<Span> spans;
    for (size_t i = 0; i < p.pe_limits.size(); ++i) {
      if (p.pe_limits[i].core != core || p.pe_limits[i].limit >= 1) continue;
      Picos until = end;
      for (size_t j = i + 1; j < p.pe_limits.size() && until == end; ++j) {
        if (p.pe_limits[j].core == core) until = p.pe_limits[j].at;
      }
      spans.push_back({{p.pe_limits[i].at, until}, p.pe_limits[i].limit});
    }
    if (p.pe_limits.empty() && b.subject.machine.pe.throttle_factor > 1) {
      std::vector<Interval> runs;
      for (const device::InstructionRun& run : p.instructions) {
        if (run.core == core && run.throttled) runs.push_back({run.begin, run.end});
      }
      for (const Interval& i : merged(std::move(runs))) spans.push_back({i, 1.0 / static_cast<double>(b.subject.machine.pe.throttle_factor)});
    }
    constexpr int64_t kLevels = 100;
    Picos active;
    double lost = 0;
    for (const Span& s : spans) {
      events.row().set("timestamp", ns_down(s.at.begin)).set("duration", ns_up(s.at.end) - ns_down(s.at.begin)).set("k", static_cast<int64_t>(s.limit * kLevels + 0.5))
          .set("n", kLevels).set("type", "activity_0").set("pcore_idx", core);
      active += s.at.end - s.at.begin;
      lost += (1 - s.limit) * static_cast<double>((s.at.end - s.at.begin).value);
    }
    if (spans.empty() || end.value <= 0) continue;
    sums.row().set("nc_idx", int64_t{p.first_core} + core).set("throttle_type", "all").set("throttle_active_time_ns", ns_up(active))
        .set_real("throttle_active_time_percent", part(active.value, end.value))
        .set_real("max_achievable_util_with_throttling_percent", 1 - lost / static_cast<double>(end.value));
  }
  b.add(std::move(events), "the tensor engine was not throttled");
  b.add(std::move(sums), "the tensor engine was not throttled");
}

}  // namespace

void add_public_series(const PublicBuilder& builder) {
  const std::vector<Lifetime> lives = lifetimes(builder.subject.profile);
  add_memory_use(builder, lives);
  add_allocations(builder, lives);
  add_throughput(builder, "DmaUsage", false);
  add_throughput(builder, "HbmUsage", true);
  add_pending(builder);
  add_throttle(builder);
}

}  // namespace lanewise::trace::device_analysis
