// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Debug annotations of an event: its args.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trace/import/perfetto/sequence.h"

namespace lanewise::trace::perfetto {

// key, value as JSON text.
using Args = std::vector<std::pair<std::string, std::string>>;

// Adds one DebugAnnotation message. False: damaged, or nested too deep.
bool add_annotation(std::string_view message, const Sequence& sequence, Args* args);

// The args as one JSON object.
std::string args_json(const Args& args);

}  // namespace lanewise::trace::perfetto
