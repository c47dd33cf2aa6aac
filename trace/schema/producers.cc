// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/schema/producers.h"

#include <algorithm>
#include <array>

#include "trace/schema/producers_builtin.h"

namespace lanewise::trace::schema {
namespace {

constexpr auto kCallKinds = std::to_array<std::string_view>(
    {"other", "launch", "graph_launch", "copy", "fill", "sync", "allocate", "release", "record", "wait"});

// `*` matches any run of characters; everything else itself.
bool matches(std::string_view pattern, std::string_view text) {
  size_t p = 0, t = 0, star = pattern.npos, mark = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      mark = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p, ++t;
    } else if (star != pattern.npos) {
      p = star + 1;
      t = ++mark;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

// Words of a line; "quoted words" may hold blanks. `#` starts a comment outside quotes.
std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  for (size_t i = 0; i < line.size();) {
    if (line[i] == ' ' || line[i] == '\t' || line[i] == '\r') {
      ++i;
    } else if (line[i] == '#') {
      break;
    } else if (line[i] == '"') {
      const size_t end = std::min(line.find('"', i + 1), line.size());
      words.emplace_back(line.substr(i + 1, end - i - 1));
      i = end + 1;
    } else {
      const size_t end = std::min(line.find_first_of(" \t\r", i), line.size());
      words.emplace_back(line.substr(i, end - i));
      i = end;
    }
  }
  return words;
}

}  // namespace

std::string_view call_kind_name(CallKind kind) { return kCallKinds[static_cast<size_t>(kind)]; }

Role CategoryRule::role_of(std::string_view name) const {
  const auto at = std::find_if(named.rbegin(), named.rend(), [&](const auto& rule) { return matches(rule.first, name); });
  return at == named.rend() ? role : at->second;
}

const Producers& Producers::builtin() {
  static const Producers* const table = [] {
    auto* made = new Producers();
    const Status status = made->parse(builtin_producers_text(), "built-in producers table");
    LW_CHECK(status.ok(), status.to_string());
    return made;
  }();
  return *table;
}

Result<Producers> Producers::with(std::string_view text, std::string_view source_name) {
  Producers table = builtin();
  LW_RETURN_IF_ERROR(table.parse(text, source_name));
  return table;
}

Status Producers::parse(std::string_view text, std::string_view source_name) {
  std::string producer;
  int number = 0;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::vector<std::string> words = words_of(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (words.empty()) continue;
    const auto bad = [&](const std::string& why) {
      return invalid_argument(std::string(source_name) + ", line " + std::to_string(number) + ": " + why);
    };
    const std::string& verb = words[0];
    if (verb == "producer") {
      if (words.size() != 2) return bad("producer NAME");
      producer = words[1];
      continue;
    }
    if (producer.empty()) return bad("the first line must be: producer NAME");
    if (verb == "category") {
      if (words.size() != 3) return bad("category TEXT ROLE");
      const auto role = role_by_name(words[2]);
      if (!role) return bad("no role is called " + words[2]);
      categories_.push_back({words[1], producer, *role, {}, {}});
    } else if (verb == "device_when" || verb == "named") {
      const bool named = verb == "named";
      if (words.size() != (named ? 4 : 3)) return bad(named ? "named CATEGORY PATTERN ROLE" : "device_when CATEGORY ARG");
      auto at = std::find_if(categories_.rbegin(), categories_.rend(),
                             [&](const CategoryRule& rule) { return rule.category == words[1]; });
      if (at == categories_.rend()) return bad("declare the category " + words[1] + " first");
      if (named) {
        const auto role = role_by_name(words[3]);
        if (!role) return bad("no role is called " + words[3]);
        at->named.emplace_back(words[2], *role);
        continue;
      }
      if (words[2] != "device" && words[2] != "nc_id" && words[2] != "stream") {
        return bad("device_when knows the args device, nc_id and stream");
      }
      at->device_when.push_back(words[2]);
    } else if (verb == "call") {
      const auto kind = words.size() == 3 ? std::find(kCallKinds.begin(), kCallKinds.end(), words[1]) : kCallKinds.end();
      if (kind == kCallKinds.end()) return bad("call KIND PATTERN, where KIND is launch, graph_launch, copy, fill, sync, allocate, release, record, wait or other");
      calls_.push_back({words[2], producer, static_cast<CallKind>(kind - kCallKinds.begin())});
    } else if (verb == "collective") {
      if (words.size() != 2) return bad("collective PATTERN");
      collectives_.push_back(words[1]);
    } else if (verb == "lane") {
      if (words.size() != 2 || (words[1] != "stream" && words[1] != "tid")) return bad("lane stream | tid");
      lanes_.emplace_back(producer, words[1] == "tid" ? LaneRule::tid : LaneRule::stream);
    } else if (verb == "device") {
      if (words.size() != 3) return bad("device NAME TYPE");
      devices_.push_back({producer, words[1], words[2]});
    } else if (verb == "device_call") {
      if (words.size() != 3) return bad("device_call NAME PATTERN");
      device_calls_.emplace_back(words[2], words[1]);
    } else {
      return bad("unknown word " + verb);
    }
  }
  return ok_status();
}

const CategoryRule* Producers::category(std::string_view name) const {
  const auto at = std::find_if(categories_.rbegin(), categories_.rend(),
                               [&](const CategoryRule& rule) { return rule.category == name; });
  return at == categories_.rend() ? nullptr : &*at;
}

Role Producers::role(std::string_view name) const {
  const CategoryRule* rule = category(name);
  return rule ? rule->role : Role::other;
}

std::string_view Producers::producer(std::string_view name) const {
  const CategoryRule* rule = category(name);
  return rule ? std::string_view(rule->producer) : std::string_view();
}

CallKind Producers::call(std::string_view runtime_name) const {
  const auto at = std::find_if(calls_.rbegin(), calls_.rend(),
                               [&](const CallRule& rule) { return matches(rule.pattern, runtime_name); });
  return at == calls_.rend() ? CallKind::other : at->kind;
}

bool Producers::is_collective(std::string_view kernel_name) const {
  return std::any_of(collectives_.begin(), collectives_.end(),
                     [&](const std::string& pattern) { return matches(pattern, kernel_name); });
}

LaneRule Producers::lane(std::string_view producer) const {
  const auto at = std::find_if(lanes_.rbegin(), lanes_.rend(), [&](const auto& lane) { return lane.first == producer; });
  return at == lanes_.rend() ? LaneRule::stream : at->second;
}

std::string_view Producers::device_of_call(std::string_view runtime_name) const {
  const auto at = std::find_if(device_calls_.rbegin(), device_calls_.rend(),
                               [&](const auto& rule) { return matches(rule.first, runtime_name); });
  return at == device_calls_.rend() ? std::string_view() : std::string_view(at->second);
}

std::string_view Producers::device_of(const std::vector<std::string>& producers) const {
  const auto at = std::find_if(devices_.rbegin(), devices_.rend(), [&](const DeviceRule& rule) {
    return std::find(producers.begin(), producers.end(), rule.producer) != producers.end();
  });
  return at == devices_.rend() ? std::string_view() : std::string_view(at->name);
}

std::string_view Producers::device_type(std::string_view device) const {
  const auto at = std::find_if(devices_.rbegin(), devices_.rend(), [&](const DeviceRule& rule) { return rule.name == device; });
  return at == devices_.rend() ? std::string_view("PrivateUse1") : std::string_view(at->type);
}

}  // namespace lanewise::trace::schema
