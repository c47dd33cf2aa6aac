// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Begin and end events (ph B and E) become slices: the duration goes to the B row.
//
// Per track, in order of time (equal times: in file order). An E with a name ends the innermost open B of that name; one
// without a name ends the innermost open B. So overlapping pairs keep their own durations. What finds no partner is kept,
// flagged and counted.
#pragma once

#include "trace/schema/event_table_builder.h"
#include "trace/schema/ledger.h"

namespace lanewise::trace::kineto_json {

void pair_begin_end(schema::EventTableBuilder& builder, schema::Ledger& ledger);

}  // namespace lanewise::trace::kineto_json
