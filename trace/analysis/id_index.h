// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// IdIndex: from an encoded id to the rows that carry it. Ids that lie close together (they count up in every
// producer we know) are found by one subtraction, others by binary search.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "trace/schema/event_table.h"

namespace lanewise::trace::analysis {

class IdIndex {
 public:
  struct Entry {
    int64_t id;
    schema::Row row;
  };

  IdIndex() = default;
  // Entries with one id keep their order.
  explicit IdIndex(std::vector<Entry> entries) : entries_(std::move(entries)) {
    const auto less = [](const Entry& a, const Entry& b) { return a.id < b.id; };
    if (!std::is_sorted(entries_.begin(), entries_.end(), less)) std::stable_sort(entries_.begin(), entries_.end(), less);
    if (entries_.empty()) return;
    first_id_ = entries_.front().id;
    const uint64_t range = static_cast<uint64_t>(entries_.back().id) - static_cast<uint64_t>(first_id_);
    if (range >= entries_.size() * 8 + 1024) return;
    begin_.assign(static_cast<size_t>(range) + 2, 0);
    for (const Entry& entry : entries_) ++begin_[static_cast<size_t>(entry.id - first_id_) + 1];
    for (size_t i = 1; i < begin_.size(); ++i) begin_[i] += begin_[i - 1];
  }

  std::span<const Entry> find(int64_t id) const {
    if (entries_.empty()) return {};
    if (!begin_.empty()) {
      const uint64_t at = static_cast<uint64_t>(id) - static_cast<uint64_t>(first_id_);
      if (at >= begin_.size() - 1) return {};  // not at + 1: an id just below the first is 2^64 - 1 here
      return std::span(entries_).subspan(begin_[at], begin_[at + 1] - begin_[at]);
    }
    const auto low = std::lower_bound(entries_.begin(), entries_.end(), id, [](const Entry& e, int64_t v) { return e.id < v; });
    auto high = low;
    while (high != entries_.end() && high->id == id) ++high;
    return {low, high};
  }

 private:
  std::vector<Entry> entries_;
  std::vector<uint32_t> begin_;  // by id - first_id_; empty: search
  int64_t first_id_ = 0;
};

}  // namespace lanewise::trace::analysis
