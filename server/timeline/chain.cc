// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "server/timeline/arrows.h"
#include "server/timeline/twins.h"
#include "trace/analysis/chain.h"

namespace lanewise::server::timeline {

using trace::analysis::DeviceEvent;
using trace::analysis::LinkMethod;
using trace::analysis::Model;
using trace::analysis::Table;
using trace::schema::EventId;

namespace {

constexpr std::string_view kSameTime = "same_time";

void add_arrow(Chain* chain, Arrow arrow) {
  const auto same = [&](const Arrow& a) { return a.from == arrow.from && a.to == arrow.to; };
  if (std::any_of(chain->arrows.begin(), chain->arrows.end(), same)) return;
  ++chain->arrows_total;
  if (chain->arrows.size() < kMostArrows) chain->arrows.push_back(arrow);
}

ArrowKind kind_of_launch(std::string_view method) { return method == "graph_replay" ? ArrowKind::graph : ArrowKind::launch; }

void connect_steps(Chain* chain) {
  const auto find = [&](std::string_view role) {
    const auto at = std::find_if(chain->steps.begin(), chain->steps.end(), [&](const ChainStep& s) { return s.role == role; });
    return at == chain->steps.end() ? nullptr : &*at;
  };
  const ChainStep *forward = find("forward_op"), *op = find("op"), *call = find("call"), *device = find("device");
  const ChainStep *runtime = find("runtime_trace"), *hardware = find("hardware");
  const auto connect = [&](const ChainStep* from, const ChainStep* to, ArrowKind kind, const ChainStep* tie) {
    if (from && to) add_arrow(chain, {from->event, to->event, kind, tie->method, static_cast<float>(tie->confidence), {}, {}});
  };
  connect(forward, op, ArrowKind::autograd, forward);
  connect(op, call, ArrowKind::runtime, op);
  if (call) {
    connect(call, device, kind_of_launch(call->method), call);
    connect(call, runtime, ArrowKind::runtime, runtime);
    connect(runtime ? runtime : call, hardware, ArrowKind::launch, hardware);
  } else {
    connect(op, device, ArrowKind::launch, op);
  }
}

// Everything on a device that was asked for inside a host slice.
void add_launches_inside(const Model& model, EventId event, Chain* chain) {
  const auto& events = model.events(event.part);
  if (!is_host_slice(events.role_of(event.ordinal))) return;
  const int64_t begin = events.ts_ns[event.ordinal], end = trace::analysis::slice_end(events, event.ordinal);
  const uint32_t track = events.track[event.ordinal];
  for (const DeviceEvent& device : model.file(event.part).links.device_events) {
    const auto& tie = device.call ? device.call : device.op;
    if (!tie || events.track[tie.row] != track || events.ts_ns[tie.row] < begin || events.ts_ns[tie.row] >= end) continue;
    const auto method = trace::analysis::link_method_name(tie.method);
    add_arrow(chain, {{event.part, tie.row}, {event.part, device.row}, kind_of_launch(method), method, tie.confidence, {}, {}});
  }
}

}  // namespace

std::string_view arrow_kind_name(ArrowKind kind) {
  constexpr std::string_view kNames[] = {"launch", "autograd", "graph", "runtime", "semaphore", "trigger", "queue", "engine"};
  return kNames[static_cast<size_t>(kind)];
}

Result<Chain> find_chain(const Model& model, const Timeline& timeline, EventId asked) {
  if (asked.part >= model.files().size() || asked.ordinal >= model.events(asked.part).rows()) {
    return not_found("there is no event " + asked.to_string());
  }
  EventId event = asked;
  // The framework's side knows more: start there.
  if (timeline.parts()[asked.part].system_trace) {
    if (const auto twin = twin_of(timeline, asked)) event = *twin;
  }
  LW_ASSIGN_OR_RETURN(const Table table, trace::analysis::chain_table(model, event));
  Chain chain;
  for (size_t row = 0; row < table.rows(); ++row) {
    ChainStep step;
    step.role = table["role"].texts[row];
    step.event = EventId::unpack(static_cast<uint64_t>(table["event"].integers[row]));
    const std::string_view method = table["method"].texts[row];
    // The table's texts end with it; the names of methods do not.
    for (int m = 0; m <= static_cast<int>(LinkMethod::sequence); ++m) {
      const auto name = trace::analysis::link_method_name(static_cast<LinkMethod>(m));
      if (name == method && m != 0) step.method = name;
    }
    const double confidence = table["confidence"].reals[row];
    step.confidence = std::isnan(confidence) ? 0 : confidence;
    const std::string role = step.role;
    const EventId id = step.event;
    chain.steps.push_back(std::move(step));
    if (role != "call" && role != "device") continue;
    if (const auto twin = twin_of(timeline, id)) chain.steps.push_back({role == "call" ? "runtime_trace" : "hardware", *twin, kSameTime, 1, {}, {}});
  }
  connect_steps(&chain);
  add_launches_inside(model, event, &chain);
  return chain;
}

}  // namespace lanewise::server::timeline
