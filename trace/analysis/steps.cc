// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/analysis/steps.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>

#include "trace/analysis/intervals.h"

namespace lanewise::trace::analysis {
namespace {

using schema::EventTable;
using schema::Role;
using schema::Row;

enum Part : size_t { kKernel, kCommunication, kCopy, kRuntime, kDataLoader, kCpu, kParts };
// Old files call steps operators, and name a loader's range after its class.
constexpr std::string_view kLoaderPrefix = "enumerate(DataLoader)", kStepPrefix = "ProfilerStep#";

// When each kind of work was going on in a file, each without what stands before it.
std::array<Intervals, kParts> parts_of(const Model& model, uint32_t part, const Filter& filter) {
  const EventTable& events = model.events(part);
  const FileModel& file = model.file(part);
  const int64_t offset = model.offset_ns(part);
  std::array<Intervals, kParts> parts;
  std::vector<int8_t> known(model.session().strings().size(), -1);
  const auto known_name = [&](store::StringId name, const auto& test) {
    if (name == store::kNoString) return false;
    if (known[name] < 0) known[name] = test(model.session().text(name));
    return known[name] == 1;
  };
  for (const DeviceEvent& event : file.links.device_events) {
    if (!filter.device(event.device)) continue;
    const bool collective = known_name(events.name[event.row], [&](std::string_view n) { return model.session().producers().is_collective(n); });
    const Part kind = events.role_of(event.row) != Role::kernel ? kCopy : collective ? kCommunication : kKernel;
    parts[kind].push_back({event.start_ns + offset, event.end_ns + offset});
  }
  // 0 plain, 1 loader, 2 step
  std::fill(known.begin(), known.end(), int8_t{-1});
  const auto class_of = [&](store::StringId name) {
    if (name == store::kNoString) return int8_t{0};
    if (known[name] < 0) {
      const std::string_view text = model.session().text(name);
      known[name] = text.starts_with(kLoaderPrefix) ? 1 : text.starts_with(kStepPrefix) ? 2 : 0;
    }
    return known[name];
  };
  for (const Row row : file.nesting.order) {
    const Role role = events.role_of(row);
    if (role == Role::python) continue;
    const int8_t name_class = class_of(events.name[row]);
    const bool loader = name_class == 1;
    if ((role == Role::annotation && !loader) || name_class == 2) continue;
    const Part kind = loader ? kDataLoader : role == Role::runtime ? kRuntime : kCpu;
    parts[kind].push_back({events.ts_ns[row] + offset, slice_end(events, row) + offset});
  }
  Intervals before;
  for (Intervals& spans : parts) {
    spans = join_intervals(std::move(spans));
    Intervals own = subtract(spans, before);
    before.insert(before.end(), own.begin(), own.end());
    before = join_intervals(std::move(before));
    spans = std::move(own);
  }
  return parts;
}

int64_t length_within(const Intervals& spans, int64_t begin, int64_t end) {
  auto at = std::upper_bound(spans.begin(), spans.end(), begin, [](int64_t t, const Interval& s) { return t < s.end; });
  int64_t sum = 0;
  for (; at != spans.end() && at->begin < end; ++at) sum += std::min(at->end, end) - std::max(at->begin, begin);
  return sum;
}

int64_t median(std::vector<int64_t> values) {
  const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

struct Spread {
  int64_t min = 0, median = 0, mean = 0, max = 0, deviation = 0, outliers = 0;
};

bool is_outlier(const Spread& spread, int64_t duration) {
  const double far = static_cast<double>(std::abs(duration - spread.median));
  return far > 3 * 1.4826 * static_cast<double>(spread.deviation) && far > 0.05 * static_cast<double>(spread.median);
}

Spread spread_of(const std::vector<int64_t>& durations) {
  Spread spread;
  spread.min = *std::min_element(durations.begin(), durations.end());
  spread.max = *std::max_element(durations.begin(), durations.end());
  spread.median = median(durations);
  std::vector<int64_t> distances;
  int64_t sum = 0;
  for (const int64_t d : durations) {
    distances.push_back(std::abs(d - spread.median));
    sum += d;
  }
  spread.mean = sum / static_cast<int64_t>(durations.size());
  spread.deviation = median(std::move(distances));
  for (const int64_t d : durations) spread.outliers += is_outlier(spread, d);
  return spread;
}

}  // namespace

Result<std::vector<Table>> steps_tables(const Model& model, const Selection& selection) {
  LW_ASSIGN_OR_RETURN(const Filter filter, Filter::make(model, selection));
  Table rows("rows", {{"step", ColumnType::integer},  {"part", ColumnType::integer},        {"rank", ColumnType::integer},
                      {"start", ColumnType::ns},      {"dur_ns", ColumnType::ns},           {"kernel_ns", ColumnType::ns},
                      {"communication_ns", ColumnType::ns}, {"copy_ns", ColumnType::ns},    {"runtime_ns", ColumnType::ns},
                      {"dataloader_ns", ColumnType::ns}, {"cpu_ns", ColumnType::ns},        {"other_ns", ColumnType::ns},
                      {"asked_ns", ColumnType::ns},   {"outlier", ColumnType::flag}});
  Table spreads("spread", {{"part", ColumnType::integer}, {"steps", ColumnType::count}, {"min_ns", ColumnType::ns}, {"median_ns", ColumnType::ns},
                           {"mean_ns", ColumnType::ns},   {"max_ns", ColumnType::ns},   {"deviation_ns", ColumnType::ns}, {"outliers", ColumnType::count}});
  for (const FileModel& file : model.files()) {
    const uint32_t part = file.part;
    if (file.repeats || !filter.part(part)) continue;
    std::vector<const Step*> steps;
    std::vector<int64_t> durations;
    for (const Step& step : model.steps()) {
      if (step.part != part || !filter.time(part, step.start_ns)) continue;
      steps.push_back(&step);
      durations.push_back(step.end_ns - step.start_ns);
    }
    if (steps.empty()) continue;
    const Spread spread = spread_of(durations);
    std::map<const Step*, int64_t> asked;
    for (const DeviceEvent& event : file.links.device_events) {
      if (!filter.event(part, event)) continue;
      const Row row = event.op ? event.op.row : event.call ? event.call.row : event.row;
      if (const Step* step = model.step_around(part, model.start_ns(part, row))) asked[step] += event.end_ns - event.start_ns;
    }
    const auto parts = parts_of(model, part, filter);
    for (const Step* step : steps) {
      const int64_t duration = step->end_ns - step->start_ns;
      auto row = rows.row();
      row.integer(step->number).integer(part).integer(model.rank(part).value_or(kNullInteger));
      row.integer(step->start_ns - model.begin_ns()).integer(duration);
      int64_t other = duration;
      for (const Intervals& spans : parts) {
        const int64_t ns = length_within(spans, step->start_ns, step->end_ns);
        other -= ns;
        row.integer(ns);
      }
      row.integer(other).integer(asked[step]).integer(is_outlier(spread, duration));
    }
    auto row = spreads.row();
    row.integer(part).integer(static_cast<int64_t>(steps.size())).integer(spread.min).integer(spread.median);
    row.integer(spread.mean).integer(spread.max).integer(spread.deviation).integer(spread.outliers);
  }
  std::vector<Table> tables;
  tables.push_back(std::move(spreads));
  tables.push_back(std::move(rows));
  return tables;
}

}  // namespace lanewise::trace::analysis
