// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/analysis/gaps.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

#include "trace/analysis/device_time.h"
#include "trace/analysis/host_threads.h"
#include "trace/analysis/intervals.h"

namespace lanewise::trace::analysis {
namespace {

using schema::Role;
using schema::Row;

constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

class DeviceScan {
 public:
  DeviceScan(const Model& model, const DeviceTimeline& timeline, const std::vector<HostThread>& threads, const Intervals& walls,
             DeviceGaps* out)
      : model_(model), timeline_(timeline), threads_(threads), walls_(walls), out_(*out),
        part_(model.devices()[timeline.device].part) {}

  void run() {
    const Device& device = model_.devices()[timeline_.device];
    out_.device = timeline_.device;
    out_.wall_ns = length_of(walls_);
    const Intervals window = intersect(walls_, {{device.first_ns, device.last_ns}});
    out_.device_window_ns = length_of(window);
    out_.idle_inside_ns = out_.device_window_ns - length_of(intersect(window, timeline_.occupied));
    out_.busy_ns = length_of(intersect(walls_, timeline_.work));
    find_submissions();

    for (const Interval& s : intersect(walls_, subtract(timeline_.occupied, timeline_.work))) {
      const size_t next = first_event_from(s.begin + 1);
      const DeviceEvent* event = next > 0 ? timeline_.events[next - 1] : nullptr;
      add(s.begin, s.end, Cause::overhead, event ? event->row : kNoRow, event ? event->op.row : kNoRow);
    }
    Intervals idle = subtract(walls_, timeline_.occupied);
    for (const Interval& s : intersect(idle, timeline_.lag)) add(s.begin, s.end, Cause::sim_lag);
    idle = subtract(idle, timeline_.lag);
    for (const Interval& s : intersect(idle, timeline_.profiler)) add(s.begin, s.end, Cause::profiler, timeline_.profiler_row(s.begin));
    idle = subtract(idle, timeline_.profiler);
    for (const Interval& s : idle) explain(s);
    join_gaps();
  }

 private:
  // Of the work that starts with event i or later, what was submitted first, and when.
  void find_submissions() {
    const auto& events = timeline_.events;
    submitted_.assign(events.size() + 1, kNever);
    oldest_.assign(events.size() + 1, 0);
    const int64_t offset = model_.offset_ns(part_);
    for (size_t i = events.size(); i-- > 0;) {
      submitted_[i] = submitted_[i + 1];
      oldest_[i] = oldest_[i + 1];
      if (!events[i]->call) continue;
      const int64_t call = model_.start_ns(part_, events[i]->call.row), start = events[i]->start_ns + offset;
      if (std::min(call, start) <= submitted_[i]) {
        submitted_[i] = std::min(call, start);
        oldest_[i] = i;
      }
    }
  }

  // The first event that starts at or after the moment.
  size_t first_event_from(int64_t moment) const {
    const int64_t local = moment - model_.offset_ns(part_);
    const auto at = std::lower_bound(timeline_.events.begin(), timeline_.events.end(), local,
                                     [](const DeviceEvent* e, int64_t t) { return e->start_ns < t; });
    return static_cast<size_t>(at - timeline_.events.begin());
  }

  void explain(const Interval& idle) {
    const auto& events = timeline_.events;
    const size_t next = first_event_from(idle.end);
    if (next == events.size()) return add(idle.begin, idle.end, Cause::queue_empty_end);
    const DeviceEvent& oldest = *events[oldest_[next]];
    const int64_t queued = std::clamp(submitted_[next], idle.begin, idle.end);
    if (queued < idle.end) {
      const bool copy = model_.events(part_).role_of(oldest.row) == Role::memcpy;
      add(queued, idle.end, copy ? Cause::copy_wait : Cause::launch_latency, oldest.call.row, oldest.op.row);
    }
    if (idle.begin == queued) return;
    if (next == 0) return add(idle.begin, queued, Cause::queue_empty_start);
    if (!events[next]->call) return add(idle.begin, queued, Cause::unknown, events[next]->row);
    explain_host(idle.begin, queued, model_.events(part_).track[oldest.call.row]);
  }

  // Nothing is queued: what did the host do?
  void explain_host(int64_t begin, int64_t end, uint32_t submitter) {
    const auto own = std::find_if(threads_.begin(), threads_.end(), [&](const HostThread& t) { return t.track == submitter; });
    const HostThread* thread = own == threads_.end() ? nullptr : &*own;
    for_spans(thread, begin, end, [&](int64_t from, int64_t to, const HostSpan* span) {
      if (span != nullptr) return add_host(from, to, *span);
      explain_others(from, to, thread);
    });
  }

  void explain_others(int64_t begin, int64_t end, const HostThread* submitter) {
    Intervals left = {{begin, end}};
    for (const HostState state : {HostState::sync, HostState::copy, HostState::busy}) {
      for (const HostThread& thread : threads_) {
        if (&thread == submitter) continue;
        Intervals rest;
        for (const Interval& piece : left) {
          for_spans(&thread, piece.begin, piece.end, [&](int64_t from, int64_t to, const HostSpan* span) {
            if (span != nullptr && span->state == state) add_host(from, to, *span);
            else rest.push_back({from, to});
          });
        }
        left = join_intervals(std::move(rest));
        if (left.empty()) return;
      }
    }
    const bool ran = submitter != nullptr && !submitter->spans.empty();
    for (const Interval& piece : left) {
      const bool between = ran && submitter->spans.front().begin_ns <= piece.begin && submitter->spans.back().end_ns >= piece.end;
      add(piece.begin, piece.end, between ? Cause::host_busy : Cause::unknown);
    }
  }

  // Calls visit(from, to, span or null) for all of [begin, end).
  template <typename Visit>
  static void for_spans(const HostThread* thread, int64_t begin, int64_t end, const Visit& visit) {
    if (thread == nullptr) return visit(begin, end, static_cast<const HostSpan*>(nullptr));
    auto at = std::upper_bound(thread->spans.begin(), thread->spans.end(), begin,
                               [](int64_t t, const HostSpan& s) { return t < s.end_ns; });
    while (begin < end) {
      if (at == thread->spans.end() || at->begin_ns >= end) return visit(begin, end, static_cast<const HostSpan*>(nullptr));
      if (at->begin_ns > begin) visit(begin, at->begin_ns, static_cast<const HostSpan*>(nullptr));
      const int64_t from = std::max(begin, at->begin_ns), to = std::min(end, at->end_ns);
      visit(from, to, &*at);
      begin = to;
      ++at;
    }
  }

  void add_host(int64_t begin, int64_t end, const HostSpan& span) {
    const Cause cause = span.state == HostState::sync   ? Cause::synchronize
                        : span.state == HostState::copy ? Cause::copy_wait
                                                        : Cause::host_busy;
    const Nesting& nesting = model_.file(part_).nesting;
    add(begin, end, cause, span.row, nesting.nearest(model_.events(part_), span.row, Role::cpu_op));
  }

  void add(int64_t begin, int64_t end, Cause cause, Row event = kNoRow, Row op = kNoRow) {
    if (begin >= end) return;
    out_.causes[static_cast<size_t>(cause)] += end - begin;
    Gap gap{timeline_.device, begin, end - begin, cause, event, part_, op};
    // The event that held the device back is the one that started next.
    if (event == kNoRow && (cause == Cause::queue_empty_start || cause == Cause::host_busy || cause == Cause::unknown)) {
      const size_t next = first_event_from(end);
      if (next < timeline_.events.size()) gap.event = timeline_.events[next]->row;
    }
    if (cause == Cause::sim_lag) std::tie(gap.event_part, gap.event) = timeline_.lag_row(begin);
    out_.gaps.push_back(gap);
  }

  // Pieces that follow each other with one cause are one gap, told by its longest piece.
  void join_gaps() {
    std::sort(out_.gaps.begin(), out_.gaps.end(), [](const Gap& a, const Gap& b) { return a.start_ns < b.start_ns; });
    std::vector<Gap> joined;
    int64_t longest = 0;
    for (const Gap& gap : out_.gaps) {
      Gap* last = joined.empty() ? nullptr : &joined.back();
      if (last == nullptr || last->cause != gap.cause || last->start_ns + last->dur_ns != gap.start_ns) {
        joined.push_back(gap);
        longest = gap.dur_ns;
        continue;
      }
      last->dur_ns += gap.dur_ns;
      if (gap.dur_ns <= longest) continue;
      longest = gap.dur_ns;
      last->event = gap.event, last->event_part = gap.event_part, last->op = gap.op;
    }
    out_.gaps = std::move(joined);
  }

  const Model& model_;
  const DeviceTimeline& timeline_;
  const std::vector<HostThread>& threads_;
  const Intervals& walls_;
  DeviceGaps& out_;
  const uint32_t part_;
  std::vector<int64_t> submitted_;
  std::vector<size_t> oldest_;
};

StepGaps step_gaps(const Step& step, const DeviceGaps& device, const DeviceTimeline& timeline) {
  StepGaps out{device.device, step.number, step.start_ns, step.end_ns - step.start_ns, 0, {}};
  out.busy_ns = length_of(intersect({{step.start_ns, step.end_ns}}, timeline.work));
  auto at = std::upper_bound(device.gaps.begin(), device.gaps.end(), step.start_ns,
                             [](int64_t t, const Gap& g) { return t < g.start_ns + g.dur_ns; });
  for (; at != device.gaps.end() && at->start_ns < step.end_ns; ++at) {
    const int64_t from = std::max(at->start_ns, step.start_ns), to = std::min(at->start_ns + at->dur_ns, step.end_ns);
    out.causes[static_cast<size_t>(at->cause)] += std::max<int64_t>(0, to - from);
  }
  return out;
}

}  // namespace

std::string_view cause_name(Cause cause) {
  constexpr auto kNames = std::to_array<std::string_view>({"host_busy", "launch_latency", "synchronize", "copy_wait",
                                                           "queue_empty_start", "queue_empty_end", "profiler", "overhead",
                                                           "sim_lag", "unknown"});
  return kNames[static_cast<size_t>(cause)];
}

Result<GapsReport> find_gaps(const Model& model, const Selection& selection) {
  LW_ASSIGN_OR_RETURN(const Filter filter, Filter::make(model, selection));
  GapsReport report;
  std::map<uint32_t, std::vector<HostThread>> threads;
  for (uint32_t d = 0; d < model.devices().size(); ++d) {
    const uint32_t part = model.devices()[d].part;
    if (!filter.device(d) || !filter.part(part) || model.file(part).repeats) continue;
    auto [own, added] = threads.try_emplace(part);
    if (added) own->second = host_threads(model, part);
    Intervals walls;
    for (const Window& w : filter.windows(part)) walls.push_back({w.begin_ns, w.end_ns});
    walls = intersect(walls, {{model.begin_ns(), model.end_ns()}});
    const DeviceTimeline timeline = device_timeline(model, d);
    DeviceGaps& gaps = report.devices.emplace_back();
    DeviceScan(model, timeline, own->second, walls, &gaps).run();
    for (const Step& step : model.steps()) {
      const bool chosen = selection.steps.empty() ||
                          std::find(selection.steps.begin(), selection.steps.end(), step.number) != selection.steps.end();
      if (step.part == part && chosen && !selection.between_ns) report.steps.push_back(step_gaps(step, gaps, timeline));
    }
  }
  return report;
}

}  // namespace lanewise::trace::analysis
