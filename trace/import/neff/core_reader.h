// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// One core's folder of a NEFF: def.json names everything else.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "trace/import/neff/real_neff.h"

namespace lanewise::trace::neff {

// Finds members by full name and remembers which were read.
class Archive {
 public:
  explicit Archive(const record::Neff& neff);
  // Null when it is not there.
  const std::string* read(std::string_view name);
  // Marks members whose purpose is known.
  void list(std::string_view name);
  std::vector<Member> members() const;
  const std::vector<record::TarMember>& all() const { return neff_.members; }

 private:
  const record::Neff& neff_;
  std::vector<MemberUse> use_;
};

// `folder`: "sg00"; `definition`: its def.json. What cannot be read is a sentence in `problems`.
Core read_core(Archive& archive, std::string_view folder, std::string_view definition, std::vector<std::string>* problems);

}  // namespace lanewise::trace::neff
