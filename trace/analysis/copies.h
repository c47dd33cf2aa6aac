// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// copies: what was moved between host and device, how fast, and who asked for it.
//
// A copy is a device event of role memcpy, or a copy call that no device event belongs to (dur_ns 0 on the device). Its kind: HtoD,
// DtoH, DtoD, HtoH, PtoP, by the event's name, its call's name, else an arg of the event that tells it; "unknown" when nothing does.
// Bytes are the file's; copies without them count in calls and times, never in bytes or bandwidth. Bandwidth is bytes per ns of
// device time over the copies that have both, so 1 is 1 GB/s (10^9 bytes).
//
//   kinds  kind, device, part, calls, bytes, without_bytes, without_device, sum_ns, busy_ns (union), gb_per_s
//   rows   kind, device, part, op, file, line (asked.h), inside (the operator around it, when the copy was not what the user called),
//          calls, bytes, sum_ns, host_ns (of the calls), gb_per_s, smallest, largest (bytes), per_step (calls a step, when there are
//          steps), tiny (1: all are at most kTinyCopyBytes, and there are kRepeated or more, or one in each of several steps),
//          event (the first). Sorted by sum_ns, then host_ns
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "trace/analysis/asked.h"
#include "trace/analysis/selection.h"
#include "trace/analysis/table.h"

namespace lanewise::trace::analysis {

// Below this the fixed cost of a copy, some microseconds on every link we know, is nearly all of it.
inline constexpr int64_t kTinyCopyBytes = 4096;
inline constexpr int64_t kRepeated = 3;

// No block or copy is larger (1 PiB); a file that says so is damaged, and counts as one that says nothing.
inline constexpr int64_t kLargestBytes = int64_t{1} << 50;

enum class CopyKind : uint8_t { unknown, h2d, d2h, d2d, h2h, p2p, count };
std::string_view copy_kind_name(CopyKind kind);
// By a text such as "Memcpy HtoD (Pageable -> Device)", "memcpyHtoDAsync", "nrt_tensor_write".
CopyKind copy_kind_of(std::string_view name);

struct Copy {
  uint32_t part = 0;
  uint32_t device = 0;              // kNoDevice: a call without a device event
  schema::Row event = kNoRow;       // the device event, else the call
  schema::Row call = kNoRow;
  CopyKind kind = CopyKind::unknown;
  int64_t bytes = -1;               // -1: not told
  int64_t start_ns = 0, dur_ns = 0; // session time, on the device (of a call without a device event: when it began, 0)
  int64_t host_ns = 0;              // of the call
  Asker asker;
  bool implicit = false;            // made by an operator that is no copy
};
inline constexpr uint32_t kNoDevice = ~uint32_t{0};

// In order of part and row.
std::vector<Copy> find_copies(const Model& model, const Filter& filter);

Result<std::vector<Table>> copies_tables(const Model& model, const Selection& selection = {});

}  // namespace lanewise::trace::analysis
