// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "server/http/message.h"
#include "server/library/open_trace.h"
#include "trace/schema/event_id.h"

namespace lanewise::server::http {

// EventDetails of a run: `args` hold what the profile tells of it (server/device/fields.h), `stack` the lines that the launch knows of the node it came from.
Response device_event_details(const library::View& view, trace::schema::EventId event);

}  // namespace lanewise::server::http
