// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/analysis/memory.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <unordered_map>

#include "trace/analysis/copies.h"
#include "trace/analysis/time_limits.h"

namespace lanewise::trace::analysis {
namespace {

using schema::ArgKey;
using schema::CallKind;
using schema::Role;
using schema::Row;

constexpr std::string_view kMemoryName = "[memory]";

// c10::DeviceType numbers that PyTorch writes into memory events. PrivateUse1 is what the file's devices are called.
std::string device_of_type(int64_t type, int64_t id, const std::string& kind) {
  if (type == 0) return "cpu";
  constexpr auto kNames = std::to_array<std::pair<int64_t, std::string_view>>(
      {{1, "cuda"}, {6, "hip"}, {9, "xla"}, {12, "xpu"}, {13, "mps"}, {15, "hpu"}, {18, "ipu"}, {19, "mtia"}, {20, "privateuseone"}});
  std::string name = "type" + std::to_string(type);
  for (const auto& [number, text] : kNames) {
    if (number == type) name = text;
  }
  if (type == 20 && !kind.empty()) name = kind;
  return id < 0 ? name : name + ":" + std::to_string(id);
}

// Larger ones are damage, and their sums would not fit.
bool is_size(int64_t bytes) { return bytes >= -kLargestBytes && bytes <= kLargestBytes; }

// Value of a sparse column for rows that are asked for in ascending order.
class Cursor {
 public:
  explicit Cursor(const store::SparseColumn<int64_t>& column) : column_(column) {}
  int64_t at(Row row) {
    while (i_ < column_.size() && column_.row(i_) < row) ++i_;
    return i_ < column_.size() && column_.row(i_) == row ? column_.value(i_) : kNullInteger;
  }

 private:
  const store::SparseColumn<int64_t>& column_;
  size_t i_ = 0;
};

void collect_pytorch(const Model& model, uint32_t part, std::map<std::string, DeviceMemory>* devices) {
  const schema::EventTable& events = model.events(part);
  const store::StringId name = model.session().strings().find(kMemoryName);
  if (name == store::kNoString) return;
  // A file without device events has no kind of its own; its producers still tell what its devices are called.
  std::string kind = model.file(part).device_kind;
  if (kind.empty()) kind = model.session().producers().device_of(model.session().files()[part].file.producers);
  if (kind == "cuda") kind.clear();
  const auto& all_bytes = events.arg(ArgKey::memory_bytes);
  Cursor address(events.arg(ArgKey::address)), total(events.arg(ArgKey::total_allocated)), reserved(events.arg(ArgKey::total_reserved));
  Cursor type(events.arg(ArgKey::device_type)), id(events.arg(ArgKey::device_id));
  for (size_t i = 0; i < all_bytes.size(); ++i) {
    const Row row = all_bytes.row(i);
    if (events.name[row] != name || events.has(row, schema::kNoTime) || events.ts_ns[row] > schema::kLargestTime || events.ts_ns[row] < -schema::kLargestTime) continue;
    if (!is_size(all_bytes.value(i))) continue;
    MemoryEvent event{row, model.start_ns(part, row), all_bytes.value(i), address.at(row), total.at(row), reserved.at(row)};
    const int64_t device_type = type.at(row), device_id = id.at(row);
    const std::string device = device_of_type(device_type == kNullInteger ? 0 : device_type, device_id == kNullInteger ? -1 : device_id, kind);
    (*devices)[device].events.push_back(event);
  }
}

void collect_calls(const Model& model, uint32_t part, std::map<std::string, DeviceMemory>* devices) {
  const schema::EventTable& events = model.events(part);
  std::map<std::string, DeviceMemory> found;
  Cursor bytes(events.arg(ArgKey::bytes)), address(events.arg(ArgKey::address));
  for (const RuntimeCall& call : model.file(part).links.calls) {
    const int64_t n = bytes.at(call.row);
    if ((call.kind != CallKind::allocate && call.kind != CallKind::release) || !is_size(n) || n < 0) continue;
    DeviceMemory& memory = found[model.device_name(part, call.row)];
    memory.from_calls = true;
    const int64_t sign = call.kind == CallKind::allocate ? 1 : -1;
    memory.events.push_back({call.row, model.start_ns(part, call.row), sign * n, address.at(call.row), kNullInteger, kNullInteger});
  }
  // PyTorch's own events count before calls.
  for (auto& [device, memory] : found) devices->try_emplace(device, std::move(memory));
}

void follow(DeviceMemory* memory) {
  auto& events = memory->events;
  std::stable_sort(events.begin(), events.end(), [](const MemoryEvent& a, const MemoryEvent& b) { return a.at_ns < b.at_ns; });
  int64_t sum = 0;
  for (MemoryEvent& event : events) {
    sum += event.bytes;
    if (event.total == kNullInteger) event.total = sum;
    sum = event.total;
  }
  for (size_t i = 0; i < events.size(); ++i) {
    if (events[i].total > events[memory->peak].total) memory->peak = i;
  }
  memory->live_at_peak.assign(events.size(), false);
  memory->live_at_end.assign(events.size(), false);
  std::unordered_map<int64_t, size_t> live;
  for (size_t i = 0; i < events.size(); ++i) {
    const MemoryEvent& event = events[i];
    if (event.bytes >= 0) {
      // Without addresses nothing tells which block a release ends.
      if (event.address != kNullInteger) live[event.address] = i;
    } else if (live.erase(event.address) == 0) {
      ++memory->unknown_releases;
    }
    if (i != memory->peak) continue;
    int64_t known = 0;
    for (const auto& [address, block] : live) {
      memory->live_at_peak[block] = true;
      known += events[block].bytes;
    }
    memory->before_bytes = std::max<int64_t>(0, event.total - known);
  }
  for (const auto& [address, block] : live) memory->live_at_end[block] = true;
}

struct Site {
  int64_t allocations = 0, allocated = 0, largest = -1, kept = 0, at_peak = 0;
  Row event = kNoRow;
  Asker asker;
};

}  // namespace

std::vector<DeviceMemory> find_memory(const Model& model, const Filter& filter, const std::string& device) {
  std::vector<DeviceMemory> out;
  for (const FileModel& file : model.files()) {
    if (file.repeats || !filter.part(file.part)) continue;
    std::map<std::string, DeviceMemory> devices;
    collect_pytorch(model, file.part, &devices);
    collect_calls(model, file.part, &devices);
    for (auto& [name, memory] : devices) {
      if (!device.empty() && name != device) continue;
      memory.part = file.part;
      memory.device = name;
      // Blocks are followed through the whole file; the selection cuts what is shown.
      follow(&memory);
      out.push_back(std::move(memory));
    }
  }
  return out;
}

Result<std::vector<Table>> memory_tables(const Model& model, const Selection& selection) {
  // The CPU and devices without device events have memory too, so the name is compared here, not in the filter.
  Selection wider = selection;
  wider.device.clear();
  LW_ASSIGN_OR_RETURN(const Filter filter, Filter::make(model, wider));
  const std::vector<DeviceMemory> found = find_memory(model, filter, selection.device);
  if (found.empty() && !selection.device.empty()) return not_found("this trace tells nothing about memory of " + selection.device);
  Table devices("devices", {{"device", ColumnType::text},        {"part", ColumnType::integer},         {"source", ColumnType::text},
                            {"allocations", ColumnType::count},  {"releases", ColumnType::count},       {"allocated_bytes", ColumnType::bytes},
                            {"released_bytes", ColumnType::bytes}, {"first_bytes", ColumnType::bytes},  {"peak_bytes", ColumnType::bytes},
                            {"peak_start", ColumnType::ns},      {"peak_event", ColumnType::event},     {"last_bytes", ColumnType::bytes},
                            {"peak_reserved_bytes", ColumnType::bytes}, {"before_bytes", ColumnType::bytes}, {"unknown_releases", ColumnType::count}});
  Table rows("rows", {{"device", ColumnType::text}, {"part", ColumnType::integer},       {"op", ColumnType::text},           {"file", ColumnType::text},
                      {"line", ColumnType::integer}, {"allocations", ColumnType::count}, {"allocated_bytes", ColumnType::bytes},
                      {"largest_bytes", ColumnType::bytes}, {"kept_bytes", ColumnType::bytes}, {"peak_bytes", ColumnType::bytes}, {"event", ColumnType::event}});
  Table curve("curve", {{"device", ColumnType::text}, {"part", ColumnType::integer}, {"start", ColumnType::ns}, {"allocated_bytes", ColumnType::bytes},
                        {"reserved_bytes", ColumnType::bytes}, {"event", ColumnType::event}});
  for (Table* table : {&devices, &rows, &curve}) table->set_owner(model.shared_session());
  AskerFinder askers(model);
  struct Entry {
    const DeviceMemory* memory;
    Site site;
  };
  std::vector<Entry> order;
  for (const DeviceMemory& memory : found) {
    const schema::EventTable& events = model.events(memory.part);
    const Nesting& nesting = model.file(memory.part).nesting;
    int64_t allocations = 0, releases = 0, allocated = 0, released = 0, reserved = kNullInteger;
    std::map<std::pair<store::StringId, store::StringId>, Site> sites;
    for (size_t i = 0; i < memory.events.size(); ++i) {
      const MemoryEvent& event = memory.events[i];
      if (!filter.time(memory.part, event.at_ns)) continue;
      reserved = std::max(reserved, event.reserved);
      curve.row().text(memory.device).integer(memory.part).integer(event.at_ns - model.begin_ns()).integer(event.total).integer(event.reserved)
          .event({memory.part, event.row});
      if (event.bytes < 0) {
        ++releases, released -= event.bytes;
        continue;
      }
      ++allocations, allocated += event.bytes;
      const Row around = memory.from_calls ? event.row : nesting.at(events, events.track[event.row], events.ts_ns[event.row]);
      const Asker asker = around == kNoRow ? Asker{} : askers.of_host(memory.part, around);
      const auto name_of = [&](Row row) { return row == kNoRow ? store::kNoString : events.name[row]; };
      if (!filter.name(name_of(asker.op))) continue;
      Site& site = sites[{name_of(asker.op), name_of(asker.line.row)}];
      ++site.allocations, site.allocated += event.bytes;
      if (memory.live_at_end[i]) site.kept += event.bytes;
      if (memory.live_at_peak[i]) site.at_peak += event.bytes;
      if (event.bytes > site.largest) site.largest = event.bytes, site.event = event.row, site.asker = asker;
    }
    const MemoryEvent &first = memory.events.front(), &peak = memory.events[memory.peak];
    devices.row().text(memory.device).integer(memory.part).text(memory.from_calls ? "calls" : "memory").integer(allocations).integer(releases)
        .integer(allocated).integer(released).integer(first.total - first.bytes).integer(peak.total).integer(peak.at_ns - model.begin_ns())
        .event({memory.part, peak.row}).integer(memory.events.back().total).integer(reserved).integer(memory.before_bytes).integer(memory.unknown_releases);
    for (auto& [key, site] : sites) order.push_back({&memory, site});
  }
  std::stable_sort(order.begin(), order.end(), [](const Entry& a, const Entry& b) {
    return std::tuple(-a.site.at_peak, -a.site.allocated) < std::tuple(-b.site.at_peak, -b.site.allocated);
  });
  for (const Entry& entry : order) {
    const Site& site = entry.site;
    auto row = rows.row();
    row.text(entry.memory->device).integer(entry.memory->part);
    add_asker(model, entry.memory->part, site.asker, &row);
    row.integer(site.allocations).integer(site.allocated).integer(site.largest).integer(site.kept).integer(site.at_peak);
    row.event({entry.memory->part, site.event});
  }
  std::vector<Table> tables;
  tables.push_back(std::move(devices));
  tables.push_back(std::move(rows));
  tables.push_back(std::move(curve));
  return tables;
}

}  // namespace lanewise::trace::analysis
