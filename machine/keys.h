// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Every number of a machine: its key, where it lives in Machine, and the range it may have. Loading, overriding,
// validating and describing walk this table.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/status.h"
#include "machine/machine.h"

namespace lanewise::machine {

struct Key {
  std::string_view path;                // "dma.engines", as in the file
  int64_t& (*number)(Machine&);         // null for a flag
  bool& (*flag)(Machine&);              // null for a number
  int64_t min = 0, max = 0;             // of a number, both allowed
};

std::span<const Key> keys();

// By path or by one of the two short names; null when there is none.
const Key* find_key(std::string_view name);

// The key that is the fewest edits away from what was typed (its last part, when that has no dot); "" when none is near (base/near_word.h).
std::string_view nearest_key(std::string_view typed);

// Stores a number or flag. The error is a bare reason ("must be 1 to 64, is 0"); callers put file and key in front.
Status set_number(const Key& key, Machine& machine, int64_t value);
Status set_flag(const Key& key, Machine& machine, bool value);

std::string value_text(const Key& key, const Machine& machine);

// Rules between two numbers; names both keys.
Status check_together(const Machine& machine);

}  // namespace lanewise::machine
