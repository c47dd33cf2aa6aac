// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/analysis/tree.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

namespace lanewise::trace::analysis {
namespace {

using schema::EventTable;
using schema::Row;
using store::StringId;

struct Node {
  StringId name = store::kNoString;
  uint32_t parent = 0;
  int32_t depth = -1;
  int64_t calls = 0, total = 0, self = 0, device = 0, self_device = 0;
  std::vector<uint32_t> children;
};

class TreeBuilder {
 public:
  TreeBuilder(const Model& model, const TreeOptions& options, Filter filter)
      : model_(model), options_(options), filter_(std::move(filter)) {
    nodes_.emplace_back();  // the root, not a row
  }

  Status build() {
    bool found = options_.thread.empty();
    for (const FileModel& file : model_.files()) {
      if (file.repeats || !filter_.part(file.part)) continue;
      const EventTable& events = model_.events(file.part);
      sum_children(file);
      for (uint32_t track = 0; track < events.tracks(); ++track) {
        const StringId tid = events.track_tid[track];
        if (file.nesting.track(track).empty()) continue;
        if (!options_.thread.empty() && (tid == store::kNoString || model_.session().text(tid) != options_.thread)) continue;
        found = true;
        options_.bottom_up ? add_bottom_up(file, track) : add_top_down(file, track, tid);
      }
    }
    return found ? ok_status() : not_found("no host thread has the tid " + options_.thread);
  }

  Table table() const;

 private:
  // By row: the part of it in which direct children ran (where two cross, once), and own device work.
  void sum_children(const FileModel& file) {
    const EventTable& events = model_.events(file.part);
    children_.assign(events.rows(), 0);
    self_device_.assign(events.rows(), 0);
    for (const DeviceEvent& event : file.links.device_events) {
      if (event.op && filter_.device(event.device)) self_device_[event.op.row] += event.end_ns - event.start_ns;
    }
    device_ = self_device_;
    // A parent stands before what is in it, its children by start.
    std::vector<int64_t> covered(events.rows(), std::numeric_limits<int64_t>::min());
    for (const Row row : file.nesting.order) {
      const Row parent = file.nesting.parent[row];
      if (parent == kNoRow) continue;
      const int64_t end = std::min(slice_end(events, row), slice_end(events, parent));
      children_[parent] += std::max<int64_t>(0, end - std::max(events.ts_ns[row], covered[parent]));
      covered[parent] = std::max(covered[parent], end);
    }
    for (size_t i = file.nesting.order.size(); i-- > 0;) {
      const Row row = file.nesting.order[i], parent = file.nesting.parent[row];
      if (parent != kNoRow) device_[parent] += device_[row];
    }
  }

  uint32_t child(uint32_t parent, StringId name) {
    const auto [at, added] = index_.try_emplace(uint64_t{parent} << 32 | name, static_cast<uint32_t>(nodes_.size()));
    if (added) {
      Node node;
      node.name = name;
      node.parent = parent;
      node.depth = nodes_[parent].depth + 1;
      nodes_.push_back(std::move(node));
      nodes_[parent].children.push_back(at->second);
    }
    return at->second;
  }

  void add_top_down(const FileModel& file, uint32_t track, StringId tid) {
    const EventTable& events = model_.events(file.part);
    const uint32_t thread = child(0, tid);
    struct Open {
      Row row;
      uint32_t node;  // 0: not chosen
    };
    std::vector<Open> open;
    for (const Row row : file.nesting.track(track)) {
      while (!open.empty() && open.back().row != file.nesting.parent[row]) open.pop_back();
      const uint32_t around = open.empty() ? 0 : open.back().node;
      const bool chosen = around != 0 || filter_.name(events.name[row]);
      if (!chosen || !filter_.host(file.part, row)) {
        open.push_back({row, 0});
        continue;
      }
      const uint32_t above = around == 0 ? thread : around;
      const bool deep = nodes_[above].depth >= options_.max_depth;
      const uint32_t node = deep ? above : child(above, events.name[row]);
      if (!deep) {
        ++nodes_[node].calls;
        nodes_[node].total += slice_length(events, row);
        nodes_[node].self += slice_length(events, row) - children_[row];
        nodes_[node].device += device_[row];
        nodes_[node].self_device += self_device_[row];
        if (around == 0) {
          nodes_[thread].total += slice_length(events, row);
          nodes_[thread].device += device_[row];
          ++nodes_[thread].calls;
        }
      }
      open.push_back({row, node});
    }
  }

  void add_bottom_up(const FileModel& file, uint32_t track) {
    const EventTable& events = model_.events(file.part);
    for (const Row leaf : file.nesting.track(track)) {
      if (!filter_.host(file.part, leaf) || !filter_.name(events.name[leaf])) continue;
      const int64_t self = slice_length(events, leaf) - children_[leaf];
      uint32_t node = 0;
      for (Row row = leaf; row != kNoRow && nodes_[node].depth + 1 < options_.max_depth; row = file.nesting.parent[row]) {
        node = child(node, events.name[row]);
        Node& n = nodes_[node];
        ++n.calls;
        n.total += self;
        n.device += self_device_[leaf];
        if (row == leaf) n.self += self, n.self_device += self_device_[leaf];
      }
    }
  }

  const Model& model_;
  const TreeOptions& options_;
  const Filter filter_;
  std::vector<Node> nodes_;
  std::unordered_map<uint64_t, uint32_t> index_;
  std::vector<int64_t> children_, self_device_, device_;
};

Table TreeBuilder::table() const {
  Table table("rows", {{"node", ColumnType::integer}, {"parent", ColumnType::integer}, {"depth", ColumnType::integer}, {"name", ColumnType::text},
                       {"calls", ColumnType::count},  {"total_ns", ColumnType::ns},    {"self_ns", ColumnType::ns},    {"device_ns", ColumnType::ns},
                       {"self_device_ns", ColumnType::ns}});
  table.set_owner(model_.shared_session());
  struct Next {
    uint32_t node;
    int64_t parent_row;
  };
  std::vector<Next> stack;
  const auto push_children = [&](uint32_t node, int64_t row) {
    std::vector<uint32_t> children = nodes_[node].children;
    // The stack turns the order round.
    std::stable_sort(children.begin(), children.end(), [&](uint32_t a, uint32_t b) { return nodes_[a].total < nodes_[b].total; });
    for (const uint32_t child : children) stack.push_back({child, row});
  };
  push_children(0, kNullInteger);
  while (!stack.empty()) {
    const Next next = stack.back();
    stack.pop_back();
    const Node& node = nodes_[next.node];
    if (node.calls == 0) continue;
    const auto number = static_cast<int64_t>(table.rows());
    auto row = table.row();
    row.integer(number).integer(next.parent_row).integer(node.depth).pooled(model_.session().text(node.name));
    row.integer(node.calls).integer(node.total).integer(node.self).integer(node.device).integer(node.self_device);
    push_children(next.node, number);
  }
  return table;
}

}  // namespace

Result<Table> tree_table(const Model& model, const TreeOptions& options) {
  LW_ASSIGN_OR_RETURN(Filter filter, Filter::make(model, options.selection));
  TreeBuilder builder(model, options, std::move(filter));
  LW_RETURN_IF_ERROR(builder.build());
  return builder.table();
}

}  // namespace lanewise::trace::analysis
