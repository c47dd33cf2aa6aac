// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/import/perfetto/clock_table.h"

#include <limits>

#include "trace/import/perfetto/fields.h"
#include "trace/import/perfetto/wire.h"

namespace lanewise::trace::perfetto {
namespace {

bool fits(uint64_t ns) { return ns <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max()); }

}  // namespace

std::pair<uint64_t, uint64_t> ClockTable::key(uint64_t clock, uint64_t sequence) {
  return {clock, clock >= fields::clocks::first_sequence_clock && clock < 128 ? sequence : 0};
}

bool ClockTable::add_snapshot(std::string_view message, uint64_t sequence) {
  struct Reading {
    uint64_t clock = 0, stamp = 0, unit = 1;
  };
  std::vector<Reading> readings;
  std::optional<uint64_t> realtime;
  WireReader reader(message);
  while (reader.next()) {
    if (reader.field() == fields::clocks::primary_trace_clock) primary_ = reader.value();
    if (reader.field() != fields::clocks::clocks) continue;
    Reading r;
    WireReader clock(reader.data());
    while (clock.next()) {
      if (clock.field() == fields::clocks::clock_id) r.clock = clock.value();
      if (clock.field() == fields::clocks::timestamp) r.stamp = clock.value();
      if (clock.field() == fields::clocks::unit_multiplier_ns && clock.value() > 0) r.unit = clock.value();
    }
    if (!clock.ok()) return false;
    if (r.clock == fields::clocks::realtime) realtime = r.stamp;
    readings.push_back(r);
  }
  if (!reader.ok()) return false;
  if (!realtime) return true;
  for (const Reading& r : readings) {
    const auto offset = static_cast<int64_t>(*realtime - r.stamp * r.unit);
    to_realtime_.try_emplace(key(r.clock, sequence), Relation{offset, r.unit});
  }
  return true;
}

std::optional<int64_t> ClockTable::to_realtime(uint64_t clock, uint64_t sequence, uint64_t stamp) const {
  if (clock == fields::clocks::realtime) return fits(stamp) ? std::optional(static_cast<int64_t>(stamp)) : std::nullopt;
  const auto at = to_realtime_.find(key(clock, sequence));
  if (at == to_realtime_.end()) return std::nullopt;
  uint64_t ns = 0;
  int64_t real = 0;
  if (__builtin_mul_overflow(stamp, at->second.unit_ns, &ns) || !fits(ns)) return std::nullopt;
  if (__builtin_add_overflow(static_cast<int64_t>(ns), at->second.offset_ns, &real)) return std::nullopt;
  return real;
}

}  // namespace lanewise::trace::perfetto
