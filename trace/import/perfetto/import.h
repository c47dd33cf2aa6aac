// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The Perfetto importer: TrackEvent traces (.pftrace, ntrace.pb), as PyTorch 2.14 and later and our own captures write them.
//
//   packets ─► interned texts, clocks, tracks ─► one row a slice, instant, counter value, name ─► ends joined, flows
//
// Rows: slices (phase X) at their begin, instants (i), counter values (C), names of processes and threads (M), in file order;
// after them one row for each end of a flow: s for the earliest of an id, f for a terminating one, t for the others.
// Times: ns since the epoch minus base_time_ns where a snapshot joins the trace's clock with REALTIME, else as they stand.
// Lost: other packets than track events and their tracks (counted as structure), thread time, counters attached to slices.
#pragma once

#include <string_view>

#include "base/status.h"
#include "trace/input/byte_source.h"
#include "trace/schema/producers.h"
#include "trace/schema/trace_file.h"
#include "trace/store/string_pool.h"

namespace lanewise::trace::perfetto {

// Whether the first bytes of a file (uncompressed) are packets of a Perfetto trace.
bool looks_like_perfetto(std::string_view first_bytes);

// data_loss: no track event in it. cancelled: options.progress said so. Other failures are of the source.
Result<schema::TraceFile> import_perfetto(input::ByteSource& source, store::StringPool& strings,
                                          const schema::Producers& producers, const schema::ImportOptions& options);

}  // namespace lanewise::trace::perfetto
