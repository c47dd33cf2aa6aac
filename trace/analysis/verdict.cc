// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/analysis/verdict.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <limits>
#include <set>
#include <tuple>

#include "trace/analysis/call_kinds.h"
#include "trace/analysis/copies.h"
#include "trace/analysis/gaps.h"
#include "trace/analysis/hidden.h"
#include "trace/analysis/kernels.h"
#include "trace/analysis/ops.h"
#include "trace/analysis/overlap.h"
#include "trace/analysis/ranks.h"
#include "trace/analysis/words.h"

namespace lanewise::trace::analysis {
namespace {

using schema::ArgKey;
using schema::EventId;
using schema::Role;
using schema::Row;

// Smaller findings of one kind are not worth a line each.
constexpr size_t kPerKind = 5;

// What the copies of an operator that runs on the host cost.
struct FallbackCopies {
  int64_t gain = 0, bytes = 0, calls = 0, device_ns = 0;
};

// Collects what belongs to one cause, operator and line.
struct Site {
  int64_t gain = 0, calls = 0, bytes = 0, longest = -1, dearest = 0;
  std::vector<std::pair<int64_t, std::vector<EventId>>> weighted;  // what an occurrence costs, its events
  FallbackCopies copied;  // of a fallback
  Asker asker;
  uint32_t part = 0;
  Row event = kNoRow, asked = kNoRow;  // asked: where the dearest occurrence was asked for

  void add(int64_t gain_ns, std::vector<EventId> events, Row at = kNoRow) {
    if (at != kNoRow && (calls == 0 || gain_ns > dearest)) asked = at, dearest = gain_ns;
    gain += gain_ns;
    ++calls;
    weighted.emplace_back(gain_ns, std::move(events));
  }
  std::vector<EventId> evidence() {
    std::stable_sort(weighted.begin(), weighted.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    std::vector<EventId> ids;
    for (const auto& [gain_ns, events] : weighted) {
      for (const EventId id : events) {
        if (ids.size() < kEvidence && std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
      }
    }
    return ids;
  }
};

class VerdictBuilder {
 public:
  VerdictBuilder(const Model& model, const Filter& filter, const Selection& selection)
      : model_(model), filter_(filter), selection_(selection), askers_(model) {}

  Result<std::vector<VerdictFinding>> run() {
    LW_ASSIGN_OR_RETURN(gaps_, find_gaps(model_, selection_));
    for (const DeviceGaps& device : gaps_.devices) {
      for (const Gap& gap : device.gaps) open_gaps_[gap.device].emplace(gap.start_ns, gap);
    }
    hidden_ = find_hidden(model_, filter_);
    for (const HiddenItem& item : hidden_) {
      if (item.kind == HiddenKind::fallback) fallbacks_[{item.part, item.row}];
    }
    add_copies();
    add_hidden();
    add_loaders();
    add_rest_of_gaps();
    add_execution_overhead();
    LW_RETURN_IF_ERROR(add_communication());
    LW_RETURN_IF_ERROR(add_hot());
    add_limits(model_, filter_, &findings_);
    std::stable_sort(findings_.begin(), findings_.end(), [](const VerdictFinding& a, const VerdictFinding& b) {
      const bool last_a = a.kind == "cannot_tell", last_b = b.kind == "cannot_tell";
      return last_a != last_b ? last_b : a.gain_ns > b.gain_ns;
    });
    return std::move(findings_);
  }

 private:
  using SiteKey = std::tuple<uint32_t, store::StringId, store::StringId, store::StringId>;
  using Sites = std::map<SiteKey, Site>;

  // `name`: what else tells sites apart.
  Site& site_of(Sites* sites, uint32_t part, const Asker& asker, store::StringId name) {
    const auto& events = model_.events(part);
    const auto name_of = [&](Row row) { return row == kNoRow ? store::kNoString : events.name[row]; };
    Site& site = (*sites)[{part, name_of(asker.op), name_of(asker.line.row), name}];
    if (site.calls == 0) site.asker = asker, site.part = part;
    return site;
  }

  std::string_view op_name(const Site& site) const {
    return site.asker.op == kNoRow ? std::string_view("code outside of operators") : model_.name(site.part, site.asker.op);
  }

  // At most kPerKind findings of a kind; worthless ones are left out unless `always`.
  template <typename Text>
  void emit(std::string_view kind, Sites* sites, bool always, const Text& text) {
    std::vector<Site*> order;
    for (auto& [key, site] : *sites) {
      if (always || site.gain > 0) order.push_back(&site);
    }
    std::stable_sort(order.begin(), order.end(), [](const Site* a, const Site* b) { return a->gain > b->gain; });
    if (order.size() > kPerKind) order.resize(kPerKind);
    for (Site* site : order) {
      VerdictFinding finding{kind, text(*site), site->gain, site->evidence(), site->asker.line};
      if (site->asked != kNoRow) {
        const CallPlace place = call_place(model_, site->part, site->asked, site->asker.line);
        finding.text += place.text;
        if (place.line > 0) finding.line.line = place.line;
      }
      findings_.push_back(std::move(finding));
    }
  }

  // Takes the idle time of the gaps that `wanted` chooses inside an interval, so that nothing counts it again.
  template <typename Wanted>
  int64_t take_idle(uint32_t part, const Interval& within, const Wanted& wanted) {
    int64_t taken = 0;
    for (auto& [device, gaps] : open_gaps_) {
      if (model_.devices()[device].part != part) continue;
      auto at = gaps.upper_bound(within.begin);
      if (at != gaps.begin()) --at;
      while (at != gaps.end() && at->first < within.end) {
        Gap& gap = at->second;
        const int64_t end = gap.start_ns + gap.dur_ns, from = std::max(gap.start_ns, within.begin), to = std::min(end, within.end);
        ++at;
        if (from >= to || !wanted(gap)) continue;
        taken += to - from;
        gap.dur_ns = from - gap.start_ns;
        if (to == end) continue;
        Gap tail = gap;
        tail.start_ns = to, tail.dur_ns = end - to;
        gaps[to] = tail;
      }
    }
    return taken;
  }

  // When the device did nothing but copy, by device.
  std::map<uint32_t, Intervals> other_work() const {
    std::map<uint32_t, Intervals> work;
    for (const FileModel& file : model_.files()) {
      if (file.repeats) continue;
      for (const DeviceEvent& event : file.links.device_events) {
        if (model_.events(file.part).role_of(event.row) == Role::memcpy) continue;
        work[event.device].push_back({event.start_ns + model_.offset_ns(file.part), event.end_ns + model_.offset_ns(file.part)});
      }
    }
    for (auto& [device, spans] : work) spans = join_intervals(std::move(spans));
    return work;
  }

  // The fallback that a host row is part of; null: none.
  FallbackCopies* fallback_around(uint32_t part, Row row) {
    for (const auto& parent = model_.file(part).nesting.parent; row != kNoRow && !fallbacks_.empty(); row = parent[row]) {
      if (const auto at = fallbacks_.find({part, row}); at != fallbacks_.end()) return &at->second;
    }
    return nullptr;
  }

  void add_copies() {
    const std::map<uint32_t, Intervals> work = other_work();
    const auto alone = [&](const Copy& copy) {
      const auto at = work.find(copy.device);
      const Intervals own = {{copy.start_ns, copy.start_ns + copy.dur_ns}};
      return at == work.end() ? copy.dur_ns : length_of(subtract(own, at->second));
    };
    // Idle time that waited for a copy, by the call that made it.
    std::map<EventId, int64_t> waits;
    for (auto& [device, gaps] : open_gaps_) {
      for (auto& [start, gap] : gaps) {
        if (gap.cause != Cause::copy_wait || gap.event == kNoRow) continue;
        waits[{gap.event_part, gap.event}] += gap.dur_ns;
      }
    }
    std::set<EventId> told;  // calls whose waits a finding holds; the others stay open
    Sites h2d, d2h, pageable, tiny;
    for (const Copy& copy : find_copies(model_, filter_)) {
      const EventId event{copy.part, copy.event}, call{copy.part, copy.call};
      const auto wait = waits.find(call);
      const int64_t waited = copy.call == kNoRow || wait == waits.end() ? 0 : wait->second;
      const int64_t gain = alone(copy) + waited;
      // The host needs the values and the device their results: advice about the copy itself would be wrong.
      if (FallbackCopies* fallback = fallback_around(copy.part, copy.call != kNoRow ? copy.call : copy.asker.op)) {
        fallback->gain += gain;
        fallback->bytes += std::max<int64_t>(0, copy.bytes);
        fallback->device_ns += copy.dur_ns;
        ++fallback->calls;
        told.insert(call);
        continue;
      }
      Sites* sites = nullptr;
      if (copy.kind == CopyKind::h2d && copy.implicit) sites = &h2d;
      else if (copy.kind == CopyKind::d2h) sites = &d2h;
      else if (model_.name(copy.part, copy.event).find("Pageable") != std::string_view::npos) sites = &pageable;
      else if (copy.bytes >= 0 && copy.bytes <= kTinyCopyBytes) sites = &tiny;
      if (sites == nullptr) continue;
      told.insert(call);
      std::vector<EventId> evidence = {event};
      if (copy.call != kNoRow && copy.call != copy.event) evidence.push_back(call);
      if (copy.asker.op != kNoRow) evidence.push_back({copy.part, copy.asker.op});
      // A copy inside an operator goes by that operator, whatever its own inner copies are called.
      const Row outer = copy.implicit ? copy.asker.outermost : kNoRow;
      Site& site = site_of(sites, copy.part, copy.asker, outer == kNoRow ? store::kNoString : model_.events(copy.part).name[outer]);
      site.add(gain, std::move(evidence), copy.asker.op != kNoRow ? copy.asker.op : copy.call);
      site.bytes += std::max<int64_t>(0, copy.bytes);
      site.longest = std::max(site.longest, copy.bytes);
      if (outer != kNoRow) site.event = outer;
    }
    emit("h2d_copy", &h2d, true, [&](const Site& site) {
      std::string text = std::string(model_.name(site.part, site.event)) + " copies " + bytes_words(site.bytes) + " from host to device, " + times_words(site.calls);
      text += site.longest >= 0 && site.longest <= 16 ? ": one of its inputs is a single number in a tensor on the CPU; make it a Python number or keep it on the device"
                                                      : ": one of its inputs is on the CPU; keep it on the device";
      return text;
    });
    emit("d2h_copy", &d2h, false, [&](const Site& site) {
      return std::string(op_name(site)) + " copies " + bytes_words(site.bytes) + " from device to host, " + times_words(site.calls) + ", and the device waits";
    });
    emit("pageable_copy", &pageable, false, [&](const Site& site) {
      return std::string(op_name(site)) + " copies " + bytes_words(site.bytes) + " from memory that is not pinned, " + times_words(site.calls) +
             "; pin it and copy with non_blocking=True while the device works";
    });
    for (auto& [device, gaps] : open_gaps_) {
      for (auto& [start, gap] : gaps) {
        if (gap.cause == Cause::copy_wait && told.contains({gap.event_part, gap.event})) gap.dur_ns = 0;
      }
    }
    std::erase_if(tiny, [](const auto& entry) { return entry.second.calls < kRepeated; });
    emit("tiny_copies", &tiny, false, [&](const Site& site) {
      return std::string(op_name(site)) + " makes " + std::to_string(site.calls) + " copies of at most " + bytes_words(site.longest) + "; join them";
    });
  }

  void add_hidden() {
    std::map<HiddenKind, Sites> kinds;
    const bool devices = !model_.devices().empty();
    for (const HiddenItem& item : hidden_) {
      if (item.kind == HiddenKind::copy || item.kind == HiddenKind::release) continue;
      // Waits and allocations of a fallback are the fallback's.
      if (item.kind != HiddenKind::fallback && fallback_around(item.part, item.row) != nullptr) continue;
      const Interval host{model_.start_ns(item.part, item.row), model_.start_ns(item.part, item.row) + item.host_ns};
      const auto idle = take_idle(item.part, host, [&](const Gap& gap) {
        return item.kind == HiddenKind::sync ? gap.cause == Cause::synchronize : gap.cause == Cause::host_busy || gap.cause == Cause::synchronize || gap.cause == Cause::copy_wait;
      });
      std::vector<EventId> evidence = {{item.part, item.row}};
      if (item.asker.op != kNoRow && item.asker.op != item.row) evidence.push_back({item.part, item.asker.op});
      // A wait behind which the step asks for nothing more only waits for work that has to be done.
      if (item.kind == HiddenKind::sync && ends_step(item)) continue;
      const FallbackCopies moved = item.kind == HiddenKind::fallback ? fallbacks_[{item.part, item.row}] : FallbackCopies();
      Site& site = site_of(&kinds[item.kind], item.part, item.asker, item.name);
      site.add(moved.gain + (devices ? idle : item.kind == HiddenKind::sync ? 0 : item.host_ns), std::move(evidence), item.row);
      site.copied.bytes += moved.bytes, site.copied.calls += moved.calls, site.copied.device_ns += moved.device_ns;
      site.bytes += item.host_ns;  // host time
      site.event = item.row;
    }
    for (auto& [kind, sites] : kinds) {
      emit(hidden_kind_name(kind), &sites, kind == HiddenKind::fallback || kind == HiddenKind::recompile, [&](const Site& site) {
        const std::string name(model_.session().text(name_of_item(site)));
        const std::string host = span_words(site.bytes);
        switch (kind) {
          case HiddenKind::sync: return name + " holds the host " + times_words(site.calls) + " and the device runs empty";
          case HiddenKind::fallback: return name + " has no kernel for the device and runs on the host, " + times_words(site.calls) + ", " + host + copied_words(site.copied);
          case HiddenKind::compile: return name + " is compiled or loaded while the device waits, " + times_words(site.calls) + ", " + host + "; run it once before measuring";
          case HiddenKind::recompile: return name + " is compiled again, " + times_words(site.calls) + ", " + host + ": shapes or values change";
          default: return name + " gets memory from the device " + times_words(site.calls) + ", " + host + ", while the device waits";
        }
      });
    }
  }
  static std::string copied_words(const FallbackCopies& copied) {
    if (copied.calls == 0) return {};
    return "; for it " + count_words(copied.calls, "copy moves ", "copies move ") + bytes_words(copied.bytes) + " between host and device, " + span_words(copied.device_ns) + " on the device";
  }

  // Whether its thread asks for nothing more, no operator and no work for a device, until the next step begins or, in the last one and
  // without steps, the file ends.
  bool ends_step(const HiddenItem& item) const {
    const auto& events = model_.events(item.part);
    const FileModel& file = model_.file(item.part);
    const int64_t end = events.ts_ns[item.row] + item.host_ns, offset = model_.offset_ns(item.part);
    int64_t until = std::numeric_limits<int64_t>::max();
    for (const Step& step : model_.steps()) {
      if (step.part == item.part && step.start_ns - offset >= end) until = std::min(until, step.start_ns - offset);
    }
    const auto rows = file.nesting.track(events.track[item.row]);
    auto at = std::lower_bound(rows.begin(), rows.end(), end, [&](Row row, int64_t moment) { return events.ts_ns[row] < moment; });
    for (; at != rows.end() && events.ts_ns[*at] < until; ++at) {
      const Role role = events.role_of(*at);
      if (role == Role::runtime && submits(file.links.call(*at)->kind)) return false;
      // "ProfilerStep#3", "Optimizer.step#SGD.step": ranges that old files call operators.
      if (role == Role::cpu_op && model_.name(item.part, *at).find('#') == std::string_view::npos) return false;
    }
    return true;
  }

  store::StringId name_of_item(const Site& site) const {
    const int64_t label = model_.events(site.part).arg(ArgKey::label).find(site.event);
    const bool call = model_.events(site.part).role_of(site.event) == Role::runtime && model_.file(site.part).links.call(site.event)->kind != schema::CallKind::other;
    return label != store::null_value<int64_t>() && !call ? static_cast<store::StringId>(label) : model_.events(site.part).name[site.event];
  }

  void add_loaders() {
    Sites sites;
    for (const FileModel& file : model_.files()) {
      if (file.repeats) continue;
      for (const Row row : file.nesting.order) {
        const Role role = model_.events(file.part).role_of(row);
        if ((role != Role::annotation && role != Role::cpu_op) || !filter_.host(file.part, row)) continue;
        if (!model_.name(file.part, row).starts_with("enumerate(DataLoader)")) continue;
        const int64_t start = model_.start_ns(file.part, row), duration = std::max<int64_t>(0, model_.events(file.part).dur_ns[row]);
        const int64_t idle = take_idle(file.part, {start, start + duration}, [](const Gap& gap) { return gap.cause == Cause::host_busy || gap.cause == Cause::copy_wait; });
        Site& site = site_of(&sites, file.part, askers_.of_host(file.part, row), model_.events(file.part).name[row]);
        site.add(model_.devices().empty() ? duration : idle, {{file.part, row}}, row);
      }
    }
    emit("dataloader", &sites, false, [&](const Site& site) { return "the loader keeps the step waiting, " + times_words(site.calls) + "; more workers or prefetching"; });
  }

  // Its name where the session has several.
  std::string device_of(uint32_t part) const {
    std::string found;
    size_t own = 0;
    for (const Device& device : model_.devices()) {
      if (device.part == part && ++own == 1) found = device.name;
    }
    return own != 1 || model_.devices().size() == 1 ? "the device" : found;
  }

  // Idle time that nothing above explains better.
  void add_rest_of_gaps() {
    std::map<std::string_view, Sites> kinds;
    std::vector<const Gap*> left;
    for (const auto& [device, gaps] : open_gaps_) {
      for (const auto& [start, gap] : gaps) {
        if (gap.dur_ns > 0) left.push_back(&gap);
      }
    }
    for (const Gap* open : left) {
      const Gap& gap = *open;
      const bool host = gap.cause == Cause::host_busy, launch = gap.cause == Cause::launch_latency, copy = gap.cause == Cause::copy_wait;
      if (!host && !launch && !copy && gap.cause != Cause::synchronize) continue;
      const uint32_t part = model_.devices()[gap.device].part;
      const Row asked = gap.op != kNoRow ? gap.op : gap.event_part == part ? gap.event : kNoRow;
      const auto& links = model_.file(part).links;
      const DeviceEvent* device = asked == kNoRow ? nullptr : links.device_event(asked);
      Asker asker;
      if (device != nullptr) asker = askers_.of_event(part, *device);
      else if (asked != kNoRow) asker = askers_.of_host(part, asked);
      if (launch) asker = {};  // one finding: it is the road, not the traveller
      Site& site = site_of(&kinds[host ? "host_bound" : launch ? "launch_latency" : copy ? "copy_wait" : "sync"], part, asker, store::kNoString);
      std::vector<EventId> evidence;
      if (gap.event != kNoRow) evidence.push_back({gap.event_part, gap.event});
      if (gap.op != kNoRow) evidence.push_back({part, gap.op});
      site.add(gap.dur_ns, std::move(evidence), launch || device != nullptr ? kNoRow : asked);
    }
    for (auto& [kind, sites] : kinds) {
      emit(kind, &sites, false, [&, name = kind](const Site& site) {
        const std::string device = device_of(site.part);
        if (name == "host_bound") return device + " waits for " + std::string(op_name(site)) + " on the host, " + times_words(site.calls);
        if (name == "sync") return "the host waits for " + device + " and leaves it empty, " + times_words(site.calls);
        if (name == "copy_wait") return device + " is idle until a copy of " + std::string(op_name(site)) + " starts, " + times_words(site.calls) + "; copy earlier, or on another stream";
        return device + " is idle while work is on its way, " + times_words(site.calls) + "; launch earlier or fewer, larger programs";
      });
    }
  }

  void add_execution_overhead() {
    Sites sites;
    for (const FileModel& file : model_.files()) {
      if (file.repeats) continue;
      const auto& own = model_.events(file.part).arg(ArgKey::exec_overhead_ns);
      std::map<uint32_t, int64_t> largest;  // by device
      for (size_t i = 0; i < own.size(); ++i) {
        const DeviceEvent* event = file.links.device_event(own.row(i));
        if (event == nullptr || own.value(i) <= 0 || !filter_.event(file.part, *event)) continue;
        const int64_t overhead = std::min(own.value(i), event->end_ns - event->start_ns);
        largest[event->device] = std::max(largest[event->device], overhead);
        site_of(&sites, file.part, {}, store::kNoString).add(overhead, {{file.part, event->row}});
      }
      // One execution of each device stays.
      for (const auto& [device, overhead] : largest) site_of(&sites, file.part, {}, store::kNoString).gain -= overhead;
    }
    emit("execution_overhead", &sites, false, [&](const Site& site) {
      return count_words(site.calls, "execution pays its fixed cost", "executions pay their fixed cost each") + "; one program for all of them (torch.compile, a fused operator) pays it once. "
             "What the capture itself adds is not in this number";
    });
  }

  Status add_communication() {
    for (const DeviceOverlap& own : find_overlap(model_, filter_)) {
      const int64_t exposed = length_of(own.communication) - own.hidden_ns();
      if (exposed <= 0) continue;
      const uint32_t part = model_.devices()[own.device].part;
      const DeviceEvent* longest = *std::max_element(own.collectives.begin(), own.collectives.end(), [](const DeviceEvent* a, const DeviceEvent* b) {
        return a->end_ns - a->start_ns < b->end_ns - b->start_ns;
      });
      findings_.push_back({"exposed_communication", "communication runs without computation beside it on " + model_.devices()[own.device].name + "; start it earlier, or make it smaller",
                           exposed, {{part, longest->row}}, askers_.of_event(part, *longest).line});
    }
    LW_ASSIGN_OR_RETURN(const std::vector<Table> tables, ranks_tables(model_, selection_));
    const Table& ranks = tables[0];
    for (size_t row = 0; row < ranks.rows() && ranks.rows() > 1; ++row) {
      if (ranks["straggler"].integers[row] == 0) continue;
      const int64_t part = ranks["part"].integers[row], rank = ranks["rank"].integers[row];
      std::vector<EventId> evidence;
      const Table& collectives = tables[1];
      for (size_t c = 0; c < collectives.rows() && evidence.size() < kEvidence; ++c) {
        const EventId id = EventId::unpack(static_cast<uint64_t>(collectives["event"].integers[c]));
        if (id.part == part) evidence.push_back(id);
      }
      // The others wait at the same time, so the gain is the mean of their waits.
      findings_.push_back({"straggler", "rank " + std::to_string(rank == kNullInteger ? part : rank) + " comes last in " + count_words(ranks["last"].integers[row], "collective", "collectives") + "; the others wait",
                           ranks["waited_for_ns"].integers[row] / static_cast<int64_t>(ranks.rows() - 1), std::move(evidence), {}});
    }
    return ok_status();
  }

  // The longest device event of a name.
  std::vector<EventId> longest_of(std::string_view name) const {
    EventId longest;
    int64_t duration = -1;
    for (const FileModel& file : model_.files()) {
      if (file.repeats) continue;
      for (const DeviceEvent& event : file.links.device_events) {
        if (event.end_ns - event.start_ns <= duration || !filter_.event(file.part, event) || model_.name(file.part, event.row) != name) continue;
        duration = event.end_ns - event.start_ns;
        longest = {file.part, event.row};
      }
    }
    return duration < 0 ? std::vector<EventId>() : std::vector<EventId>{longest};
  }

  Status add_hot() {
    LW_ASSIGN_OR_RETURN(const Table kernels, kernels_table(model_, selection_));
    if (kernels.rows() > 0) {
      char share[16];
      std::snprintf(share, sizeof(share), "%.0f %%", kernels["share"].reals[0]);
      const std::string name(kernels["name"].texts[0]);
      findings_.push_back({"hot_kernel", name.substr(0, 120) + " has the largest share of the device's time, " + share + " in " + count_words(kernels["calls"].integers[0], "call", "calls"), 0, longest_of(kernels["name"].texts[0]), {}});
      return ok_status();
    }
    OpsOptions options;
    options.selection = selection_;
    LW_ASSIGN_OR_RETURN(Table ops, ops_table(model_, options));
    std::vector<size_t> plain;
    for (size_t row = 0; row < ops.rows(); ++row) {
      if (ops["annotation"].integers[row] == 0) plain.push_back(row);
    }
    ops.keep_rows(plain);
    if (ops.rows() == 0) return ok_status();
    ops.sort(*ops.find("self_cpu_ns"), true);
    findings_.push_back({"hot_op", std::string(ops["name"].texts[0]) + " has the most host time of its own, " + span_words(ops["self_cpu_ns"].integers[0]) + " in " + count_words(ops["calls"].integers[0], "call", "calls"), 0, longest_op(ops["name"].texts[0]), {}});
    return ok_status();
  }

  // The longest host slice of a name.
  std::vector<EventId> longest_op(std::string_view name) const {
    EventId longest;
    int64_t duration = -1;
    for (const FileModel& file : model_.files()) {
      if (file.repeats) continue;
      for (const Row row : file.nesting.order) {
        const int64_t own = slice_length(model_.events(file.part), row);
        if (own <= duration || !filter_.host(file.part, row) || model_.name(file.part, row) != name) continue;
        duration = own;
        longest = {file.part, row};
      }
    }
    return duration < 0 ? std::vector<EventId>() : std::vector<EventId>{longest};
  }

  const Model& model_;
  const Filter& filter_;
  const Selection& selection_;
  AskerFinder askers_;
  GapsReport gaps_;
  std::vector<HiddenItem> hidden_;
  std::map<EventId, FallbackCopies> fallbacks_;
  // Idle time that no finding has taken, by device and start; gaps of a device lie apart. Empty ones are used up.
  std::map<uint32_t, std::map<int64_t, Gap>> open_gaps_;
  std::vector<VerdictFinding> findings_;
};

}  // namespace

std::vector<std::string_view> verdict_kinds() {
  return {"h2d_copy", "d2h_copy", "pageable_copy", "tiny_copies", "sync", "fallback", "compile", "recompile", "allocate", "dataloader", "host_bound", "launch_latency",
          "copy_wait", "execution_overhead", "exposed_communication", "straggler", "hot_kernel", "hot_op", "cannot_tell"};
}

Result<std::vector<VerdictFinding>> find_verdict(const Model& model, const Selection& selection) {
  LW_ASSIGN_OR_RETURN(const Filter filter, Filter::make(model, selection));
  return VerdictBuilder(model, filter, selection).run();
}

Result<std::vector<Table>> verdict_tables(const Model& model, const Selection& selection) {
  LW_ASSIGN_OR_RETURN(const std::vector<VerdictFinding> findings, find_verdict(model, selection));
  Table table("findings", {{"rank", ColumnType::integer}, {"kind", ColumnType::text}, {"text", ColumnType::text}, {"gain_ns", ColumnType::ns},
                           {"evidence", ColumnType::events}, {"file", ColumnType::text}, {"line", ColumnType::integer}});
  table.set_owner(model.shared_session());
  int64_t rank = 0;
  for (const VerdictFinding& finding : findings) {
    std::vector<uint64_t> evidence;
    for (const EventId id : finding.evidence) evidence.push_back(id.packed());
    auto row = table.row();
    row.integer(++rank).pooled(finding.kind).text(finding.text).integer(finding.gain_ns).events(std::move(evidence));
    if (finding.line) row.pooled(finding.line.file).integer(finding.line.line);
    else row.null().null();
  }
  std::vector<Table> tables;
  tables.push_back(std::move(table));
  return tables;
}

}  // namespace lanewise::trace::analysis
