// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// An analysis table as one Arrow batch. Numbers are not copied. text: dictionary of int32 indices; count, ns, bytes, integer, event:
// int64; real: float64; flag: bool; events: list of int64. Unit of ns, bytes and event columns: the field's metadata "unit".
#pragma once

#include <memory>

#include "trace/analysis/table.h"
#include "trace/export/arrow_batches.h"

namespace lanewise::trace::exporting {

std::shared_ptr<const Batches> table_batches(std::shared_ptr<const analysis::Table> table);

}  // namespace lanewise::trace::exporting
