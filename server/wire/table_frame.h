// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// An analysis table as a table of a frame. Nulls as the frame has them; integers that no double holds as exact text.
#pragma once

#include "server/wire/frame.h"
#include "trace/analysis/table.h"

namespace lanewise::server::wire {

void add_table(FrameWriter& frame, const trace::analysis::Table& table);

}  // namespace lanewise::server::wire
