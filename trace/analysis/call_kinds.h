// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What runtime calls do, each name looked up in the producers table once.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/schema/producers.h"
#include "trace/store/string_pool.h"

namespace lanewise::trace::analysis {

class CallKinds {
 public:
  CallKinds(const store::StringPool& strings, const schema::Producers& producers) : strings_(strings), producers_(producers) {}

  schema::CallKind of(store::StringId name) {
    if (name == store::kNoString) return schema::CallKind::other;
    if (name >= known_.size()) known_.resize(strings_.size(), kUnknown);
    if (known_[name] == kUnknown) known_[name] = static_cast<uint8_t>(producers_.call(strings_.text(name)));
    return static_cast<schema::CallKind>(known_[name]);
  }

 private:
  static constexpr uint8_t kUnknown = 0xff;
  const store::StringPool& strings_;
  const schema::Producers& producers_;
  std::vector<uint8_t> known_;
};

// Calls that put work into a device's queue.
constexpr bool submits(schema::CallKind kind) {
  using schema::CallKind;
  return kind == CallKind::launch || kind == CallKind::graph_launch || kind == CallKind::copy || kind == CallKind::fill;
}

}  // namespace lanewise::trace::analysis
