// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Links by arrows: launches of device events that no correlation links, and forward operators of backward ones.
#include <algorithm>
#include <map>
#include <tuple>

#include "trace/analysis/id_index.h"
#include "trace/analysis/links.h"
#include "trace/schema/encoded_id.h"

namespace lanewise::trace::analysis {
namespace {

using schema::ArgKey;
using schema::EventTable;
using schema::Role;
using schema::Row;

// Starts and ends of the arrows of a role, matched by (category, name, id): an end belongs to the last start before it in
// time, since producers use ids again; with none before it (clocks that disagree), to the first.
struct Arrow {
  Row start, end;
};

std::vector<Arrow> arrows_of(const EventTable& events, Role role) {
  struct Point {
    uint64_t kind;
    int64_t id;
    bool is_end;
    int64_t ts;
    Row row;
  };
  std::vector<Point> points;
  for (Row row = 0; row < events.rows(); ++row) {
    const uint8_t phase = events.phase[row];
    if ((phase != 's' && phase != 'f') || events.role_of(row) != role) continue;
    points.push_back({uint64_t{events.category[row]} << 32 | events.name[row], events.id[row], phase == 'f', events.ts_ns[row], row});
  }
  std::sort(points.begin(), points.end(), [](const Point& a, const Point& b) {
    return std::tie(a.kind, a.id, a.is_end, a.ts, a.row) < std::tie(b.kind, b.id, b.is_end, b.ts, b.row);
  });
  std::vector<Arrow> arrows;
  for (size_t i = 0; i < points.size();) {
    size_t ends = i, after = i;
    while (after < points.size() && points[after].kind == points[i].kind && points[after].id == points[i].id) {
      if (!points[after].is_end) ends = after + 1;
      ++after;
    }
    for (size_t end = ends; end < after && ends > i; ++end) {
      const auto first = points.begin() + static_cast<ptrdiff_t>(i);
      auto start = std::upper_bound(first, points.begin() + static_cast<ptrdiff_t>(ends), points[end].ts,
                                    [](int64_t ts, const Point& p) { return ts < p.ts; });
      if (start != first) --start;
      arrows.push_back({start->row, points[end].row});
    }
    i = after;
  }
  return arrows;
}

}  // namespace

void link_by_flow(const EventTable& events, const Nesting& nesting, Links* links) {
  // Only for events that are not linked yet: by track and start.
  std::vector<DeviceEvent*> loose;
  for (DeviceEvent& event : links->device_events) {
    if (!event.call) loose.push_back(&event);
  }
  if (loose.empty()) return;
  const auto key = [&](const DeviceEvent* e) { return std::pair(events.track[e->row], e->start_ns); };
  std::stable_sort(loose.begin(), loose.end(), [&](const DeviceEvent* a, const DeviceEvent* b) { return key(a) < key(b); });
  for (const Arrow& arrow : arrows_of(events, Role::launch_flow)) {
    const Row host = nesting.at(events, events.track[arrow.start], events.ts_ns[arrow.start]);
    if (host == kNoRow || events.role_of(host) != Role::runtime) continue;
    const auto end = std::pair(events.track[arrow.end], events.ts_ns[arrow.end]);
    auto at = std::upper_bound(loose.begin(), loose.end(), end, [&](const auto& v, const DeviceEvent* e) { return v < key(e); });
    if (at == loose.begin()) continue;
    DeviceEvent* event = *--at;
    const bool holds = events.track[event->row] == end.first && (end.second == event->start_ns || end.second < event->end_ns);
    if (holds && !event->call) event->call = {host, LinkMethod::flow, 0.9f};
  }
}

void link_forward_ops(const EventTable& events, const Nesting& nesting, Links* links) {
  std::vector<Links::Forward> found;
  const auto op_at = [&](Row arrow) {
    return nesting.nearest(events, nesting.at(events, events.track[arrow], events.ts_ns[arrow]), Role::cpu_op);
  };
  for (const Arrow& arrow : arrows_of(events, Role::autograd_flow)) {
    const Row forward = op_at(arrow.start), backward = op_at(arrow.end);
    if (forward != kNoRow && backward != kNoRow && forward != backward) {
      found.push_back({backward, {forward, LinkMethod::flow, 1.0f}});
    }
  }
  const auto by_backward = [](const Links::Forward& a, const Links::Forward& b) { return a.backward < b.backward; };
  std::stable_sort(found.begin(), found.end(), by_backward);
  const auto last = std::unique(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.backward == b.backward; });
  found.erase(last, found.end());

  // Operators with a sequence number: forward ones have no forward thread, or 0.
  const auto& sequences = events.arg(ArgKey::sequence);
  const auto& threads = events.arg(ArgKey::forward_thread);
  std::vector<IdIndex::Entry> forward;
  struct Backward {
    Row row;
    int64_t sequence, thread;
  };
  std::vector<Backward> backward;
  size_t thread_at = 0;
  for (size_t i = 0; i < sequences.size(); ++i) {
    const Row row = sequences.row(i);
    if (events.role_of(row) != Role::cpu_op || !events.is_slice(row) || sequences.value(i) < 0) continue;
    while (thread_at < threads.size() && threads.row(thread_at) < row) ++thread_at;
    const bool has_thread = thread_at < threads.size() && threads.row(thread_at) == row && threads.value(thread_at) > 0;
    if (has_thread) backward.push_back({row, sequences.value(i), threads.value(thread_at)});
    else forward.push_back({sequences.value(i), row});
  }
  const size_t linked = found.size();
  std::stable_sort(forward.begin(), forward.end(), [&](const auto& a, const auto& b) { return events.ts_ns[a.row] < events.ts_ns[b.row]; });
  const IdIndex index(std::move(forward));  // by start within one number
  const auto candidate = [&](const Backward& b, uint32_t track, bool any_track) {
    const auto found = index.find(b.sequence);
    auto at = std::upper_bound(found.begin(), found.end(), events.ts_ns[b.row],
                               [&](int64_t ts, const auto& entry) { return ts < events.ts_ns[entry.row]; });
    while (at != found.begin()) {
      --at;
      if (any_track || events.track[at->row] == track) return at->row;
    }
    return kNoRow;
  };
  // Forward thread numbers are PyTorch's own; the track they stand for is the one most of their operators come from.
  std::map<int64_t, std::map<uint32_t, uint64_t>> votes;
  for (const Backward& b : backward) {
    const Row row = candidate(b, 0, true);
    if (row != kNoRow) ++votes[b.thread][events.track[row]];
  }
  std::map<int64_t, uint32_t> track_of;
  for (const auto& [thread, counts] : votes) {
    track_of[thread] = std::max_element(counts.begin(), counts.end(), [](const auto& a, const auto& b) { return a.second < b.second; })->first;
  }
  for (const Backward& b : backward) {
    const auto arrow = std::lower_bound(found.begin(), found.begin() + static_cast<ptrdiff_t>(linked), b.row,
                                        [](const Links::Forward& f, Row r) { return f.backward < r; });
    if (arrow != found.begin() + static_cast<ptrdiff_t>(linked) && arrow->backward == b.row) continue;
    const auto track = track_of.find(b.thread);
    if (track == track_of.end()) continue;
    const Row row = candidate(b, track->second, false);
    if (row != kNoRow) found.push_back({b.row, {row, LinkMethod::sequence, 0.8f}});
  }
  std::sort(found.begin(), found.end(), by_backward);
  links->forward_ops = std::move(found);
}

}  // namespace lanewise::trace::analysis
