// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What packets of one sequence share: interned texts and defaults, valid from one clearing of the state to the next.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace lanewise::trace::perfetto {

class Sequence {
 public:
  bool valid() const { return valid_; }
  // A new state begins.
  void clear();
  // InternedData and TracePacketDefaults messages. False: damaged.
  bool add_interned(std::string_view message);
  bool set_defaults(std::string_view message);

  using Texts = std::unordered_map<uint64_t, std::string>;
  Texts categories, names, annotation_names, annotation_texts;
  uint64_t default_clock = 0;  // 0 = none
  uint64_t default_track = 0;

  static std::string_view find(const Texts& texts, uint64_t iid) {
    const auto at = texts.find(iid);
    return at == texts.end() ? std::string_view() : std::string_view(at->second);
  }

 private:
  bool valid_ = false;
};

}  // namespace lanewise::trace::perfetto
