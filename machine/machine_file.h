// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// A machine file as text: its name and its numbers, each with a source. Knows the shape of the file, not its keys.
//
//   name = "trn2"
//   [dma]
//   engines = { value = 16, source = "where the number comes from" }
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/status.h"

namespace lanewise::machine {

struct FileEntry {
  std::string key;                       // "dma.engines"
  std::variant<int64_t, bool> value;
  std::string source;
  int line = 0;
};

struct MachineFile {
  std::string name;
  std::vector<FileEntry> entries;
};

// Errors name `file`, line, key and reason: broken TOML, a value that is neither integer nor boolean, no source.
Result<MachineFile> read_machine_file(std::string_view text, std::string_view file);

}  // namespace lanewise::machine
