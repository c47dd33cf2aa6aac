// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Who touched which bytes last: a sorted list of byte intervals, each with its open accesses.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

namespace lanewise::compiler::emit {

// An instruction that a later one may have to wait for: event `at` of an in-order timeline.
struct Access {
  int32_t timeline = -1;
  int32_t at = -1;
  bool write = false;
  uint16_t first_partition = 0, last_partition = 0;
  int32_t order = -1;               // stage order number; -1 in SBUF and PSUM, where all accesses count
};

class IntervalMap {
 public:
  // Calls conflict(earlier access) for every one that `access` must come after, then records it.
  template <typename Conflict>
  void touch(int64_t begin, int64_t end, const Access& access, Conflict&& conflict) {
    if (begin >= end) return;
    split(begin);
    split(end);
    auto it = nodes_.lower_bound(begin);
    int64_t at = begin;
    bool alone = true;
    size_t visited = 0;
    while (at < end) {
      if (it == nodes_.end() || it->first > at) {
        const int64_t until = it == nodes_.end() ? end : std::min(end, it->first);
        it = nodes_.emplace_hint(it, at, Node{until, {}});
      }
      visit(it->second, access, conflict);
      alone &= it->second.open.size() == 1;
      ++visited;
      at = it->second.end;
      ++it;
    }
    // A write that replaced everything makes one interval of the pieces that earlier layouts left.
    if (alone && visited > 1) {
      nodes_.erase(nodes_.lower_bound(begin), it);
      nodes_.emplace_hint(it, begin, Node{end, {access}});
    }
  }

 private:
  struct Node {
    int64_t end;
    std::vector<Access> open;
  };

  void split(int64_t at) {
    auto it = nodes_.upper_bound(at);
    if (it == nodes_.begin()) return;
    --it;
    if (it->first >= at || it->second.end <= at) return;
    Node upper{it->second.end, it->second.open};
    it->second.end = at;
    nodes_.emplace(at, std::move(upper));
  }

  static bool overlap(const Access& a, const Access& b) {
    return a.first_partition <= b.last_partition && b.first_partition <= a.last_partition;
  }
  static bool inside(const Access& a, const Access& b) {
    return a.first_partition >= b.first_partition && a.last_partition <= b.last_partition;
  }

  template <typename Conflict>
  static void visit(Node& node, const Access& access, Conflict&& conflict) {
    size_t kept = 0;
    for (Access& earlier : node.open) {
      const bool same_stage = access.order >= 0 && access.order == earlier.order;
      if (overlap(access, earlier) && (access.write || earlier.write) && !same_stage) conflict(earlier);
      // Whoever waits for this access waits for those before it on its timeline, and a write has waited for all that
      // it covers.
      const bool replaced = inside(earlier, access) && !same_stage
                                ? access.write || (!earlier.write && earlier.timeline == access.timeline)
                                : inside(earlier, access) && earlier.timeline == access.timeline && earlier.write == access.write;
      if (!replaced) node.open[kept++] = earlier;
    }
    node.open.resize(kept);
    node.open.push_back(access);
  }

  std::map<int64_t, Node> nodes_;
};

}  // namespace lanewise::compiler::emit
