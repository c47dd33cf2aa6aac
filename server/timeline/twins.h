// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// In a capture folder PyTorch's trace and the system trace tell the same call and the same execution twice. Twins are two slices of
// one kind (runtime call, device work) in the two files with the same start and the same duration.
#pragma once

#include <optional>

#include "server/timeline/timeline.h"

namespace lanewise::server::timeline {

// Of an event of either file, in the other one.
std::optional<trace::schema::EventId> twin_of(const Timeline& timeline, trace::schema::EventId event);

}  // namespace lanewise::server::timeline
