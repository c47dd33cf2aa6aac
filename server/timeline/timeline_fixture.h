// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// For tests: a timeline of a trace written by hand.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "server/timeline/timeline.h"
#include "trace/analysis/analysis_fixture.h"

namespace lanewise::server::timeline {

inline std::shared_ptr<const Timeline> timeline_of(const std::shared_ptr<const trace::analysis::Model>& model, bool with_model = true) {
  std::vector<PartTables> parts;
  for (const auto& entry : model->session().files()) {
    PartTables part;
    part.part = part.unit = entry.part;
    part.events = entry.file.events;
    part.offset_ns = entry.offset_ns;
    part.rank = entry.file.rank;
    if (with_model) part.nesting = &model->file(entry.part).nesting;
    parts.push_back(std::move(part));
  }
  return Timeline::build(std::move(parts), model->session().shared_strings(), with_model ? model : nullptr, model->begin_ns(), nullptr);
}

// The first lane of that group and kind; fails when there is none.
inline const Lane& lane_of(const Timeline& timeline, Group group, LaneKind kind = LaneKind::slices) {
  for (const Lane& lane : timeline.lanes()) {
    if (lane.group == group && lane.kind == kind) return lane;
  }
  ADD_FAILURE() << "no lane of group " << group_name(group);
  static const Lane none;
  return none;
}

}  // namespace lanewise::server::timeline
