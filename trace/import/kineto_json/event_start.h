// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What the start of an event looks like; used to guess places for cuts and to find the way back after damage.
#pragma once

#include <cstddef>
#include <string_view>

namespace lanewise::trace::kineto_json {

enum class Seen { no, yes, need_more };

// At `p`: `{`, blanks, a quoted key that events have, blanks, `:`. need_more: the text ends before that is clear.
Seen event_start(const char* p, const char* end);

// At `p` (behind the quote): a key of root objects, its closing quote, blanks, `:`.
Seen root_key(const char* p, const char* end);

// The last place in `text` where an event very likely starts inside an array: `}` `,` before it. npos when there is none.
size_t last_event_start(std::string_view text);

}  // namespace lanewise::trace::kineto_json
