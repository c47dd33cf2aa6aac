// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Who touched which bytes last: a sorted list of byte intervals, each with its open accesses.
//
// An access stays open until a write covers it: whoever comes after waits for the write, which has waited for it. Only
// accesses of the write's own stage do not wait for the write, so for those what it covered stays visible (`covered`),
// until another stage comes in between. `Merge` says which reads need not be kept one by one: with an order in
// which the instructions of a timeline stay, only its latest read counts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "compiler/emit/accesses.h"

namespace lanewise::compiler::emit {

// Event `at` of an in-order timeline touched the bytes.
struct OpenAccess {
  int32_t timeline = -1;
  int32_t at = -1;
  bool write = false;
  uint16_t first_partition = 0, last_partition = 0;
  int32_t order = -1;
};

class IntervalMap {
 public:
  enum class Merge { nothing, reads_of_a_timeline };
  explicit IntervalMap(Merge merge) : merge_(merge) {}

  // Calls conflict(earlier access) for every one that this access must come after, then records it.
  template <typename Conflict>
  void touch(const ByteAccess& access, int32_t timeline, int32_t at, Conflict&& conflict) {
    const int64_t begin = access.begin, end = access.end;
    if (begin >= end) return;
    const OpenAccess open{timeline, at, access.write, access.first_partition, access.last_partition, access.order};
    split(begin);
    split(end);
    auto it = nodes_.lower_bound(begin);
    int64_t next = begin;
    bool alone = access.write;
    size_t visited = 0;
    while (next < end) {
      if (it == nodes_.end() || it->first > next) {
        const int64_t until = it == nodes_.end() ? end : std::min(end, it->first);
        it = nodes_.emplace_hint(it, next, Node{until, {}, {}, {}});
      }
      visit(it->second, open, conflict);
      alone = alone && it->second.writes.size() == 1 && it->second.reads.empty() && it->second.covered.empty();
      ++visited;
      next = it->second.end;
      ++it;
    }
    // A write that replaced everything makes one interval of the pieces that earlier layouts left.
    if (alone && visited > 1) {
      nodes_.erase(nodes_.lower_bound(begin), it);
      nodes_.emplace_hint(it, begin, Node{end, {open}, {}, {}});
    }
  }

 private:
  struct Node {
    int64_t end;
    std::vector<OpenAccess> writes, reads;
    std::vector<OpenAccess> covered;   // by writes of the stage of writes.back()
  };

  void split(int64_t at) {
    auto it = nodes_.upper_bound(at);
    if (it == nodes_.begin()) return;
    --it;
    if (it->first >= at || it->second.end <= at) return;
    Node upper = it->second;
    it->second.end = at;
    nodes_.emplace(at, std::move(upper));
  }

  static bool overlap(const OpenAccess& a, const OpenAccess& b) {
    return a.first_partition <= b.last_partition && b.first_partition <= a.last_partition;
  }
  static bool inside(const OpenAccess& a, const OpenAccess& b) {
    return a.first_partition >= b.first_partition && a.last_partition <= b.last_partition;
  }
  static bool same_stage(const OpenAccess& a, const OpenAccess& b) { return a.order >= 0 && a.order == b.order; }

  template <typename Conflict>
  void visit(Node& node, const OpenAccess& now, Conflict&& conflict) {
    if (!node.covered.empty()) {
      if (same_stage(node.writes.back(), now)) {
        for (const OpenAccess& e : node.covered)
          if (overlap(e, now) && (now.write || e.write)) conflict(e);
      } else {
        node.covered.clear();
      }
    }
    const auto report = [&](std::vector<OpenAccess>& earlier) {
      size_t kept = 0;
      for (const OpenAccess& e : earlier) {
        const bool free = same_stage(e, now);
        if (!free && overlap(e, now)) conflict(e);
        if (!now.write || free || !inside(e, now)) {
          earlier[kept++] = e;
        } else if (now.order >= 0) {
          node.covered.push_back(e);
        }
      }
      earlier.resize(kept);
    };
    report(node.writes);
    if (now.write) {
      report(node.reads);
      keep(node.writes, now);
    } else {
      keep(node.reads, now);
    }
  }

  void keep(std::vector<OpenAccess>& list, const OpenAccess& now) {
    if (merge_ == Merge::reads_of_a_timeline) {
      for (OpenAccess& e : list) {
        if (e.timeline != now.timeline || e.order != now.order || !inside(e, now)) continue;
        e = now;
        return;
      }
    }
    list.push_back(now);
  }

  Merge merge_;
  std::map<int64_t, Node> nodes_;
};

}  // namespace lanewise::compiler::emit
