// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "server/library/device_link.h"

#include <algorithm>
#include <filesystem>

#include "server/timeline/twins.h"

namespace lanewise::server::library {

using trace::schema::EventId;
using trace::session::DeviceExecution;
using trace::session::DeviceFiles;

std::optional<DeviceExecution> execution_behind(const View& view, EventId event) {
  const std::vector<DeviceExecution>& all = view.executions();
  const auto find = [&](EventId id) -> std::optional<DeviceExecution> {
    const auto at = std::find_if(all.begin(), all.end(), [&](const DeviceExecution& e) { return e.event == id; });
    return at == all.end() ? std::nullopt : std::optional(*at);
  };
  if (all.empty()) return std::nullopt;
  if (auto found = find(event)) return found;
  if (const auto twin = timeline::twin_of(*view.timeline, event)) {
    if (auto found = find(*twin)) return found;
  }
  const auto chain = timeline::find_chain(*view.model, *view.timeline, event);
  if (!chain.ok()) return std::nullopt;
  for (const auto& step : chain->steps) {
    if (auto found = find(step.event)) return found;
  }
  for (const auto& arrow : chain->arrows) {
    if (auto found = find(arrow.to)) return found;
  }
  return std::nullopt;
}

Result<DeviceFiles> pair_of(const OpenTrace& trace, const DeviceExecution& execution) {
  std::error_code error;
  if (!std::filesystem::is_directory(trace.path(), error)) {
    return failed_precondition("device profiles lie in the capture folder beside the trace: open the folder instead of " + trace.path());
  }
  const auto pairs = trace::session::device_pairs(trace.path());
  if (!pairs.ok()) return failed_precondition(pairs.status().message());
  for (const DeviceFiles& pair : *pairs) {
    if (pair.hash == execution.hash) return pair;
  }
  return failed_precondition("no device profile of the program " + execution.name + " (" + execution.hash + ") lies in " + trace.path() +
                             ": it was not captured on the device; capture with DEVICE on (NeuronConfig, docs/profiling.md)");
}

}  // namespace lanewise::server::library
