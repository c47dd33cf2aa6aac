// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/analysis/copies.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include "trace/analysis/intervals.h"
#include "trace/session/args_reader.h"

namespace lanewise::trace::analysis {
namespace {

using schema::ArgKey;
using schema::CallKind;
using schema::Role;
using schema::Row;

struct KindName {
  std::string_view pattern;
  CopyKind kind;
};

int64_t bytes_of(const schema::EventTable& events, Row row) {
  const int64_t bytes = events.arg(ArgKey::bytes).find(row);
  return bytes < 0 || bytes > kLargestBytes ? -1 : bytes;  // null is below 0
}

// Writers that name every copy "Memcpy" tell the kind in an arg.
CopyKind kind_by_args(session::ArgsReader* reader, Row row) {
  const auto args = reader->args(row);
  if (!args.ok()) return CopyKind::unknown;
  for (const auto& [key, value] : *args) {
    if (key.find("kind") == std::string::npos) continue;
    if (const CopyKind kind = copy_kind_of(value); kind != CopyKind::unknown) return kind;
  }
  return CopyKind::unknown;
}

struct Sums {
  int64_t calls = 0, bytes = 0, timed_bytes = 0, timed_ns = 0, sum = 0, host = 0, without_bytes = 0, without_device = 0;
  int64_t smallest = std::numeric_limits<int64_t>::max(), largest = -1;

  void add(const Copy& copy) {
    ++calls;
    sum += copy.dur_ns;
    host += copy.host_ns;
    without_device += copy.device == kNoDevice;
    if (copy.bytes < 0) {
      ++without_bytes;
      return;
    }
    bytes += copy.bytes;
    smallest = std::min(smallest, copy.bytes);
    largest = std::max(largest, copy.bytes);
    if (copy.dur_ns > 0) timed_bytes += copy.bytes, timed_ns += copy.dur_ns;
  }
  void write_rate(Table::RowWriter* row) const {
    timed_ns == 0 ? row->null() : row->real(static_cast<double>(timed_bytes) / static_cast<double>(timed_ns));
  }
};

void write_device(const Model& model, uint32_t part, uint32_t device, Table::RowWriter* row) {
  device == kNoDevice ? row->null() : row->pooled(model.devices()[device].name);
  row->integer(part);
}

struct Site {
  Sums sums;
  const Copy* first = nullptr;
  std::map<int64_t, int64_t> steps;  // number -> calls
};

}  // namespace

std::string_view copy_kind_name(CopyKind kind) {
  constexpr auto kNames = std::to_array<std::string_view>({"unknown", "HtoD", "DtoH", "DtoD", "HtoH", "PtoP"});
  return kNames[static_cast<size_t>(kind)];
}

CopyKind copy_kind_of(std::string_view name) {
  constexpr auto kPatterns = std::to_array<KindName>({
      {"HtoD", CopyKind::h2d}, {"DtoH", CopyKind::d2h}, {"DtoD", CopyKind::d2d}, {"HtoH", CopyKind::h2h}, {"PtoP", CopyKind::p2p},
      {"H2D", CopyKind::h2d}, {"D2H", CopyKind::d2h}, {"D2D", CopyKind::d2d}, {"HostToDevice", CopyKind::h2d},
      {"DeviceToHost", CopyKind::d2h}, {"DeviceToDevice", CopyKind::d2d}, {"HOST_TO_DEVICE", CopyKind::h2d},
      {"DEVICE_TO_HOST", CopyKind::d2h}, {"DEVICE_TO_DEVICE", CopyKind::d2d}, {"Host -> Device", CopyKind::h2d},
      {"Device -> Host", CopyKind::d2h}, {"nrt_tensor_write", CopyKind::h2d}, {"nrt_tensor_read", CopyKind::d2h},
      {"dma_write", CopyKind::h2d}, {"dma_read", CopyKind::d2h},
  });
  for (const KindName& p : kPatterns) {
    if (name.find(p.pattern) != std::string_view::npos) return p.kind;
  }
  return CopyKind::unknown;
}

std::vector<Copy> find_copies(const Model& model, const Filter& filter) {
  std::vector<Copy> copies;
  AskerFinder askers(model);
  // A call without a device event is of no device, so a question about one leaves it out.
  bool all_devices = true;
  for (uint32_t d = 0; d < model.devices().size(); ++d) all_devices &= filter.device(d);
  for (const FileModel& file : model.files()) {
    if (file.repeats || !filter.part(file.part)) continue;
    const uint32_t part = file.part;
    const schema::EventTable& events = model.events(part);
    session::ArgsReader reader(model.session().files()[part].file);
    std::map<store::StringId, CopyKind> known;
    const auto kind_of_name = [&](Row row) {
      const store::StringId name = events.name[row];
      const auto [at, added] = known.try_emplace(name, CopyKind::unknown);
      if (added) at->second = copy_kind_of(model.session().text(name));
      return at->second;
    };
    const size_t first = copies.size();
    const auto finish = [&](Copy* copy) {
      if (copy->kind == CopyKind::unknown && copy->call != kNoRow) copy->kind = kind_of_name(copy->call);
      if (copy->kind == CopyKind::unknown) copy->kind = kind_by_args(&reader, copy->event);
      if (copy->bytes < 0 && copy->call != kNoRow) copy->bytes = bytes_of(events, copy->call);
      if (copy->call != kNoRow) copy->host_ns = std::max<int64_t>(0, events.dur_ns[copy->call]);
      const Row outer = copy->asker.outermost;
      copy->implicit = outer != kNoRow && !is_copy_op(model.name(part, outer));
      copies.push_back(*copy);
    };
    for (const DeviceEvent& event : file.links.device_events) {
      if (events.role_of(event.row) != Role::memcpy || !filter.event(part, event)) continue;
      Copy copy;
      copy.part = part, copy.device = event.device, copy.event = event.row, copy.call = event.call.row;
      copy.kind = kind_of_name(event.row);
      copy.bytes = bytes_of(events, event.row);
      copy.start_ns = event.start_ns + model.offset_ns(part);
      copy.dur_ns = event.end_ns - event.start_ns;
      copy.asker = askers.of_event(part, event);
      finish(&copy);
    }
    for (const RuntimeCall& call : file.links.calls) {
      if (call.kind != CallKind::copy || call.device_events > 0 || !filter.host(part, call.row) || !all_devices) continue;
      Copy copy;
      copy.part = part, copy.device = kNoDevice, copy.event = call.row, copy.call = call.row;
      copy.kind = kind_of_name(call.row);
      copy.start_ns = model.start_ns(part, call.row);
      copy.asker = askers.of_host(part, call.op ? call.op.row : call.row);
      finish(&copy);
    }
    std::sort(copies.begin() + static_cast<ptrdiff_t>(first), copies.end(), [](const Copy& a, const Copy& b) { return a.event < b.event; });
  }
  return copies;
}

Result<std::vector<Table>> copies_tables(const Model& model, const Selection& selection) {
  LW_ASSIGN_OR_RETURN(const Filter filter, Filter::make(model, selection));
  const std::vector<Copy> copies = find_copies(model, filter);
  std::map<std::tuple<uint32_t, uint32_t, CopyKind>, std::pair<Sums, Intervals>> kinds;
  using SiteKey = std::tuple<uint32_t, uint32_t, CopyKind, store::StringId, store::StringId, store::StringId, bool>;
  std::map<SiteKey, Site> sites;
  for (const Copy& copy : copies) {
    const schema::EventTable& events = model.events(copy.part);
    const auto name_of = [&](Row row) { return row == kNoRow ? store::kNoString : events.name[row]; };
    if (!filter.name(name_of(copy.asker.op)) && !filter.name(events.name[copy.event])) continue;
    auto& [sums, spans] = kinds[{copy.part, copy.device, copy.kind}];
    sums.add(copy);
    spans.push_back({copy.start_ns, copy.start_ns + copy.dur_ns});
    Site& site = sites[{copy.part, copy.device, copy.kind, name_of(copy.asker.op), name_of(copy.asker.line.row),
                        copy.implicit ? name_of(copy.asker.outermost) : store::kNoString, copy.implicit}];
    site.sums.add(copy);
    if (site.first == nullptr) site.first = &copy;
    const Row asked = copy.call != kNoRow ? copy.call : copy.event;
    if (const auto step = model.step_at(copy.part, model.start_ns(copy.part, asked))) ++site.steps[*step];
  }
  Table kind_table("kinds", {{"kind", ColumnType::text}, {"device", ColumnType::text}, {"part", ColumnType::integer}, {"calls", ColumnType::count},
                             {"bytes", ColumnType::bytes}, {"without_bytes", ColumnType::count}, {"without_device", ColumnType::count},
                             {"sum_ns", ColumnType::ns}, {"busy_ns", ColumnType::ns}, {"gb_per_s", ColumnType::real}});
  kind_table.set_owner(model.shared_session());
  for (auto& [key, entry] : kinds) {
    const auto& [part, device, kind] = key;
    const Sums& sums = entry.first;
    auto row = kind_table.row();
    row.pooled(copy_kind_name(kind));
    write_device(model, part, device, &row);
    row.integer(sums.calls).integer(sums.bytes).integer(sums.without_bytes).integer(sums.without_device).integer(sums.sum);
    row.integer(length_of(join_intervals(std::move(entry.second))));
    sums.write_rate(&row);
  }
  Table rows("rows", {{"kind", ColumnType::text},     {"device", ColumnType::text},   {"part", ColumnType::integer},   {"op", ColumnType::text},
                      {"file", ColumnType::text},     {"line", ColumnType::integer},  {"inside", ColumnType::text},    {"calls", ColumnType::count},
                      {"bytes", ColumnType::bytes},   {"sum_ns", ColumnType::ns},     {"host_ns", ColumnType::ns},     {"gb_per_s", ColumnType::real},
                      {"smallest", ColumnType::bytes}, {"largest", ColumnType::bytes}, {"per_step", ColumnType::real}, {"tiny", ColumnType::flag},
                      {"event", ColumnType::event}});
  rows.set_owner(model.shared_session());
  std::map<uint32_t, int64_t> step_count;
  for (const Step& step : model.steps()) step_count[step.part] += selection.steps.empty() || std::find(selection.steps.begin(), selection.steps.end(), step.number) != selection.steps.end();
  std::vector<const Site*> order;
  for (const auto& [key, site] : sites) order.push_back(&site);
  std::stable_sort(order.begin(), order.end(), [](const Site* a, const Site* b) {
    return std::tuple(-a->sums.sum, -a->sums.host, a->first->part, a->first->event) < std::tuple(-b->sums.sum, -b->sums.host, b->first->part, b->first->event);
  });
  for (const Site* site : order) {
    const Copy& copy = *site->first;
    const Sums& sums = site->sums;
    const int64_t steps = step_count[copy.part];
    auto row = rows.row();
    row.pooled(copy_kind_name(copy.kind));
    write_device(model, copy.part, copy.device, &row);
    add_asker(model, copy.part, copy.asker, &row);
    copy.implicit ? row.pooled(model.name(copy.part, copy.asker.outermost)) : row.null();
    row.integer(sums.calls).integer(sums.bytes).integer(sums.sum).integer(sums.host);
    sums.write_rate(&row);
    if (sums.largest < 0) row.null().null();
    else row.integer(sums.smallest).integer(sums.largest);
    steps == 0 ? row.null() : row.real(static_cast<double>(sums.calls) / static_cast<double>(steps));
    const bool often = sums.calls >= kRepeated || (steps > 1 && static_cast<int64_t>(site->steps.size()) == steps);
    row.integer(often && sums.largest >= 0 && sums.largest <= kTinyCopyBytes && sums.without_bytes == 0).event({copy.part, copy.event});
  }
  std::vector<Table> tables;
  tables.push_back(std::move(kind_table));
  tables.push_back(std::move(rows));
  return tables;
}

}  // namespace lanewise::trace::analysis
