// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The raw events of a session as Arrow batches, one for each segment of each file: the columns of schema/event_table.h where they
// lie, without a copy, and what follows from them.
//
//   event        int64, packed EventId (row of the file, file << 32)      part      int64, the file
//   start_ns     session time; null without a time                        dur_ns
//   name category pid tid   dictionary over all texts of the session      phase role   dictionary
//   flags offset length     as in the table
//   id correlation external_id device stream   encoded ids (schema/encoded_id.h): the number, or a number that stands for a text
//   then every column of LW_ARG_COLUMNS under its name
// Copied are: event, part, pid, tid, args, and start_ns of files whose clock is moved.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "trace/export/arrow_batches.h"
#include "trace/session/session.h"

namespace lanewise::trace::exporting {

class EventColumns {
 public:
  explicit EventColumns(std::shared_ptr<const session::Session> session);

  static std::vector<std::string> names();
  // The named columns in that order; empty: all. invalid_argument names what is unknown.
  Result<std::shared_ptr<const Batches>> select(const std::vector<std::string>& names) const;

 private:
  std::shared_ptr<const session::Session> session_;
  std::shared_ptr<const TextArray> texts_;  // by StringId
};

}  // namespace lanewise::trace::exporting
