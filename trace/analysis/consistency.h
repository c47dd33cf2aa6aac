// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What the records of a file say about each other, beyond times and links: part of health.
//
//   wait_without_record  a wait for an event (cuda_sync rows) that names no record, or one that is not in the file
//   record_after_wait    the record that a wait names was made after the wait began
//   bare_collective      a collective without what its cost depends on: name, dtype, elements in and out, group size
//   shared_sequence      one backward sequence number of one thread on several operators, none inside the other
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/analysis/model.h"

namespace lanewise::trace::analysis {

enum class RecordFaultKind : uint8_t { wait_without_record, record_after_wait, bare_collective, shared_sequence, count };

struct RecordFault {
  RecordFaultKind kind;
  schema::Row row;
  int64_t value_ns;  // kNullInteger: no time
  std::string text;
};

struct RecordFaults {
  std::vector<RecordFault> faults;
  int64_t looked_at[static_cast<size_t>(RecordFaultKind::count)] = {};
};

RecordFaults find_record_faults(const Model& model, uint32_t part);

}  // namespace lanewise::trace::analysis
