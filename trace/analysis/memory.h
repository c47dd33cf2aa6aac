// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// memory: how much was allocated when, at most, and by whom.
//
// From PyTorch's own events ("[memory]", profile_memory=True): each has the bytes of a block (negative: freed) and the totals after it.
// For a device that has none, from the runtime's allocate and release calls that tell bytes: what the backend got from the device,
// before PyTorch's cache divides it (source "calls"). Totals are the file's; where it has none, the running sum from 0.
//
// Blocks are followed by address. Bytes at the peak that belong to no block allocated in the file were there before it began.
//
//   devices  device ("cpu", "cuda:0"), part, source (memory, calls), allocations, releases, allocated_bytes, released_bytes, first_bytes
//            (before the first event), peak_bytes, peak_start (from the start of the window), peak_event, last_bytes, peak_reserved_bytes
//            (null: not told), before_bytes (at the peak, of blocks from before the file), unknown_releases (of such blocks)
//   rows     device, part, op, file, line (asked.h), allocations, allocated_bytes, largest_bytes, kept_bytes (allocated here and not freed
//            by the end), peak_bytes (live at the peak of the device), event (the largest); by peak_bytes, then allocated_bytes
//   curve    device, part, start, allocated_bytes, reserved_bytes, event; every event, by device and time
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/analysis/asked.h"
#include "trace/analysis/selection.h"
#include "trace/analysis/table.h"

namespace lanewise::trace::analysis {

struct MemoryEvent {
  schema::Row row = kNoRow;
  int64_t at_ns = 0;          // session time
  int64_t bytes = 0;          // negative: freed
  int64_t address = kNullInteger;
  int64_t total = 0, reserved = kNullInteger;  // after it
};

struct DeviceMemory {
  uint32_t part = 0;
  std::string device;
  bool from_calls = false;
  std::vector<MemoryEvent> events;  // by time, then row
  size_t peak = 0;                  // index of the first event with the largest total
  std::vector<bool> live_at_peak, live_at_end;  // by event
  int64_t before_bytes = 0, unknown_releases = 0;
};

// By part, then device name ("cpu" first). Empty: the file tells nothing about memory.
std::vector<DeviceMemory> find_memory(const Model& model, const Filter& filter, const std::string& device = {});

Result<std::vector<Table>> memory_tables(const Model& model, const Selection& selection = {});

}  // namespace lanewise::trace::analysis
