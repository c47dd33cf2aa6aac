// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The two kinds of block of a public summary.
//
//   n_<hash>  one device profile: nc_idx, nd_idx, the columns of the table Summary, throttle keys
//   s_<hash>  one capture folder: total_duration_ns, message_count, event_type_count
//
// Text: the name of the block, then its keys in alphabetical order, each with its value on a line, aligned; a key without a value
// is left out. JSON: an object of blocks; a key without a value is null.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/json_writer.h"
#include "base/status.h"
#include "trace/device_analysis/public_summary.h"
#include "trace/session/device_files.h"

namespace lanewise::tools {

struct SummaryBlock {
  std::string name;
  std::vector<trace::device_analysis::PublicValue> values;
  std::map<std::string, std::map<std::string, int64_t>> counts;   // s_: message_count, event_type_count
};

Result<SummaryBlock> device_block(const trace::session::DeviceFiles& files);
// `folder` holds an ntrace.pb.
Result<SummaryBlock> system_block(const std::string& folder);
// Every capture folder below `folder`, itself included: those with an ntrace.pb, by path.
std::vector<std::string> capture_folders(const std::string& folder);

// The public tables of one device profile as a member `name`, a JSON object: table -> rows, "empty" (columns that nothing filled, by table) and
// "left_out" (tables without rows, and why).
// Writes nothing when the pair cannot be read.
Status write_device_tables(JsonWriter& w, const std::string& name, const trace::session::DeviceFiles& files);

std::string summary_text(const std::vector<SummaryBlock>& blocks);
std::string summary_json(const std::vector<SummaryBlock>& blocks);

}  // namespace lanewise::tools
