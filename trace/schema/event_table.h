// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The events table of one trace file: one row an event, in file order, metadata and flow events included.
// The lists below are the one declaration of its columns; the builder, exports and docs expand them.
//
// Row number = ordinal of the event among the kept events of its file = the low part of its EventId. It is the same for any
// number of threads and for compressed and plain files.
#pragma once

#include <cstdint>
#include <string_view>

#include "trace/schema/role.h"
#include "trace/store/column.h"
#include "trace/store/string_pool.h"

namespace lanewise::trace::schema {

using Row = uint32_t;
using store::StringId;

// X(type, name, what it holds). Times are exact: integer ns from the decimal text, digits beyond ns cut (flag).
#define LW_EVENT_COLUMNS(X)                                                                                      \
  X(int64_t, ts_ns, "start as the file says it, without the base time; 0 with kNoTime")                          \
  X(int64_t, dur_ns, "duration as the file says it (may be negative); of a B event: until its E; else 0")        \
  X(uint32_t, name, "StringId or kNoString")                                                                     \
  X(uint32_t, category, "StringId or kNoString")                                                                 \
  X(uint32_t, track, "index into the tracks of the file: one (pid, tid)")                                        \
  X(uint8_t, phase, "the ph letter; 0 = none; kOtherPhase = more than one letter")                               \
  X(uint8_t, role, "Role of the category, from the producers table")                                             \
  X(uint8_t, flags, "EventFlag bits")                                                                            \
  X(uint64_t, offset, "of the event's first byte in the uncompressed file")                                      \
  X(uint32_t, length, "bytes of the event")

// The same, null in most rows; a segment that is all null takes no memory. Ids: see encoded_id.h.
// "external id" of 2021 files counts as "External id".
#define LW_EVENT_OPTIONAL_COLUMNS(X)                                                                             \
  X(int64_t, id, "encoded id of a flow, async or object event")                                                  \
  X(int64_t, correlation, "args.correlation, encoded id: a runtime call and its device events share it")         \
  X(int64_t, external_id, "args['External id'], encoded id: an op and the runtime calls and device events below")\
  X(int64_t, device, "args.device, encoded id")                                                                  \
  X(int64_t, stream, "args.stream, encoded id")

// Args that analyses need, each a sparse column. X(name, key in args, kind): number = integer part of a JSON number (or of
// a text that is one), text = StringId of the text (a JSON string without its quotes; anything else as its JSON text with
// blanks outside strings removed). Every other arg: session::ArgsReader.
#define LW_ARG_COLUMNS(X)                                            \
  X(label, "name", text)                                             \
  X(sort_index, "sort_index", number)                                \
  X(bytes, "bytes", number)                                          \
  X(memory_bytes, "Bytes", number)                                   \
  X(address, "Addr", number)                                         \
  X(total_allocated, "Total Allocated", number)                      \
  X(total_reserved, "Total Reserved", number)                        \
  X(device_type, "Device Type", number)                              \
  X(device_id, "Device Id", number)                                  \
  X(sequence, "Sequence number", number)                             \
  X(forward_thread, "Fwd thread id", number)                         \
  X(python_id, "Python id", number)                                  \
  X(python_parent_id, "Python parent id", number)                    \
  X(python_module_id, "Python module id", number)                    \
  X(original_stream, "original_stream", number)                      \
  X(graph_id, "graph id", number)                                    \
  X(graph_node_id, "graph node id", number)                          \
  X(input_dims, "Input Dims", text)                                  \
  X(input_types, "Input type", text)                                 \
  X(collective, "Collective name", text)                             \
  X(collective_dtype, "dtype", text)                                 \
  X(group_size, "Group size", number)                                \
  X(group_name, "Process Group Name", text)                          \
  X(group_ranks, "Process Group Ranks", text)                        \
  X(in_elements, "In msg nelems", number)                            \
  X(out_elements, "Out msg nelems", number)                          \
  X(wait_stream, "wait_on_stream", number)                           \
  X(wait_correlation, "wait_on_cuda_event_record_corr_id", number)   \
  X(nc_idx, "nc_idx", number)                                        \
  X(nc_id, "nc_id", number)                                          \
  X(program, "program", text)                                        \
  X(site, "site", number)                                            \
  X(exec_overhead_ns, "exec overhead ns", number)                    \
  X(capture_overhead_ns, "capture overhead ns", number)              \
  X(overhead_before_ns, "overhead before ns", number)                \
  X(overhead_after_ns, "overhead after ns", number)

enum EventFlag : uint8_t {
  kRepaired = 1 << 0,       // read although its bytes were not valid JSON; the ledger says why and where
  kStartCut = 1 << 1,       // ts had digits beyond ns
  kDurationCut = 1 << 2,    // dur had digits beyond ns
  kNoTime = 1 << 3,         // no ts
  kNoDuration = 1 << 4,     // a complete event without dur
  kUnpaired = 1 << 5,       // a B without E or an E without B
  kClipped = 1 << 6,        // ts or dur did not fit int64 ns and was set to the nearest value that does
  kBindEnclosing = 1 << 7,  // a flow end with "bp": "e": it binds to the slice around it, not to the next one
};

inline constexpr uint8_t kOtherPhase = 0xff;

// A damaged file can hold any time. Beyond 73 years before or after zero nothing is meant, and differences of such times would not
// fit 64 bits.
inline constexpr int64_t kLargestTime = int64_t{1} << 61;

enum class ArgKind : uint8_t { number, text };
enum class ArgKey : uint8_t {
#define LW_ARG_ENUM(name, key, kind) name,
  LW_ARG_COLUMNS(LW_ARG_ENUM)
#undef LW_ARG_ENUM
  count
};
inline constexpr size_t kArgKeys = static_cast<size_t>(ArgKey::count);
// In file and UI: name of the column, key in args, kind.
struct ArgColumn {
  std::string_view name, key;
  ArgKind kind;
};
const ArgColumn& arg_column(ArgKey key);

// One (pid, tid). Both as text, whatever JSON type they had; kNoString = absent or null.
struct Track {
  StringId pid = store::kNoString;
  StringId tid = store::kNoString;
  bool operator==(const Track&) const = default;
};

// An immutable view; copy it freely. All columns have rows() rows.
struct EventTable {
#define LW_EVENT_MEMBER(type, name, text) store::Column<type> name;
  LW_EVENT_COLUMNS(LW_EVENT_MEMBER)
  LW_EVENT_OPTIONAL_COLUMNS(LW_EVENT_MEMBER)
#undef LW_EVENT_MEMBER
  store::SparseColumn<int64_t> args[kArgKeys];
  store::Column<uint32_t> track_pid, track_tid;  // by track
  // Slices that start outside belong to no picture of the file: absurd times, and strays (session/stray_times.h).
  int64_t earliest_ns = -kLargestTime, latest_ns = kLargestTime;

  size_t rows() const { return ts_ns.size(); }
  size_t tracks() const { return track_pid.size(); }
  Track track_of(Row row) const { return {track_pid[track[row]], track_tid[track[row]]}; }
  Role role_of(Row row) const { return static_cast<Role>(role[row]); }
  bool has(Row row, EventFlag flag) const { return (flags[row] & flag) != 0; }
  // A slice: something with a start and a duration (ph X, or B with its E).
  bool is_slice(Row row) const {
    return (phase[row] == 'X' || (phase[row] == 'B' && !has(row, kUnpaired))) && !has(row, kNoTime);
  }
  // Null: store::null_value<int64_t>(). Text args: cast to StringId.
  const store::SparseColumn<int64_t>& arg(ArgKey key) const { return args[static_cast<size_t>(key)]; }
};

}  // namespace lanewise::trace::schema
