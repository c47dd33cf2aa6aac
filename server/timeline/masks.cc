// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "server/timeline/masks.h"

#include <re2/re2.h>

#include <algorithm>

#include "trace/analysis/parallel.h"
#include "trace/analysis/selection.h"

namespace lanewise::server::timeline {
namespace {

constexpr size_t kMaxPattern = 400;

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
  // RE2 and not the C library's: no pattern takes more than linear time, or memory without limit.
  RE2::Options options(RE2::POSIX);
  options.set_perl_classes(true);
  options.set_word_boundary(true);
  options.set_one_line(true);
  options.set_dot_nl(true);
  options.set_case_sensitive(exact_case);
  options.set_log_errors(false);
  const RE2 compiled(text, options);
  if (!compiled.ok()) return invalid_argument("'" + text + "' is no regular expression: " + compiled.error());
  for (uint32_t i = 0; i < names.size(); ++i) {
    const std::string_view name = names.text(i);
    matches[i] = RE2::PartialMatch(re2::StringPiece(name.data(), name.size()), compiled);
  }
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

Result<Masks> mask_of_filter(const Timeline& timeline, const TileFilter& filter) {
  std::vector<bool> names(timeline.names().size(), true);
  if (!filter.name.empty()) {
    LW_ASSIGN_OR_RETURN(names, matching_names(timeline.names(), filter.name, false));
  }
  for (const std::string& hidden : filter.hide) {
    const uint32_t index = timeline.names().find(hidden);
    if (index < names.size()) names[index] = false;
  }
  return mask_of_names(timeline, names, filter.min_ns);
}

}  // namespace lanewise::server::timeline
