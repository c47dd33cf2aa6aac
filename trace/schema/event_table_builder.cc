// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/schema/event_table_builder.h"

namespace lanewise::trace::schema {

Row EventTableBuilder::append(const NewEvent& event) {
  const Row row = static_cast<Row>(rows());
  ts_ns_.append(event.ts_ns);
  dur_ns_.append(event.dur_ns);
  name_.append(event.name);
  category_.append(event.category);
  track_.append(event.track);
  phase_.append(event.phase);
  role_.append(static_cast<uint8_t>(event.role));
  flags_.append(event.flags);
  offset_.append(event.offset);
  length_.append(event.length);
  extend_optional();
  return row;
}

EventTableBuilder::Run EventTableBuilder::begin_run(size_t wanted) {
  Run run;
#define LW_RUN_BEGIN(type, name, text) run.name = name##_.begin_run(wanted, &run.rows);
  LW_EVENT_COLUMNS(LW_RUN_BEGIN)
#undef LW_RUN_BEGIN
  return run;
}

void EventTableBuilder::commit(const Run& run) {
#define LW_RUN_COMMIT(type, name, text) name##_.commit(run.rows);
  LW_EVENT_COLUMNS(LW_RUN_COMMIT)
#undef LW_RUN_COMMIT
}

void EventTableBuilder::extend_optional() {
  for (auto& column : optional_) column.extend(rows());
}

uint32_t EventTableBuilder::track(Track track) {
  const uint64_t key = (uint64_t{track.pid} << 32) | track.tid;
  const auto [at, added] = track_of_.try_emplace(key, static_cast<uint32_t>(track_pid_.size()));
  if (added) {
    track_pid_.append(track.pid);
    track_tid_.append(track.tid);
  }
  return at->second;
}

EventTable EventTableBuilder::publish() {
  extend_optional();
  EventTable table;
#define LW_PUBLISH(type, name, text) table.name = name##_.publish();
  LW_EVENT_COLUMNS(LW_PUBLISH)
#undef LW_PUBLISH
  size_t i = 0;
#define LW_PUBLISH_OPTIONAL(type, name, text) table.name = optional_[i++].publish();
  LW_EVENT_OPTIONAL_COLUMNS(LW_PUBLISH_OPTIONAL)
#undef LW_PUBLISH_OPTIONAL
  for (size_t key = 0; key < kArgKeys; ++key) table.args[key] = args_[key].publish();
  table.track_pid = track_pid_.publish();
  table.track_tid = track_tid_.publish();
  return table;
}

}  // namespace lanewise::trace::schema
