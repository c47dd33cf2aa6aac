// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/analysis/selection.h"

#include <algorithm>
#include <limits>

namespace lanewise::trace::analysis {
namespace {

// '*' stands for anything.
bool glob(std::string_view pattern, std::string_view text) {
  size_t p = 0, t = 0, star = std::string_view::npos, mark = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      mark = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p, ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++mark;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

std::vector<Window> join(std::vector<Window> windows) {
  std::sort(windows.begin(), windows.end(), [](const Window& a, const Window& b) { return a.begin_ns < b.begin_ns; });
  std::vector<Window> joined;
  for (const Window& w : windows) {
    if (!joined.empty() && w.begin_ns <= joined.back().end_ns) joined.back().end_ns = std::max(joined.back().end_ns, w.end_ns);
    else joined.push_back(w);
  }
  return joined;
}

}  // namespace

bool name_fits(std::string_view pattern, std::string_view name) {
  if (pattern.find('*') != std::string_view::npos) return glob(pattern, name);
  return name.find(pattern) != std::string_view::npos;
}

Result<Filter> Filter::make(const Model& model, const Selection& selection) {
  Filter filter;
  filter.model_ = &model;
  filter.pattern_ = selection.name;
  const size_t parts = model.files().size();
  filter.parts_.assign(parts, true);
  filter.devices_.assign(model.devices().size(), true);
  filter.has_windows_ = !selection.steps.empty() || selection.between_ns;

  if (selection.rank) {
    bool found = false;
    for (uint32_t part = 0; part < parts; ++part) {
      filter.parts_[part] = model.rank(part) == selection.rank;
      found |= filter.parts_[part];
    }
    if (!found) return not_found("no file of this trace has rank " + std::to_string(*selection.rank));
  }
  if (!selection.device.empty()) {
    bool found = false;
    std::string known;
    for (size_t i = 0; i < model.devices().size(); ++i) {
      const std::string& name = model.devices()[i].name;
      filter.devices_[i] = name == selection.device;
      found |= filter.devices_[i];
      if (known.find(name) == std::string::npos) known += (known.empty() ? "" : ", ") + name;
    }
    if (!found) return not_found("no device " + selection.device + " in this trace; it has " + (known.empty() ? "none" : known));
  }
  constexpr int64_t kLow = std::numeric_limits<int64_t>::min(), kHigh = std::numeric_limits<int64_t>::max();
  filter.windows_.assign(parts, {{kLow, kHigh}});
  if (!selection.steps.empty()) {
    for (auto& windows : filter.windows_) windows.clear();
    for (const int64_t number : selection.steps) {
      bool found = false;
      for (const Step& step : model.steps()) {
        if (step.number != number) continue;
        found = true;
        filter.windows_[step.part].push_back({step.start_ns, step.end_ns});
      }
      if (!found) return not_found("no ProfilerStep#" + std::to_string(number) + " in this trace");
    }
    for (auto& windows : filter.windows_) windows = join(std::move(windows));
  }
  if (selection.between_ns) {
    const int64_t from = model.begin_ns() + selection.between_ns->first, to = model.begin_ns() + selection.between_ns->second;
    for (auto& windows : filter.windows_) {
      std::vector<Window> cut;
      for (const Window& w : windows) {
        const Window both{std::max(w.begin_ns, from), std::min(w.end_ns, to)};
        if (both.begin_ns < both.end_ns) cut.push_back(both);
      }
      windows = std::move(cut);
    }
  }
  return filter;
}

bool Filter::time(uint32_t part, int64_t start_ns) const {
  if (!has_windows_) return true;
  const auto& windows = windows_[part];
  const auto at = std::upper_bound(windows.begin(), windows.end(), start_ns, [](int64_t t, const Window& w) { return t < w.begin_ns; });
  return at != windows.begin() && start_ns < (at - 1)->end_ns;
}

bool Filter::name(store::StringId id) const {
  if (pattern_.empty()) return true;
  if (id == store::kNoString) return false;
  if (id >= name_known_.size()) name_known_.resize(std::max<size_t>(id + size_t{1}, model_->session().strings().size()), -1);
  if (name_known_[id] < 0) name_known_[id] = name_fits(pattern_, model_->session().text(id));
  return name_known_[id] == 1;
}

bool Filter::event(uint32_t part, const DeviceEvent& event) const {
  if (!parts_[part] || !devices_[event.device]) return false;
  if (!has_windows_) return true;
  const schema::Row asked = event.op ? event.op.row : event.call ? event.call.row : event.row;
  return time(part, model_->start_ns(part, asked));
}

}  // namespace lanewise::trace::analysis
