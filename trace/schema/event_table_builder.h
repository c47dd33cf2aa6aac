// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The one writer of an events table. Importers append rows in file order and publish what they have.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "trace/schema/event_table.h"

namespace lanewise::trace::schema {

enum class OptionalColumn : uint8_t { id, correlation, external_id, device, stream, count };
inline constexpr size_t kOptionalColumns = static_cast<size_t>(OptionalColumn::count);

// One row without its optional values.
struct NewEvent {
  int64_t ts_ns = 0, dur_ns = 0;
  StringId name = store::kNoString, category = store::kNoString;
  uint32_t track = 0;
  uint8_t phase = 0;
  Role role = Role::other;
  uint8_t flags = 0;
  uint64_t offset = 0;
  uint32_t length = 0;
};

class EventTableBuilder {
 public:
  // More rows than a 32-bit row number can name cannot be kept.
  static constexpr size_t kMaxRows = 0xffff'fff0u;

  // Raw places of a run of rows that lie in one segment; the caller fills all of them, then commits.
  struct Run {
    size_t rows = 0;
#define LW_RUN_MEMBER(type, name, text) type* name = nullptr;
    LW_EVENT_COLUMNS(LW_RUN_MEMBER)
#undef LW_RUN_MEMBER
  };

  size_t rows() const { return ts_ns_.size(); }
  Row append(const NewEvent& event);
  // Room for at most `wanted` rows; rows > 0.
  Run begin_run(size_t wanted);
  void commit(const Run& run);

  // Of a row that was appended (and, for arg, in row order). Values: encoded ids, numbers, StringIds.
  void set(OptionalColumn column, Row row, int64_t value) { optional_[static_cast<size_t>(column)].put(row, value); }
  void arg(ArgKey key, Row row, int64_t value) { args_[static_cast<size_t>(key)].append(row, value); }
  // To be called after a batch of rows and before set() of them.
  void extend_optional();

  // The index of a track; a new one when it is not there yet.
  uint32_t track(Track track);

  // Changes to rows that may be published already.
  void set_duration(Row row, int64_t dur_ns) { dur_ns_.replace(row, dur_ns); }
  void set_flags(Row row, uint8_t flags) { flags_.replace(row, flags); }

  EventTable publish();

 private:
#define LW_BUILDER_MEMBER(type, name, text) store::ColumnBuilder<type> name##_;
  LW_EVENT_COLUMNS(LW_BUILDER_MEMBER)
#undef LW_BUILDER_MEMBER
  store::ColumnBuilder<int64_t> optional_[kOptionalColumns];
  store::SparseColumnBuilder<int64_t> args_[kArgKeys];
  store::ColumnBuilder<uint32_t> track_pid_, track_tid_;
  std::unordered_map<uint64_t, uint32_t> track_of_;
};

}  // namespace lanewise::trace::schema
