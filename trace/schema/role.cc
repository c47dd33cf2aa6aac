// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/schema/role.h"

#include <array>

namespace lanewise::trace::schema {
namespace {

constexpr auto kNames = std::to_array<std::string_view>({
#define LW_ROLE_NAME(name) #name,
    LW_ROLES(LW_ROLE_NAME)
#undef LW_ROLE_NAME
});

}  // namespace

std::string_view role_name(Role role) { return kNames[static_cast<size_t>(role)]; }

std::optional<Role> role_by_name(std::string_view name) {
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<Role>(i);
  }
  return std::nullopt;
}

}  // namespace lanewise::trace::schema
