// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Selection: which part of a trace a question is about. Filter: the same, looked up in a model.
//
// Host slices belong to a window when they start in it. A device event belongs to the window in which it was asked for: where
// its operator starts, else its call, else itself. So a step owns the work it submitted, whenever the device did it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "trace/analysis/model.h"

namespace lanewise::trace::analysis {

struct Selection {
  std::vector<int64_t> steps;  // numbers of ProfilerStep#N; empty: all
  std::optional<int64_t> rank;
  std::string device;          // "cuda:0"; "": all
  std::optional<std::pair<int64_t, int64_t>> between_ns;  // from, to; from the start of the session's window (Model::begin_ns)
  std::string name;            // with '*': a pattern of the whole name; else a part of it; "": all
  bool everything() const { return steps.empty() && !rank && device.empty() && !between_ns && name.empty(); }
};

// Whether a name fits Selection::name.
bool name_fits(std::string_view pattern, std::string_view name);

struct Window {
  int64_t begin_ns = 0, end_ns = 0;  // session time
};

class Filter {
 public:
  // not_found when the trace has no such step, rank or device.
  static Result<Filter> make(const Model& model, const Selection& selection);

  bool part(uint32_t part) const { return parts_[part]; }
  bool device(uint32_t device) const { return devices_[device]; }
  // `start_ns`: session time.
  bool time(uint32_t part, int64_t start_ns) const;
  bool name(store::StringId id) const;
  // Part and time of a host row.
  bool host(uint32_t part, schema::Row row) const {
    return parts_[part] && (!has_windows_ || time(part, model_->start_ns(part, row)));
  }
  // Part, device and time of a device event.
  bool event(uint32_t part, const DeviceEvent& event) const;
  // The windows of a part, ascending and apart; one window over everything when there is no time filter.
  const std::vector<Window>& windows(uint32_t part) const { return windows_[part]; }

 private:
  const Model* model_ = nullptr;
  std::string pattern_;
  bool has_windows_ = false;
  std::vector<bool> parts_, devices_;
  std::vector<std::vector<Window>> windows_;
  mutable std::vector<int8_t> name_known_;  // by StringId: -1 not looked at
};

}  // namespace lanewise::trace::analysis
