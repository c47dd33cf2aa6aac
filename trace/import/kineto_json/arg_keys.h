// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The args that become columns, found by their key in a few instructions.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "trace/schema/event_table_builder.h"

namespace lanewise::trace::kineto_json {

enum class ArgForm : uint8_t { none, number, text, id };

struct ArgTarget {
  uint8_t target = 0;  // ArgKey, or kArgKeys + OptionalColumn
  ArgForm form = ArgForm::none;
};

constexpr uint8_t target_of(schema::OptionalColumn column) {
  return static_cast<uint8_t>(schema::kArgKeys + static_cast<size_t>(column));
}

class ArgKeyTable {
 public:
  static const ArgKeyTable& instance();

  // `key` points into a padded buffer: 8 bytes from its start may be read. The key itself has no escapes.
  ArgTarget find(const char* key, size_t size) const {
    if (size > kMaxSize) return {};
    for (size_t i = slot(key, size);; i = (i + 1) % kSlots) {
      const Entry& e = entries_[i];
      if (e.target.form == ArgForm::none) return {};
      if (e.key.size() == size && std::memcmp(e.key.data(), key, size) == 0) return e.target;
    }
  }

 private:
  static constexpr size_t kSlots = 256;
  static constexpr size_t kMaxSize = 40;
  struct Entry {
    std::string_view key;
    ArgTarget target;
  };

  ArgKeyTable();
  void add(std::string_view key, ArgTarget target);
  static size_t slot(const char* key, size_t size) {
    uint64_t first;
    std::memcpy(&first, key, 8);
    if (size < 8) first &= (uint64_t{1} << (8 * size)) - 1;
    return ((first ^ (size << 56)) * 0x9e3779b97f4a7c15u) >> 56;
  }

  std::array<Entry, kSlots> entries_;
};

}  // namespace lanewise::trace::kineto_json
