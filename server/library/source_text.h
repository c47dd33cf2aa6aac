// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"

namespace lanewise::server::library {

struct SourceText {
  std::string file;  // real path
  int64_t first_line = 1, line = 1;
  std::vector<std::string> lines;
};

// The lines around one, of a file inside one of the roots (real paths); links are followed first. A relative name is looked up in
// each root. failed_precondition: outside; not_found: in none; invalid_argument: no text, or too large.
Result<SourceText> read_source(const std::vector<std::string>& roots, const std::string& file, int64_t line);

}  // namespace lanewise::server::library
