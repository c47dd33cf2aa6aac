// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Ids in traces are integers, integers beyond int64, or text. One int64 holds all of them without loss:
//   an integer (or a text that is one, in canonical decimal form) is itself; any other text t is kFirstTextId + StringId of
//   t; absent is null. So "12" and 12 are one id, as in files that write ids both ways.
#pragma once

#include <cstdint>
#include <limits>

#include "trace/store/column.h"
#include "trace/store/string_pool.h"

namespace lanewise::trace::schema {

inline constexpr int64_t kNoId = store::null_value<int64_t>();
inline constexpr int64_t kFirstTextId = std::numeric_limits<int64_t>::min() + 1;
inline constexpr int64_t kLastTextId = kFirstTextId + std::numeric_limits<uint32_t>::max() - 1;

constexpr bool is_text_id(int64_t id) { return id >= kFirstTextId && id <= kLastTextId; }
constexpr int64_t text_id(store::StringId text) { return kFirstTextId + text; }
constexpr store::StringId text_of_id(int64_t id) { return static_cast<store::StringId>(id - kFirstTextId); }

}  // namespace lanewise::trace::schema
