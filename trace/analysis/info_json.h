// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "base/json_writer.h"
#include "trace/analysis/info.h"

namespace lanewise::trace::analysis {

// The object of `lanewise info --json`; `infos` by part.
void write_info(JsonWriter& w, const session::Session& session, const std::vector<FileInfo>& infos);

}  // namespace lanewise::trace::analysis
