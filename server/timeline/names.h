// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Names: the texts that slices are called by, each once, under the index that frames carry. Immutable; a trace that grows gets a new
// one that begins with the texts of the old one, so an index never changes its meaning.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "trace/store/string_pool.h"

namespace lanewise::server::timeline {

inline constexpr uint32_t kNoName = ~uint32_t{0};

class Names {
 public:
  // `strings` holds the bytes and must live as long as this.
  explicit Names(std::shared_ptr<const trace::store::StringPool> strings) : strings_(std::move(strings)) {}

  // While it is built. kNoString is the empty name.
  uint32_t add(trace::store::StringId id);
  // Texts that are no event's: causes of gaps, names of counters.
  uint32_t add_text(std::string_view text);

  size_t size() const { return texts_.size(); }
  std::string_view text(uint32_t index) const { return index < texts_.size() ? std::string_view(texts_[index]) : std::string_view(); }
  // Of a text that was added; kNoName for others.
  uint32_t index_of(trace::store::StringId id) const {
    if (id == trace::store::kNoString) return find({});
    return id < by_string_.size() ? by_string_[id] : kNoName;
  }
  uint32_t find(std::string_view text) const;

 private:
  std::shared_ptr<const trace::store::StringPool> strings_;
  std::vector<std::string> texts_;
  std::vector<uint32_t> by_string_;
  std::unordered_map<std::string, uint32_t> by_text_;
};

}  // namespace lanewise::server::timeline
