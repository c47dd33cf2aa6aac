// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/analysis/repeated_files.h"

#include <algorithm>
#include <limits>

#include "trace/analysis/time_limits.h"

namespace lanewise::trace::analysis {
namespace {

struct Window {
  uint32_t part;
  int64_t begin = std::numeric_limits<int64_t>::max(), end = std::numeric_limits<int64_t>::min();  // session time
  bool operator==(const Window& other) const { return begin == other.begin && end == other.end; }
};

Window window_of(const Model& model, const FileModel& file) {
  const schema::EventTable& events = model.events(file.part);
  const int64_t offset = model.session().files()[file.part].offset_ns;
  Window window{file.part};
  for (schema::Row row = 0; row < events.rows(); ++row) {
    if (!has_span(events, row)) continue;
    window.begin = std::min(window.begin, events.ts_ns[row] + offset);
    window.end = std::max(window.end, events.ts_ns[row] + offset + std::max<int64_t>(0, events.dur_ns[row]));
  }
  return window;
}

}  // namespace

std::vector<RepeatedFile> repeated_files(const Model& model) {
  std::vector<RepeatedFile> repeated;
  if (model.files().size() < 2) return repeated;
  std::vector<Window> windows;
  for (const FileModel& file : model.files()) {
    if (file.repeats) continue;
    const Window window = window_of(model, file);
    if (window.begin > window.end) continue;
    const auto& trace = model.session().files()[file.part].file;
    const auto same = std::find_if(windows.begin(), windows.end(), [&](const Window& earlier) {
      const auto& other = model.session().files()[earlier.part].file;
      if (trace.rank != other.rank) return false;
      if (trace.rank) return window.begin < earlier.end && earlier.begin < window.end;
      return window == earlier && trace.events.rows() == other.events.rows();
    });
    if (same == windows.end()) windows.push_back(window);
    else repeated.push_back({file.part, same->part});
  }
  return repeated;
}

}  // namespace lanewise::trace::analysis
