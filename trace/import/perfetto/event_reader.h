// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// EventReader: packets to rows.
#pragma once

#include <map>
#include <set>
#include <unordered_map>
#include <vector>

#include "trace/import/perfetto/annotations.h"
#include "trace/import/perfetto/clock_table.h"
#include "trace/import/perfetto/packet_reader.h"
#include "trace/import/perfetto/sequence.h"
#include "trace/import/perfetto/slice_pairs.h"
#include "trace/import/perfetto/track_tree.h"
#include "trace/schema/event_table_builder.h"
#include "trace/schema/producers.h"
#include "trace/schema/trace_file.h"

namespace lanewise::trace::perfetto {

class EventReader {
 public:
  EventReader(store::StringPool& strings, const schema::Producers& producers, schema::Ledger& ledger)
      : strings_(strings), producers_(producers), ledger_(ledger) {}

  // resource_exhausted: more rows than a table can have.
  Status add(const Packet& packet);
  // Joins begins and ends, and adds the rows of flows. Fills what the file has to say.
  void finish(schema::TraceFile* file);
  size_t rows() const { return builder_.rows(); }

 private:
  struct Event {
    uint64_t type = 0, track = 0;
    std::string_view name, category;
    std::optional<uint64_t> absolute_us;
    std::vector<std::pair<uint64_t, bool>> flows;  // id, terminating
    Args args;
  };
  struct Header {
    uint64_t sequence = 0, clock = 0, flags = 0, stamp = 0;
    bool has_stamp = false;
    std::string_view event, descriptor, interned, defaults, snapshot;
  };
  struct FlowEnd {
    uint64_t id;
    int64_t ts_ns;
    schema::Row row;
    bool terminating;
  };

  bool read_header(const Packet& packet, Header* header) const;
  bool read_event(std::string_view message, const Sequence& sequence, Event* event) const;
  void add_event(const Event& event, const Header& header, const Packet& packet);
  void add_names(std::string_view descriptor, const Packet& packet);
  schema::Row add_row(schema::NewEvent row, const Args& args);
  void drop(std::string_view kind, const Packet& packet);
  int64_t time_of(const Event& event, const Header& header, const Packet& packet, uint8_t* flags);
  // Notes that a time does not fit; gives the latest one that does.
  int64_t clipped(const Packet& packet, uint8_t* flags);
  uint32_t table_track(uint64_t uuid);
  void add_flows();
  store::StringId text(std::string_view s) { return s.empty() ? store::kNoString : strings_.intern(s); }

  store::StringPool& strings_;
  const schema::Producers& producers_;
  schema::Ledger& ledger_;
  schema::EventTableBuilder builder_;
  std::shared_ptr<schema::ArgsStore> args_ = std::make_shared<schema::ArgsStore>();
  std::unordered_map<uint64_t, Sequence> sequences_;
  ClockTable clocks_;
  TrackTree tracks_;
  std::map<uint64_t, std::vector<Mark>> marks_;  // by track uuid
  std::unordered_map<uint64_t, uint32_t> table_tracks_;
  std::vector<FlowEnd> flows_;
  std::set<std::string, std::less<>> producer_names_;
  std::optional<bool> realtime_;  // decided by the first time in the file
  int64_t base_ns_ = 0;
};

}  // namespace lanewise::trace::perfetto
