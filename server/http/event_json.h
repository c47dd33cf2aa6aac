// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Events as the contract has them.
#pragma once

#include "base/json_writer.h"
#include "server/timeline/timeline.h"

namespace lanewise::server::http {

// The members of Event into the open object.
void write_event_members(JsonWriter& w, const timeline::Timeline& timeline, trace::schema::EventId event);
// A whole Event object.
void write_event(JsonWriter& w, const timeline::Timeline& timeline, trace::schema::EventId event);
// {"from","to","cause","device","event"}
void write_gap(JsonWriter& w, const timeline::Timeline& timeline, const timeline::Lane& lane, uint32_t index);

}  // namespace lanewise::server::http
