// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/analysis/op_sequence.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "trace/analysis/call_kinds.h"
#include "trace/analysis/device_time.h"
#include "trace/analysis/python_frames.h"

namespace lanewise::trace::analysis {
namespace {

using schema::Role;
using schema::Row;

// Ranges that old files write as operators: "ProfilerStep#3", "Optimizer.step#SGD.step".
bool is_range(std::string_view name) { return name.find('#') != std::string_view::npos; }

// When what a step asked for ran.
struct StepSpans {
  Intervals operators, loose, host;
};

struct PartStep {
  size_t index;  // into OpSequence::steps
  int64_t begin_ns, end_ns;
};

class Builder {
 public:
  Builder(const Model& model, const Selection& selection, const Filter& filter, bool by_step)
      : model_(model), selection_(selection), filter_(filter), by_step_(by_step) {}

  Result<OpSequence> run() {
    LW_ASSIGN_OR_RETURN(const GapsReport gaps, find_gaps(model_, selection_));
    out_.has_steps = !model_.steps().empty();
    for (const FileModel& file : model_.files()) {
      if (!file.repeats && filter_.part(file.part)) add_file(file, gaps);
    }
    return std::move(out_);
  }

 private:
  bool chosen(const Step& step) const {
    return selection_.steps.empty() || std::find(selection_.steps.begin(), selection_.steps.end(), step.number) != selection_.steps.end();
  }

  // The device of the file that did most; times of a step are its.
  std::optional<uint32_t> main_device(uint32_t part) const {
    std::optional<uint32_t> best;
    for (uint32_t d = 0; d < model_.devices().size(); ++d) {
      if (model_.devices()[d].part == part && filter_.device(d) && (!best || model_.devices()[d].events > model_.devices()[*best].events)) best = d;
    }
    return best;
  }

  void add_file(const FileModel& file, const GapsReport& gaps) {
    const schema::EventTable& events = model_.events(file.part);
    const auto device = main_device(file.part);
    out_.has_device |= device.has_value();
    steps_.clear();
    if (by_step_) {
      for (const Step& step : model_.steps()) {
        if (step.part != file.part || !chosen(step)) continue;
        StepSequence& own = add_step(step.start_ns, step.end_ns);
        for (const StepGaps& g : gaps.steps) {
          if (device && g.device == *device && g.start_ns == step.start_ns && g.number == step.number) own.busy_ns = g.busy_ns, own.causes = g.causes;
        }
      }
    } else {
      StepSequence& own = add_step(model_.begin_ns(), model_.end_ns() + 1);
      own.wall_ns = model_.end_ns() - model_.begin_ns();
      for (const DeviceGaps& g : gaps.devices) {
        if (device && g.device == *device) own.busy_ns = g.busy_ns, own.causes = g.causes, own.wall_ns = g.wall_ns;
      }
    }
    const size_t first_step = out_.steps.size() - steps_.size();
    std::vector<StepSpans> spans(steps_.size());
    std::unordered_map<Row, std::pair<size_t, size_t>> unit_of;  // outermost operator -> step, unit
    std::vector<Row> rows(file.nesting.order.begin(), file.nesting.order.end());
    std::stable_sort(rows.begin(), rows.end(), [&](Row a, Row b) { return events.ts_ns[a] < events.ts_ns[b]; });
    for (const Row row : rows) {
      if (events.role_of(row) != Role::cpu_op || outermost(file, row) != row || !filter_.host(file.part, row)) continue;
      StepSequence* step = step_at(model_.start_ns(file.part, row));
      if (step == nullptr) continue;
      OpUnit unit;
      unit.part = file.part, unit.row = row, unit.name = model_.name(file.part, row);
      unit.module = module_path(model_, file.part, row);
      unit.host_ns = std::max<int64_t>(0, events.dur_ns[row]);
      out_.has_modules |= !unit.module.empty();
      unit_of[row] = {static_cast<size_t>(step - out_.steps.data()), step->units.size()};
      step->units.push_back(std::move(unit));
      spans[unit_of[row].first - first_step].host.push_back({model_.start_ns(file.part, row), slice_end(events, row) + model_.offset_ns(file.part)});
    }
    for (const RuntimeCall& call : file.links.calls) {
      StepSequence* step = submits(call.kind) && filter_.host(file.part, call.row) ? step_at(model_.start_ns(file.part, call.row)) : nullptr;
      if (step != nullptr) ++step->launches;
    }
    for (const DeviceEvent& event : file.links.device_events) {
      if (!filter_.event(file.part, event)) continue;
      const auto [before, after] = overhead_of(events, event);
      const int64_t duration = event.end_ns - event.start_ns, overhead = before + after;
      const Row op = event.op ? outermost(file, event.op.row) : kNoRow;
      const auto at = op == kNoRow ? unit_of.end() : unit_of.find(op);
      const Row asked = event.call ? event.call.row : event.row;
      StepSequence* step = at != unit_of.end() ? &out_.steps[at->second.first] : step_at(model_.start_ns(file.part, asked));
      if (step == nullptr) continue;
      ++step->device_events;
      step->copies += events.role_of(event.row) == Role::memcpy;
      step->work_ns += duration - overhead;
      if (device && event.device == *device) {
        StepSpans& own = spans[static_cast<size_t>(step - out_.steps.data()) - first_step];
        (at == unit_of.end() ? own.loose : own.operators).push_back({event.start_ns + model_.offset_ns(file.part), event.end_ns + model_.offset_ns(file.part)});
      }
      if (at == unit_of.end()) continue;
      OpUnit& unit = step->units[at->second.second];
      unit.device_ns += duration;
      unit.overhead_ns += overhead;
      ++unit.kernels[model_.name(file.part, event.row)];
    }
    const Intervals work = device ? device_timeline(model_, *device).work : Intervals();
    for (size_t i = 0; i < steps_.size(); ++i) {
      StepSequence& step = out_.steps[steps_[i].index];
      const Intervals window = {{steps_[i].begin_ns, steps_[i].end_ns}};
      const Intervals busy = intersect(window, work), operators = join_intervals(std::move(spans[i].operators));
      step.operators_ns = length_of(intersect(busy, operators));
      const Intervals rest = subtract(busy, operators);
      step.without_operator_ns = length_of(intersect(rest, join_intervals(std::move(spans[i].loose))));
      step.other_steps_ns = length_of(rest) - step.without_operator_ns;
      step.host_ns = length_of(intersect(window, join_intervals(std::move(spans[i].host))));
    }
  }

  StepSequence& add_step(int64_t begin, int64_t end) {
    steps_.push_back({out_.steps.size(), begin, end});
    StepSequence& step = out_.steps.emplace_back();
    step.wall_ns = end - begin;
    return step;
  }

  StepSequence* step_at(int64_t moment) {
    const auto at = std::upper_bound(steps_.begin(), steps_.end(), moment, [](int64_t t, const PartStep& s) { return t < s.begin_ns; });
    return at == steps_.begin() || moment >= (at - 1)->end_ns ? nullptr : &out_.steps[(at - 1)->index];
  }

  Row outermost(const FileModel& file, Row row) const {
    Row found = kNoRow;
    for (; row != kNoRow; row = file.nesting.parent[row]) {
      if (model_.events(file.part).role_of(row) == Role::cpu_op && !is_range(model_.name(file.part, row))) found = row;
    }
    return found;
  }

  const Model& model_;
  const Selection& selection_;
  const Filter& filter_;
  const bool by_step_;
  OpSequence out_;
  std::vector<PartStep> steps_;  // of the file at hand
};

}  // namespace

Result<OpSequence> op_sequence(const Model& model, const Selection& selection, bool by_step) {
  LW_ASSIGN_OR_RETURN(const Filter filter, Filter::make(model, selection));
  return Builder(model, selection, filter, by_step).run();
}

}  // namespace lanewise::trace::analysis
