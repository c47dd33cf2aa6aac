// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/schema/trace_file.h"

namespace lanewise::trace::schema {

std::string_view TraceFile::metadata_json(std::string_view key) const {
  for (const MetadataEntry& entry : metadata) {
    if (entry.key == key) return entry.json;
  }
  return {};
}

}  // namespace lanewise::trace::schema
