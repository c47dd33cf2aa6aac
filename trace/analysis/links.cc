// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/analysis/links.h"

#include <algorithm>
#include <array>

#include "trace/analysis/call_kinds.h"
#include "trace/analysis/id_index.h"
#include "trace/analysis/time_limits.h"
#include "trace/schema/encoded_id.h"

namespace lanewise::trace::analysis {
namespace {

using schema::CallKind;
using schema::EventTable;
using schema::Role;
using schema::Row;

constexpr float kContainmentInCall = 0.8f, kContainmentInEvent = 0.5f;

// The entry of a row, or null.
template <typename Entries>
auto find_row(Entries& entries, Row row) -> decltype(entries.data()) {
  const auto at = std::lower_bound(entries.begin(), entries.end(), row, [](const auto& e, Row r) { return e.row < r; });
  return at == entries.end() || at->row != row ? nullptr : &*at;
}

// The calls that carry a correlation, by start within one id.
IdIndex index_by_correlation(const EventTable& events, const std::vector<RuntimeCall>& calls, bool only_submitting) {
  std::vector<IdIndex::Entry> ids;
  for (const RuntimeCall& call : calls) {
    if (only_submitting && !submits(call.kind)) continue;
    if (events.correlation[call.row] != schema::kNoId) ids.push_back({events.correlation[call.row], call.row});
  }
  const auto earlier = [&](const auto& a, const auto& b) { return events.ts_ns[a.row] < events.ts_ns[b.row]; };
  if (!std::is_sorted(ids.begin(), ids.end(), earlier)) std::stable_sort(ids.begin(), ids.end(), earlier);
  return IdIndex(std::move(ids));
}

void link_by_correlation(const EventTable& events, Links* links) {
  const IdIndex submitting = index_by_correlation(events, links->calls, true), all = index_by_correlation(events, links->calls, false);
  for (DeviceEvent& event : links->device_events) {
    const int64_t id = events.correlation[event.row];
    if (id == schema::kNoId) continue;
    auto found = submitting.find(id);
    if (found.empty()) found = all.find(id);
    if (found.empty()) continue;
    const auto after = std::upper_bound(found.begin(), found.end(), event.start_ns,
                                        [&](int64_t ts, const auto& entry) { return ts < events.ts_ns[entry.row]; });
    const RuntimeCall* call = links->call(after == found.begin() ? found.front().row : (after - 1)->row);
    event.call = {call->row, call->kind == CallKind::graph_launch ? LinkMethod::graph_replay : LinkMethod::correlation, 1.0f};
  }
}

// Events inside another one of their lane take over what that one is linked to.
void link_by_containment(const EventTable& events, Links* links) {
  std::vector<DeviceEvent*> loose;
  for (DeviceEvent& event : links->device_events) {
    if (!event.call && !event.op) loose.push_back(&event);
  }
  if (loose.empty()) return;
  std::vector<const DeviceEvent*> holders;
  for (const DeviceEvent& event : links->device_events) {
    if (event.call || event.op) holders.push_back(&event);
  }
  const auto by_lane = [&](const DeviceEvent* a, const DeviceEvent* b) {
    const uint32_t track_a = events.track[a->row], track_b = events.track[b->row];
    return track_a != track_b ? track_a < track_b : a->start_ns < b->start_ns;
  };
  std::stable_sort(holders.begin(), holders.end(), by_lane);
  for (DeviceEvent* event : loose) {
    // Holders of a lane hardly overlap, so a few steps back from the last one that began find what holds the event.
    auto at = std::upper_bound(holders.begin(), holders.end(), event, by_lane);
    for (int steps = 0; steps < 8 && at != holders.begin(); ++steps) {
      const DeviceEvent* holder = *--at;
      if (events.track[holder->row] != events.track[event->row]) break;
      if (holder->end_ns < event->end_ns) continue;
      if (holder->call) event->call = {holder->call.row, LinkMethod::containment, kContainmentInEvent};
      if (holder->op) event->op = {holder->op.row, LinkMethod::containment, kContainmentInEvent};
      break;
    }
  }
}

}  // namespace

std::string_view link_method_name(LinkMethod method) {
  constexpr auto kNames =
      std::to_array<std::string_view>({"none", "correlation", "graph_replay", "external_id", "flow", "containment", "sequence"});
  return kNames[static_cast<size_t>(method)];
}

const RuntimeCall* Links::call(Row row) const { return find_row(calls, row); }
const DeviceEvent* Links::device_event(Row row) const { return find_row(device_events, row); }

Link Links::forward_of(Row backward) const {
  const auto at = std::lower_bound(forward_ops.begin(), forward_ops.end(), backward,
                                   [](const Forward& f, Row r) { return f.backward < r; });
  return at == forward_ops.end() || at->backward != backward ? Link{} : at->forward;
}

void link_calls_to_ops(const EventTable& events, const Nesting& nesting, Links* links) {
  // Ids of operators; an annotation is found by its id only when no operator has it.
  std::vector<IdIndex::Entry> op_ids, annotation_ids;
  for (Row row = 0; row < events.rows(); ++row) {
    const Role role = events.role_of(row);
    if ((role != Role::cpu_op && role != Role::annotation) || !has_span(events, row)) continue;
    const int64_t id = events.external_id[row];
    if (id != schema::kNoId && id != 0) (role == Role::cpu_op ? op_ids : annotation_ids).push_back({id, row});
  }
  const IdIndex ops(std::move(op_ids)), annotations(std::move(annotation_ids));
  const auto by_external_id = [&](Row row) -> Link {
    const int64_t id = events.external_id[row];
    if (id == schema::kNoId || id == 0) return {};
    auto found = ops.find(id);
    if (found.empty()) found = annotations.find(id);
    return found.empty() ? Link{} : Link{found.front().row, LinkMethod::external_id, 1.0f};
  };
  for (RuntimeCall& call : links->calls) {
    call.op = by_external_id(call.row);
    if (call.op) continue;
    const Row op = nesting.nearest(events, call.row, Role::cpu_op);
    if (op != kNoRow) call.op = {op, LinkMethod::containment, kContainmentInCall};
  }
  for (DeviceEvent& event : links->device_events) {
    event.op = by_external_id(event.row);
    if (event.op || !event.call) continue;
    if (const RuntimeCall* call = links->call(event.call.row)) event.op = call->op;
  }
}

Links link_file(const EventTable& events, const Nesting& nesting, const store::StringPool& strings,
                const schema::Producers& producers) {
  Links links;
  CallKinds kinds(strings, producers);
  for (Row row = 0; row < events.rows(); ++row) {
    const Role role = events.role_of(row);
    if (role == Role::runtime) {
      if (has_span(events, row)) links.calls.push_back({row, kinds.of(events.name[row]), {}, 0});
    } else if (is_device(role) && has_span(events, row)) {
      links.device_events.push_back({row, 0, events.ts_ns[row], slice_end(events, row), {}, {}});
    }
  }
  link_by_correlation(events, &links);
  link_by_flow(events, nesting, &links);
  link_calls_to_ops(events, nesting, &links);
  link_by_containment(events, &links);
  for (const DeviceEvent& event : links.device_events) {
    if (event.call) ++find_row(links.calls, event.call.row)->device_events;
  }
  link_forward_ops(events, nesting, &links);
  return links;
}

}  // namespace lanewise::trace::analysis
