// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/analysis/ranks.h"

#include <algorithm>
#include <map>
#include <string>

#include "trace/analysis/overlap.h"
#include "trace/analysis/time_limits.h"

namespace lanewise::trace::analysis {
namespace {

using schema::Row;

struct Call {
  uint32_t part;
  Row row;
  int64_t start_ns, end_ns;  // session time, skew taken out
};

struct RankSums {
  uint32_t part = 0;
  int64_t steps = 0, step_ns = 0, busy = 0, compute = 0, communication = 0;
  int64_t wait = 0, waited_for = 0, last = 0, late = 0, matched = 0;
};

struct Match {
  store::StringId name;
  size_t k;
  std::vector<Call> calls;  // by part
};

// Files without a rank of their own go by their part.
int64_t rank_of(const Model& model, uint32_t part) { return model.rank(part).value_or(part); }

// What tells apart groups of ranks that call collectives of one name: the list of ranks, else the group's name.
int64_t group_of(const schema::EventTable& events, Row row) {
  const int64_t ranks = events.arg(schema::ArgKey::group_ranks).find(row);
  return ranks != store::null_value<int64_t>() ? ranks : events.arg(schema::ArgKey::group_name).find(row);
}

void add_steps(const Model& model, const Selection& selection, RankSums* sums) {
  for (const Step& step : model.steps()) {
    if (step.part != sums->part) continue;
    if (!selection.steps.empty() && std::find(selection.steps.begin(), selection.steps.end(), step.number) == selection.steps.end()) continue;
    ++sums->steps;
    sums->step_ns += step.end_ns - step.start_ns;
  }
  if (sums->steps > 0) {
    sums->step_ns /= sums->steps;
    return;
  }
  int64_t begin = 0, end = 0;
  bool any = false;
  const schema::EventTable& events = model.events(sums->part);
  for (Row row = 0; row < events.rows(); ++row) {
    const schema::Role role = events.role_of(row);
    if (role == schema::Role::span || role == schema::Role::device_annotation || !has_span(events, row)) continue;
    begin = any ? std::min(begin, events.ts_ns[row]) : events.ts_ns[row];
    end = any ? std::max(end, slice_end(events, row)) : slice_end(events, row);
    any = true;
  }
  sums->step_ns = end - begin;
}

}  // namespace

Result<std::vector<Table>> ranks_tables(const Model& model, const Selection& selection) {
  LW_ASSIGN_OR_RETURN(const Filter filter, Filter::make(model, selection));
  std::vector<RankSums> ranks;
  std::map<uint32_t, size_t> rank_index;
  for (const FileModel& file : model.files()) {
    if (file.repeats || !filter.part(file.part)) continue;
    rank_index[file.part] = ranks.size();
    RankSums& sums = ranks.emplace_back();
    sums.part = file.part;
    add_steps(model, selection, &sums);
  }
  // name and group -> part -> calls
  std::map<std::pair<store::StringId, int64_t>, std::map<uint32_t, std::vector<Call>>> calls;
  for (const DeviceOverlap& own : find_overlap(model, filter)) {
    const uint32_t part = model.devices()[own.device].part;
    RankSums& sums = ranks[rank_index[part]];
    Intervals busy = own.compute;
    busy.insert(busy.end(), own.communication.begin(), own.communication.end());
    busy.insert(busy.end(), own.copies.begin(), own.copies.end());
    sums.busy += length_of(join_intervals(std::move(busy)));
    sums.compute += length_of(own.compute);
    sums.communication += length_of(own.communication);
    const int64_t shift = model.offset_ns(part) - model.session().files()[part].skew_ns;
    for (const DeviceEvent* event : own.collectives) {
      const schema::EventTable& events = model.events(part);
      calls[{events.name[event->row], group_of(events, event->row)}][part].push_back({part, event->row, event->start_ns + shift, event->end_ns + shift});
    }
  }
  Table unmatched("unmatched", {{"name", ColumnType::text}, {"counts", ColumnType::text}});
  unmatched.set_owner(model.shared_session());
  std::vector<Match> matches;
  for (auto& [key, by_part] : calls) {
    if (ranks.size() < 2) break;
    const store::StringId name = key.first;
    const size_t count = by_part.begin()->second.size();
    const bool same = by_part.size() > 1 && std::all_of(by_part.begin(), by_part.end(), [&](const auto& p) { return p.second.size() == count; });
    if (!same) {
      std::string counts;
      for (const RankSums& rank : ranks) {
        const auto at = by_part.find(rank.part);
        counts += (counts.empty() ? "" : ", ") + std::to_string(rank_of(model, rank.part)) + ":" + std::to_string(at == by_part.end() ? 0 : at->second.size());
      }
      unmatched.row().pooled(model.session().text(name)).text(counts);
      continue;
    }
    for (auto& [part, list] : by_part) {
      std::stable_sort(list.begin(), list.end(), [](const Call& a, const Call& b) { return a.start_ns < b.start_ns; });
    }
    for (size_t k = 0; k < count; ++k) {
      Match match{name, k, {}};
      for (auto& [part, list] : by_part) match.calls.push_back(list[k]);
      matches.push_back(std::move(match));
    }
  }
  struct Shown {
    const Match* match;
    const Call *first, *last;
    int64_t wait, work;
  };
  std::vector<Shown> order;
  for (const Match& match : matches) {
    const auto [first, last] = std::minmax_element(match.calls.begin(), match.calls.end(), [](const Call& a, const Call& b) { return a.start_ns < b.start_ns; });
    Shown shown{&match, &*first, &*last, 0, first->end_ns - first->start_ns};
    for (const Call& call : match.calls) {
      RankSums& sums = ranks[rank_index[call.part]];
      const int64_t wait = std::min(last->start_ns - call.start_ns, call.end_ns - call.start_ns);
      sums.wait += wait;
      sums.late += call.start_ns - first->start_ns;
      ++sums.matched;
      shown.wait += wait;
      shown.work = std::min(shown.work, call.end_ns - call.start_ns);
    }
    // Ranks that start at one moment wait for nobody.
    if (last->start_ns > first->start_ns) {
      RankSums& late = ranks[rank_index[last->part]];
      ++late.last;
      late.waited_for += shown.wait;
    }
    order.push_back(shown);
  }
  std::stable_sort(order.begin(), order.end(), [](const Shown& a, const Shown& b) { return a.wait > b.wait; });

  Table table("ranks", {{"rank", ColumnType::integer}, {"part", ColumnType::integer}, {"file", ColumnType::text}, {"steps", ColumnType::count},
                        {"step_ns", ColumnType::ns}, {"busy_ns", ColumnType::ns}, {"compute_ns", ColumnType::ns}, {"communication_ns", ColumnType::ns},
                        {"wait_ns", ColumnType::ns}, {"waited_for_ns", ColumnType::ns}, {"last", ColumnType::count}, {"late_ns", ColumnType::ns},
                        {"skew_ns", ColumnType::ns}, {"straggler", ColumnType::flag}});
  std::stable_sort(ranks.begin(), ranks.end(), [&](const RankSums& a, const RankSums& b) { return rank_of(model, a.part) < rank_of(model, b.part); });
  for (const RankSums& sums : ranks) {
    const session::SessionFile& entry = model.session().files()[sums.part];
    const bool straggler = sums.matched > 0 && static_cast<double>(sums.last) > kStragglerShare * static_cast<double>(sums.matched);
    table.row().integer(model.rank(sums.part).value_or(kNullInteger)).integer(sums.part).text(entry.file.path).integer(sums.steps).integer(sums.step_ns)
        .integer(sums.busy).integer(sums.compute).integer(sums.communication).integer(sums.wait).integer(sums.waited_for).integer(sums.last)
        .integer(sums.matched == 0 ? 0 : sums.late / sums.matched).integer(entry.skew_ns).integer(straggler);
  }
  Table collectives("collectives", {{"name", ColumnType::text}, {"k", ColumnType::integer}, {"ranks", ColumnType::count}, {"start", ColumnType::ns},
                                    {"spread_ns", ColumnType::ns}, {"wait_ns", ColumnType::ns}, {"first_rank", ColumnType::integer},
                                    {"last_rank", ColumnType::integer}, {"event", ColumnType::event}, {"work_ns", ColumnType::ns}});
  collectives.set_owner(model.shared_session());
  for (const Shown& shown : order) {
    collectives.row().pooled(model.session().text(shown.match->name)).integer(static_cast<int64_t>(shown.match->k))
        .integer(static_cast<int64_t>(shown.match->calls.size())).integer(shown.first->start_ns - model.begin_ns())
        .integer(shown.last->start_ns - shown.first->start_ns).integer(shown.wait).integer(rank_of(model, shown.first->part))
        .integer(rank_of(model, shown.last->part)).event({shown.last->part, shown.last->row}).integer(shown.work);
  }
  std::vector<Table> tables;
  tables.push_back(std::move(table));
  tables.push_back(std::move(collectives));
  tables.push_back(std::move(unmatched));
  return tables;
}

}  // namespace lanewise::trace::analysis
