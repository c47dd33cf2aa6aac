// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/analysis/ops.h"

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>

#include "trace/analysis/python_frames.h"
#include "trace/analysis/time_limits.h"

namespace lanewise::trace::analysis {
namespace {

using schema::ArgKey;
using schema::EventTable;
using schema::Role;
using schema::Row;
using store::StringId;

// Bookkeeping of PyTorch itself; its table leaves them out.
constexpr auto kHiddenOps = std::to_array<std::string_view>({
    "[memory]", "[OutOfMemory]", "profiler::_record_function_enter", "profiler::_record_function_enter_new",
    "profiler::_record_function_exit", "aten::is_leaf", "aten::output_nr", "aten::_version"});

constexpr std::string_view kStepPrefix = "ProfilerStep#", kStepName = "ProfilerStep*";

// What the rows of a table are told apart by. `type`: index into the list of device types.
struct Key {
  StringId name = store::kNoString;
  uint32_t type = 0;
  bool annotation = false;
  std::array<int64_t, 5> extra = {};  // by OpsGroup; texts as numbers of OpsBuilder::texts_
  bool operator==(const Key&) const = default;
};
struct KeyHash {
  size_t operator()(const Key& key) const {
    uint64_t h = (uint64_t{key.name} << 8 | key.type << 1 | key.annotation) * 0x9e3779b97f4a7c15u;
    for (const int64_t v : key.extra) h = (h ^ static_cast<uint64_t>(v)) * 0xd6e8feb86659fd93u + (h >> 29);
    return h ^ h >> 32;
  }
};

struct Sums {
  int64_t calls = 0, self_cpu = 0, cpu = 0, self_device = 0, device = 0;
};

// A slice whose children have all been seen.
struct Done {
  Row row = kNoRow;
  StringId name = store::kNoString;
  int64_t duration = 0, children_cpu = 0;
  int64_t self_device = 0, children_device = 0;
  uint32_t children = 0;
  bool hidden = false;
};

class OpsBuilder {
 public:
  OpsBuilder(const Model& model, const OpsOptions& options, Filter filter)
      : model_(model), options_(options), filter_(std::move(filter)), name_class_(model.session().strings().size(), kUnknown) {
    types_.push_back("CPU");
    texts_.push_back("");
    text_ids_.emplace("", 0);
  }

  void add_file(uint32_t part) {
    const FileModel& file = model_.file(part);
    if (file.repeats || !filter_.part(part)) return;
    const EventTable& events = model_.events(part);
    // Without tolerance, since PyTorch has none; the model's nesting is that already when nothing was tolerated.
    const bool strict = file.nesting.tolerated == 0;
    const Nesting again = strict ? Nesting() : nest_host_slices(events, 0);
    const Nesting& nesting = strict ? file.nesting : again;

    std::vector<int64_t> self_device;
    if (!file.links.device_events.empty()) {
      self_device.assign(events.rows(), 0);
      for (const DeviceEvent& event : file.links.device_events) {
        if (event.op && filter_.device(event.device)) self_device[event.op.row] += event.end_ns - event.start_ns;
      }
    }
    for (uint32_t track = 0; track < events.tracks(); ++track) add_track(part, nesting, track, self_device);
    for (const DeviceEvent& event : file.links.device_events) {
      if (filter_.event(part, event) && filter_.name(events.name[event.row])) {
        add_device_row(part, event.row, event.device, event.op ? event.op.row : event.row, false);
      }
    }
    for (Row row = 0; row < events.rows(); ++row) {
      const Role role = events.role_of(row);
      if ((role != Role::device_annotation && role != Role::overhead) || !has_span(events, row)) continue;
      if (!filter_.host(part, row) || !filter_.name(events.name[row])) continue;
      const auto device = model_.device_of_row(part, row);
      if (role == Role::device_annotation) {
        if (device && filter_.device(*device)) add_device_row(part, row, *device, row, true);
      } else if (!device) {
        Sums& sums = sums_of(key_of(part, row, row, 0, false));
        const int64_t duration = slice_length(events, row);
        ++sums.calls, sums.cpu += duration, sums.self_cpu += duration;
      }
    }
  }

  Table table() const;

 private:
  enum NameClass : uint8_t { kUnknown, kPlain, kHidden, kStep };

  NameClass class_of(StringId name) {
    if (name == store::kNoString) return kPlain;
    uint8_t& known = name_class_[name];
    if (known == kUnknown) {
      const std::string_view text = model_.session().text(name);
      const bool hidden = std::find(kHiddenOps.begin(), kHiddenOps.end(), text) != kHiddenOps.end();
      known = hidden ? kHidden : text.starts_with(kStepPrefix) ? kStep : kPlain;
    }
    return static_cast<NameClass>(known);
  }

  // Slices of a track in order, each finished when the next one is not in it.
  void add_track(uint32_t part, const Nesting& nesting, uint32_t track, const std::vector<int64_t>& self_device) {
    const EventTable& events = model_.events(part);
    struct Open {
      Done slice;
      Done only_child;  // held back until it is known whether it stays the only one
    };
    std::vector<Open> open;
    const auto close = [&] {
      Open top = std::move(open.back());
      open.pop_back();
      Done& slice = top.slice;
      if (slice.children == 1) {
        const Done& child = top.only_child;
        if (child.name == slice.name && !slice.hidden) {
          slice.children_cpu = child.children_cpu;
          slice.self_device = child.self_device;
          slice.children_device = child.children_device;
          slice.children = child.children;
        } else {
          emit(part, child);
        }
      }
      // The nearest one around it that has a row of its own takes it as child.
      Open* parent = nullptr;
      for (size_t i = open.size(); i-- > 0 && parent == nullptr;) {
        if (!open[i].slice.hidden) parent = &open[i];
      }
      if (slice.hidden) return;
      if (parent == nullptr) return emit(part, slice);
      parent->slice.children_cpu += slice.duration;
      parent->slice.children_device += slice.self_device + slice.children_device;
      if (++parent->slice.children == 1) {
        parent->only_child = slice;
      } else {
        if (parent->slice.children == 2) emit(part, parent->only_child);
        emit(part, slice);
      }
    };
    for (const Row row : nesting.track(track)) {
      const Row parent = nesting.parent[row];
      while (!open.empty() && open.back().slice.row != parent) close();
      Open next;
      next.slice.row = row;
      next.slice.name = events.name[row];
      const NameClass kind = class_of(next.slice.name);
      if (kind == kStep) next.slice.name = kStepMark;
      next.slice.hidden = kind == kHidden;
      next.slice.duration = slice_length(events, row);
      if (!self_device.empty()) next.slice.self_device = self_device[row];
      open.push_back(std::move(next));
    }
    while (!open.empty()) close();
  }

  void emit(uint32_t part, const Done& slice) {
    const EventTable& events = model_.events(part);
    const Role role = events.role_of(slice.row);
    if (role == Role::python || !filter_.host(part, slice.row) || !filter_.name(events.name[slice.row])) return;
    Sums& sums = sums_of(key_of(part, slice.row, slice.row, 0, role == Role::annotation));
    ++sums.calls;
    sums.cpu += slice.duration;
    sums.self_cpu += slice.duration - slice.children_cpu;
    sums.self_device += slice.self_device;
    sums.device += slice.self_device + slice.children_device;
  }

  void add_device_row(uint32_t part, Row row, uint32_t device, Row asked, bool annotation) {
    const std::string& type = model_.devices()[device].type;
    const auto at = std::find(types_.begin(), types_.end(), type);
    const auto index = static_cast<uint32_t>(at - types_.begin());
    if (at == types_.end()) types_.push_back(type);
    Sums& sums = sums_of(key_of(part, row, asked, index, annotation));
    const int64_t duration = slice_length(model_.events(part), row);
    ++sums.calls, sums.device += duration, sums.self_device += duration;
  }

  // `asked`: the row that stack, module, shape and step are taken from.
  Key key_of(uint32_t part, Row row, Row asked, uint32_t type, bool annotation) {
    const EventTable& events = model_.events(part);
    Key key{events.name[row], type, annotation, {}};
    if (class_of(key.name) == kStep) key.name = kStepMark;
    for (const OpsGroup group : options_.groups) {
      int64_t& extra = key.extra[static_cast<size_t>(group)];
      switch (group) {
        case OpsGroup::shape: {
          const int64_t dims = events.arg(ArgKey::input_dims).find(asked);
          extra = dims == kNullInteger ? 0 : text_number(model_.session().text(static_cast<StringId>(dims)));
          break;
        }
        case OpsGroup::stack: extra = text_number(python_stack(model_, part, asked, options_.stack_frames)); break;
        case OpsGroup::module: extra = text_number(module_path(model_, part, asked)); break;
        case OpsGroup::step: extra = model_.step_at(part, model_.start_ns(part, asked)).value_or(kNullInteger); break;
        case OpsGroup::rank: extra = model_.rank(part).value_or(kNullInteger); break;
      }
    }
    return key;
  }

  int64_t text_number(std::string_view text) {
    const auto [at, added] = text_ids_.try_emplace(std::string(text), static_cast<int64_t>(texts_.size()));
    if (added) texts_.push_back(at->first);
    return at->second;
  }

  Sums& sums_of(const Key& key) {
    if (has_last_ && key == keys_[last_]) return sums_[last_];
    const auto [at, added] = index_.try_emplace(key, sums_.size());
    if (added) {
      keys_.push_back(key);
      sums_.emplace_back();
    }
    last_ = at->second;
    has_last_ = true;
    return sums_[last_];
  }

  // Stands for "ProfilerStep*", which need not be in the pool.
  static constexpr StringId kStepMark = store::kNoString - 1;

  const Model& model_;
  const OpsOptions& options_;
  const Filter filter_;
  std::vector<uint8_t> name_class_;
  std::vector<std::string> types_;
  std::vector<std::string> texts_;
  std::map<std::string, int64_t> text_ids_;
  std::unordered_map<Key, size_t, KeyHash> index_;
  std::vector<Key> keys_;
  std::vector<Sums> sums_;
  size_t last_ = 0;
  bool has_last_ = false;
};

Table OpsBuilder::table() const {
  std::vector<ColumnSpec> columns = {{"name", ColumnType::text},       {"device_type", ColumnType::text},
                                     {"annotation", ColumnType::flag}, {"calls", ColumnType::count},
                                     {"self_cpu_ns", ColumnType::ns},  {"cpu_ns", ColumnType::ns},
                                     {"self_device_ns", ColumnType::ns}, {"device_ns", ColumnType::ns}};
  constexpr auto kGroupColumns = std::to_array<std::string_view>({"input_shapes", "stack", "module", "step", "rank"});
  const auto is_text = [](OpsGroup group) { return group != OpsGroup::step && group != OpsGroup::rank; };
  for (const OpsGroup group : options_.groups) {
    columns.push_back({std::string(kGroupColumns[static_cast<size_t>(group)]), is_text(group) ? ColumnType::text : ColumnType::integer});
  }
  std::vector<std::string_view> names(keys_.size());
  std::vector<size_t> order(keys_.size());
  for (size_t i = 0; i < keys_.size(); ++i) {
    order[i] = i;
    names[i] = keys_[i].name == kStepMark ? kStepName : model_.session().text(keys_[i].name);
  }
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    if (sums_[a].self_device != sums_[b].self_device) return sums_[a].self_device > sums_[b].self_device;
    if (sums_[a].self_cpu != sums_[b].self_cpu) return sums_[a].self_cpu > sums_[b].self_cpu;
    if (names[a] != names[b]) return names[a] < names[b];
    return a < b;
  });
  Table table("rows", std::move(columns));
  table.set_owner(model_.shared_session());
  for (const size_t i : order) {
    const Key& key = keys_[i];
    const Sums& sums = sums_[i];
    auto row = table.row();
    row.pooled(names[i]).text(types_[key.type]).integer(key.annotation).integer(sums.calls);
    row.integer(sums.self_cpu).integer(sums.cpu).integer(sums.self_device).integer(sums.device);
    for (const OpsGroup group : options_.groups) {
      const int64_t extra = key.extra[static_cast<size_t>(group)];
      is_text(group) ? row.text(texts_[static_cast<size_t>(extra)]) : row.integer(extra);
    }
  }
  return table;
}

}  // namespace

Result<Table> ops_table(const Model& model, const OpsOptions& options) {
  LW_ASSIGN_OR_RETURN(Filter filter, Filter::make(model, options.selection));
  OpsBuilder builder(model, options, std::move(filter));
  for (const FileModel& file : model.files()) builder.add_file(file.part);
  return builder.table();
}

}  // namespace lanewise::trace::analysis
