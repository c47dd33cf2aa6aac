// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "server/http/message.h"
#include "server/library/open_trace.h"
#include "trace/schema/event_id.h"

namespace lanewise::server::http {

// EventDetails: all that the file tells of an event. 410 when the file is gone or is another one by now.
Response event_details(const library::View& view, trace::schema::EventId event);

}  // namespace lanewise::server::http
