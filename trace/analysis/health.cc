// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/analysis/health.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <map>
#include <string>

#include "trace/analysis/call_kinds.h"
#include "trace/analysis/consistency.h"
#include "trace/analysis/device_time.h"
#include "trace/analysis/repeated_files.h"
#include "trace/analysis/time_limits.h"
#include "trace/schema/encoded_id.h"

namespace lanewise::trace::analysis {
namespace {

using schema::ArgKey;
using schema::CallKind;
using schema::EventTable;
using schema::Role;
using schema::Row;

enum class Check : uint8_t {
  kernel_before_launch, clock_skew, missing_device_rows, silent_device, launch_without_kernel, device_event_without_call, truncated,
  lost_events, repaired_events, missing_synchronize, sync_before_end, overlap_on_lane, crossing_slices, negative_durations,
  missing_memory_rows, missing_python_rows, wait_without_record, record_after_wait, bare_collective, shared_sequence, sim_lag, unread_files,
  repeated_files, count
};
struct CheckText {
  std::string_view name, text;
  bool problem;  // else a note
};
constexpr auto kChecks = std::to_array<CheckText>({
    {"kernel_before_launch", "device events that start before their call", true},
    {"clock_skew", "files whose clock differs from that of the first one; times are shown as they are", true},
    {"missing_device_rows", "files with launches and not one device event: the device part of the profiler was off or failed", true},
    {"silent_device", "files that name a device of which they record nothing", true},
    {"launch_without_kernel", "launches whose device work was not recorded", true},
    {"device_event_without_call", "device events that nothing ties to a runtime call", false},
    {"truncated", "places where a file ends too early", true},
    {"lost_events", "events lost by the import or by the capture itself", true},
    {"repaired_events", "events read although they are not valid JSON", false},
    {"missing_synchronize", "files whose record stops while the device still works: synchronize before the profile ends", true},
    {"sync_before_end", "waits that returned before the work they waited for had ended: clocks disagree", true},
    {"overlap_on_lane", "device events that start before an earlier one of their lane ended", false},
    {"crossing_slices", "host slices that do not nest", false},
    {"negative_durations", "slices with a duration below 0", true},
    {"missing_memory_rows", "files recorded with profile_memory that have no memory event", true},
    {"missing_python_rows", "files recorded with with_stack that have no Python function", true},
    {"wait_without_record", "waits for an event whose record the file does not have", false},
    {"record_after_wait", "waits for a record that was made later", true},
    {"bare_collective", "collectives that do not tell what their cost depends on", false},
    {"shared_sequence", "backward sequence numbers on several operators: links to forward operators may be wrong", false},
    {"sim_lag", "stretches in which the simulator was slower than its device; no analysis counts them as work", false},
    {"unread_files", "files of the folder that could not be read: the numbers are without them", true},
    {"repeated_files", "files of the same rank and time as another one: their work is counted twice", true},
});
static_assert(kChecks.size() == static_cast<size_t>(Check::count));

constexpr uint32_t kNoPart = 0xffffffff;  // about a file that is no part of the session

struct Finding {
  Check check;
  uint32_t part;
  Row event;
  int64_t value_ns;
  std::string text;
};
struct Tally {
  int64_t count = 0, of = kNullInteger;
};

// The integer of a root key; 0 when it is absent or none.
int64_t metadata_number(const schema::TraceFile& file, std::string_view key) {
  std::string_view json = file.metadata_json(key);
  if (json == "true") return 1;
  if (json.size() > 2 && json.front() == '"') json = json.substr(1, json.size() - 2);
  int64_t value = 0;
  std::from_chars(json.data(), json.data() + json.size(), value);
  return value;
}

class HealthCheck {
 public:
  explicit HealthCheck(const Model& model) : model_(model) {}

  void add_file(const FileModel& file) {
    const uint32_t part = file.part;
    const session::SessionFile& entry = model_.session().files()[part];
    const schema::Ledger& ledger = entry.file.ledger;
    grow(Check::truncated, 1);
    for (uint64_t i = 0; i < ledger.truncated; ++i) add(Check::truncated, part, kNoRow, kNullInteger, "the input ends too early");
    count(Check::lost_events, part, static_cast<int64_t>(ledger.dropped), "events that could not be read");
    count(Check::lost_events, part, static_cast<int64_t>(ledger.skipped_bytes > 0 && ledger.dropped == 0), "bytes outside any readable event were skipped");
    count(Check::lost_events, part, metadata_number(entry.file, "neuron_dropped_events"), "events that the full ring of the capture lost");
    grow(Check::lost_events, static_cast<int64_t>(ledger.read));
    count(Check::repaired_events, part, static_cast<int64_t>(ledger.repaired), "events read although they are not valid JSON");
    grow(Check::repaired_events, static_cast<int64_t>(ledger.read));
    if (part > 0 && std::abs(entry.skew_ns) > kSkewNs) {
      add(Check::clock_skew, part, kNoRow, entry.skew_ns, "the clock of this file against that of the first: " + entry.skew_method);
    }
    // A part without a measured skew says nothing.
    if (part > 0 && !entry.skew_method.empty()) grow(Check::clock_skew, 1);
    add_lag(file);
    if (file.repeats) return;
    check_device_rows(file);
    check_links(file);
    check_lanes(file);
    check_syncs(file);
    check_end(file);
    check_options(file, entry.file);
    check_records(file);
    grow(Check::crossing_slices, static_cast<int64_t>(file.nesting.order.size()));
    for (const Row row : file.nesting.crossing) add(Check::crossing_slices, part, row, kNullInteger, "ends after the slice that it starts in");
    const EventTable& events = model_.events(part);
    for (Row row = 0; row < events.rows(); ++row) {
      if (has_span(events, row) && events.dur_ns[row] < 0) add(Check::negative_durations, part, row, events.dur_ns[row], "counts as no duration");
    }
    grow(Check::negative_durations, static_cast<int64_t>(events.rows()));
  }

  void look_at_files() {
    const auto& session = model_.session();
    for (const auto& [path, reason] : session.unread()) add(Check::unread_files, kNoPart, kNoRow, kNullInteger, path + ": " + reason);
    grow(Check::unread_files, static_cast<int64_t>(session.files().size() + session.unread().size()));
    for (const auto& [part, of] : repeated_files(model_)) add(Check::repeated_files, part, kNoRow, kNullInteger, "repeats " + session.files()[of].file.path);
    if (session.files().size() > 1) grow(Check::repeated_files, static_cast<int64_t>(session.files().size()));
  }

  std::vector<Table> tables() const {
    Table checks("checks", {{"check", ColumnType::text}, {"state", ColumnType::text}, {"count", ColumnType::count}, {"of", ColumnType::count}, {"text", ColumnType::text}});
    for (size_t i = 0; i < kChecks.size(); ++i) {
      const Tally& tally = tallies_[i];
      const bool known = tally.count > 0 || (tally.of != kNullInteger && tally.of > 0);
      const std::string_view state = tally.count > 0 ? (kChecks[i].problem ? "problem" : "note") : known ? "ok" : "not_known";
      checks.row().pooled(kChecks[i].name).pooled(state).integer(tally.count).integer(tally.of).pooled(kChecks[i].text);
    }
    Table rows("rows", {{"kind", ColumnType::text}, {"part", ColumnType::integer}, {"event", ColumnType::event}, {"value_ns", ColumnType::ns}, {"text", ColumnType::text}});
    std::vector<const Finding*> order;
    for (const Finding& finding : findings_) order.push_back(&finding);
    std::stable_sort(order.begin(), order.end(), [](const Finding* a, const Finding* b) { return a->check < b->check; });
    for (const Finding* finding : order) {
      auto row = rows.row();
      row.pooled(kChecks[static_cast<size_t>(finding->check)].name).integer(finding->part == kNoPart ? kNullInteger : finding->part);
      finding->event == kNoRow ? row.null() : row.event({finding->part, finding->event});
      row.integer(finding->value_ns).text(finding->text);
    }
    std::vector<Table> tables;
    tables.push_back(std::move(checks));
    tables.push_back(std::move(rows));
    return tables;
  }

 private:
  void add(Check check, uint32_t part, Row event, int64_t value_ns, std::string text) {
    ++tallies_[static_cast<size_t>(check)].count;
    findings_.push_back({check, part, event, value_ns, std::move(text)});
  }
  // Findings that have no events to point at: one row for all.
  void count(Check check, uint32_t part, int64_t n, const std::string& text) {
    if (n <= 0) return;
    tallies_[static_cast<size_t>(check)].count += n;
    findings_.push_back({check, part, kNoRow, kNullInteger, std::to_string(n) + " " + text});
  }
  // So many more things were looked at.
  void grow(Check check, int64_t n) {
    int64_t& of = tallies_[static_cast<size_t>(check)].of;
    of = std::max<int64_t>(0, of) + n;
  }

  void check_device_rows(const FileModel& file) {
    int64_t launches = 0;
    Row first = kNoRow;
    for (const RuntimeCall& call : file.links.calls) {
      if (!submits(call.kind)) continue;
      if (launches++ == 0) first = call.row;
    }
    const bool silent = file.links.device_events.empty();
    if (launches > 0) grow(Check::missing_device_rows, 1);
    if (launches > 0 && silent) {
      add(Check::missing_device_rows, file.part, first, kNullInteger, std::to_string(launches) + " calls launched work; the device part of the file is missing");
    }
    const schema::TraceFile& trace = model_.session().files()[file.part].file;
    const bool names_device = !trace.devices.empty() || trace.backend == "nccl" || trace.backend == "hccl" || trace.backend == "xccl";
    if (names_device) grow(Check::silent_device, 1);
    if (names_device && silent && file.links.calls.empty()) {
      const std::string what = trace.devices.empty() ? "the communication backend " + trace.backend : std::to_string(trace.devices.size()) + " devices";
      add(Check::silent_device, file.part, kNoRow, kNullInteger, "the file names " + what + ", but has no device event and no runtime call");
    }
  }

  void check_links(const FileModel& file) {
    const EventTable& events = model_.events(file.part);
    if (file.links.device_events.empty()) return;
    for (const DeviceEvent& event : file.links.device_events) {
      if (!event.call) {
        add(Check::device_event_without_call, file.part, event.row, kNullInteger, "no correlation, arrow or surrounding event leads to a call");
      } else if (const int64_t late = event.start_ns - events.ts_ns[event.call.row]; late < 0) {
        add(Check::kernel_before_launch, file.part, event.row, late, "starts before " + std::string(model_.name(file.part, event.call.row)));
      }
    }
    grow(Check::device_event_without_call, static_cast<int64_t>(file.links.device_events.size()));
    grow(Check::kernel_before_launch, static_cast<int64_t>(file.links.device_events.size()));
    int64_t launches = 0;
    for (const RuntimeCall& call : file.links.calls) {
      if (call.kind != CallKind::launch && call.kind != CallKind::graph_launch) continue;
      ++launches;
      if (call.device_events == 0) add(Check::launch_without_kernel, file.part, call.row, kNullInteger, "no device event belongs to this launch");
    }
    grow(Check::launch_without_kernel, launches);
  }

  // Only events that cross are counted, since
  // producers write parts of a device event inside it.
  void check_lanes(const FileModel& file) {
    std::map<uint64_t, std::vector<const DeviceEvent*>> lanes;
    const EventTable& events = model_.events(file.part);
    for (const DeviceEvent& event : file.links.device_events) lanes[lane_of(events, event.row)].push_back(&event);
    for (auto& [key, lane] : lanes) {
      std::stable_sort(lane.begin(), lane.end(), [](const DeviceEvent* a, const DeviceEvent* b) {
        return a->start_ns != b->start_ns ? a->start_ns < b->start_ns : a->end_ns > b->end_ns;
      });
      int64_t end = std::numeric_limits<int64_t>::min();
      for (const DeviceEvent* event : lane) {
        if (event->start_ns < end && event->end_ns > event->start_ns) {
          add(Check::overlap_on_lane, file.part, event->row, std::min(end, event->end_ns) - event->start_ns, "starts before an earlier event of its lane ended");
        }
        end = std::max(end, event->end_ns);
      }
    }
    grow(Check::overlap_on_lane, static_cast<int64_t>(file.links.device_events.size()));
  }

  void check_syncs(const FileModel& file) {
    const EventTable& events = model_.events(file.part);
    // Work of a device by the start of its call: the largest end so far.
    struct Submitted {
      int64_t call, end, stream;
      uint32_t device;
      Row row;
    };
    std::vector<Submitted> work;
    for (const DeviceEvent& event : file.links.device_events) {
      if (event.call && event.call.confidence >= 1) {
        work.push_back({events.ts_ns[event.call.row], event.end_ns, events.stream[event.row], event.device, event.row});
      }
    }
    std::sort(work.begin(), work.end(), [](const Submitted& a, const Submitted& b) { return a.call < b.call; });
    std::vector<const RuntimeCall*> syncs;
    for (const RuntimeCall& call : file.links.calls) {
      if (call.kind == CallKind::sync) syncs.push_back(&call);
    }
    std::sort(syncs.begin(), syncs.end(), [&](const RuntimeCall* a, const RuntimeCall* b) { return events.ts_ns[a->row] < events.ts_ns[b->row]; });
    // By device and stream (kNoId: the whole device): what ended last of the work submitted so far.
    std::map<std::pair<uint32_t, int64_t>, const Submitted*> latest;
    size_t next = 0;
    for (const RuntimeCall* sync : syncs) {
      while (next < work.size() && work[next].call < events.ts_ns[sync->row]) {
        const Submitted& w = work[next++];
        for (const int64_t stream : {w.stream, schema::kNoId}) {
          const Submitted*& last = latest[{w.device, stream}];
          if (last == nullptr || w.end > last->end) last = &w;
        }
      }
      const bool whole_device = model_.name(file.part, sync->row).find("DeviceSynchronize") != std::string_view::npos;
      const int64_t stream = events.stream[sync->row];
      // A wait that names neither its device nor its stream waits for something that the file does not tell.
      if (!whole_device && stream == schema::kNoId) continue;
      const auto device = model_.device_of_row(file.part, sync->row);
      const bool one_device = latest.empty() || latest.begin()->first.first == latest.rbegin()->first.first;
      if (!device && !one_device) continue;
      grow(Check::sync_before_end, 1);
      const uint32_t of = device ? *device : latest.empty() ? 0 : latest.begin()->first.first;
      const auto at = latest.find({of, whole_device ? schema::kNoId : stream});
      if (at == latest.end()) continue;
      const int64_t early = slice_end(events, sync->row) - at->second->end;
      if (early < -file.nesting.tick_ns) add(Check::sync_before_end, file.part, sync->row, early, "returned before event " + schema::EventId{file.part, at->second->row}.to_string() + " ended");
    }
  }

  void check_end(const FileModel& file) {
    const EventTable& events = model_.events(file.part);
    if (file.links.device_events.empty()) return;
    grow(Check::missing_synchronize, 1);
    int64_t last_launch = std::numeric_limits<int64_t>::min(), last_sync = last_launch, host_end = last_launch, device_end = last_launch;
    Row device_row = kNoRow;
    int64_t open = 0;
    for (const RuntimeCall& call : file.links.calls) {
      if (call.kind == CallKind::sync) last_sync = std::max(last_sync, slice_end(events, call.row));
      if (submits(call.kind)) last_launch = std::max(last_launch, events.ts_ns[call.row]);
    }
    if (last_launch < last_sync) return;
    for (const RuntimeCall& call : file.links.calls) {
      open += (call.kind == CallKind::launch || call.kind == CallKind::graph_launch) && call.device_events == 0 && events.ts_ns[call.row] > last_sync;
    }
    for (const Row row : file.nesting.order) host_end = std::max(host_end, slice_end(events, row));
    for (const DeviceEvent& event : file.links.device_events) {
      if (event.end_ns > device_end) device_end = event.end_ns, device_row = event.row;
    }
    if (open > 0) {
      add(Check::missing_synchronize, file.part, kNoRow, kNullInteger, std::to_string(open) + " launches after the last wait have no device event");
    } else if (device_end > host_end && !file.nesting.order.empty()) {
      add(Check::missing_synchronize, file.part, device_row, device_end - host_end, "the device works on after everything on the host");
    }
  }

  void check_options(const FileModel& file, const schema::TraceFile& trace) {
    const EventTable& events = model_.events(file.part);
    if (metadata_number(trace, "profile_memory") != 0) {
      grow(Check::missing_memory_rows, 1);
      if (events.arg(ArgKey::memory_bytes).size() == 0) add(Check::missing_memory_rows, file.part, kNoRow, kNullInteger, "profile_memory was on; none captured");
    }
    if (metadata_number(trace, "with_stack") != 0) {
      grow(Check::missing_python_rows, 1);
      const bool any = std::any_of(file.nesting.order.begin(), file.nesting.order.end(), [&](Row row) { return events.role_of(row) == Role::python; });
      if (!any) add(Check::missing_python_rows, file.part, kNoRow, kNullInteger, "with_stack was on; none captured");
    }
  }

  void check_records(const FileModel& file) {
    constexpr auto kCheckOf = std::to_array({Check::wait_without_record, Check::record_after_wait, Check::bare_collective, Check::shared_sequence});
    RecordFaults found = find_record_faults(model_, file.part);
    for (size_t kind = 0; kind < kCheckOf.size(); ++kind) grow(kCheckOf[kind], found.looked_at[kind]);
    for (RecordFault& fault : found.faults) add(kCheckOf[static_cast<size_t>(fault.kind)], file.part, fault.row, fault.value_ns, std::move(fault.text));
  }

  void add_lag(const FileModel& file) {
    const EventTable& events = model_.events(file.part);
    const store::StringId name = model_.session().strings().find("sim_lag");
    if (name == store::kNoString) return;
    for (Row row = 0; row < events.rows(); ++row) {
      if (events.name[row] == name && events.role_of(row) == Role::wait && has_span(events, row)) {
        add(Check::sim_lag, file.part, row, events.dur_ns[row], "the simulator was behind its device");
      }
    }
  }

  const Model& model_;
  std::array<Tally, static_cast<size_t>(Check::count)> tallies_;
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<std::string_view> health_checks() {
  std::vector<std::string_view> names;
  for (const CheckText& check : kChecks) names.push_back(check.name);
  return names;
}

Result<std::vector<Table>> health_tables(const Model& model, const Selection& selection) {
  LW_ASSIGN_OR_RETURN(const Filter filter, Filter::make(model, selection));
  HealthCheck check(model);
  for (const FileModel& file : model.files()) {
    if (filter.part(file.part)) check.add_file(file);
  }
  check.look_at_files();
  return check.tables();
}

}  // namespace lanewise::trace::analysis
