// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Small JSON texts (metadata, args of one event) read member by member. Not for speed.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lanewise::trace::kineto_json {

// The members of an object: key (clean), value as JSON text. Stops at the first thing that is no JSON.
std::vector<std::pair<std::string, std::string>> json_members(std::string_view object);
// The elements of an array as JSON texts.
std::vector<std::string> json_elements(std::string_view array);
// A JSON value as plain text: a string without quotes and escapes, "" for null, anything else as it stands.
std::string json_text(std::string_view value);

}  // namespace lanewise::trace::kineto_json
