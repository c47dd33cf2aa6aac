// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Strays: slices far away from all others, which would stretch every window and picture of a file to years. Producers write records
// that were never filled in (start 0, length 0) into files whose clock stands at 10^15 us, and single garbled stamps.
//
// A file has strays only when two neighbouring starts lie more than an hour apart. Its own time is then the run of starts, none an
// hour from the next, that holds the middle one. Outside of it are strays: those with start and length 0, however many; others when they
// are at most a twentieth of the slices. Else nothing is a stray: a profile may well have a break of an hour.
#pragma once

#include "trace/schema/event_table.h"

namespace lanewise::trace::session {

// Sets earliest_ns and latest_ns, so that strays lie outside.
void leave_out_strays(schema::EventTable* events);

}  // namespace lanewise::trace::session
