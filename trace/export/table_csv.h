// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "trace/analysis/table.h"

namespace lanewise::trace::exporting {

// A head line with the column names, then integers in full; texts quoted where needed (RFC 4180). Lists: blanks between.
std::string table_csv(const analysis::Table& table);

}  // namespace lanewise::trace::exporting
