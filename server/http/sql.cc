// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "server/http/sql.h"

namespace lanewise::server::http {

SqlSupport sql_support(const std::string& python) {
  return {false, "SQL needs DuckDB: " + python};
}

}  // namespace lanewise::server::http
