// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Which files of a folder are traces.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"

namespace lanewise::trace::session {

// A file: itself. A folder: the trace files in it and in the folders below (at most 4 levels), sorted by path; told apart
// from other files by their content. not_found: no such path, or no trace in the folder.
Result<std::vector<std::string>> trace_files(const std::string& path);

}  // namespace lanewise::trace::session
