// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Links of one file: operator -> runtime call -> device event, and backward operator -> forward operator. Ids belong to their
// file; nothing is linked across files.
//
// The call of a device event, first rule that gives one:
//   correlation    1.0  the runtime call with the same correlation. Launches, copies and fills come before other calls; of several
//                       the last that began before the event, else the first
//   graph_replay   1.0  the same, and the call replays a graph: all device events behind it share it
//   flow           0.9  a launch arrow from a runtime call to the event (both ends looked at: arrows between device events and
//                       to host rows link nothing)
//   containment    0.5  the event lies inside another one of its lane that has a call (sub-events of engines)
// The operator of a device event:
//   external_id    1.0  the operator (else annotation) with its `External id`, else with that of its call; 0 is no id
//   containment    0.8  the operator around the call, else 0.5 that of the event around this one
//   correlation         none of these: no operator
// The forward operator of a backward one:
//   flow           1.0  an arrow of role autograd_flow
//   sequence       0.8  the last operator before it with its sequence number and without a forward thread, on the thread that
//                       most operators of the same forward thread number come from
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "trace/analysis/nesting.h"
#include "trace/schema/producers.h"
#include "trace/store/string_pool.h"

namespace lanewise::trace::analysis {

enum class LinkMethod : uint8_t { none, correlation, graph_replay, external_id, flow, containment, sequence };
std::string_view link_method_name(LinkMethod method);

struct Link {
  schema::Row row = kNoRow;
  LinkMethod method = LinkMethod::none;
  float confidence = 0;
  explicit operator bool() const { return row != kNoRow; }
};

// A complete runtime call.
struct RuntimeCall {
  schema::Row row = kNoRow;
  schema::CallKind kind = schema::CallKind::other;
  Link op;                     // the operator that made it; kNoRow: none is known
  uint32_t device_events = 0;  // how many device events it is the call of
};

// A kernel, copy or fill on a device. Times are those of the file.
struct DeviceEvent {
  schema::Row row = kNoRow;
  uint32_t device = 0;  // index into Model::devices(), set by the model
  int64_t start_ns = 0, end_ns = 0;
  Link call, op;
};

struct Links {
  std::vector<RuntimeCall> calls;           // by row
  std::vector<DeviceEvent> device_events;   // by row
  struct Forward {
    schema::Row backward;
    Link forward;
  };
  std::vector<Forward> forward_ops;         // by row of the backward operator

  const RuntimeCall* call(schema::Row row) const;          // null: no complete runtime call
  const DeviceEvent* device_event(schema::Row row) const;  // null: no device event with a time
  Link forward_of(schema::Row backward) const;
};

Links link_file(const schema::EventTable& events, const Nesting& nesting, const store::StringPool& strings,
                const schema::Producers& producers);

// Its parts; link_file calls them in this order.
void link_calls_to_ops(const schema::EventTable& events, const Nesting& nesting, Links* links);
void link_by_flow(const schema::EventTable& events, const Nesting& nesting, Links* links);
void link_forward_ops(const schema::EventTable& events, const Nesting& nesting, Links* links);

}  // namespace lanewise::trace::analysis
