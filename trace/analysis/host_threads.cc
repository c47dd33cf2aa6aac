// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/analysis/host_threads.h"

#include <algorithm>

namespace lanewise::trace::analysis {
namespace {

using schema::CallKind;
using schema::Role;
using schema::Row;

}  // namespace

std::vector<HostThread> host_threads(const Model& model, uint32_t part) {
  const auto& events = model.events(part);
  const FileModel& file = model.file(part);
  const int64_t offset = model.offset_ns(part);
  std::vector<HostThread> threads;
  for (uint32_t track = 0; track < events.tracks(); ++track) {
    const auto slices = file.nesting.track(track);
    if (slices.empty()) continue;
    HostThread thread{track, {}};
    // Layers from the outside in; a later layer wins where two overlap. Slices come in order of start, so each layer is
    // written behind the last one: what is left of an outer span comes back when an inner one ends.
    std::vector<HostSpan> open;
    int64_t done = 0;
    const auto write = [&](const HostSpan& span, int64_t end) {
      const int64_t begin = std::max(span.begin_ns, done);
      if (begin >= end) return;
      if (!thread.spans.empty() && thread.spans.back().end_ns == begin && thread.spans.back().row == span.row) {
        thread.spans.back().end_ns = end;
      } else {
        thread.spans.push_back({begin, end, span.state, span.row});
      }
      done = end;
    };
    const auto close_until = [&](int64_t moment) {
      while (!open.empty() && open.back().end_ns <= moment) {
        write(open.back(), open.back().end_ns);
        open.pop_back();
      }
    };
    done = model.start_ns(part, slices.front());
    for (const Row row : slices) {
      HostSpan span{events.ts_ns[row] + offset, slice_end(events, row) + offset, HostState::busy, row};
      if (span.begin_ns >= span.end_ns) continue;
      const Role role = events.role_of(row);
      if (role == Role::runtime) {
        const CallKind kind = file.links.call(row)->kind;
        if (kind == CallKind::sync) span.state = HostState::sync;
        if (kind == CallKind::copy) span.state = HostState::copy;
      }
      close_until(span.begin_ns);
      // Inside an operator or a wait only a stronger state is another layer.
      if (!open.empty()) {
        const HostSpan& top = open.back();
        const bool operator_inside = span.state == HostState::busy && top.state == HostState::busy && role == Role::cpu_op &&
                                     events.role_of(top.row) != Role::cpu_op && events.role_of(top.row) != Role::runtime;
        if (!operator_inside && span.state <= top.state) {
          // What crosses the end of the span it starts in goes on behind it.
          if (span.end_ns > top.end_ns) {
            const HostSpan rest{top.end_ns, span.end_ns, span.state, span.row};
            open.insert(open.end() - 1, rest);
          }
          continue;
        }
        write(top, span.begin_ns);
      }
      open.push_back(span);
    }
    while (!open.empty()) {
      write(open.back(), open.back().end_ns);
      open.pop_back();
    }
    threads.push_back(std::move(thread));
  }
  return threads;
}

}  // namespace lanewise::trace::analysis
