// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// From an event of a trace to the device profile below it: the execution that the event is, asks for or holds, and the files of its
// program.
#pragma once

#include <optional>

#include "server/library/open_trace.h"
#include "trace/schema/event_id.h"
#include "trace/session/device_files.h"

namespace lanewise::server::library {

// The execution (nc_exec_running) that the event is or leads to: by the twin of the other file, by its chain, else the first one that was
// asked for inside it. Nothing: it leads to none. The view must be of a session.
std::optional<trace::session::DeviceExecution> execution_behind(const View& view, trace::schema::EventId event);

// The pair of that program in the folder that the trace was opened from. failed_precondition: the trace is a file alone, or nothing was
// captured of this program; the sentence says what to do.
Result<trace::session::DeviceFiles> pair_of(const OpenTrace& trace, const trace::session::DeviceExecution& execution);

}  // namespace lanewise::server::library
