// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "server/library/open_trace.h"

namespace lanewise::server::http {

// The slices whose name matches (server/timeline/masks.h), made once and kept. invalid_argument: no regular expression.
Result<std::shared_ptr<const timeline::Masks>> search_masks(const library::View& view, const std::string& text, bool regex);

}  // namespace lanewise::server::http
