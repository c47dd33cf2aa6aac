// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/analysis/trust.h"

#include <algorithm>
#include <cstdlib>

#include "trace/analysis/call_kinds.h"
#include "trace/analysis/repeated_files.h"
#include "trace/analysis/time_limits.h"

namespace lanewise::trace::analysis {

using schema::Row;

Table trust_table(const Model& model) {
  uint64_t read = 0, dropped = 0, repaired = 0, skipped = 0, bytes = 0, truncated = 0;
  uint64_t device_events = 0, unlinked = 0, early = 0, linked = 0, crossing = 0, slices = 0, cut = 0, times = 0, launches = 0, absurd = 0, stray = 0;
  int64_t skew = 0;
  for (const FileModel& file : model.files()) {
    const session::SessionFile& entry = model.session().files()[file.part];
    const schema::Ledger& ledger = entry.file.ledger;
    read += ledger.read, dropped += ledger.dropped, repaired += ledger.repaired;
    skipped += ledger.skipped_bytes, bytes += ledger.input_bytes, truncated += ledger.truncated;
    skew = std::max(skew, std::abs(entry.skew_ns));
    const schema::EventTable& events = model.events(file.part);
    for (size_t i = 0; i < events.flags.segment_count(); ++i) {
      for (const uint8_t flags : events.flags.segment(i)) {
        cut += (flags & schema::kStartCut) != 0;
        cut += (flags & schema::kDurationCut) != 0;
      }
    }
    times += 2 * events.rows();
    for (Row row = 0; row < events.rows(); ++row) {
      if (!events.is_slice(row) || has_span(events, row)) continue;
      ++(has_absurd_time(events, row) ? absurd : stray);
    }
    if (file.repeats) continue;
    crossing += file.nesting.crossing.size();
    slices += file.nesting.order.size();
    device_events += file.links.device_events.size();
    for (const DeviceEvent& event : file.links.device_events) {
      if (!event.call) {
        ++unlinked;
        continue;
      }
      ++linked;
      early += event.start_ns < events.ts_ns[event.call.row];
    }
    for (const RuntimeCall& call : file.links.calls) launches += submits(call.kind);
  }
  Table table("trust", {{"check", ColumnType::text}, {"count", ColumnType::count}, {"of", ColumnType::count}, {"text", ColumnType::text}});
  const auto add = [&](std::string_view check, int64_t count, int64_t of, std::string_view text) {
    table.row().text(check).integer(count).integer(of).text(text);
  };
  const auto n = [](uint64_t value) { return static_cast<int64_t>(value); };
  add("dropped_events", n(dropped), n(read), "events that could not be read");
  add("repaired_events", n(repaired), n(read), "events read although they are not valid JSON");
  add("skipped_bytes", n(skipped), n(bytes), "bytes outside any readable event");
  add("unread_files", n(model.session().unread().size()), n(model.session().unread().size() + model.session().files().size()), "files of the folder that could not be read");
  add("repeated_files", n(repeated_files(model).size()), n(model.files().size()), "files of the same rank and time as another one: their work is counted twice");
  add("truncated", n(truncated), kNullInteger, "places where a file ends too early");
  add("unlinked_device_events", n(unlinked), n(device_events), "device events that nothing ties to a runtime call");
  add("early_device_events", n(early), n(linked), "device events that start before their call");
  add("crossing_slices", n(crossing), n(slices), "host slices that do not nest");
  add("cut_times", n(cut), n(times), "times with digits beyond a nanosecond");
  add("absurd_times", n(absurd), kNullInteger, "slices left out, since their times lie beyond 73 years");
  add("stray_times", n(stray), kNullInteger, "slices left out, since they start more than an hour away from all others");
  add("missing_device_rows", launches > 0 && device_events == 0, kNullInteger, "calls launched work, but no device event was recorded");
  add("clock_skew_ns", skew, kNullInteger, "largest measured difference between the clocks of ranks, not corrected");
  return table;
}

}  // namespace lanewise::trace::analysis
