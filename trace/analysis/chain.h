// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// chain: the way of one event from Python to the device.
//
// Roles, from the outside in: python (the frame around the operator), forward_op (of a backward operator), op, call (runtime
// call), device. Starting from a host slice, the first device event that it asked for is taken.
#pragma once

#include <string>

#include "base/status.h"
#include "trace/analysis/model.h"
#include "trace/analysis/table.h"
#include "trace/schema/event_id.h"

namespace lanewise::trace::analysis {

// The nth event (from 1) of that name, among device events first, else operators, else any slice; in order of file and row.
// An exact name counts before one that holds the text or, with '*', fits the pattern. not_found.
Result<schema::EventId> find_event(const Model& model, const std::string& name, int64_t nth);

// Columns: role, event, name, start (from the start of the window), dur_ns, since_ns (from the start of the row before; null for
// the first), method, confidence: how the row is tied to what it asked for (call to device event, op to call or device event,
// forward_op and python to op); null for the device event, and for a call or op that asked for nothing on a device.
// not_found: no such event, or it is no slice.
Result<Table> chain_table(const Model& model, schema::EventId event);

}  // namespace lanewise::trace::analysis
