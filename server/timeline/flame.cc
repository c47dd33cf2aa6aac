// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "server/timeline/flame.h"

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>
#include <unordered_map>

namespace lanewise::server::timeline {
namespace {

using trace::schema::EventId;

struct Slice {
  int64_t start, end, self;
  uint32_t name;
  int32_t parent;  // index of the slice around it
  EventId event;
};

// Rows are sorted each; outermost ones come first, so equal slices keep their order. runs: where each row begins, and the end.
void merge_rows(std::vector<Slice>* slices, std::vector<size_t> runs) {
  const auto before = [](const Slice& a, const Slice& b) { return std::tie(a.start, b.end) < std::tie(b.start, a.end); };
  std::vector<Slice> other(slices->size());
  while (runs.size() > 2) {
    std::vector<size_t> merged;
    for (size_t i = 0; i + 1 < runs.size(); i += 2) {
      const auto at = [&](size_t run) { return slices->begin() + static_cast<ptrdiff_t>(runs[std::min(run, runs.size() - 1)]); };
      merged.push_back(runs[i]);
      std::merge(at(i), at(i + 1), at(i + 1), at(i + 2), other.begin() + static_cast<ptrdiff_t>(runs[i]), before);
    }
    merged.push_back(slices->size());
    slices->swap(other);
    runs = std::move(merged);
  }
}

// The slices of one thread in the span, each after what holds it, with self times.
std::vector<Slice> stack_of(const Timeline& timeline, const std::vector<uint32_t>& lanes, int64_t from, int64_t to) {
  std::vector<Slice> slices;
  std::vector<size_t> runs = {0};
  for (const uint32_t k : lanes) {
    const Lane& lane = timeline.lanes()[k];
    for (uint32_t row = 0; row < lane.slices.rows(); ++row) {
      const uint32_t after = lane.slices.first_starting(row, to);
      for (uint32_t i = lane.slices.first_touching(row, from); i < after; ++i) {
        const int64_t start = std::max(from, lane.slices.start[i]), end = std::min(to, lane.slices.end(i));
        slices.push_back({start, end, 0, lane.names[i], -1, timeline.event_at(lane, i).value_or(EventId{})});
      }
      runs.push_back(slices.size());
    }
  }
  merge_rows(&slices, std::move(runs));
  // A moment is the self time of the slice that began last of those that are open, so no moment counts twice, also where slices cross.
  std::vector<int32_t> open;
  int64_t now = from;
  const auto advance = [&](int64_t until) {
    while (!open.empty()) {
      Slice& top = slices[static_cast<size_t>(open.back())];
      if (top.end > now) {
        const int64_t end = std::min(top.end, until);
        top.self += end - now;
        now = end;
      }
      if (top.end > until) break;
      open.pop_back();
    }
    now = until;
  };
  for (size_t i = 0; i < slices.size(); ++i) {
    Slice& slice = slices[i];
    advance(slice.start);
    for (size_t k = open.size(); k-- > 0 && slice.parent < 0;) {
      const Slice& outer = slices[static_cast<size_t>(open[k])];
      if (outer.end >= slice.end && outer.end > slice.start) slice.parent = open[k];
    }
    open.push_back(static_cast<int32_t>(i));
  }
  advance(to);
  return slices;
}

class Tree {
 public:
  int32_t child(int32_t parent, uint32_t name) {
    const auto [at, is_new] = known_.try_emplace(uint64_t{static_cast<uint32_t>(parent)} << 32 | name, static_cast<int32_t>(nodes.size()));
    if (is_new) {
      FlameNode node;
      node.name = name;
      node.parent = parent;
      node.depth = parent < 0 ? 0 : nodes[static_cast<size_t>(parent)].depth + 1;
      nodes.push_back(node);
    }
    return at->second;
  }
  void add(int32_t at, int64_t total, int64_t self, EventId event) {
    FlameNode& node = nodes[static_cast<size_t>(at)];
    node.event = node.calls == 0 ? std::optional(event) : std::nullopt;
    ++node.calls;
    add_time(&node.total_ns, total);
    add_time(&node.self_ns, self);
  }
  std::vector<FlameNode> nodes;

 private:
  std::unordered_map<uint64_t, int32_t> known_;
};

void add_top_down(const std::vector<Slice>& slices, Tree* tree) {
  std::vector<int32_t> node_of(slices.size());
  for (size_t i = 0; i < slices.size(); ++i) {
    const Slice& slice = slices[i];
    int32_t parent = slice.parent < 0 ? -1 : node_of[static_cast<size_t>(slice.parent)];
    // Deeper ones count for the node at the limit.
    if (parent >= 0 && tree->nodes[static_cast<size_t>(parent)].depth + 1 >= kMostFlameDepth) {
      node_of[i] = parent;
      add_time(&tree->nodes[static_cast<size_t>(parent)].self_ns, slice.self);
      continue;
    }
    node_of[i] = tree->child(parent, slice.name);
    tree->add(node_of[i], slice.end - slice.start, slice.self, slice.event);
  }
}

void add_bottom_up(const std::vector<Slice>& slices, Tree* tree) {
  for (const Slice& slice : slices) {
    if (slice.self == 0 && slice.end > slice.start) continue;
    int32_t node = -1;
    int32_t at = static_cast<int32_t>(&slice - slices.data());
    for (uint32_t depth = 0; at >= 0 && depth < kMostFlameDepth; ++depth) {
      const Slice& caller = slices[static_cast<size_t>(at)];
      node = tree->child(node, caller.name);
      tree->add(node, slice.self, depth == 0 ? slice.self : 0, slice.event);
      at = caller.parent;
    }
  }
}

// Keeps the largest nodes, of equal ones the first; a parent is never smaller than its children and comes before them, so what stays
// is still a tree.
uint64_t prune(std::vector<FlameNode>* nodes) {
  if (nodes->size() <= kMostFlameNodes) return 0;
  std::vector<int64_t> totals;
  for (const FlameNode& node : *nodes) totals.push_back(node.total_ns);
  std::nth_element(totals.begin(), totals.begin() + (kMostFlameNodes - 1), totals.end(), std::greater<>());
  const int64_t least = totals[kMostFlameNodes - 1];
  auto room = static_cast<ptrdiff_t>(kMostFlameNodes) - std::count_if(totals.begin(), totals.end(), [&](int64_t total) { return total > least; });
  std::vector<int32_t> place(nodes->size(), -1);
  std::vector<FlameNode> kept;
  for (size_t i = 0; i < nodes->size(); ++i) {
    FlameNode node = (*nodes)[i];
    if (node.total_ns < least || (node.parent >= 0 && place[static_cast<size_t>(node.parent)] < 0)) continue;
    if (node.total_ns == least && room-- <= 0) continue;
    if (node.parent >= 0) node.parent = place[static_cast<size_t>(node.parent)];
    place[i] = static_cast<int32_t>(kept.size());
    kept.push_back(node);
  }
  const uint64_t left_out = nodes->size() - kept.size();
  *nodes = std::move(kept);
  return left_out;
}

void place_boxes(int64_t from, std::vector<FlameNode>* nodes) {
  std::vector<uint32_t> order(nodes->size());
  for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  // By depth, so that a parent has its place before its children; within a parent by cost.
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    const FlameNode &x = (*nodes)[a], &y = (*nodes)[b];
    return std::tie(x.depth, x.parent, y.total_ns) < std::tie(y.depth, y.parent, x.total_ns);
  });
  std::map<int32_t, int64_t> next;
  for (const uint32_t i : order) {
    FlameNode& node = (*nodes)[i];
    const auto [at, is_new] = next.try_emplace(node.parent, node.parent < 0 ? from : (*nodes)[static_cast<size_t>(node.parent)].start_ns);
    node.start_ns = at->second;
    add_time(&at->second, node.total_ns);
  }
}

}  // namespace

std::vector<FlameNode> make_flame(const Timeline& timeline, const FlameQuery& query, uint64_t* left_out) {
  // Lanes of one thread (operators, runtime calls) are one stack; other lanes are stacks beside it.
  std::map<std::tuple<uint32_t, std::string, std::string>, std::vector<uint32_t>> threads;
  for (const uint32_t k : query.lanes) {
    const Lane& lane = timeline.lanes()[k];
    threads[{lane.part, lane.pid, lane.tid}].push_back(k);
  }
  Tree tree;
  for (const auto& [key, lanes] : threads) {
    const std::vector<Slice> slices = stack_of(timeline, lanes, query.from, query.to);
    query.bottom_up ? add_bottom_up(slices, &tree) : add_top_down(slices, &tree);
  }
  *left_out = prune(&tree.nodes);
  place_boxes(query.from, &tree.nodes);
  return std::move(tree.nodes);
}

}  // namespace lanewise::server::timeline
