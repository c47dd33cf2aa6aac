// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Masks: a set of slices of a trace as one BitMask a lane; what a filter lets pass, a search hits, a selection holds.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "server/timeline/timeline.h"

namespace lanewise::server::timeline {

using Masks = std::vector<BitMask>;  // by index of the lane

// Tells for each name whether it is meant. `regex`: POSIX extended, with \d \s \w \b; else a part of the name, or with `*` a pattern of the whole.
// Capital letters count only when the text has some. invalid_argument: no regular expression, or a text of
// more than 400 bytes.
Result<std::vector<bool>> matching_names(const Names& names, const std::string& text, bool regex);

// Slices of those names that last at least min_ns.
Masks mask_of_names(const Timeline& timeline, const std::vector<bool>& names, int64_t min_ns = 0);

struct TileFilter {
  std::string name;
  int64_t min_ns = 0;
  std::vector<std::string> hide;  // names, exact
  bool everything() const { return name.empty() && min_ns <= 0 && hide.empty(); }
};
// invalid_argument: as matching_names().
Result<Masks> mask_of_filter(const Timeline& timeline, const TileFilter& filter);

}  // namespace lanewise::server::timeline
