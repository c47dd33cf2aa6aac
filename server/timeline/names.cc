// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "server/timeline/names.h"

namespace lanewise::server::timeline {

uint32_t Names::add_text(std::string_view text) {
  const auto [at, is_new] = by_text_.try_emplace(std::string(text), static_cast<uint32_t>(texts_.size()));
  if (is_new) texts_.emplace_back(text);
  return at->second;
}

uint32_t Names::add(trace::store::StringId id) {
  if (id == trace::store::kNoString) return add_text({});
  if (id >= by_string_.size()) by_string_.resize(std::max<size_t>(id + size_t{1}, strings_->size()), kNoName);
  if (by_string_[id] == kNoName) by_string_[id] = add_text(strings_->text(id));
  return by_string_[id];
}

uint32_t Names::find(std::string_view text) const {
  const auto at = by_text_.find(std::string(text));
  return at == by_text_.end() ? kNoName : at->second;
}

}  // namespace lanewise::server::timeline
