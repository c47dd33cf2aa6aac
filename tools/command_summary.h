// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tools/table_text.h"
#include "trace/analysis/table.h"

namespace lanewise::tools {

// The tables of trace/analysis/summary.h as one screen of text.
std::string summary_text(const std::vector<trace::analysis::Table>& tables, const TextStyle& style);

}  // namespace lanewise::tools
