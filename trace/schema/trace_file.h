// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What an importer delivers: the tables of one file. Final once the import has ended.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace/schema/event_table.h"
#include "trace/schema/ledger.h"

namespace lanewise::trace::schema {

// One key of the root object beside traceEvents, in file order. `json` is its value's text, cut off at kMaxMetadataText.
struct MetadataEntry {
  std::string key, json;
  uint64_t offset = 0;
  uint64_t length = 0;
};
inline constexpr size_t kMaxMetadataText = 4 << 20;

struct DeviceProperties {
  int64_t id = 0;
  std::string name;
};

// Args of events whose bytes in the file cannot be read alone (texts interned elsewhere): one JSON object an event.
class ArgsStore {
 public:
  void add(Row row, std::string_view json) {
    ends_.resize(row + size_t{1}, text_.size());
    text_ += json;
    ends_.back() = text_.size();
  }
  // "" for none.
  std::string_view json(Row row) const {
    if (row >= ends_.size()) return {};
    const uint64_t begin = row == 0 ? 0 : ends_[row - 1];
    return std::string_view(text_).substr(begin, ends_[row] - begin);
  }

 private:
  std::string text_;
  std::vector<uint64_t> ends_;  // by row, as far as rows have args
};

struct TraceFile {
  std::string path;
  std::string format;       // "kineto_json", "perfetto", ...
  std::string compression;  // "", "gzip", "zstd"
  uint64_t file_bytes = 0;
  int64_t file_mtime_ns = 0;

  EventTable events;
  std::shared_ptr<const ArgsStore> args;  // null: args are read from the file
  Ledger ledger;
  std::vector<MetadataEntry> metadata;

  // From the metadata.
  int64_t base_time_ns = 0;           // baseTimeNanoseconds: ts_ns + base_time_ns = ns since the Unix epoch (0 = not given)
  std::string display_time_unit;      // as written; never changes how ts is read (Kineto: always microseconds)
  std::optional<int64_t> rank, world_size;
  std::string backend;                // distributedInfo.backend
  std::vector<DeviceProperties> devices;
  std::vector<std::string> producers;  // names of the producers table that wrote categories of this file

  // The first value of a root key, or "".
  std::string_view metadata_json(std::string_view key) const;
};

// Where an import stands. Bytes are of the file as stored; the importer knows their total from the start.
struct ImportProgress {
  uint64_t stored_bytes_done = 0, stored_bytes_total = 0;
  uint64_t text_bytes = 0, events = 0;
};

struct ImportOptions {
  int threads = 0;              // 0 = as many as the machine has
  size_t chunk_bytes = 256 << 10;  // about; never changes a result
  // Called about ten times a second from the importing thread; false cancels (StatusCode::cancelled).
  std::function<bool(const ImportProgress&)> progress;
  // Called with every new state of the events table, from the importing thread.
  std::function<void(const EventTable&)> publish;
};

}  // namespace lanewise::trace::schema
