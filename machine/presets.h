// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The machine files that were embedded at build time.
#pragma once

#include <string_view>
#include <vector>

namespace lanewise::machine {

struct Preset {
  std::string_view name;
  std::string_view text;   // TOML
};

const std::vector<Preset>& presets();

}  // namespace lanewise::machine
