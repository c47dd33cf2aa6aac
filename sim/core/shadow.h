// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Who touched which bytes last: the memory of the hazard checker for one space (SBUF, PSUM or a region of HBM).
//
// A map from byte ranges to the accesses that still matter there, each with its partitions. A write takes the place of
// everything it covers, a read that of the same agent's earlier reads: later accesses that are ordered after the newer
// one are ordered after the older one too. So the map stays as small as the memory is cut up, not as long as the
// program. Patterns of very many pieces are kept aside whole and compared piece by piece only with accesses they are
// not ordered with.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "sim/core/extent.h"
#include "sim/core/happens_before.h"

namespace lanewise::sim::core {

struct Access {
  int agent = 0;
  uint32_t event = 0;
  bool write = false;
  int32_t first = 0, last = 1;    // partitions, last excluded
  uint8_t engine = 0;             // where the instruction stands
  uint32_t index = 0;

  bool operator==(const Access&) const = default;
};

struct Conflict {
  std::optional<Access> earlier;  // none: the bytes were never written
  ByteRange bytes;
};

class Shadow {
 public:
  // `check_initialised`: reading bytes that no access wrote is a conflict.
  Shadow(const HappensBefore& order, bool check_initialised)
      : order_(&order), check_initialised_(check_initialised) {}

  // Enters an access; returns the first earlier one that conflicts with it and is not ordered before it.
  std::optional<Conflict> enter(const Access& access, const Extent& extent);

 private:
  struct Segment {
    int64_t end;
    std::vector<Access> accesses;
  };
  struct Pattern {
    Access access;
    Extent extent;
  };
  using Map = std::map<int64_t, Segment>;

  bool conflicts(const Access& earlier, const Access& now) const;
  bool initialised(const std::vector<Access>& accesses, const Access& read) const;
  bool perhaps_written(const Access& read, ByteRange bytes) const;
  void cut(int64_t at);
  std::optional<Conflict> against_patterns(const Access& access, const Extent& extent) const;
  std::optional<Conflict> enter_pattern(const Access& access, const Extent& extent);
  std::optional<Conflict> enter_range(const Access& access, ByteRange range);

  const HappensBefore* order_;
  bool check_initialised_;
  Map map_;
  std::vector<Pattern> patterns_;
};

}  // namespace lanewise::sim::core
