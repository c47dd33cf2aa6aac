// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What a side of a comparison did, step by step: its outermost operators with the device work they asked for.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "trace/analysis/gaps.h"
#include "trace/analysis/model.h"

namespace lanewise::trace::analysis {

struct OpUnit {
  uint32_t part = 0;
  schema::Row row = kNoRow;
  std::string module;  // "" when there is none
  std::string_view name;
  int64_t host_ns = 0, device_ns = 0, overhead_ns = 0;
  std::map<std::string_view, int64_t> kernels;  // name -> events
};

struct StepSequence {
  int64_t wall_ns = 0, busy_ns = 0;  // busy of the file's main device, without overhead
  std::array<int64_t, kCauses> causes = {};
  std::vector<OpUnit> units;         // by start
  // Every moment of busy_ns once: when work of the step's own operators ran; else work of it that nothing ties to an operator; else
  // work that other steps asked for.
  int64_t operators_ns = 0, without_operator_ns = 0, other_steps_ns = 0;
  int64_t host_ns = 0;               // when any of the units ran on the host
  int64_t work_ns = 0;               // durations of the device work that the step asked for, without overhead
  int64_t device_events = 0, launches = 0, copies = 0;
};

struct OpSequence {
  std::vector<StepSequence> steps;   // one for the whole file when there are no steps, or when they are not wanted
  bool has_steps = false, has_modules = false, has_device = false;
};

Result<OpSequence> op_sequence(const Model& model, const Selection& selection, bool by_step);

}  // namespace lanewise::trace::analysis
