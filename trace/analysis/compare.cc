// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/analysis/compare.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <tuple>

#include "trace/analysis/align.h"
#include "trace/analysis/numbers.h"
#include "trace/analysis/op_sequence.h"

namespace lanewise::trace::analysis {
namespace {

constexpr size_t kNamesShown = 12;

using Run = std::vector<const OpUnit*>;

// "aten::mul, aten::add x2"; names in a row once, at most kNamesShown of them.
std::string names_of(const Run& run) {
  std::string text;
  size_t shown = 0, i = 0;
  while (i < run.size() && shown < kNamesShown) {
    size_t end = i + 1;
    while (end < run.size() && run[end]->name == run[i]->name) ++end;
    text += (text.empty() ? "" : ", ") + std::string(run[i]->name) + (end - i > 1 ? " x" + std::to_string(end - i) : "");
    i = end;
    ++shown;
  }
  return i < run.size() ? text + ", and " + std::to_string(run.size() - i) + " more" : text;
}

struct Change {
  std::string status, module, a_ops, b_ops;
  int64_t a_calls = 0, b_calls = 0, a_device = 0, b_device = 0, a_overhead = 0, b_overhead = 0, a_host = 0, b_host = 0;
  std::map<std::string_view, int64_t> a_kernels, b_kernels;
  const OpUnit *a_first = nullptr, *b_first = nullptr;
};

std::string kernels_of(const std::map<std::string_view, int64_t>& kernels) {
  std::string text;
  size_t shown = 0;
  for (const auto& [name, count] : kernels) {
    if (shown++ == kNamesShown) return text + ", and " + std::to_string(kernels.size() - kNamesShown) + " more";
    text += (text.empty() ? "" : ", ") + std::string(name) + (count > 1 ? " x" + std::to_string(count) : "");
  }
  return text;
}

class Changes {
 public:
  explicit Changes(bool modules) : modules_(modules) {}

  void add_step(const StepSequence& a, const StepSequence& b) {
    std::vector<uint32_t> keys_a, keys_b;
    for (const OpUnit& unit : a.units) keys_a.push_back(key_of(unit));
    for (const OpUnit& unit : b.units) keys_b.push_back(key_of(unit));
    size_t i = 0, j = 0;
    for (const auto& [at_a, at_b] : align(keys_a, keys_b)) {
      between(a, i, at_a, b, j, at_b);
      add("same", {&a.units[at_a]}, {&b.units[at_b]});
      i = at_a + 1, j = at_b + 1;
    }
    between(a, i, a.units.size(), b, j, b.units.size());
  }

  std::vector<const Change*> ordered() const {
    std::vector<const Change*> order;
    for (const auto& [key, change] : changes_) order.push_back(&change);
    const auto size = [](const Change* c) { return std::tuple(std::abs(c->b_device - c->a_device), std::abs(c->b_host - c->a_host)); };
    std::stable_sort(order.begin(), order.end(), [&](const Change* x, const Change* y) { return size(x) > size(y); });
    return order;
  }

 private:
  uint32_t key_of(const OpUnit& unit) {
    const auto [at, added] = keys_.try_emplace({modules_ ? unit.module : std::string(), std::string(unit.name)}, static_cast<uint32_t>(keys_.size()));
    return at->second;
  }
  void between(const StepSequence& a, size_t i, size_t end_a, const StepSequence& b, size_t j, size_t end_b) {
    Run in_a, in_b;
    for (; i < end_a; ++i) in_a.push_back(&a.units[i]);
    for (; j < end_b; ++j) in_b.push_back(&b.units[j]);
    if (in_a.empty() && in_b.empty()) return;
    add(in_b.empty() ? "only_a" : in_a.empty() ? "only_b" : "replaced", in_a, in_b);
  }
  void add(const std::string& status, const Run& a, const Run& b) {
    const std::string a_ops = names_of(a), b_ops = names_of(b), module = modules_ ? (a.empty() ? b : a).front()->module : std::string();
    Change& change = changes_[{status, module, a_ops, b_ops}];
    change.status = status, change.module = module, change.a_ops = a_ops, change.b_ops = b_ops;
    for (const OpUnit* unit : a) {
      change.a_device += unit->device_ns, change.a_overhead += unit->overhead_ns, change.a_host += unit->host_ns, ++change.a_calls;
      for (const auto& [name, count] : unit->kernels) change.a_kernels[name] += count;
    }
    for (const OpUnit* unit : b) {
      change.b_device += unit->device_ns, change.b_overhead += unit->overhead_ns, change.b_host += unit->host_ns, ++change.b_calls;
      for (const auto& [name, count] : unit->kernels) change.b_kernels[name] += count;
    }
    if (change.a_first == nullptr && !a.empty()) change.a_first = a.front();
    if (change.b_first == nullptr && !b.empty()) change.b_first = b.front();
  }

  const bool modules_;
  std::map<std::pair<std::string, std::string>, uint32_t> keys_;
  std::map<std::tuple<std::string, std::string, std::string, std::string>, Change> changes_;
};

// Sums over the compared steps of one side.
struct Totals {
  int64_t wall = 0, busy = 0, device_events = 0, launches = 0, copies = 0, operators = 0, host = 0, work = 0;
  int64_t in_operators = 0, without_operator = 0, other_steps = 0, on_host = 0;
  std::array<int64_t, kCauses> causes = {};
};

Totals totals_of(const OpSequence& sequence, size_t steps) {
  Totals t;
  for (size_t i = 0; i < steps; ++i) {
    const StepSequence& step = sequence.steps[i];
    t.wall += step.wall_ns, t.busy += step.busy_ns, t.device_events += step.device_events, t.launches += step.launches, t.copies += step.copies;
    t.work += step.work_ns, t.on_host += step.host_ns;
    t.in_operators += step.operators_ns, t.without_operator += step.without_operator_ns, t.other_steps += step.other_steps_ns;
    for (size_t c = 0; c < kCauses; ++c) t.causes[c] += step.causes[c];
    for (const OpUnit& unit : step.units) ++t.operators, t.host += unit.host_ns;
  }
  return t;
}

class Tables {
 public:
  Tables() {
    tables.emplace_back("sides", std::vector<ColumnSpec>{{"side", ColumnType::text}, {"path", ColumnType::text}, {"steps", ColumnType::count}, {"compared", ColumnType::count}, {"step_ns", ColumnType::ns}});
    tables.emplace_back("metrics", std::vector<ColumnSpec>{{"metric", ColumnType::text}, {"side", ColumnType::text}, {"a", ColumnType::integer}, {"b", ColumnType::integer}, {"delta", ColumnType::integer}, {"ratio", ColumnType::real}});
    tables.emplace_back("explain", std::vector<ColumnSpec>{{"side", ColumnType::text}, {"part", ColumnType::text}, {"a_ns", ColumnType::ns}, {"b_ns", ColumnType::ns}, {"delta_ns", ColumnType::ns}});
    tables.emplace_back("rows", std::vector<ColumnSpec>{{"side", ColumnType::text}, {"status", ColumnType::text}, {"module", ColumnType::text}, {"a_ops", ColumnType::text}, {"b_ops", ColumnType::text},
                                 {"a_calls", ColumnType::real}, {"b_calls", ColumnType::real}, {"a_kernels", ColumnType::text}, {"b_kernels", ColumnType::text}, {"a_device_ns", ColumnType::ns},
                                 {"b_device_ns", ColumnType::ns}, {"a_overhead_ns", ColumnType::ns}, {"b_overhead_ns", ColumnType::ns}, {"delta_ns", ColumnType::ns}, {"a_host_ns", ColumnType::ns},
                                 {"b_host_ns", ColumnType::ns}, {"a_event", ColumnType::event}, {"b_event", ColumnType::event}});
  }
  void side(const std::string& name, const std::string& path, const OpSequence& sequence, size_t compared) {
    std::vector<int64_t> walls;
    for (const StepSequence& step : sequence.steps) walls.push_back(step.wall_ns);
    tables[0].row().text(name).text(path).integer(sequence.has_steps ? static_cast<int64_t>(walls.size()) : 0).integer(sequence.has_steps ? static_cast<int64_t>(compared) : 0).integer(median_of(std::move(walls)));
  }
  void metric(std::string_view name, const std::string& side, int64_t a, int64_t b) {
    auto row = tables[1].row();
    row.text(name).text(side).integer(a).integer(b).integer(b - a);
    a == 0 ? row.null() : row.real(static_cast<double>(b) / static_cast<double>(a));
  }
  void part(const std::string& side, std::string_view name, int64_t a, int64_t b) { tables[2].row().text(side).text(name).integer(a).integer(b).integer(b - a); }
  void change(const std::string& side, const Change& c, int64_t steps) {
    auto row = tables[3].row();
    const auto per_step = [&](int64_t value) { return value / steps; };
    const auto calls = [&](int64_t value) { return static_cast<double>(value) / static_cast<double>(steps); };
    row.text(side).text(c.status).text(c.module).text(c.a_ops).text(c.b_ops).real(calls(c.a_calls)).real(calls(c.b_calls));
    row.text(kernels_of(c.a_kernels)).text(kernels_of(c.b_kernels)).integer(per_step(c.a_device)).integer(per_step(c.b_device));
    row.integer(per_step(c.a_overhead)).integer(per_step(c.b_overhead)).integer(per_step(c.b_device) - per_step(c.a_device)).integer(per_step(c.a_host)).integer(per_step(c.b_host));
    c.a_first == nullptr ? row.null() : row.event({c.a_first->part, c.a_first->row});
    c.b_first == nullptr ? row.null() : row.event({c.b_first->part, c.b_first->row});
  }
  std::vector<Table> tables;
};

}  // namespace

Result<std::vector<Table>> compare_tables(const std::vector<CompareSide>& sides, const Selection& selection) {
  if (sides.size() < 2) return failed_precondition("compare needs at least two traces");
  const bool by_step = std::all_of(sides.begin(), sides.end(), [](const CompareSide& s) { return !s.model->steps().empty(); });
  std::vector<OpSequence> sequences;
  size_t compared = ~size_t{0};
  for (const CompareSide& side : sides) {
    LW_ASSIGN_OR_RETURN(OpSequence sequence, op_sequence(*side.model, selection, by_step));
    sequence.has_steps = by_step;
    compared = std::min(compared, sequence.steps.size());
    sequences.push_back(std::move(sequence));
  }
  if (compared == 0) return failed_precondition("one of the traces has nothing to compare");
  Tables out;
  const auto letter = [](size_t i) { return i < 26 ? std::string(1, static_cast<char>('A' + i)) : "S" + std::to_string(i); };
  for (size_t i = 0; i < sides.size(); ++i) out.side(letter(i), sides[i].path, sequences[i], compared);
  const auto steps = static_cast<int64_t>(compared);
  const Totals a = totals_of(sequences[0], compared);
  const auto mean = [&](int64_t sum) { return sum / steps; };
  for (size_t i = 1; i < sides.size(); ++i) {
    const std::string side = letter(i);
    const Totals b = totals_of(sequences[i], compared);
    out.metric("step", side, mean(a.wall), mean(b.wall));
    out.metric("device_busy", side, mean(a.busy), mean(b.busy));
    out.metric("device_work", side, mean(a.work), mean(b.work));
    out.metric("device_events", side, mean(a.device_events), mean(b.device_events));
    out.metric("launches", side, mean(a.launches), mean(b.launches));
    out.metric("copies", side, mean(a.copies), mean(b.copies));
    out.metric("operators", side, mean(a.operators), mean(b.operators));
    out.metric("host", side, mean(a.host), mean(b.host));
    for (size_t c = 0; c < kCauses; ++c) out.metric(cause_name(static_cast<Cause>(c)), side, mean(a.causes[c]), mean(b.causes[c]));

    // The last part is what is left: 0 on a device, whose moments are all busy or have a cause; on the host what no operator covers.
    int64_t rest_a = mean(a.wall), rest_b = mean(b.wall);
    const auto part = [&](std::string_view name, int64_t in_a, int64_t in_b) {
      if (in_a == 0 && in_b == 0) return;
      out.part(side, name, in_a, in_b);
      rest_a -= in_a, rest_b -= in_b;
    };
    const bool device = sequences[0].has_device || sequences[i].has_device;
    part("operators", mean(device ? a.in_operators : a.on_host), mean(device ? b.in_operators : b.on_host));
    part("without_operator", mean(a.without_operator), mean(b.without_operator));
    part("other_steps", mean(a.other_steps), mean(b.other_steps));
    for (size_t c = 0; c < kCauses; ++c) part(cause_name(static_cast<Cause>(c)), mean(a.causes[c]), mean(b.causes[c]));
    out.part(side, "unexplained", rest_a, rest_b);

    Changes changes(sequences[0].has_modules && sequences[i].has_modules);
    for (size_t s = 0; s < compared; ++s) changes.add_step(sequences[0].steps[s], sequences[i].steps[s]);
    for (const Change* change : changes.ordered()) out.change(side, *change, steps);
  }
  return std::move(out.tables);
}

}  // namespace lanewise::trace::analysis
