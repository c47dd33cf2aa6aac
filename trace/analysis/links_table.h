// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// links: how every device event is tied to the host (rules and confidence: links.h).
//
//   methods  link (call or op), method, events, share (percent of device events); method "none" is what nothing ties
//   rows     event, name, device, start (from the start of the window), dur_ns, call, call_name, call_method, call_confidence,
//            latency_ns (event start minus call start), behind_call (device events of that call), op, op_name, op_method, op_confidence
#pragma once

#include <vector>

#include "trace/analysis/selection.h"
#include "trace/analysis/table.h"

namespace lanewise::trace::analysis {

Result<std::vector<Table>> links_tables(const Model& model, const Selection& selection = {});

}  // namespace lanewise::trace::analysis
