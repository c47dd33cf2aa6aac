// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// SQL over the tables of a trace, by DuckDB in a Python process: it reads the trace again, can touch no other file, and may
// take time and memory without harm to the server.
#pragma once

#include <functional>
#include <string>

#include "base/status.h"

namespace lanewise::server::http {

struct SqlSupport {
  bool available = false;
  std::string text;  // why not, and what to do; "" when it is
};
// Whether that Python has what SQL needs. Starts it once and remembers.
SqlSupport sql_support(const std::string& python);

struct SqlQuestion {
  std::string python, path, sql;
  int64_t limit = 0;                // rows
  std::function<bool()> wanted;
};
// The frame `result`. Two questions are answered at a time, the others wait. unimplemented: SQL is not available; invalid_argument: DuckDB's sentence about the query.
Result<std::string> answer_sql(const SqlQuestion& question);

}  // namespace lanewise::server::http
