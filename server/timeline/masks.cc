// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "server/timeline/masks.h"

#include <regex.h>

#include <algorithm>

#include "trace/analysis/parallel.h"
#include "trace/analysis/selection.h"

namespace lanewise::server::timeline {
namespace {

constexpr size_t kMaxPattern = 400;
// A name may be a whole source text; a regular expression looks at its head.
constexpr size_t kMaxMatched = 4096;

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

bool has_capital(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
}

}  // namespace

Result<std::vector<bool>> matching_names(const Names& names, const std::string& text, bool regex) {
  std::vector<bool> matches(names.size());
  if (text.empty()) return matches;
  if (text.size() > kMaxPattern) return invalid_argument("the text to look for is longer than " + std::to_string(kMaxPattern) + " characters");
  const bool exact_case = has_capital(text);
  if (!regex) {
    for (uint32_t i = 0; i < names.size(); ++i) {
      matches[i] = trace::analysis::name_fits(text, exact_case ? std::string(names.text(i)) : lower(names.text(i)));
    }
    return matches;
  }
  regex_t compiled;
  if (const int error = regcomp(&compiled, text.c_str(), REG_EXTENDED | REG_NOSUB | (exact_case ? 0 : REG_ICASE)); error != 0) {
    char reason[120];
    regerror(error, &compiled, reason, sizeof(reason));
    return invalid_argument("'" + text + "' is no regular expression: " + reason);
  }
  for (uint32_t i = 0; i < names.size(); ++i) {
    matches[i] = regexec(&compiled, std::string(names.text(i).substr(0, kMaxMatched)).c_str(), 0, nullptr, 0) == 0;
  }
  regfree(&compiled);
  return matches;
}

Masks mask_of_names(const Timeline& timeline, const std::vector<bool>& names, int64_t min_ns) {
  Masks masks(timeline.lanes().size());
  trace::analysis::parallel_for(masks.size(), 0, [&](size_t k) {
    const Lane& lane = timeline.lanes()[k];
    BitMask mask(lane.slices.size());
    for (uint32_t i = 0; i < lane.slices.size(); ++i) {
      const uint32_t name = lane.names[i];
      if (name < names.size() && names[name] && lane.slices.dur(i) >= min_ns) mask.set(i);
    }
    mask.freeze();
    masks[k] = std::move(mask);
  });
  return masks;
}

Masks mask_of_filter(const Timeline& timeline, const TileFilter& filter) {
  std::vector<bool> names(timeline.names().size(), true);
  if (!filter.name.empty()) {
    if (auto matching = matching_names(timeline.names(), filter.name, false); matching.ok()) names = std::move(*matching);
  }
  for (const std::string& hidden : filter.hide) {
    const uint32_t index = timeline.names().find(hidden);
    if (index < names.size()) names[index] = false;
  }
  return mask_of_names(timeline, names, filter.min_ns);
}

}  // namespace lanewise::server::timeline
