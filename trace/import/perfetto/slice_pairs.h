// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Begins and ends of one track, joined into slices.
//
// Some writers put all begins first and all ends after them, so places in the file say nothing: the marks are sorted by
// time. Where marks share a time, the ends that can close slices begun earlier come first, then the begins, then the ends
// that are left (they close slices of no length). A track that the file has in order of time is taken as it stands.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/schema/event_table.h"

namespace lanewise::trace::perfetto {

struct Mark {
  int64_t at_ns = 0;
  bool begin = false;
  schema::Row row = 0;       // of a begin
  uint64_t offset = 0;       // of the packet
};

struct SlicePairs {
  struct Pair {
    schema::Row row;
    int64_t dur_ns;  // the largest value where it does not fit
  };
  std::vector<Pair> pairs;
  std::vector<Mark> unpaired;
};

SlicePairs pair_marks(std::vector<Mark> marks);

}  // namespace lanewise::trace::perfetto
