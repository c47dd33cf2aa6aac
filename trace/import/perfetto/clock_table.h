// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Clocks of a trace. Snapshots give what several clocks showed at one moment; a stamp of one clock becomes one of another by
// the difference in the first snapshot that has both.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace lanewise::trace::perfetto {

class ClockTable {
 public:
  // A ClockSnapshot message. False: damaged.
  bool add_snapshot(std::string_view message, uint64_t sequence);
  // ns since the Unix epoch, when a snapshot joins the clock with REALTIME.
  std::optional<int64_t> to_realtime(uint64_t clock, uint64_t sequence, uint64_t stamp) const;
  // The clock of packets that name none.
  uint64_t primary() const { return primary_; }

 private:
  struct Relation {
    int64_t offset_ns = 0;   // REALTIME minus this clock
    uint64_t unit_ns = 1;
  };
  // Clocks of one sequence only have numbers from 64 on.
  static std::pair<uint64_t, uint64_t> key(uint64_t clock, uint64_t sequence);
  std::map<std::pair<uint64_t, uint64_t>, Relation> to_realtime_;
  uint64_t primary_ = 6;  // BOOTTIME, as the format says
};

}  // namespace lanewise::trace::perfetto
