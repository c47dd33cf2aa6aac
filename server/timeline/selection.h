// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Selections: slices that the user meant, with what they add up to; and the store of masks that tiles are drawn with.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "server/timeline/masks.h"

namespace lanewise::server::timeline {

// Slices of lanes of events, by start; what the frames `matches` and `selection` hold.
struct Picked {
  struct Item {
    int64_t start = 0;
    uint32_t lane = 0, row = 0, index = 0;  // index of the lane
  };
  std::vector<Item> items;  // the first `limit` of them
  uint64_t total = 0;
  int64_t sum_ns = 0, union_ns = 0, first_ns = 0, last_ns = 0;
  struct Name {
    uint32_t name = 0;
    uint64_t count = 0;
    int64_t sum_ns = 0;
  };
  std::vector<Name> by_name;  // largest sum first
};

// What the masks hold. `with_sums`: also the sums (they need all intervals sorted).
Picked pick(const Timeline& timeline, const Masks& masks, size_t limit, bool with_sums);

Masks mask_of_events(const Timeline& timeline, std::span<const trace::schema::EventId> events);
// Slices of those lanes (index) that touch [from, to).
Masks mask_of_box(const Timeline& timeline, const std::vector<uint32_t>& lanes, int64_t from, int64_t to);

// Masks of filters and searches under their text, and selections under a number. The oldest go first.
class MaskStore {
 public:
  std::shared_ptr<const Masks> find(const std::string& key);
  std::shared_ptr<const Masks> keep(const std::string& key, Masks masks);
  // The number of a selection; never used twice in a run, not even by another trace.
  uint32_t add_selection(std::shared_ptr<const Masks> masks);
  std::shared_ptr<const Masks> selection(uint32_t number);

 private:
  static constexpr size_t kMostNamed = 12, kMostSelections = 24;
  std::mutex mutex_;
  std::list<std::pair<std::string, std::shared_ptr<const Masks>>> named_;       // newest first
  std::list<std::pair<uint32_t, std::shared_ptr<const Masks>>> selections_;
};

// Large answers about tiles under their question: the whole trace from afar is asked for again and again, and costs most.
class FrameCache {
 public:
  std::shared_ptr<const std::string> find(const std::string& question);
  void keep(const std::string& question, std::shared_ptr<const std::string> frame);

 private:
  static constexpr size_t kLeastBytes = 64 << 10, kMostBytes = 32 << 20;
  std::mutex mutex_;
  std::list<std::pair<std::string, std::shared_ptr<const std::string>>> frames_;  // newest first
  size_t bytes_ = 0;
};

}  // namespace lanewise::server::timeline
