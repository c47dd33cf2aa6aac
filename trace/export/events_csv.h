// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The raw events of a session as CSV (RFC 4180): the columns of events_arrow.h under their names, texts instead of indices, event ids
// and encoded ids as text, null as nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "base/status.h"
#include "trace/session/session.h"

namespace lanewise::trace::exporting {

// Returns the number of rows. `write` takes the bytes in order; its failure ends the export.
Result<uint64_t> write_events_csv(const session::Session& session, const std::function<Status(std::string_view)>& write);

}  // namespace lanewise::trace::exporting
