// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace lanewise::server::http {

// Whether the Python of this environment can run SQL (it has DuckDB). Asked once.
struct SqlSupport {
  bool available = false;
  std::string text;  // why not, and what to do
};
SqlSupport sql_support(const std::string& python);

}  // namespace lanewise::server::http
