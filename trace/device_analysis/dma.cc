// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/device_analysis/dma.h"

#include <algorithm>
#include <bit>
#include <map>
#include <string>

#include "trace/device_analysis/intervals.h"
#include "trace/device_analysis/names.h"
#include "trace/device_analysis/peaks.h"

namespace lanewise::trace::device_analysis {
namespace {

using device::kNone;

int64_t descriptor_bytes(const device::DmaRun& run) { return run.descriptors > 0 ? run.bytes / run.descriptors : run.bytes; }

// GB/s, 0 for no time.
double gigabytes_per_second(int64_t bytes, Picos time) { return time.value <= 0 ? 0 : static_cast<double>(bytes) / static_cast<double>(time.value) * 1e3; }

struct Sum {
  int64_t transfers = 0, descriptors = 0, bytes = 0;
  std::vector<Interval> spans;

  void add(const device::DmaRun& run) {
    ++transfers;
    descriptors += run.descriptors;
    bytes += run.bytes;
    spans.push_back({run.begin, run.end});
  }
};

// Spans of different cores lie side by side: the union is taken core by core by the caller's key.
Table sizes_table(const Subject& subject) {
  std::map<std::pair<int64_t, uint16_t>, Sum> sums;
  for (const device::DmaRun& run : subject.profile.dmas) {
    if (!subject.holds(run.begin)) continue;
    const int64_t size = descriptor_bytes(run);
    sums[{size <= 0 ? 0 : static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(size))), run.core}].add(run);
  }
  Table table("sizes", {{"from_bytes", ColumnType::bytes}, {"below_bytes", ColumnType::bytes}, {"transfers", ColumnType::count}, {"descriptors", ColumnType::count},
                        {"bytes", ColumnType::bytes}, {"active_ps", ColumnType::ps}, {"gb_per_s", ColumnType::real}, {"small", ColumnType::flag}});
  for (auto at = sums.begin(); at != sums.end();) {
    const int64_t from = at->first.first;
    Sum all;
    Picos active;
    for (; at != sums.end() && at->first.first == from; ++at) {
      all.transfers += at->second.transfers;
      all.descriptors += at->second.descriptors;
      all.bytes += at->second.bytes;
      active += total(merged(std::move(at->second.spans)));
    }
    table.row().integer(from).integer(from == 0 ? 1 : 2 * from).integer(all.transfers).integer(all.descriptors).integer(all.bytes).integer(active.value)
        .real(gigabytes_per_second(all.bytes, active)).integer(from < kFairDescriptorBytes);
  }
  return table;
}

Table queues_table(const Subject& subject) {
  const device::DeviceProfile& profile = subject.profile;
  std::map<std::pair<uint16_t, uint32_t>, Sum> sums;
  for (const device::DmaRun& run : profile.dmas) {
    if (subject.holds(run.begin)) sums[{run.core, run.queue}].add(run);
  }
  Table table("queues", {{"core", ColumnType::integer}, {"queue", ColumnType::text}, {"engine", ColumnType::text}, {"transfers", ColumnType::count}, {"descriptors", ColumnType::count},
                         {"bytes", ColumnType::bytes}, {"active_ps", ColumnType::ps}, {"gb_per_s", ColumnType::real}, {"of_hbm_share", ColumnType::real}});
  for (auto& [key, sum] : sums) {
    const Picos active = total(merged(std::move(sum.spans)));
    const double rate = gigabytes_per_second(sum.bytes, active);
    auto row = table.row();
    row.integer(key.first);
    if (key.second == kNone) row.text("-").text("-");
    else row.text(profile.program.queues[key.second].name).text(lane_name(profile.program.queues[key.second].engine));
    row.integer(sum.transfers).integer(sum.descriptors).integer(sum.bytes).integer(active.value).real(rate).real(rate * 1e9 / hbm_share(subject.machine));
  }
  return table;
}

Table regions_table(const std::vector<SmallRegion>& regions) {
  Table table("small_regions", {{"core", ColumnType::integer}, {"begin_ps", ColumnType::ps}, {"dur_ps", ColumnType::ps}, {"active_ps", ColumnType::ps}, {"transfers", ColumnType::count},
                                {"descriptors", ColumnType::count}, {"bytes", ColumnType::bytes}, {"average_bytes", ColumnType::bytes}, {"gb_per_s", ColumnType::real},
                                {"at_full_rate_ps", ColumnType::ps}, {"sentence", ColumnType::text}});
  for (const SmallRegion& r : regions) {
    table.row().integer(r.core).integer(r.begin.value).integer((r.end - r.begin).value).integer(r.active.value).integer(r.transfers).integer(r.descriptors).integer(r.bytes)
        .integer(average_bytes(r)).real(gigabytes_per_second(r.bytes, r.active)).integer(r.at_full_rate.value)
        .text(region_sentence(r));
  }
  table.sort(3, true);
  return table;
}

Table transfers_table(const Subject& subject) {
  const device::DeviceProfile& profile = subject.profile;
  Table table("transfers", {{"core", ColumnType::integer}, {"begin_ps", ColumnType::ps}, {"dur_ps", ColumnType::ps}, {"run", ColumnType::text}, {"queue", ColumnType::text},
                            {"dma_engine", ColumnType::integer}, {"what", ColumnType::text}, {"bytes", ColumnType::bytes}, {"descriptors", ColumnType::count},
                            {"average_bytes", ColumnType::bytes}, {"start_ps", ColumnType::ps}, {"completion_ps", ColumnType::ps}, {"gb_per_s", ColumnType::real},
                            {"ir_op", ColumnType::text}, {"aten_node", ColumnType::text}});
  for (const device::DmaRun& run : profile.dmas) {
    if (!subject.holds(run.begin)) continue;
    auto row = table.row();
    row.integer(run.core).integer(run.begin.value).integer((run.end - run.begin).value).text(run_text(profile, run))
        .text(run.queue == kNone ? "" : profile.program.queues[run.queue].name);
    run.dma_engine == UINT16_MAX ? row.null() : row.integer(run.dma_engine);
    row.text(direction_text(profile, run)).integer(run.bytes).integer(run.descriptors).integer(descriptor_bytes(run));
    run.triggered.value < 0 ? row.null() : row.integer((run.begin - run.triggered).value);
    run.visible.value < 0 ? row.null() : row.integer((run.visible - run.end).value);
    const device::Instruction* in = run.trigger == kNone ? nullptr : &profile.program.instructions[run.trigger];
    row.real(gigabytes_per_second(run.bytes, run.end - run.begin)).text(in == nullptr ? "" : in->ir_op).text(in == nullptr ? "" : in->aten_node);
  }
  return table;
}

}  // namespace

int64_t average_bytes(const SmallRegion& region) { return region.descriptors > 0 ? region.bytes / region.descriptors : 0; }

std::string region_sentence(const SmallRegion& region) {
  return std::to_string(region.descriptors) + " descriptors of " + std::to_string(average_bytes(region)) + " B on average; make them at least " + std::to_string(kFullDescriptorBytes) +
         " B: longer contiguous rows, or fewer and larger transfers";
}

std::vector<SmallRegion> small_regions(const Subject& subject) {
  const device::DeviceProfile& profile = subject.profile;
  std::vector<SmallRegion> regions;
  for (uint16_t core = 0; core < core_count(profile); ++core) {
    Sum sum;
    const auto close = [&] {
      if (sum.transfers == 0) return;
      SmallRegion r;
      r.core = core;
      r.transfers = sum.transfers;
      r.descriptors = sum.descriptors;
      r.bytes = sum.bytes;
      const std::vector<Interval> spans = merged(std::move(sum.spans));
      if (!spans.empty()) r.begin = spans.front().begin, r.end = spans.back().end;
      r.active = total(spans);
      r.at_full_rate = Picos(static_cast<int64_t>(static_cast<double>(r.bytes) / hbm_share(subject.machine) * 1e12));
      regions.push_back(r);
      sum = Sum();
    };
    for (const device::DmaRun& run : profile.dmas) {
      if (run.core != core || run.setup || !subject.holds(run.begin)) continue;
      if (descriptor_bytes(run) < kFairDescriptorBytes) sum.add(run);
      else close();
    }
    close();
  }
  return regions;
}

Result<std::vector<Table>> dma_tables(const Subject& subject) {
  std::vector<Table> tables;
  tables.push_back(sizes_table(subject));
  tables.push_back(queues_table(subject));
  tables.push_back(regions_table(small_regions(subject)));
  tables.push_back(transfers_table(subject));
  return tables;
}

}  // namespace lanewise::trace::device_analysis
