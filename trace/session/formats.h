// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The formats that can be opened, in the order in which they are tried. Told apart by content, never by name.
#pragma once

#include <string>

#include "base/status.h"
#include "trace/schema/producers.h"
#include "trace/schema/trace_file.h"
#include "trace/store/string_pool.h"

namespace lanewise::trace::session {

// Imports one file, whatever its format. Every failure names the file.
Result<schema::TraceFile> import_file(const std::string& path, store::StringPool& strings,
                                      const schema::Producers& producers, const schema::ImportOptions& options);

}  // namespace lanewise::trace::session
