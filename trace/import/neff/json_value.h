// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// JSON of a file that may be anything: a member that is missing or of another type gives the default, never a failure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace lanewise::trace::neff {

using Json = nlohmann::json;

// Discarded (is_discarded()) when `text` is no JSON.
inline Json parse_json(std::string_view text) { return Json::parse(text.begin(), text.end(), nullptr, false); }

inline const Json& member(const Json& object, std::string_view key) {
  static const Json nothing;
  if (!object.is_object()) return nothing;
  const auto found = object.find(std::string(key));
  return found == object.end() ? nothing : *found;
}
inline std::string text(const Json& value) { return value.is_string() ? value.get<std::string>() : std::string(); }
inline std::string text(const Json& object, std::string_view key) { return text(member(object, key)); }
inline int64_t integer(const Json& value, int64_t missing = 0) {
  if (value.is_number_unsigned() && value.get<uint64_t>() > INT64_MAX) return missing;
  return value.is_number_integer() ? value.get<int64_t>() : missing;
}
inline int64_t integer(const Json& object, std::string_view key, int64_t missing = 0) {
  return integer(member(object, key), missing);
}
inline std::vector<int64_t> integers(const Json& object, std::string_view key) {
  std::vector<int64_t> out;
  const Json& list = member(object, key);
  if (!list.is_array()) return out;
  for (const Json& value : list) out.push_back(integer(value));
  return out;
}

}  // namespace lanewise::trace::neff
