// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Packets of one sequence of a Perfetto trace, with interned texts. Field numbers: perfetto/trace/trace_packet.proto and
// track_event/*.proto.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "trace/record/proto_wire.h"

namespace lanewise::trace::exporting {

class PerfettoPackets {
 public:
  // `realtime`: times are Unix ns; else ns of a clock of their own.
  explicit PerfettoPackets(bool realtime) : realtime_(realtime) {}

  // The first packet: which clock.
  void begin(int64_t first_ns, std::string* out);

  struct Track {
    uint64_t uuid = 0, parent = 0;  // 0 = no parent
    std::string name;
    int64_t pid = -1, tid = -1;     // >= 0: the process, and the thread of it
    bool counter = false;
  };
  void describe(const Track& track, std::string* out);

  // One event: open, annotate as needed, then finish.
  void open(uint64_t type, uint64_t track, int64_t at_ns);
  void name(std::string_view name, std::string_view category);
  void flow(uint64_t id, bool terminating);
  void integer(std::string_view key, int64_t value);
  void text(std::string_view key, std::string_view value);
  void counter(double value);
  void counter(int64_t value);
  void finish(std::string* out);

  static constexpr uint64_t kBegin = 1, kEnd = 2, kInstant = 3, kCounter = 4;

 private:
  using Ids = std::unordered_map<std::string, uint64_t>;
  uint64_t interned(Ids& ids, uint32_t field, std::string_view text);

  const bool realtime_;
  bool cleared_ = false;
  Ids categories_, names_, keys_, texts_;
  record::ProtoMessage packet_, event_, interned_, scratch_;
};

}  // namespace lanewise::trace::exporting
