// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/import/kineto_json/event_start.h"

#include <array>
#include <cstring>
#include <span>

namespace lanewise::trace::kineto_json {
namespace {

bool blank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

constexpr auto kEventKeys = std::to_array<std::string_view>({"ph", "name", "cat", "pid", "tid", "ts", "dur", "args", "id"});
constexpr auto kRootKeys = std::to_array<std::string_view>(
    {"traceEvents", "displayTimeUnit", "baseTimeNanoseconds", "traceName", "distributedInfo", "deviceProperties",
     "schemaVersion", "trace_id", "host_name", "otherData", "stackFrames", "systemTraceEvents"});

Seen key_of(std::span<const std::string_view> keys, const char* p, const char* end) {
  const auto left = static_cast<size_t>(end - p);
  for (const std::string_view key : keys) {
    const size_t n = left < key.size() ? left : key.size();
    if (std::memcmp(p, key.data(), n) != 0) continue;
    if (left <= key.size()) return Seen::need_more;
    if (p[key.size()] != '"') continue;
    const char* q = p + key.size() + 1;
    while (q < end && blank(*q)) ++q;
    if (q == end) return Seen::need_more;
    return *q == ':' ? Seen::yes : Seen::no;
  }
  return Seen::no;
}

}  // namespace

Seen event_start(const char* p, const char* end) {
  if (p == end) return Seen::need_more;
  if (*p != '{') return Seen::no;
  ++p;
  while (p < end && blank(*p)) ++p;
  if (p == end) return Seen::need_more;
  if (*p != '"') return Seen::no;
  return key_of(kEventKeys, p + 1, end);
}

Seen root_key(const char* p, const char* end) { return key_of(kRootKeys, p, end); }

size_t last_event_start(std::string_view text) {
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  for (size_t n = text.size(); n > 0;) {
    const auto* p = static_cast<const char*>(memrchr(begin, '{', n));
    if (p == nullptr) break;
    n = static_cast<size_t>(p - begin);
    if (event_start(p, end) != Seen::yes) continue;
    const char* q = p;
    while (q > begin && blank(q[-1])) --q;
    if (q == begin || q[-1] != ',') continue;
    --q;
    while (q > begin && blank(q[-1])) --q;
    if (q > begin && q[-1] == '}') return n;
  }
  return std::string_view::npos;
}

}  // namespace lanewise::trace::kineto_json
