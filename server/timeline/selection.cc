// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "server/timeline/selection.h"

#include <algorithm>
#include <atomic>
#include <queue>
#include <tuple>

namespace lanewise::server::timeline {
namespace {

constexpr size_t kMostNames = 100;

void freeze(Masks* masks) {
  for (BitMask& mask : *masks) mask.freeze();
}

Masks empty_masks(const Timeline& timeline) {
  Masks masks;
  masks.reserve(timeline.lanes().size());
  for (const Lane& lane : timeline.lanes()) masks.emplace_back(lane.slices.size());
  return masks;
}

// The spans of a row come by start; rows mostly lie inside rows above, so what is kept stays small.
using Spans = std::vector<std::pair<int64_t, int64_t>>;

void add_span(Spans* spans, int64_t from, int64_t to) {
  if (!spans->empty() && from <= spans->back().second) spans->back().second = std::max(spans->back().second, to);
  else spans->emplace_back(from, to);
}

Spans joined(const Spans& a, const Spans& b) {
  if (a.empty()) return b;
  Spans out;
  for (size_t i = 0, j = 0; i < a.size() || j < b.size();) {
    const auto& next = j == b.size() || (i < a.size() && a[i].first <= b[j].first) ? a[i++] : b[j++];
    add_span(&out, next.first, next.second);
  }
  return out;
}

}  // namespace

Picked pick(const Timeline& timeline, const Masks& masks, size_t limit, bool with_sums) {
  Picked picked;
  const auto later = [](const Picked::Item& a, const Picked::Item& b) { return std::tie(a.start, a.lane, a.index) < std::tie(b.start, b.lane, b.index); };
  std::priority_queue<Picked::Item, std::vector<Picked::Item>, decltype(later)> first(later);  // the latest is on top
  std::vector<Picked::Name> names(with_sums ? timeline.names().size() : 0);
  Spans all;
  for (uint32_t k = 0; k < masks.size(); ++k) {
    const Lane& lane = timeline.lanes()[k];
    // Steps, gaps and projections show events of other lanes again.
    if (lane.has_own() || masks[k].count() == 0) continue;
    const Slices& slices = lane.slices;
    for (uint32_t row = 0; row < slices.rows(); ++row) {
      Spans spans;
      if (!masks[k].any(slices.row_begin[row], slices.row_begin[row + 1])) continue;
      for (uint32_t i = slices.row_begin[row]; i < slices.row_begin[row + 1]; ++i) {
        if (!masks[k].test(i)) continue;
        if (picked.total == 0) picked.first_ns = slices.start[i], picked.last_ns = slices.end(i);
        picked.first_ns = std::min(picked.first_ns, slices.start[i]);
        picked.last_ns = std::max(picked.last_ns, slices.end(i));
        ++picked.total;
        if (with_sums) {
          add_time(&picked.sum_ns, slices.dur(i));
          add_span(&spans, slices.start[i], slices.end(i));
          ++names[lane.names[i]].count;
          add_time(&names[lane.names[i]].sum_ns, slices.dur(i));
        }
        const Picked::Item item{slices.start[i], k, row, i};
        if (first.size() < limit) {
          first.push(item);
        } else if (limit > 0 && later(item, first.top())) {
          first.pop();
          first.push(item);
        }
      }
      if (with_sums) all = joined(all, spans);
    }
  }
  picked.items.resize(first.size());
  for (size_t i = first.size(); i-- > 0; first.pop()) picked.items[i] = first.top();
  for (const auto& [from, to] : all) picked.union_ns += to - from;
  for (uint32_t name = 0; name < names.size(); ++name) {
    if (names[name].count > 0) picked.by_name.push_back({name, names[name].count, names[name].sum_ns});
  }
  std::sort(picked.by_name.begin(), picked.by_name.end(), [](const auto& a, const auto& b) { return std::tie(b.sum_ns, a.name) < std::tie(a.sum_ns, b.name); });
  if (picked.by_name.size() > kMostNames) picked.by_name.resize(kMostNames);
  return picked;
}

Masks mask_of_events(const Timeline& timeline, std::span<const trace::schema::EventId> events) {
  Masks masks = empty_masks(timeline);
  for (const auto event : events) {
    if (const auto place = timeline.place_of(event)) masks[place->lane].set(place->index);
  }
  freeze(&masks);
  return masks;
}

Masks mask_of_box(const Timeline& timeline, const std::vector<uint32_t>& lanes, int64_t from, int64_t to) {
  Masks masks = empty_masks(timeline);
  for (const uint32_t k : lanes) {
    const Slices& slices = timeline.lanes()[k].slices;
    for (uint32_t row = 0; row < slices.rows(); ++row) {
      const uint32_t after = slices.first_starting(row, to);
      for (uint32_t i = slices.first_touching(row, from); i < after; ++i) masks[k].set(i);
    }
  }
  freeze(&masks);
  return masks;
}

std::shared_ptr<const Masks> MaskStore::find(const std::string& key) {
  const std::lock_guard lock(mutex_);
  for (auto at = named_.begin(); at != named_.end(); ++at) {
    if (at->first != key) continue;
    named_.splice(named_.begin(), named_, at);
    return at->second;
  }
  return nullptr;
}

std::shared_ptr<const Masks> MaskStore::keep(const std::string& key, Masks masks) {
  auto kept = std::make_shared<const Masks>(std::move(masks));
  const std::lock_guard lock(mutex_);
  named_.emplace_front(key, kept);
  if (named_.size() > kMostNamed) named_.pop_back();
  return kept;
}

uint32_t MaskStore::add_selection(std::shared_ptr<const Masks> masks) {
  static std::atomic<uint32_t> next = 1;
  const uint32_t number = next++;
  const std::lock_guard lock(mutex_);
  selections_.emplace_front(number, std::move(masks));
  if (selections_.size() > kMostSelections) selections_.pop_back();
  return number;
}

std::shared_ptr<const Masks> MaskStore::selection(uint32_t number) {
  const std::lock_guard lock(mutex_);
  for (const auto& [known, masks] : selections_) {
    if (known == number) return masks;
  }
  return nullptr;
}

std::shared_ptr<const std::string> FrameCache::find(const std::string& question) {
  const std::lock_guard lock(mutex_);
  for (auto at = frames_.begin(); at != frames_.end(); ++at) {
    if (at->first != question) continue;
    frames_.splice(frames_.begin(), frames_, at);
    return at->second;
  }
  return nullptr;
}

void FrameCache::keep(const std::string& question, std::shared_ptr<const std::string> frame) {
  if (frame->size() < kLeastBytes || question.size() + frame->size() > kMostBytes / 2) return;
  const std::lock_guard lock(mutex_);
  bytes_ += question.size() + frame->size();
  frames_.emplace_front(question, std::move(frame));
  while (bytes_ > kMostBytes) {
    bytes_ -= frames_.back().first.size() + frames_.back().second->size();
    frames_.pop_back();
  }
}

}  // namespace lanewise::server::timeline
