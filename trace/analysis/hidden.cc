// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/analysis/hidden.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <tuple>

namespace lanewise::trace::analysis {
namespace {

using schema::ArgKey;
using schema::CallKind;
using schema::Role;
using schema::Row;

// Host slices by their names, as PyTorch and the vendors' runtimes write them.
struct NameRule {
  std::string_view pattern;  // as Selection::name
  HiddenKind kind;
};
constexpr auto kRules = std::to_array<NameRule>({
    {"*fallback*", HiddenKind::fallback},
    {"*Fallback*", HiddenKind::fallback},
    {"neuron_compile*", HiddenKind::compile},
    {"nrt_load*", HiddenKind::compile},
    {"cuModuleLoad*", HiddenKind::compile},
    {"cuLibraryLoad*", HiddenKind::compile},
    {"cudaLibraryLoad*", HiddenKind::compile},
    {"hipModuleLoad*", HiddenKind::compile},
    {"*(dynamo_timed)*", HiddenKind::compile},
    {"_compile.compile_inner*", HiddenKind::compile},
    {"CompiledFxGraph.compile*", HiddenKind::compile},
    {"*torch/_dynamo/convert_frame.py(*): compile_inner", HiddenKind::compile},
    {"*torch/_inductor/compile_fx.py(*): compile_fx", HiddenKind::compile},
    {"*triton/compiler/compiler.py(*): compile", HiddenKind::compile},
});
constexpr std::string_view kRegion = "Torch-Compiled Region: ";

// Whether a compiled region "Torch-Compiled Region: F/N" is one of a second or later compilation.
bool is_recompiled_region(std::string_view name) {
  if (!name.starts_with(kRegion)) return false;
  const size_t slash = name.find('/', kRegion.size());
  return slash != std::string_view::npos && slash + 1 < name.size() && name[slash + 1] >= '1' && name[slash + 1] <= '9';
}

// -1: nothing hidden.
int8_t kind_of_name(std::string_view name) {
  if (is_recompiled_region(name)) return static_cast<int8_t>(HiddenKind::recompile);
  for (const NameRule& rule : kRules) {
    if (name_fits(rule.pattern, name)) return static_cast<int8_t>(rule.kind);
  }
  return -1;
}

std::optional<HiddenKind> kind_of_call(CallKind kind) {
  switch (kind) {
    case CallKind::allocate: return HiddenKind::allocate;
    case CallKind::release: return HiddenKind::release;
    case CallKind::sync: return HiddenKind::sync;
    case CallKind::copy: return HiddenKind::copy;
    default: return std::nullopt;
  }
}

}  // namespace

std::string_view hidden_kind_name(HiddenKind kind) {
  constexpr auto kNames = std::to_array<std::string_view>({"allocate", "release", "sync", "copy", "fallback", "compile", "recompile"});
  return kNames[static_cast<size_t>(kind)];
}

std::vector<HiddenItem> find_hidden(const Model& model, const Filter& filter) {
  std::vector<HiddenItem> items;
  AskerFinder askers(model);
  constexpr int8_t kNotSeen = -2;
  std::vector<int8_t> by_name(model.session().strings().size(), kNotSeen);
  for (const FileModel& file : model.files()) {
    if (file.repeats || !filter.part(file.part)) continue;
    const uint32_t part = file.part;
    const schema::EventTable& events = model.events(part);
    const auto name_kind = [&](Row row) {
      const store::StringId name = events.name[row];
      if (name == store::kNoString) return int8_t{-1};
      if (by_name[name] == kNotSeen) by_name[name] = kind_of_name(model.session().text(name));
      return by_name[name];
    };
    const auto has_kind_around = [&](Row row, HiddenKind kind) {
      for (row = file.nesting.parent[row]; row != kNoRow; row = file.nesting.parent[row]) {
        if (name_kind(row) == static_cast<int8_t>(kind)) return true;
      }
      return false;
    };
    std::vector<HiddenItem> found;
    const auto& labels = events.arg(ArgKey::label);
    for (const Row row : file.nesting.order) {
      std::optional<HiddenKind> kind;
      const int8_t named = name_kind(row);
      if (named >= 0) kind = static_cast<HiddenKind>(named);
      // Functions of compilers that are called so make fallbacks; they are none.
      if (kind == HiddenKind::fallback && events.role_of(row) == Role::python) kind.reset();
      if (!kind && events.role_of(row) == Role::runtime) kind = kind_of_call(file.links.call(row)->kind);
      if (!kind || !filter.host(part, row)) continue;
      if (named >= 0 && has_kind_around(row, *kind)) continue;
      HiddenItem item{part, row, *kind, events.name[row], std::max<int64_t>(0, events.dur_ns[row]), {}};
      if (*kind == HiddenKind::recompile) item.host_ns = 0;
      const int64_t label = labels.find(row);
      if (named >= 0 && label != store::null_value<int64_t>()) item.name = static_cast<store::StringId>(label);
      const RuntimeCall* call = events.role_of(row) == Role::runtime ? file.links.call(row) : nullptr;
      item.asker = askers.of_host(part, call != nullptr && call->op ? call->op.row : row);
      if (!item.asker.line) item.asker.line = askers.line_of(part, row);
      found.push_back(item);
    }
    // In order of time, the second compile of one thing is the first again. A load of a program is no compile of it.
    std::stable_sort(found.begin(), found.end(), [&](const HiddenItem& a, const HiddenItem& b) { return events.ts_ns[a.row] < events.ts_ns[b.row]; });
    std::set<std::pair<store::StringId, store::StringId>> compiled;
    for (HiddenItem& item : found) {
      if (item.kind != HiddenKind::compile || item.name == events.name[item.row]) continue;
      if (!compiled.emplace(events.name[item.row], item.name).second) item.kind = HiddenKind::recompile;
    }
    std::sort(found.begin(), found.end(), [](const HiddenItem& a, const HiddenItem& b) { return a.row < b.row; });
    items.insert(items.end(), found.begin(), found.end());
  }
  return items;
}

Result<std::vector<Table>> hidden_tables(const Model& model, const Selection& selection) {
  LW_ASSIGN_OR_RETURN(const Filter filter, Filter::make(model, selection));
  struct Sums {
    int64_t calls = 0, host = 0;
    const HiddenItem* longest = nullptr;
    void add(const HiddenItem& item) {
      ++calls;
      host += item.host_ns;
      if (longest == nullptr || item.host_ns > longest->host_ns) longest = &item;
    }
  };
  const std::vector<HiddenItem> items = find_hidden(model, filter);
  std::map<HiddenKind, Sums> kinds;
  std::map<std::tuple<HiddenKind, store::StringId, uint32_t, store::StringId, store::StringId>, Sums> sites;
  for (const HiddenItem& item : items) {
    const schema::EventTable& events = model.events(item.part);
    const auto name_of = [&](Row row) { return row == kNoRow ? store::kNoString : events.name[row]; };
    if (!filter.name(item.name) && !filter.name(name_of(item.asker.op))) continue;
    kinds[item.kind].add(item);
    sites[{item.kind, item.name, item.part, name_of(item.asker.op), name_of(item.asker.line.row)}].add(item);
  }
  Table kind_table("kinds", {{"kind", ColumnType::text}, {"calls", ColumnType::count}, {"host_ns", ColumnType::ns}, {"longest_ns", ColumnType::ns},
                             {"event", ColumnType::event}});
  for (const auto& [kind, sums] : kinds) {
    kind_table.row().pooled(hidden_kind_name(kind)).integer(sums.calls).integer(sums.host).integer(sums.longest->host_ns)
        .event({sums.longest->part, sums.longest->row});
  }
  kind_table.sort(*kind_table.find("host_ns"), true);

  std::map<uint32_t, int64_t> steps;
  for (const Step& step : model.steps()) {
    const bool chosen = selection.steps.empty() || std::find(selection.steps.begin(), selection.steps.end(), step.number) != selection.steps.end();
    steps[step.part] += chosen;
  }
  Table rows("rows", {{"kind", ColumnType::text},   {"name", ColumnType::text},     {"part", ColumnType::integer}, {"op", ColumnType::text},
                      {"file", ColumnType::text},   {"line", ColumnType::integer},  {"calls", ColumnType::count},  {"host_ns", ColumnType::ns},
                      {"longest_ns", ColumnType::ns}, {"per_step", ColumnType::real}, {"event", ColumnType::event}});
  rows.set_owner(model.shared_session());
  std::vector<std::pair<HiddenKind, const Sums*>> order;
  for (const auto& [key, sums] : sites) order.emplace_back(std::get<0>(key), &sums);
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    return std::tuple(-a.second->host, -a.second->calls) < std::tuple(-b.second->host, -b.second->calls);
  });
  for (const auto& [kind, sums] : order) {
    const HiddenItem& item = *sums->longest;
    auto row = rows.row();
    row.pooled(hidden_kind_name(kind)).pooled(model.session().text(item.name)).integer(item.part);
    add_asker(model, item.part, item.asker, &row);
    row.integer(sums->calls).integer(sums->host).integer(item.host_ns);
    const int64_t n = steps[item.part];
    n == 0 ? row.null() : row.real(static_cast<double>(sums->calls) / static_cast<double>(n));
    row.event({item.part, item.row});
  }
  std::vector<Table> tables;
  tables.push_back(std::move(kind_table));
  tables.push_back(std::move(rows));
  return tables;
}

}  // namespace lanewise::trace::analysis
