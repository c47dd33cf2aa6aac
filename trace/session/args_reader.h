// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads the text of single events again, for the args that are no columns. A plain file is read at the event's range; a
// compressed one is inflated from the nearest restart point (made at the first use). Size and mtime must still be those of
// the import: failed_precondition otherwise. Not thread-safe: one reader a thread.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "trace/schema/trace_file.h"

namespace lanewise::trace::session {

// ok while the path names the file that was imported, by size and mtime. failed_precondition: it changed or is gone.
Status unchanged(const schema::TraceFile& file);

class ArgsReader {
 public:
  explicit ArgsReader(const schema::TraceFile& file);
  ~ArgsReader();

  // The bytes of the event as the file has them.
  Result<std::string> event_text(schema::Row row);
  // The args of the event in file order: key, value as JSON text. Rows in ascending order are fastest.
  Result<std::vector<std::pair<std::string, std::string>>> args(schema::Row row);
  // One arg as plain text (a string without its quotes); "" when absent.
  Result<std::string> arg(schema::Row row, std::string_view key);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lanewise::trace::session
